package example;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Reads the events of a feed, and resumes after every disconnect. */
public final class FeedClient {

    // page: client
    private final HttpClient http = HttpClient.newHttpClient();
    private String lastId = "";

    public void read(URI server, String token, BiConsumer<String, String> show) throws InterruptedException {
        while (true) {
            HttpRequest request = HttpRequest.newBuilder(server.resolve("/v1/feed/events"))
                    .header("Authorization", "Bearer " + token)
                    .header("Last-Event-ID", lastId)
                    .build();
            try {
                Map<String, String> fields = new HashMap<>();
                Stream<String> lines =
                        http.send(request, BodyHandlers.ofLines()).body();
                for (String line : (Iterable<String>) lines::iterator) {
                    String[] field = line.split(": ", 2); // an empty line ends an event
                    if (field.length == 2) {
                        fields.put(field[0], field[1]);
                    } else if (fields.containsKey("data")) {
                        show.accept(fields.get("event"), fields.remove("data"));
                    }
                    lastId = field.length == 2 ? lastId : fields.getOrDefault("id", lastId);
                }
            } catch (IOException | UncheckedIOException e) {
                // disconnected: continue below
            }
            Thread.sleep(1000);
        }
    }
    // end
}
