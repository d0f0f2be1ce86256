package dev.semel.postgres;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which versions of documents this process has lately replaced. If many callers change one document, those that waited for its
 * lock get their conflict from here, without a round trip: a version that was replaced never returns. An entry is used for one second only,
 * because a failover may lose commits that were acknowledged.
 */
final class Superseded {

    private static final int MOST = 1 << 12;
    private static final long MOMENT_NANOS = 1_000_000_000L;

    private final Map<Version, Successor> successors = new Recent<>();
    private final Map<String, Boolean> doubtful = new Recent<>();

    /** The version of a document that one commit wrote. */
    private record Version(DocumentId id, String writer) {}

    /** The commit that replaced a version, and its own version; 0 after a deletion. */
    private record Successor(String commitId, long version, long nanos) {

        boolean isKnownBy(String commitId, long now) {
            return !this.commitId.equals(commitId) && now - nanos < MOMENT_NANOS;
        }
    }

    private static final class Recent<K, V> extends LinkedHashMap<K, V> {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MOST;
        }
    }

    /** Remembers the versions that a commit has replaced. */
    synchronized void note(Commit applied) {
        for (DocumentWrite write : applied.writes()) {
            String writer = applied.preconditions().get(write.id());
            if (writer != null && !writer.isEmpty()) {
                long version =
                        write instanceof DocumentWrite.Put put ? put.document().version() : 0;
                successors.put(
                        new Version(write.id(), writer), new Successor(applied.id(), version, System.nanoTime()));
            }
        }
    }

    /** Excludes a commit whose result is unknown: sent again, it has to be looked up, because it may have been applied. */
    synchronized void doubt(Commit commit) {
        doubtful.put(commit.id(), true);
    }

    /** Returns the conflict of a commit; null if none is known. */
    synchronized CommitResult.@Nullable DocumentConflict check(Commit commit) {
        if (doubtful.containsKey(commit.id())) {
            return null;
        }
        for (Map.Entry<DocumentId, String> expected : commit.preconditions().entrySet()) {
            Successor successor = successors.get(new Version(expected.getKey(), expected.getValue()));
            if (successor != null && successor.isKnownBy(commit.id(), System.nanoTime())) {
                return new CommitResult.DocumentConflict(expected.getKey(), successor.version);
            }
        }
        return null;
    }
}
