package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.outbox.OutboxEntry.Response;
import dev.semel.outbox.Reply.Received;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Semel server what became of an entry that was first sent so long ago that its key may have expired. Then a request with this key would
 * be executed again.
 */
final class Inquiry {

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    /** The type of the problem that a Semel server responds with. A gateway has others. */
    private static final String NO_SUCH_KEY = "urn:semel:problem:not_found";

    private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");

    /** Paths that a server cannot take for another one. */
    private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+/?");

    private final Transport transport;

    Inquiry(Transport transport) {
        this.transport = transport;
    }

    /** What the server knows about an entry. */
    sealed interface Finding {

        /** The request was processed, with this response. */
        record Processed(Response response) implements Finding {}

        /** The key has not expired, or an earlier attempt has failed: sending the entry is safe. */
        record Sendable() implements Finding {}

        /** The server knows no such key. */
        record Unknown() implements Finding {}

        /** The key has expired, and the server does not show what became of the request. */
        record Unclear() implements Finding {}

        /** The server rejects the token. */
        record Unauthorized() implements Finding {}

        /** There is no usable response. */
        record NoAnswer(Reason reason, String problem) implements Finding {}
    }

    Finding ask(OutboxEntry entry, @Nullable String token) throws InterruptedException {
        URI endpoint = URI.create(entry.endpoint());
        String path = endpoint.getRawPath().isEmpty() ? "/" : endpoint.getRawPath();
        String question = "/v1/idempotency/" + entry.idempotencyKey() + "?endpoint="
                + URLEncoder.encode(entry.method() + " " + path, UTF_8);
        Reply reply = transport.get(endpoint.resolve(question).toString(), token);
        if (!(reply instanceof Received response)) {
            return new Finding.NoAnswer(Reason.NO_RESPONSE, Attempts.problem(reply));
        }
        Map<String, String> members = JsonMembers.of(response.body());
        if (response.status() == OK && entry.clientTxId().equals(members.get("clientTxId"))) {
            return finding(members);
        }
        if (response.status() == NOT_FOUND && NO_SUCH_KEY.equals(members.get("type"))) {
            return PLAIN.matcher(path).matches() ? new Finding.Unknown() : new Finding.Unclear();
        }
        if (response.status() == 401) {
            return new Finding.Unauthorized();
        }
        Reason reason = response.status() >= 500 ? Reason.SERVER_ERROR : Reason.NOT_PROVEN;
        return new Finding.NoAnswer(reason, Attempts.problem(reply));
    }

    private static Finding finding(Map<String, String> members) {
        String status = members.getOrDefault("status", "");
        String outcome = members.getOrDefault("outcome", "");
        boolean hasOutcome = STATUS.matcher(outcome).matches();
        return switch (status) {
            case "completed", "expired" -> {
                if (members.containsKey("cause") || outcome.startsWith("5")) {
                    yield new Finding.Sendable(); // it has failed, and nothing remains of it
                }
                yield hasOutcome
                        ? new Finding.Processed(new Response(Integer.parseInt(outcome), ""))
                        : new Finding.Unclear();
            }
            case "processing", "failed", "unknown" ->
                new Finding.Sendable(); // the API itself decides what a retry does
            default -> new Finding.Unclear();
        };
    }
}
