package dev.semel.postgres;

import dev.semel.store.DocumentId;
import dev.semel.store.spi.Commit;
import dev.semel.store.spi.Commit.DocumentWrite;
import dev.semel.store.spi.CommitResult;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which versions of documents this process has lately replaced. Where many want to change one document, those who waited for its
 * lock know without asking the database that they were too late: no commit writes a version that was there before. That is believed for
 * a moment only, as a database that fails over may have lost what it acknowledged.
 */
final class Superseded {

    private static final int MOST = 1 << 12;
    private static final long MOMENT_NANOS = 1_000_000_000L;

    private final Map<Version, Successor> successors = new Recent<>();
    private final Map<String, Boolean> doubtful = new Recent<>();

    /** A document as one commit wrote it. */
    private record Version(DocumentId id, String writer) {}

    /** The commit that replaced it, and what it left. */
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

    /** A commit was applied. */
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

    /** Nobody knows whether a commit was applied. If it was, it did not come too late, whatever has been replaced since. */
    synchronized void doubt(Commit commit) {
        doubtful.put(commit.id(), true);
    }

    /** The result of a commit that comes too late; null if that is not known. */
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
