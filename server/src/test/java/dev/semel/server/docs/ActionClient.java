package dev.semel.server.docs;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends an action until its result arrives, and reconnects when the connection is lost. */
final class ActionClient implements WebSocket.Listener {
    private final BlockingQueue<String> results = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();

    String result(URI actions, String token, String action) throws InterruptedException {
        while (true) {
            try {
                WebSocket socket = HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .header("Authorization", "Bearer " + token)
                        .buildAsync(actions, this)
                        .join();
                socket.sendText(action, true).join();
                String result = results.poll(10, TimeUnit.SECONDS);
                socket.abort();
                if (result != null) {
                    return result;
                }
            } catch (CompletionException e) {
                TimeUnit.SECONDS.sleep(1); // then send it again, with the same clientMsgId
            }
        }
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
        text.append(part);
        if (isLast) {
            results.add(text.toString());
            text.setLength(0);
        }
        socket.request(1);
        return null;
    }
}
