package dev.semel.bench.ids;

import static org.assertj.core.api.Assertions.assertThat;

import com.aventrix.jnanoid.jnanoid.NanoIdUtils;
import com.github.f4b6a3.ksuid.Ksuid;
import com.github.f4b6a3.ksuid.KsuidCreator;
import com.github.f4b6a3.tsid.Tsid;
import com.github.f4b6a3.tsid.TsidCreator;
import de.fxlae.typeid.TypeId;
import dev.semel.id.IdScheme;
import dev.semel.id.IdScheme.ParsedId;
import dev.semel.id.IdSchemes;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The peers read the ids of our schemes as we do, and we read theirs. */
class PeersTest {

    private static final int IDS = 10_000;

    private final Random random = new Random(7);

    @Test
    void ksuids_areThoseOfKsuidCreator() {
        for (int i = 0; i < IDS; i++) {
            assertSameKsuid(IdSchemes.KSUID.mint());
            assertSameKsuid(KsuidCreator.getKsuid().toString());
            byte[] any = new byte[20];
            random.nextBytes(any);
            assertSameKsuid(Ksuid.from(any).toString());
        }
    }

    private static void assertSameKsuid(String text) {
        Ksuid theirs = Ksuid.from(text);
        ParsedId ours = IdSchemes.KSUID.parse(text);
        assertThat(ours.time()).contains(theirs.getInstant());
        assertThat(ours.random()).contains(HexFormat.of().formatHex(theirs.getPayload()));
        assertThat(ours.text()).isEqualTo(theirs.toString()).isEqualTo(text);
    }

    @Test
    void tsids_areThoseOfTsidCreator() {
        for (int i = 0; i < IDS; i++) {
            assertSameTsid(IdSchemes.TSID.mint());
            assertSameTsid(TsidCreator.getTsid().toString());
            assertSameTsid(Tsid.from(random.nextLong()).toString());
        }
    }

    private static void assertSameTsid(String text) {
        Tsid theirs = Tsid.from(text);
        ParsedId ours = IdSchemes.TSID.parse(text);
        assertThat(ours.time()).contains(theirs.getInstant());
        assertThat(ours.random()).contains(String.format("%06x", theirs.toLong() & 0x3F_FFFF));
        assertThat(ours.text()).isEqualTo(theirs.toString()).isEqualTo(text);
    }

    @Test
    void typeids_areThoseOfTypeidJava() {
        IdScheme users = IdSchemes.TYPEID.prefixed("user");
        for (int i = 0; i < IDS; i++) {
            assertSameTypeid(IdSchemes.TYPEID, IdSchemes.TYPEID.mint());
            assertSameTypeid(users, users.mint());
            assertSameTypeid(users, TypeId.generate("user").toString());
            UUID any = new UUID(random.nextLong(), random.nextLong());
            assertSameTypeid(IdSchemes.TYPEID, TypeId.of(any).toString());
        }
    }

    private static void assertSameTypeid(IdScheme scheme, String text) {
        TypeId theirs = TypeId.parse(text);
        ParsedId ours = scheme.parse(text);
        assertThat(ours.uuid()).contains(theirs.getUuid());
        assertThat(ours.text()).isEqualTo(theirs.toString()).isEqualTo(text);
        if (ours.version().orElse(0) == 7) {
            assertThat(ours.time())
                    .contains(Instant.ofEpochMilli(theirs.getUuid().getMostSignificantBits() >>> 16));
        }
    }

    @Test
    void nanoidsOfJnanoid_areRead() {
        for (int i = 0; i < IDS; i++) {
            String text = NanoIdUtils.randomNanoId();
            assertThat(IdSchemes.NANOID.parse(text).text()).isEqualTo(text);
        }
    }
}
