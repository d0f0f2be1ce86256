package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.outbox.EventParser.Parsed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class EventParserTest {

    private final AtomicInteger lines = new AtomicInteger();

    private EventParser parser(String text) {
        return new EventParser(stream(text), "0", lines::incrementAndGet);
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    private List<Parsed> parse(String text) throws IOException {
        List<Parsed> events = new ArrayList<>();
        EventParser parser = parser(text);
        for (Parsed event = parser.next(); event != null; event = parser.next()) {
            events.add(event);
        }
        return events;
    }

    @Test
    void events_haveIdTypeAndData() throws Exception {
        assertThat(parse("id: 1\nevent: post\ndata: {\"a\":1}\n\nid:2\nevent:like\ndata:ü\n\n"))
                .containsExactly(new Parsed("1", "post", "{\"a\":1}"), new Parsed("2", "like", "ü"));
    }

    @Test
    void linesThatEndWithCrLf_areTheSame() throws Exception {
        assertThat(parse("id: 1\r\nevent: post\r\ndata: x\r\n\r\n")).containsExactly(new Parsed("1", "post", "x"));
    }

    @Test
    void severalDataLines_areJoined() throws Exception {
        assertThat(parse("data: a\ndata: b\n\n")).containsExactly(new Parsed("0", "message", "a\nb"));
    }

    @Test
    void commentsAndUnknownFields_areIgnored_andCountAsLines() throws Exception {
        assertThat(parse(":\n\n: a comment\n\nfoo: bar\ndata: x\n\n")).containsExactly(new Parsed("0", "message", "x"));
        assertThat(lines).hasValue(7);
    }

    @Test
    void idWithoutData_isAPosition() throws Exception {
        assertThat(parse("retry: 1000\nid: 7\n\n:\n\ndata: x\n\n"))
                .containsExactly(new Parsed("7", "message", ""), new Parsed("7", "message", "x"));
    }

    @Test
    void eventCutOffByTheEnd_isDropped() throws Exception {
        assertThat(parse("id: 1\ndata: x\n\nid: 2\ndata: y\n")).containsExactly(new Parsed("1", "message", "x"));
        assertThat(parse("id: 1\ndata: x")).isEmpty();
    }

    @Test
    void retry_isThePauseBeforeReconnecting() throws Exception {
        EventParser parser = parser("retry: 1500\nretry: soon\nretry: 99999999999\ndata: x\n\n");
        assertThat(parser.reconnectAfter()).isNull();
        parser.next();
        assertThat(parser.reconnectAfter()).isEqualTo(Duration.ofMillis(1500));
    }

    @Test
    void endlessLine_failsBeforeItFillsTheMemory() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return 'x';
            }
        };
        EventParser line = new EventParser(new SequenceInputStream(stream("data: "), endless), "", () -> {});
        assertThatThrownBy(line::next).isInstanceOf(IOException.class).hasMessageContaining("8388608 bytes");
        EventParser event = new EventParser(stream(("data: " + "x".repeat(1 << 20) + "\n").repeat(10)), "", () -> {});
        assertThatThrownBy(event::next).isInstanceOf(IOException.class).hasMessageContaining("8388608 bytes");
    }
}
