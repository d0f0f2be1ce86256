package dev.semel.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdSchemes;
import dev.semel.id.MalformedException;
import dev.semel.json.Fingerprint;
import dev.semel.store.IdempotencyKey;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class CallTest {

    private final Call call = Call.of(new IdempotencyKey("ann", "POST /", "k"), Fingerprint.ofJson("1"));

    @Test
    void callWithoutAClientTxId_getsOneOfItsOwn() {
        assertThat(IdSchemes.TID62.isValid(call.clientTxId())).isTrue();
        assertThat(Call.of(call.key(), call.fingerprint()).clientTxId()).isNotEqualTo(call.clientTxId());
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {" ", "a b", "é", "a\n"})
    @SuppressWarnings("NullAway") // hostile on purpose
    void clientTxIdOutOfForm_isRejected(@Nullable String text) {
        assertThatThrownBy(() -> call.withClientTxId(text))
                .isInstanceOf(MalformedException.class)
                .hasMessageStartingWith("clientTxId ");
    }

    @Test
    @SuppressWarnings("NullAway") // hostile on purpose
    void callWithoutKeyOrFingerprint_isRejected_byName() {
        assertThatThrownBy(() -> Call.of(null, call.fingerprint())).hasMessage("key");
        assertThatThrownBy(() -> Call.of(call.key(), null)).hasMessage("fingerprint");
        assertThatThrownBy(() -> call.waiting(null)).hasMessage("maxWait");
    }

    @Test
    void callThatWaits_isOtherwiseTheSame() {
        Call waiting = call.waiting(Duration.ofSeconds(3));
        assertThat(waiting.maxWait()).hasSeconds(3);
        assertThat(waiting.waiting(Duration.ZERO)).isEqualTo(call);
    }
}
