package dev.semel.bench.http;

import dev.semel.bench.http.Wrk.Load;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Players who send actions over WebSockets, each at a different table, and each after the result of the last action. */
final class ActionLoad {

    private static final Pattern TABLE = Pattern.compile("\"tableId\":\"([^\"]+)\"");

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<URI> tables = new ArrayList<>();
    private final String token;

    ActionLoad(ServerProcess server, String token, int players) {
        this.token = token;
        for (int i = 0; i < players; i++) {
            Matcher table = TABLE.matcher(server.post("/v1/tables", token, "table-" + i, "{}"));
            if (!table.find()) {
                throw new IllegalStateException("The server opened no table");
            }
            tables.add(
                    URI.create(server.url().replaceFirst("^http", "ws") + "/v1/tables/" + table.group(1) + "/actions"));
        }
    }

    Load load(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        long startedAt = System.nanoTime();
        List<Player> players = tables.stream().map(table -> new Player(end)).toList();
        for (int i = 0; i < tables.size(); i++) {
            client.newWebSocketBuilder()
                    .header("Authorization", "Bearer " + token)
                    .buildAsync(tables.get(i), players.get(i))
                    .join();
        }
        players.forEach(player -> player.done.join());
        double seconds = (System.nanoTime() - startedAt) / 1e9;
        List<Long> nanos = players.stream()
                .flatMap(player -> player.nanos.stream())
                .sorted()
                .toList();
        return new Load(
                nanos.size() / seconds,
                nanos.get(nanos.size() / 2) / 1e3,
                nanos.get((int) (nanos.size() * 0.99)) / 1e3);
    }

    /** A player: sends actions and records their latencies. */
    private static final class Player implements WebSocket.Listener {

        private final long end;
        private final List<Long> nanos = new ArrayList<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private final StringBuilder text = new StringBuilder();
        private long sent;

        Player(long end) {
            this.end = end;
        }

        @Override
        public void onOpen(WebSocket socket) {
            act(socket);
            socket.request(1);
        }

        private void act(WebSocket socket) {
            sent = System.nanoTime();
            var unused = socket.sendText(
                    "{\"type\":\"action\",\"clientMsgId\":\"" + UUID.randomUUID()
                            + "\",\"action\":\"raise\",\"amount\":1}",
                    true);
        }

        @Override
        public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
            text.append(part);
            socket.request(1);
            if (!isLast) {
                return null;
            }
            long now = System.nanoTime();
            if (text.indexOf("\"ok\":true") < 0) {
                done.completeExceptionally(new IllegalStateException("Not done: " + text));
                return null;
            }
            text.setLength(0);
            nanos.add(now - sent);
            if (now < end) {
                act(socket);
            } else {
                socket.abort();
                done.complete(null);
            }
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            done.completeExceptionally(error);
        }
    }
}
