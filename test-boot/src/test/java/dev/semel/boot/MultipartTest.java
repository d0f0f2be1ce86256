package dev.semel.boot;

import static dev.semel.boot.Customer.isReplay;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Files that are uploaded as parts of a form. */
class MultipartTest {

    private final Charges charges = Environment.charges();
    private final Customer ann = Environment.ann();
    private final String order = Environment.newOrder();

    private HttpResponse<String> upload(@Nullable String key, String boundary, String fileName, String content) {
        String body = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"order\"\r\n\r\n" + order + "\r\n--"
                + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + fileName
                + "\"\r\nContent-Type: text/plain\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n";
        return ann.send(ann.request("/freeze/files", key)
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    void upload_isReplayed_alsoWithAnotherBoundary() {
        HttpResponse<String> first = upload(order, "one", "list.txt", "two beans");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.body()).isEqualTo("charge 1 of " + order + " with list.txt of 9 bytes");
        for (String boundary : new String[] {"one", "another"}) {
            HttpResponse<String> retry = upload(order, boundary, "list.txt", "two beans");
            assertThat(retry.body()).isEqualTo(first.body());
            assertThat(isReplay(retry)).isTrue();
        }
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void otherFile_isAMismatch() {
        assertThat(upload(order, "one", "list.txt", "two beans").statusCode()).isEqualTo(200);
        assertThat(upload(order, "one", "list.txt", "six beans").statusCode()).isEqualTo(422);
        assertThat(upload(order, "one", "more.txt", "two beans").statusCode()).isEqualTo(422);
        assertThat(charges.count(order)).isEqualTo(1);
    }

    @Test
    void uploadWithoutAKey_hasTheSameResponse() {
        assertThat(upload(null, "one", "list.txt", "two beans").body())
                .isEqualTo("charge 1 of " + order + " with list.txt of 9 bytes");
        assertThat(upload(order, "one", "list.txt", "two beans").body())
                .isEqualTo("charge 2 of " + order + " with list.txt of 9 bytes");
    }
}
