package dev.semel.server.apps.reputation;

import dev.semel.key.KeyTemplate;
import java.util.List;

/** The keys of documents. */
public final class DocumentKeys {

    /** A user. */
    public static final KeyTemplate USER = KeyTemplate.of("usr_{user:uuid4s}");

    /** A tag, under the user who made it. */
    public static final KeyTemplate TAG = KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}");

    /** A user's reputation in a tag; the same form as a tag's key, in a collection of its own. */
    public static final KeyTemplate REPUTATION = KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}");

    /** A vote, found by the user who gave it and the tag. */
    public static final KeyTemplate VOTE =
            KeyTemplate.of("usr_{user:uuid4s}_tag_{tag:uuid4s}_tar_{target:uuid4s}_key_{key:uuid4s}");

    /** The same vote, found by the tag and the target it is for. */
    public static final KeyTemplate VOTE_BY_TARGET =
            KeyTemplate.of("tag_{tag:uuid4s}_tar_{target:uuid4s}_usr_{user:uuid4s}_key_{key:uuid4s}");

    /** Spellings that are read but no longer written; their ids may be of any width. */
    public static final List<KeyTemplate> LEGACY = List.of(
            KeyTemplate.of("USR={user:hex}_TAG={tag:hex}"),
            KeyTemplate.of("USR_{user:hex}_TAG_{tag:hex}"),
            KeyTemplate.of("USR_{user:hex}_TAG_{tag:hex}_TAR_{target:hex}_KEY_{key:hex}"));

    private DocumentKeys() {}
}
