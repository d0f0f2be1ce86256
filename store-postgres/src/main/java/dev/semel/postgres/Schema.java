package dev.semel.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Installs missing tables, and checks that the installed versions are those of this release. All parts are installed in one transaction,
 * under an advisory lock, so servers may start at the same time.
 */
final class Schema {

    /** Tables that are installed together by one script. */
    enum Part {
        RECORDS(
                "idempotency_records",
                "V1__idempotency_records.sql",
                "idempotency_records,cleanup_logs,idempotency_keys"),
        DOCUMENTS(
                "documents",
                "V1__documents.sql",
                "documents,index_entries,commit_log,commit_sequence,game_settlements");

        /** The version that this release installs and supports. */
        static final int VERSION = 1;

        private final String title;
        private final String resource;
        private final String relations;

        /** @param relations its tables and views, separated by commas */
        Part(String title, String resource, String relations) {
            this.title = title;
            this.resource = resource;
            this.relations = relations;
        }

        private String words() {
            return title.replace('_', ' ');
        }

        private String sql() {
            try (InputStream in = Schema.class.getResourceAsStream(resource)) {
                if (in == null) {
                    throw new IllegalStateException(resource + " is missing from the class path");
                }
                return new String(in.readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static final int OLDEST_VERSION = 160_000;

    /** A table, function or other object exists. */
    private static final Set<String> NAME_TAKEN = Set.of("42P07", "42723", "42710");

    private static final String NO_RIGHT = "42501";

    private static final String SERVER = """
            select version(), current_setting('server_version_num')::int, current_setting('server_version'),
              current_setting('server_encoding')
            """;

    private static final String RIGHTS = """
            select current_user, current_database(), has_database_privilege(current_database(), 'create'),
              n.oid is not null, coalesce(has_schema_privilege(n.oid, 'create'), false),
              v.oid is not null,
              (select rolsuper or rolcreaterole from pg_roles where rolname = current_user),
              coalesce(has_table_privilege(v.oid, 'insert'), false), pg_get_userbyid(v.relowner),
              (select count(*) = 2 from pg_attribute a where a.attrelid = v.oid
                and (a.attname, a.atttypid) in (('part', 'text'::regtype), ('version', 'int4'::regtype)))
            from (select ?::name as schema) wanted left join pg_namespace n on n.nspname = wanted.schema
            left join pg_class v on v.relnamespace = n.oid and v.relname = 'semel_schema_version'
            """;

    private static final String MISSING = """
            select string_agg(wanted.name, ', ' order by wanted.place)
            from unnest(string_to_array(?, ',')) with ordinality wanted(name, place)
            where not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
              where c.relname = wanted.name and n.nspname = ?)
            """;

    private static final String ROLES = """
            select wanted.role, r.oid is not null, coalesce(pg_has_role(r.oid, 'set'), false),
              coalesce(pg_has_role(r.oid, 'member with admin option'), false)
            from unnest(array['semel_app', 'semel_service']) wanted(role) left join pg_roles r on r.rolname = wanted.role
            order by wanted.role
            """;

    /** The first round trip of the transaction. The timeouts of a session are made for short statements. */
    private static final String BEGIN = """
            set transaction isolation level read committed;
            select set_config(name, '0', true) from pg_settings where name in
              ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout', 'lock_timeout')
            """;

    private final Statement statement;
    private final PostgresSettings settings;
    private final List<Part> parts;

    private Schema(Statement statement, PostgresSettings settings, List<Part> parts) {
        this.statement = statement;
        this.settings = settings;
        this.parts = parts;
    }

    /**
     * Installs missing tables, or checks that none is missing.
     *
     * @throws StoreException if the database cannot be used; the message names what is missing or forbidden
     */
    static void prepare(DataSource source, PostgresSettings settings, List<Part> parts) {
        try (Connection connection = source.getConnection()) {
            boolean commitsItself = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(BEGIN);
                new Schema(statement, settings, parts).prepare();
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(commitsItself);
            }
        } catch (SQLException e) {
            throw Session.failed(e);
        }
    }

    private void prepare() throws SQLException {
        checkServer();
        if (isInstalled()) {
            checkRelations();
            return;
        }
        if (!settings.migrate()) {
            throw unusable(
                    "Its schema " + settings.schema()
                            + " lacks tables of Semel, and migration is turned off: let the owner of the database install them");
        }
        statement.execute("select pg_advisory_xact_lock(" + AdvisoryLocks.ofInstallation() + ")");
        if (!isInstalled()) {
            install();
        }
    }

    private void checkServer() throws SQLException {
        try (ResultSet server = statement.executeQuery(SERVER)) {
            server.next();
            checkServer(server.getString(1), server.getInt(2), server.getString(3), server.getString(4));
        }
    }

    /** Other databases with PostgreSQL's protocol may ignore advisory locks. Encodings other than UTF-8 lack characters. */
    static void checkServer(String product, int number, String version, String encoding) {
        if (!product.startsWith("PostgreSQL ")) {
            throw unusable("It is not PostgreSQL but " + product.split(" ", 2)[0]
                    + ", which may ignore advisory locks, on which commits rely");
        }
        if (number < OLDEST_VERSION) {
            throw unusable("It is PostgreSQL " + version + ", and has to be 16 or later");
        }
        if (!encoding.equals("UTF8")) {
            throw unusable("Its encoding is " + encoding + ", and has to be UTF8");
        }
    }

    private boolean isInstalled() throws SQLException {
        return installed().keySet().containsAll(parts);
    }

    /** Returns the installed parts. Reads them as {@code semel_app}, because the login itself may lack the right. */
    private Map<Part, Integer> installed() throws SQLException {
        Map<Part, Integer> installed = new EnumMap<>(Part.class);
        Rights rights = rights();
        if (!rights.hasVersions()) {
            return installed;
        }
        if (!rights.areVersionsOurs()) {
            throw unusable("The table semel_schema_version in its schema " + settings.schema()
                    + " was not installed by Semel: it lacks the columns part text and version integer."
                    + " Rename it, or choose another schema");
        }
        checkRoles(false);
        Map<String, Integer> versions = new HashMap<>();
        String role = setting("role");
        set("role", "semel_app");
        try (ResultSet rows =
                statement.executeQuery("select part, version from " + qualified("semel_schema_version"))) {
            while (rows.next()) {
                versions.put(rows.getString(1), rows.getInt(2));
            }
        } catch (SQLException e) {
            throw unusable("The table semel_schema_version in its schema " + settings.schema()
                    + " cannot be read as semel_app, so it was not installed by Semel: " + Session.message(e)
                    + ". Rename it, or choose another schema");
        }
        set("role", role);
        for (Part part : Part.values()) {
            Integer version = versions.get(part.title);
            if (version != null && version > Part.VERSION) {
                throw unusable("Its schema " + settings.schema() + " has version " + version + " of the "
                        + part.words() + ", and this release knows version " + Part.VERSION
                        + ": use a newer release");
            }
            if (version != null) {
                installed.put(part, version);
            }
        }
        return installed;
    }

    /** Detects tables that were dropped, or not restored from a backup. Each statement that uses them would fail. */
    private void checkRelations() throws SQLException {
        for (Part part : parts) {
            try (PreparedStatement asked = statement.getConnection().prepareStatement(MISSING)) {
                asked.setString(1, part.relations);
                asked.setString(2, settings.schema());
                try (ResultSet row = asked.executeQuery()) {
                    row.next();
                    String missing = row.getString(1);
                    if (missing != null) {
                        throw unusable("Its schema " + settings.schema() + " lacks " + missing
                                + ", although its table semel_schema_version lists the " + part.words()
                                + " as installed: restore the schema from a backup, or choose another one");
                    }
                }
            }
        }
    }

    private void install() throws SQLException {
        Map<Part, Integer> installed = installed();
        Rights rights = rights();
        if (!rights.hasSchema() && !rights.mayCreateSchema()) {
            throw unusable(
                    rights.login + " may not create the schema " + settings.schema() + ": grant create on database "
                            + rights.database + " to " + rights.login + ", or create schema " + settings.schema()
                            + " authorization " + rights.login);
        }
        if (rights.hasVersions() && !rights.mayInsertVersions()) {
            throw unusable(rights.login + " may not install the missing tables in the schema " + settings.schema()
                    + ", because " + rights.owner + " owns its other tables: log in as " + rights.owner + ", or grant "
                    + rights.owner + " to " + rights.login);
        }
        if (rights.hasSchema() && !rights.mayCreateTables()) {
            throw unusable(rights.login + " may not create tables in the schema " + settings.schema()
                    + ": grant create on schema " + settings.schema() + " to " + rights.login
                    + ", or let its owner install them");
        }
        checkRoles(true);
        if (!rights.hasSchema()) {
            statement.execute("create schema \"" + settings.schema() + "\"");
        }
        String searchPath = setting("search_path");
        set("search_path", "\"" + settings.schema() + "\", pg_temp"); // or else temporary tables would be found first
        for (Part part : parts) {
            if (!installed.containsKey(part)) {
                install(part, rights);
            }
        }
        set("search_path", searchPath);
    }

    private void install(Part part, Rights rights) throws SQLException {
        try {
            statement.execute(part.sql());
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (NAME_TAKEN.contains(state)) {
                throw unusable(
                        "Its schema " + settings.schema() + " contains something else under a name that Semel uses: "
                                + Session.message(e) + ". Rename it, or choose another schema");
            }
            if (state.equals(NO_RIGHT)) {
                throw unusable(rights.login + " may not install the " + part.words() + " in the schema "
                        + settings.schema() + ": " + Session.message(e));
            }
            throw e;
        }
    }

    /** @param installing whether the script creates missing roles and grants them to the login */
    private void checkRoles(boolean installing) throws SQLException {
        Rights rights = rights();
        try (ResultSet roles = statement.executeQuery(ROLES)) {
            while (roles.next()) {
                String role = roles.getString(1);
                if (!roles.getBoolean(2)) {
                    if (!installing || !rights.mayCreateRoles()) {
                        throw unusable("The role " + role + " is missing, and " + rights.login
                                + " may not create it: create role " + role + " nologin, and grant " + role + " to "
                                + rights.login);
                    }
                } else if (!roles.getBoolean(3) && !(installing && roles.getBoolean(4))) {
                    throw unusable(rights.login + " may not act as the role " + role + ": grant " + role + " to "
                            + rights.login);
                }
            }
        }
    }

    /** The rights of the login, and what exists. */
    private record Rights(
            String login,
            String database,
            boolean mayCreateSchema,
            boolean hasSchema,
            boolean mayCreateTables,
            boolean hasVersions,
            boolean mayCreateRoles,
            boolean mayInsertVersions,
            @Nullable String owner,
            boolean areVersionsOurs) {}

    private Rights rights() throws SQLException {
        try (PreparedStatement asked = statement.getConnection().prepareStatement(RIGHTS)) {
            asked.setString(1, settings.schema());
            try (ResultSet row = asked.executeQuery()) {
                row.next();
                return new Rights(
                        row.getString(1),
                        row.getString(2),
                        row.getBoolean(3),
                        row.getBoolean(4),
                        row.getBoolean(5),
                        row.getBoolean(6),
                        row.getBoolean(7),
                        row.getBoolean(8),
                        row.getString(9),
                        row.getBoolean(10));
            }
        }
    }

    private String setting(String name) throws SQLException {
        try (ResultSet row = statement.executeQuery("select current_setting('" + name + "')")) {
            row.next();
            return row.getString(1);
        }
    }

    /** Changes a setting until the transaction ends. */
    private void set(String name, String value) throws SQLException {
        try (PreparedStatement setting =
                statement.getConnection().prepareStatement("select set_config('" + name + "', ?, true)")) {
            setting.setString(1, value);
            setting.execute();
        }
    }

    private String qualified(String table) {
        return "\"" + settings.schema() + "\"." + table;
    }

    private static StoreException unusable(String reason) {
        return StoreException.rejected("The database cannot be used. " + reason);
    }
}
