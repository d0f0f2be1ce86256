package dev.semel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.MalformedException;
import dev.semel.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentIdTest {

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {" ", "a b", "é", "a\n", "\u007f", "\u0000"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void collectionOrKeyOutOfForm_isRejected_byName(@Nullable String text) {
        assertThatThrownBy(() -> new DocumentId("c", "", text))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("key ");
        assertThatThrownBy(() -> new DocumentId(text, "", "k"))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("collection ");
    }

    @Test
    void tooLong_isRejected() {
        assertThat(new DocumentId("c", "bob@example.com", "k").owner()).isEqualTo("bob@example.com");
        assertThat(new DocumentId("c".repeat(64), "o".repeat(255), "k".repeat(1024)).key())
                .hasSize(1024);
        assertThatThrownBy(() -> new DocumentId("c".repeat(65), "", "k")).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new DocumentId("c", "o".repeat(256), "k")).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new DocumentId("c", "", "k".repeat(1025))).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> new DocumentId("c", "not\nan owner", "k")).isInstanceOf(MalformedException.class);
    }

    @Test
    void order_isByCollectionOwnerAndKey() {
        List<DocumentId> ids = new ArrayList<>(List.of(
                new DocumentId("b", "", "a"),
                new DocumentId("a", "z", "a"),
                new DocumentId("a", "", "b"),
                new DocumentId("a", "", "B")));
        ids.sort(null);
        assertThat(ids)
                .containsExactly(
                        new DocumentId("a", "", "B"),
                        new DocumentId("a", "", "b"),
                        new DocumentId("a", "z", "a"),
                        new DocumentId("b", "", "a"));
    }

    @Test
    void documentInALog_doesNotShowItsData() {
        Document document = Document.created(new DocumentId("c", "", "k"), Instant.EPOCH, null, Json.of("\"secret\""));
        assertThat(document.toString()).doesNotContain("secret").contains("version 1");
        assertThat(Response.of("secret").toString()).doesNotContain("secret").contains("200");
    }
}
