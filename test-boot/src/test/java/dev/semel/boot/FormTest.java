package dev.semel.boot;

import static dev.semel.boot.Customer.isReplay;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms whose parameters a filter in front has read: the CSRF filter of Spring Security, and the form filter of Spring for PUT and PATCH. */
class FormTest {

    private final Charges charges = Environment.charges();
    private final Customer ann = Environment.ann();
    private final String payee = Environment.newOrder();
    private final String token = ann.get("/forms/token").body();

    private HttpResponse<String> transfer(String method, String key, String fields) {
        String form = fields + "&_csrf=" + URLEncoder.encode(token, UTF_8);
        return ann.send(ann.request("/freeze/forms", key)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method(method, BodyPublishers.ofString(form)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH"})
    void form_isReplayed_andAnotherFormIsAMismatch(String method) {
        HttpResponse<String> first = transfer(method, payee, "to=" + payee + "&cents=100");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("charge 1 of " + payee + " for 100");
        HttpResponse<String> retry = transfer(method, payee, "to=" + payee + "&cents=100");
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(isReplay(retry)).isTrue();
        for (String other : new String[] {
            "to=" + payee + "&cents=99900",
            "to=eve&cents=100",
            "to=" + payee + "&cents=100&cents=99900",
            "to=" + payee + "&to=eve&cents=100",
        }) {
            HttpResponse<String> mismatch = transfer(method, payee, other);
            assertThat(mismatch.statusCode()).as(other).isEqualTo(422);
            assertThat(mismatch.body()).contains("\"payload_mismatch\"");
        }
        assertThat(charges.count(payee)).isEqualTo(1);
    }

    @Test
    void orderOfValues_isPartOfThePayload() {
        assertThat(transfer("POST", payee, "to=" + payee + "&cents=1&cents=2").statusCode())
                .isNotEqualTo(422);
        assertThat(transfer("POST", payee, "to=" + payee + "&cents=2&cents=1").statusCode())
                .isEqualTo(422);
    }

    @Test
    void formWithoutAToken_isRejectedBySpringSecurity() {
        HttpResponse<String> rejected = ann.send(ann.request("/freeze/forms", payee)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("to=" + payee + "&cents=100")));
        assertThat(rejected.statusCode()).isEqualTo(403);
        assertThat(charges.count(payee)).isZero();
    }

    @Test
    void charactersOutsideOfAscii_arriveAsWithoutAKey() {
        String name = "zoë-" + payee;
        String fields = "to=" + URLEncoder.encode(name, UTF_8) + "&cents=100";
        assertThat(transfer("POST", payee, fields).body()).isEqualTo("charge 1 of " + name + " for 100");
        assertThat(isReplay(transfer("POST", payee, fields))).isTrue();
    }
}
