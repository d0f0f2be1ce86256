package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MalformedExceptionTest {

    @Test
    void quotedText_staysOnOneLineAndMovesNoCursor() {
        assertThat(MalformedException.quote("a\u001b[2J\r\n\"\\\u202e\ud800"))
                .isEqualTo("\"a\\u001b[2J\\u000d\\u000a\\\"\\\\\\u202e\\ud800\"");
        assertThat(MalformedException.quote("x".repeat(1 << 20))).isEqualTo("\"" + "x".repeat(64) + "\"…");
        assertThat(MalformedException.quote(null)).isEqualTo("(none)");
    }

    @Test
    void error_carriesWhatItSays() {
        MalformedException e = new MalformedException("id", "x", new IdFormat.Fault(0, "has a 'x'"), "digits");
        assertThat(e).hasMessage("id \"x\" has a 'x' (at 0); expected digits");
        assertThat(e.problem()).isEqualTo("has a 'x'");
        assertThat(e.at()).isZero();
    }
}
