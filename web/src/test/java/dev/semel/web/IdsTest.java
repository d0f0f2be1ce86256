package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.semel.id.IdSchemes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ids that are minted in the browser are those of the Java library. */
class IdsTest extends BrowserFixture {

    private static final long EPOCH_SECONDS = 1_577_836_800;

    private static String tid62(Page page, long seconds, int random) {
        return (String) page.evaluate(
                "([millis, random]) => harness.tid62(millis, new Uint8Array(8).fill(random))",
                List.of((double) (EPOCH_SECONDS + seconds) * 1000, random));
    }

    @Test
    void tid62_hasTheVectorsOfTheLibrary() {
        Page page = tab();
        assertThat(tid62(page, 189_388_800, 0)).isEqualTo("04XhXYx9xCjfPYf32");
        assertThat(tid62(page, 189_388_800, 0xff)).isEqualTo("04XhXZJ8dUJgViwbH");
        assertThat(tid62(page, 0, 0)).isEqualTo("00000000000000000");
        assertThat(tid62(page, 0xffffffffL, 0xff)).isEqualTo("1f2SI9UJPXvb7vdJ1");
        assertThat(run(page, "try { harness.tid62(0) } catch (e) { return e.name }"))
                .isEqualTo("RangeError");
    }

    @Test
    void uuid4_hasVersionAndVariant() {
        Page page = tab();
        String uuid = "(fill) => harness.uuid4(new Uint8Array(16).fill(fill))";
        assertThat(page.evaluate(uuid, 0)).isEqualTo("00000000-0000-4000-8000-000000000000");
        assertThat(page.evaluate(uuid, 0xff)).isEqualTo("ffffffff-ffff-4fff-bfff-ffffffffffff");
        assertThat(
                        page.evaluate(
                                "() => harness.uuid4(Uint8Array.from('919108f752d133209bacf847db4148a8'.match(/../g), (byte) => parseInt(byte, 16)))"))
                .isEqualTo("919108f7-52d1-4320-9bac-f847db4148a8");
    }

    @Test
    void mintedIds_areValidInTheLibrary_andDiffer() {
        Page page = tab();
        List<?> tids = (List<?>) page.evaluate("() => Array.from({ length: 500 }, () => harness.tid62())");
        List<?> uuids = (List<?>) page.evaluate("() => Array.from({ length: 500 }, () => harness.uuid4())");
        assertThat(tids).doesNotHaveDuplicates().allMatch(id -> IdSchemes.TID62.isValid((String) id));
        assertThat(uuids).doesNotHaveDuplicates().allMatch(id -> IdSchemes.UUID4.isValid((String) id));
    }
}
