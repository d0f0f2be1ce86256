package dev.semel.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class LogTest {

    private static final Logger OURS = LoggerFactory.getLogger("dev.semel.x");
    private static final Logger JETTYS = LoggerFactory.getLogger("org.eclipse.jetty.x");
    private static final Logger QUOTING = LoggerFactory.getLogger("org.eclipse.jetty.http.HttpParser");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        Log.setOutput(out);
        Log.setLevel(Level.INFO);
    }

    @AfterEach
    void stopListening() {
        Log.setOutput(new FileOutputStream(FileDescriptor.err));
        Log.setLevel(Level.WARN);
    }

    private List<JsonNode> entries() {
        return out.toString(UTF_8)
                .lines()
                .map(line -> new JsonMapper().readTree(line))
                .toList();
    }

    @Test
    void entry_isOneObjectOnOneLine() {
        MDC.put("request", "r1");
        OURS.atInfo()
                .addKeyValue("status", 200)
                .addKeyValue("none", (Object) null)
                .log("a\n{}", "b\u001b");
        MDC.remove("request");
        JsonNode entry = entries().get(0);
        assertThat(entry.propertyNames()).containsExactly("time", "level", "logger", "message", "request", "status");
        assertThat(entry.get("message").asString()).isEqualTo("a\nb\u001b");
        assertThat(entry.get("status").asInt()).isEqualTo(200);
        assertThat(out.toString(UTF_8).lines()).hasSize(1);
        assertThat(out.toString(UTF_8)).doesNotContain("\u001b");
    }

    @Test
    void level_decidesWhatIsLogged() {
        OURS.info("1");
        OURS.debug("no");
        JETTYS.info("no");
        JETTYS.warn("2");
        QUOTING.error("no");
        System.getLogger("dev.semel.http.X").log(System.Logger.Level.WARNING, "3");
        assertThat(entries().stream().map(entry -> entry.get("message").asString()))
                .containsExactly("1", "2", "3");
    }

    @Test
    void exceptionOfARequest_isLoggedWithoutItsMessage() {
        MDC.put("request", "r1");
        OURS.error("it broke", new IllegalStateException("s3cret", new RuntimeException("s3cret too")));
        MDC.remove("request");
        assertThat(out.toString(UTF_8))
                .contains("\"thrown\":\"java.lang.IllegalStateException\"", "caused by java.lang.RuntimeException")
                .doesNotContain("s3cret");
        OURS.error("it broke", new IllegalStateException("the port"));
        assertThat(entries().get(1).get("thrown").asString()).endsWith("the port");
    }

    @Test
    void manyThreads_writeWholeLines() {
        IntStream.range(0, 2000).parallel().forEach(i -> OURS.info("entry {}", i));
        assertThat(entries().stream()
                        .map(entry -> entry.get("message").asString())
                        .distinct())
                .hasSize(2000);
    }
}
