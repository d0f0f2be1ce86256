package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class ResponseTest {

    @Test
    void response_isNotChangedThroughWhatItWasMadeFrom_norThroughWhatItGives() {
        byte[] body = {1, 2};
        Map<String, String> headers = new HashMap<>(Map.of("A", "1"));
        Response response = Response.of(201, headers, body);
        body[0] = 9;
        headers.put("B", "2");
        response.body()[1] = 9;
        assertThat(response).isEqualTo(Response.of(201, Map.of("A", "1"), new byte[] {1, 2}));
    }

    @Test
    void size_countsBodyAndHeaders() {
        assertThat(Response.of(200, Map.of("ab", "cde"), new byte[7]).size()).isEqualTo(12);
    }

    @Test
    void whatIsNotKept_hasItsStatusAlone() {
        Response left =
                Response.of(418, Map.of("A", "1"), new byte[3]).asRefusal().notKept();
        assertThat(left.status()).isEqualTo(418);
        assertThat(left.isRefusal()).isTrue();
        assertThat(left.isKept()).isFalse();
        assertThat(left.headers()).isEmpty();
        assertThat(left.body()).isEmpty();
        assertThat(left).isNotEqualTo(Response.of(418, Map.of(), new byte[0]).asRefusal());
    }

    @Test
    void refusal_isAnother() {
        assertThat(Response.of("no").asRefusal()).isNotEqualTo(Response.of("no"));
        assertThat(Response.of("né").text()).isEqualTo("né");
    }
}
