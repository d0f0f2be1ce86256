package dev.semel.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

class PostgresUrlTest {

    private static PGSimpleDataSource source(String url) {
        return PostgresUrl.parse(url).dataSource();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://ann:secret@db.example:6000/shop?sslmode=require",
                "postgresql://ann:secret@db.example:6000/shop?sslmode=require",
                "jdbc:postgresql://db.example:6000/shop?user=ann&password=secret&sslmode=require",
                "postgres://db.example:6000/shop?sslmode=require&password=secret&user=ann",
                "postgres://%61nn:s%65cret@db.example:6000/%73hop?ssl%6Dode=requir%65"
            })
    void everyForm_meansTheSame(String url) {
        PGSimpleDataSource source = source(url);
        assertThat(source.getServerNames()).containsExactly("db.example");
        assertThat(source.getPortNumbers()).containsExactly(6000);
        assertThat(source.getDatabaseName()).isEqualTo("shop");
        assertThat(source.getUser()).isEqualTo("ann");
        assertThat(source.getPassword()).isEqualTo("secret");
        assertThat(source.getSslmode()).isEqualTo("require");
        assertThat(PostgresUrl.parse(url)).hasToString("postgres://db.example:6000/shop");
    }

    @Test
    void missingParts_haveDefaults() {
        PGSimpleDataSource source = source("postgres:///shop");
        assertThat(source.getServerNames()).containsExactly("localhost");
        assertThat(source.getPortNumbers()).containsExactly(5432);
        assertThat(source.getPassword()).isNull();
        assertThat(PostgresUrl.parse("postgres:///shop").hasPassword()).isFalse();
        assertThat(PostgresUrl.parse("postgres://a:b@/shop").hasPassword()).isTrue();
        assertThat(PostgresUrl.parse("jdbc:postgresql:///shop?password=b").hasPassword())
                .isTrue();
    }

    @Test
    void password_mayHoldAnything() {
        assertThat(source("postgres://ann:a%2Fb%3Fc%25d%40e%20f%C3%BC@h/d").getPassword())
                .isEqualTo("a/b?c%d@e fü");
        assertThat(source("postgres://ann:a@b:c#d+e@h/d").getPassword()).isEqualTo("a@b:c#d+e");
        assertThat(source("postgres://h/d?password=a%26b%3Dc+d").getPassword()).isEqualTo("a&b=c+d");
        assertThat(source("jdbc:postgresql://h/d?password=a%2Bb+d").getPassword())
                .isEqualTo("a+b d");
    }

    @Test
    void addressesAndSeveralHosts_areRead() {
        PGSimpleDataSource source = source("postgres://[::1],[2001:db8::7]:6000,10.0.0.1/d?targetServerType=primary");
        assertThat(source.getServerNames()).containsExactly("[::1]", "[2001:db8::7]", "10.0.0.1");
        assertThat(source.getPortNumbers()).containsExactly(5432, 6000, 5432);
    }

    @Test
    void namesOfOtherClients_areKnown() {
        PGSimpleDataSource source = source("postgres://h/d?application_name=shop&connect_timeout=7");
        assertThat(source.getApplicationName()).isEqualTo("shop");
        assertThat(source.getConnectTimeout()).isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "postgres:|must be a URL such as postgres://USER:PASSWORD@HOST:PORT/DATABASE. Within a part, write %2F for /",
                "postgres:hunter2|must be a URL such as postgres://",
                "postgres://ann:hunter2/x@h/d|must be a URL such as postgres://",
                "postgres://ann:123/hunter2@h/d|must be a URL such as postgres://",
                "postgres://ann:hunter2@h|must name a database: postgres://",
                "postgres://ann:hunter2@h/|must name a database: postgres://",
                "postgres://ann:hunter2@h:x/d|has an invalid host or port",
                "postgres://ann:hunter2@h:65536/d|has an invalid port",
                "postgres://ann:hunter2@h:99999999999999999999/d|has an invalid port",
                "postgres://ann:hunter2@::1/d|has an invalid host or port",
                "postgres://ann:hunter2%@h/d|has an invalid percent sign in its password. Write %25",
                "postgres://ann:hunter2%zz@h/d|has an invalid percent sign in its password",
                "postgres://ann:hunter2%ff@h/d|has an invalid percent sign in its password",
                "postgres://ann:hunter2@h/d?sslmode|has an invalid parameter. It must be NAME=VALUE",
                "postgres://ann:hunter2@h/d?pasword=hunter2|has an invalid parameter 'pasword'. The PostgreSQL JDBC driver does not accept this name",
                "jdbc:postgresql:hunter2|must be a URL such as postgres://",
                "postgress://ann:hunter2@h/d|must be memory:, rocksdb:FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE, not 'postgress://…'",
                "jdbc:mysql://ann:hunter2@h/d|must be memory:, rocksdb:FOLDER or postgres://USER:PASSWORD@HOST:PORT/DATABASE, not 'jdbc:mysql://…'"
            })
    void wrongUrl_isRejectedInOneLineWithoutThePassword(String url, String fault) {
        assertThatThrownBy(() -> ServerSettings.of(
                        new RawSettings(Map.of(Setting.STORE, url), null, Map.of()), Map.of(), InstantSource.system()))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("--store " + fault)
                .hasMessageNotContaining("hunter2");
    }
}
