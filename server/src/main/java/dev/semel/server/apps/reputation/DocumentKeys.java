package dev.semel.server.apps.reputation;

import dev.semel.key.KeyTemplate;

/** The composite keys of documents, each with a type per part. */
public final class DocumentKeys {

    /** The key of a user's document. */
    public static final KeyTemplate USER = KeyTemplate.of("usr_{user:uuid4s}");

    /** The key of a tag of a user. */
    public static final KeyTemplate TAG = KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}");

    /** The secondary index of tags, which finds them by their id. */
    public static final KeyTemplate TAG_BY_ID = KeyTemplate.of("tag_{tag:uuid4s}_usr_{user:uuid4s}");

    /** The key of a user's reputation for a tag. It has the form of a tag's key, in a separate collection. */
    public static final KeyTemplate REPUTATION = KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}");

    /** The secondary index of reputations, which finds them by their tag. */
    public static final KeyTemplate REPUTATION_BY_TAG = KeyTemplate.of("tag_{tag:uuid4s}_usr_{user:uuid4s}");

    /** The key of a vote, which finds votes by their user and tag. */
    public static final KeyTemplate VOTE =
            KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}_tar_{target:uuid4s}_key_{key:uuid4s}");

    /** The secondary index of votes, which finds them by tag and target. */
    public static final KeyTemplate VOTE_BY_TARGET =
            KeyTemplate.of("tag_{tag:uuid4s}_tar_{target:uuid4s}_usr_{user:uuid4s}_key_{key:uuid4s}");

    private DocumentKeys() {}
}
