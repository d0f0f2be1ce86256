package dev.semel.store;

import dev.semel.id.IdFormat.Fault;
import dev.semel.id.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * The id of a document.
 *
 * @param collection 1 to 64 visible ASCII characters
 * @param owner the user whose document it is, {@linkplain IdempotencyKey#isUser a valid user name}; empty if users share it
 * @param key unique within the collection and the owner: 1 to {@value #LONGEST_KEY} visible ASCII characters
 */
public record DocumentId(String collection, String owner, String key) implements Comparable<DocumentId> {

    /** The most characters of a key. */
    public static final int LONGEST_KEY = 1024;

    private static final int LONGEST_COLLECTION = 64;

    /**
     * Checks the parts of the id.
     *
     * @throws MalformedException naming the part that is missing or malformed
     */
    public DocumentId {
        checkVisible("collection", collection, LONGEST_COLLECTION);
        if (!owner.isEmpty()) {
            IdempotencyKey.checkUser("owner", owner);
        }
        checkVisible("key", key, LONGEST_KEY);
    }

    /**
     * Checks a key, or a part of one.
     *
     * @throws MalformedException naming the field if it is not 1 to {@code longest} visible ASCII characters
     */
    public static void checkVisible(String field, @Nullable String text, int longest) {
        Fault fault = visibleFault(text, longest);
        if (fault != null) {
            throw new MalformedException(field, text, fault, "1 to " + longest + " visible ASCII characters");
        }
    }

    private static @Nullable Fault visibleFault(@Nullable String text, int longest) {
        if (text == null) {
            return Fault.missing();
        }
        if (text.isEmpty() || text.length() > longest) {
            return Fault.ofLength(text);
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) <= ' ' || text.charAt(i) > '~') {
                return Fault.ofCharacter(text, i);
            }
        }
        return null;
    }

    /** Compares by collection, owner and key. For documents of one owner this is the order of bytes. */
    @Override
    public int compareTo(DocumentId other) {
        int byCollection = collection.compareTo(other.collection);
        if (byCollection != 0) {
            return byCollection;
        }
        int byOwner = owner.compareTo(other.owner);
        return byOwner != 0 ? byOwner : key.compareTo(other.key);
    }
}
