package dev.semel.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonMembersTest {

    @Test
    void scalars_areReadAsTexts() {
        assertThat(JsonMembers.of("{\"a\":\"x\",\"b\":201,\"c\":true,\"d\":null}"))
                .isEqualTo(Map.of("a", "x", "b", "201", "c", "true"));
    }

    @Test
    void membersOfNestedObjects_areIgnored() {
        assertThat(JsonMembers.of("{\"a\":{\"clientTxId\":\"x\"},\"b\":[1],\"clientTxId\":\"y\"}"))
                .isEqualTo(Map.of("clientTxId", "y"));
    }

    @Test
    void textThatIsNoObject_hasNoMembers() {
        for (String text : new String[] {"", "[]", "7", "<html>", "{\"a\":1", "{\"a\":"}) {
            assertThat(JsonMembers.of(text)).isEmpty();
        }
    }
}
