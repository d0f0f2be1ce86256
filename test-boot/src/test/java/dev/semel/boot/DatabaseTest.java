package dev.semel.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database that belongs to the application: with its tables, and a login without rights to create roles. */
class DatabaseTest {

    @BeforeEach
    void useTheShop() {
        String order = Environment.newOrder();
        assertThat(Environment.ann().order("/freeze/orders/sync", order, order).statusCode())
                .isEqualTo(200);
    }

    @Test
    void tablesOfTheApplication_areUnchanged() throws SQLException {
        assertThat(Environment.query("select string_agg(tablename, ' ' order by tablename) from pg_tables"
                        + " where schemaname = 'public'"))
                .isEqualTo("charges documents idempotency_keys idempotency_records");
        assertThat(Environment.query("select string_agg(title, ' ') from public.documents")).isEqualTo("Terms");
        assertThat(Environment.query("select count(*) from public.idempotency_records")).isEqualTo("0");
        assertThat(Environment.query("select count(*) > 0 from semel.idempotency_records")).isEqualTo("t");
    }

    @Test
    void loginWithoutRightsToCreateRoles_isSufficient() throws SQLException {
        assertThat(Environment.query("select rolcreaterole or rolsuper from pg_roles where rolname = 'shop'"))
                .isEqualTo("f");
        assertThat(Environment.query("select tableowner from pg_tables where schemaname = 'semel'"
                        + " and tablename = 'idempotency_records'"))
                .isEqualTo("shop");
    }

    @Test
    void missingRole_isNamedWhenTheApplicationStarts() {
        assertThat(Environment.refusalWithoutRoles())
                .isEqualTo("The database cannot be used. The role semel_app is missing, and shop may not create it:"
                        + " create role semel_app nologin, and grant semel_app to shop");
    }
}
