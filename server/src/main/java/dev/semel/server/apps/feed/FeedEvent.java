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
 * A change of the feed, as its readers get it. It is kept for a while in the same commit as its effect, and has the
 * sequence number of that commit; so the order of events is the order of commits.
 */
final class FeedEvent {

    /** How long readers can go on behind one. */
    static final Duration RESUMABLE = Duration.ofDays(1);

    /**
     * How long one is kept: longer, because its time is taken when its transaction begins. So as long as readers can go on behind
     * one, all behind it are there.
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
    private final byte[] toOthers; // the same, if there is nothing to leave out

    private FeedEvent(Document stored) {
        ObjectNode tree = (ObjectNode) JsonText.tree(stored.data());
        this.sequence = stored.sequence();
        this.mark = tree.get(TYPE).stringValue().equals(MARK);
        this.user = mark ? "" : tree.get(USER).stringValue();
        this.toAuthor = mark ? new byte[0] : text(stored.key(), tree);
        this.toOthers = tree.remove(CLIENT_TX_ID) == null ? toAuthor : text(stored.key(), tree);
    }

    /** One that is kept. */
    static FeedEvent of(Document stored) {
        return new FeedEvent(stored);
    }

    /**
     * Publishes what a request did, when it is committed.
     *
     * @param what the members beside user and time
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

    /** Something to go on behind, of which nobody is told. */
    static Document mark(Transaction tx) {
        return keep(tx, JsonText.object().put(TYPE, MARK));
    }

    private static Document keep(Transaction tx, ObjectNode event) {
        return EVENTS.createMinted(tx, IdSchemes.TID62::mint, JsonText.json(event), TTL);
    }

    /** Its commit sequence number. */
    long sequence() {
        return sequence;
    }

    /** Whether nobody is told of it. */
    boolean isMark() {
        return mark;
    }

    /**
     * How a reader is told: what the client called the transaction is for the user alone who caused it. The bytes are made once,
     * however many read them.
     */
    byte[] textFor(String reader) {
        return reader.equals(user) ? toAuthor : toOthers;
    }

    private static byte[] text(String id, JsonNode event) {
        byte[] head = ("id: " + id + "\nevent: " + event.get(TYPE).stringValue() + "\ndata: ").getBytes(US_ASCII);
        byte[] data = JsonText.bytes(event); // a single line
        ByteArrayOutputStream text = new ByteArrayOutputStream(head.length + data.length + 2);
        text.writeBytes(head);
        text.writeBytes(data);
        text.write('\n');
        text.write('\n');
        return text.toByteArray();
    }

    /** About how much memory it takes. */
    int bytes() {
        return toOthers.length + (toAuthor == toOthers ? 0 : toAuthor.length);
    }
}
