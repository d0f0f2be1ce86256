package dev.semel.server.apps.feed;

import static dev.semel.server.apps.feed.FeedCollections.EVENTS;
import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.semel.document.Transaction;
import dev.semel.id.IdSchemes;
import dev.semel.server.web.JsonText;
import dev.semel.server.web.Request;
import dev.semel.store.Document;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An event of the feed. It is stored in the same commit as its effect and has the sequence number of that commit, so events are in commit
 * order.
 */
final class FeedEvent {

    /** How long a reader can resume after an event. */
    static final Duration RESUMABLE = Duration.ofDays(1);

    /**
     * Longer than readers can resume, because the expiry counts from the start of the transaction. So if a reader can resume after an
     * event, all later events are still stored.
     */
    private static final Duration TTL = RESUMABLE.plusHours(1);

    private static final String TYPE = "type";
    private static final String USER = "user";
    private static final String CLIENT_TX_ID = "clientTxId";
    private static final String MARK = "mark";

    private final long sequence;
    private final boolean mark;
    private final String user;
    private final byte[] toAuthor;
    private final byte[] toOthers; // the same array if the event has no clientTxId

    private FeedEvent(Document stored) {
        ObjectNode tree = (ObjectNode) JsonText.tree(stored.data());
        this.sequence = stored.sequence();
        this.mark = tree.get(TYPE).stringValue().equals(MARK);
        this.user = mark ? "" : tree.get(USER).stringValue();
        this.toAuthor = mark ? new byte[0] : text(stored.key(), tree);
        this.toOthers = tree.remove(CLIENT_TX_ID) == null ? toAuthor : text(stored.key(), tree);
    }

    /** Parses an event from its document. */
    static FeedEvent of(Document stored) {
        return new FeedEvent(stored);
    }

    /**
     * Stores an event in the transaction of a request.
     *
     * @param what the members of the event in addition to its type, user and time
     */
    static void publish(String type, Request request, ObjectNode what) {
        Transaction tx = request.tx();
        ObjectNode event =
                JsonText.object().put(TYPE, type).put(USER, request.user()).put("at", JsonText.time(tx.now()));
        event.setAll(what);
        if (request.clientTxId() != null) {
            event.put(CLIENT_TX_ID, request.clientTxId());
        }
        keep(tx, event);
    }

    /** Stores an event that is not sent to readers, so that readers have an event to resume after. */
    static Document mark(Transaction tx) {
        return keep(tx, JsonText.object().put(TYPE, MARK));
    }

    private static Document keep(Transaction tx, ObjectNode event) {
        return EVENTS.createMinted(tx, IdSchemes.TID62::mint, JsonText.json(event), TTL);
    }

    /** Returns the commit sequence number of the event. */
    long sequence() {
        return sequence;
    }

    /** Whether the event is only a position to resume after, and not sent to readers. */
    boolean isMark() {
        return mark;
    }

    /**
     * Returns the event in the format of server-sent events. Only the user who caused the event receives the {@code clientTxId}. The bytes
     * are shared by all readers.
     */
    byte[] textFor(String reader) {
        return reader.equals(user) ? toAuthor : toOthers;
    }

    private static byte[] text(String id, JsonNode event) {
        byte[] head = ("id: " + id + "\nevent: " + event.get(TYPE).stringValue() + "\ndata: ").getBytes(US_ASCII);
        byte[] data = JsonText.bytes(event); // a single line, as the format requires
        ByteArrayOutputStream text = new ByteArrayOutputStream(head.length + data.length + 2);
        text.writeBytes(head);
        text.writeBytes(data);
        text.write('\n');
        text.write('\n');
        return text.toByteArray();
    }

    /** Returns the approximate size of the event in memory. */
    int bytes() {
        return toOthers.length + (toAuthor == toOthers ? 0 : toAuthor.length);
    }
}
