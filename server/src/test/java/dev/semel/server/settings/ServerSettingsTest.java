package dev.semel.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.once.OnceSettings;
import dev.semel.once.OnceSettings.IfExpired;
import dev.semel.store.Quota;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

class ServerSettingsTest {

    @TempDir
    Path folder;

    private static ServerSettings read(
            Map<Setting, String> flags, @Nullable String file, Map<String, String> environment) {
        return ServerSettings.of(new RawSettings(flags, file, environment), environment, InstantSource.system());
    }

    private static ServerSettings read(Map<Setting, String> flags) {
        return read(flags, null, Map.of());
    }

    private String file(String text) throws Exception {
        return Files.writeString(folder.resolve("semel.properties"), text).toString();
    }

    @Test
    void defaults_areAsDocumented() {
        ServerSettings settings = ServerSettings.defaults();
        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.host()).isEqualTo("localhost");
        assertThat(settings.store())
                .isEqualTo(new StoreSettings(new StoreUrl.Directory(Path.of("./data")), 256L << 20, 10, "semel", true));
        assertThat(settings.tokens()).isNull();
        assertThat(settings.once()).isEqualTo(OnceSettings.DEFAULTS.withQuota(new Quota(1000, Duration.ofHours(1))));
        assertThat(settings.sweepPeriod()).isEqualTo(Duration.ofHours(6));
        assertThat(settings.apps().feedRetention()).isNull();
        assertThat(settings.logLevel()).isEqualTo(Level.INFO);
    }

    @Test
    void flag_hasPrecedenceOverEnvironmentAndFile() throws Exception {
        String file = file("port=1\nretention=1h\nlog-level=warn\n");
        Map<String, String> environment = Map.of("SEMEL_PORT", "2", "SEMEL_RETENTION", "2h", "SEMEL_CONFIG", file);
        ServerSettings settings = read(Map.of(Setting.PORT, "3"), null, environment);
        assertThat(settings.port()).isEqualTo(3);
        assertThat(settings.once().retention()).isEqualTo(Duration.ofHours(2));
        assertThat(settings.logLevel()).isEqualTo(Level.WARN);
    }

    @Test
    void fileByFlag_hasPrecedenceOverFileByEnvironment() throws Exception {
        assertThat(read(Map.of(), file("port=1"), Map.of("SEMEL_CONFIG", "nowhere"))
                        .port())
                .isEqualTo(1);
    }

    @Test
    void everySetting_hasThreeNames() throws Exception {
        assertThat(Setting.FAILED_RETENTION.flag()).isEqualTo("--failed-retention");
        assertThat(Setting.FAILED_RETENTION.variable()).isEqualTo("SEMEL_FAILED_RETENTION");
        assertThat(Setting.FAILED_RETENTION.key()).isEqualTo("failed-retention");
        for (Setting setting : Setting.values()) {
            RawSettings byFile = new RawSettings(Map.of(), file(setting.key() + "=x"), Map.of());
            RawSettings byVariable = new RawSettings(Map.of(), null, Map.of(setting.variable(), "x"));
            RawSettings byFlag = new RawSettings(Map.of(setting, "x"), null, Map.of());
            assertThat(byFile.of(setting).text()).isEqualTo("x");
            assertThat(byVariable.of(setting)).isEqualTo(new RawSettings.Value("x", setting.variable()));
            assertThat(byFlag.of(setting)).isEqualTo(new RawSettings.Value("x", setting.flag()));
        }
    }

    @Test
    void values_areRead() {
        ServerSettings settings = read(Map.of(
                Setting.QUOTA, "0",
                Setting.LEASE, "1500ms",
                Setting.RESPONSE_LIMIT, "64KiB",
                Setting.STORE_MEMORY, "33554432",
                Setting.STORE, "memory:",
                Setting.STOP_TIMEOUT, "2m",
                Setting.SHORT_ID_LETTERS, "4",
                Setting.HOST, "127.0.0.2"));
        assertThat(settings.once().quota()).isEqualTo(Quota.NONE);
        assertThat(settings.once().lease()).isEqualTo(Duration.ofMillis(1500));
        assertThat(settings.once().responseLimit()).isEqualTo(65536);
        assertThat(settings.store().memoryBytes()).isEqualTo(32L << 20);
        assertThat(settings.store().url()).isEqualTo(new StoreUrl.Memory());
        assertThat(settings.stopTimeout()).isEqualTo(Duration.ofMinutes(2));
        assertThat(settings.apps().shortIdLetters()).isEqualTo(4);
    }

    @Test
    void retentions_areRead() {
        ServerSettings settings = read(Map.of(
                Setting.SWEEP_EVERY, "90m",
                Setting.TOMBSTONES, "45d",
                Setting.EXPIRED_KEYS, "reject",
                Setting.FEED_RETENTION, "365d",
                Setting.QUOTA, "17"));
        assertThat(settings.sweepPeriod()).isEqualTo(Duration.ofMinutes(90));
        assertThat(settings.once().tombstone()).isEqualTo(Duration.ofDays(45));
        assertThat(settings.once().ifExpired()).isEqualTo(IfExpired.REJECT);
        assertThat(settings.apps().feedRetention()).isEqualTo(Duration.ofDays(365));
        assertThat(settings.once().quota()).isEqualTo(new Quota(17, Duration.ofHours(1)));
    }

    @Test
    void origins_areRead() {
        assertThat(read(Map.of()).corsOrigins()).isEmpty();
        assertThat(read(Map.of(
                                Setting.CORS_ORIGINS,
                                "https://app.example.com, http://localhost:3000,http://[::1]:8080"))
                        .corsOrigins())
                .containsExactlyInAnyOrder("https://app.example.com", "http://localhost:3000", "http://[::1]:8080");
    }

    @Test
    void tombstonesMayBeNone_andExpiredKeysNew() {
        ServerSettings settings = read(Map.of(Setting.TOMBSTONES, "none", Setting.EXPIRED_KEYS, "new"));
        assertThat(settings.once().tombstone()).isZero();
        assertThat(settings.once().ifExpired()).isEqualTo(IfExpired.RUN_AGAIN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PORT|abc|a whole number from 0 to 65535",
                "PORT|65536|a whole number from 0 to 65535",
                "PORT|-1|a whole number",
                "PORT|99999999999999999999|a whole number",
                "PORT|80s|a whole number",
                "HOST|0.0.0.0|a loopback address such as localhost unless --auth is set",
                "HOST|::|a loopback address such as localhost unless --auth is set",
                "HOST|host.invalid|a name or an address",
                "STORE|mysql:|memory:, rocksdb:FOLDER or postgres://",
                "STORE|rocksdb:|memory:, rocksdb:FOLDER or postgres://",
                "STORE|memory:x|memory:, rocksdb:FOLDER or postgres://",
                "STORE_CONNECTIONS|0|a whole number from 1 to 1000",
                "STORE_CONNECTIONS|1001|a whole number from 1 to 1000",
                "STORE_MIGRATE|yes|true or false",
                "RETENTION|24|a time",
                "RETENTION|0h|a time",
                "RETENTION|-1h|a time",
                "RETENTION|1w|a time",
                "RETENTION|36526d|a time",
                "RETENTION|999999999999d|a time",
                "TOMBSTONES|0d|none or a time",
                "TOMBSTONES|None|none or a time",
                "TOMBSTONES|30|none or a time",
                "EXPIRED_KEYS|410|new or reject",
                "EXPIRED_KEYS|REJECT|new or reject",
                "SWEEP_EVERY|0s|a time",
                "SWEEP_EVERY|none|a time",
                "FEED_RETENTION|0d|a time",
                "FEED_RETENTION|none|a time",
                "QUOTA|2147483648|a whole number",
                "QUOTA|-1|a whole number from 0 to 2147483647",
                "QUOTA|10h|a whole number",
                "SHORT_ID_LETTERS|2|a whole number from 3 to 6",
                "SHORT_ID_LETTERS|7|a whole number from 3 to 6",
                "RESPONSE_LIMIT|2GiB|a size such as 256MiB",
                "STORE_MEMORY|15MiB|a size such as 256MiB (a whole number with or without KiB, MiB or GiB, at least 16777216 bytes)",
                "STORE_MEMORY|999999999999GiB|a size",
                "CORS_ORIGINS|*|origins such as https://app.example.com",
                "CORS_ORIGINS|null|origins such as https://app.example.com",
                "CORS_ORIGINS|app.example.com|origins such as https://app.example.com",
                "CORS_ORIGINS|https://app.example.com/|origins such as https://app.example.com",
                "CORS_ORIGINS|https://APP.example.com|origins such as https://app.example.com",
                "CORS_ORIGINS|https://app.example.com:443|origins such as https://app.example.com",
                "CORS_ORIGINS|https://app.example.com:65536|origins such as https://app.example.com",
                "CORS_ORIGINS|ftp://app.example.com|origins such as https://app.example.com",
                "CORS_ORIGINS|https://a.example.com https://b.example.com|origins such as https://app.example.com",
                "CORS_ORIGINS|https://a.example.com,|origins such as https://app.example.com",
                "CORS_ORIGINS|https://ann@a.example.com|origins such as https://app.example.com",
                "LOG_LEVEL|INFO|one of error, warn, info, debug or trace"
            })
    void wrongValue_isRejectedWithWhatIsExpected(Setting setting, String value, String expected) throws Exception {
        String wrong = " must be " + expected;
        String shown = ", not '" + value + "'";
        assertThatThrownBy(() -> read(Map.of(setting, value)))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(setting.flag() + wrong)
                .hasMessageEndingWith(shown);
        assertThatThrownBy(() -> read(Map.of(), null, Map.of(setting.variable(), value)))
                .hasMessageStartingWith(setting.variable() + wrong)
                .hasMessageEndingWith(shown);
        String file = file(setting.key() + "=" + value);
        assertThatThrownBy(() -> read(Map.of(), file, Map.of()))
                .hasMessageStartingWith(setting.key() + " in " + file + wrong)
                .hasMessageEndingWith(shown);
    }

    /** An empty secret that was meant to be filled in must not open the doors. */
    @ParameterizedTest
    @CsvSource({"AUTH", "PORT", "HOST"})
    void emptyValue_isRejected(Setting setting) {
        assertThatThrownBy(() -> read(Map.of(), null, Map.of(setting.variable(), " ")))
                .hasMessage(setting.variable() + " is empty. Remove it to use the default");
    }

    @Test
    void companionOfAuth_isRejectedWithoutIt() {
        assertThatThrownBy(() -> read(Map.of(Setting.AUTH_AUDIENCE, "x")))
                .hasMessage("--auth-audience requires --auth");
    }

    @Test
    void auth_allowsAllAddresses() {
        Map<String, String> environment = Map.of("S", "x".repeat(32));
        assertThat(read(Map.of(Setting.AUTH, "secret:env:S", Setting.HOST, "0.0.0.0"), null, environment)
                        .tokens())
                .isNotNull();
    }

    @Test
    void secretAsArgument_isRejectedAndNotShown() {
        assertThatThrownBy(() -> read(Map.of(Setting.AUTH, "hunter2")))
                .hasMessageStartingWith("--auth takes secret:FILE")
                .hasMessageContaining("a secret itself is never an argument")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void unknownNameInTheFile_isRejected() throws Exception {
        String file = file("prot=1");
        assertThatThrownBy(() -> read(Map.of(), file, Map.of()))
                .hasMessage(file + ": Unknown setting 'prot'. Did you mean 'port'?");
    }

    @Test
    void fileThatCannotBeRead_isRejected() throws Exception {
        assertThatThrownBy(() -> read(Map.of(), "nowhere", Map.of()))
                .hasMessage("--config must name a file that can be read, not 'nowhere'");
        assertThatThrownBy(() -> read(Map.of(), null, Map.of("SEMEL_CONFIG", folder.toString())))
                .hasMessageStartingWith("SEMEL_CONFIG must name a file that can be read, not '" + folder);
        String malformed = file("port=\\u00zz");
        assertThatThrownBy(() -> read(Map.of(), malformed, Map.of()))
                .hasMessageStartingWith("--config names a malformed file: '" + malformed);
    }

    @Test
    void unknownVariable_isReported() {
        Map<String, String> environment =
                Map.of("SEMEL_PROT", "1", "SEMEL_PORT", "1", "OTHER", "1", "SEMEL_JAVA_OPTS", "-Xmx1g");
        assertThat(new RawSettings(Map.of(), null, environment).unknownVariables())
                .isEqualTo(Map.of("SEMEL_PROT", "SEMEL_PORT"));
    }
}
