package dev.semel.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The parameters of a statement, given one after another; many values of a column as one array. */
final class Parameters {

    /** Beyond what anybody means, and within what PostgreSQL can hold. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private final PreparedStatement statement;
    private int count;

    Parameters(PreparedStatement statement) {
        this.statement = statement;
    }

    Parameters text(@Nullable String value) throws SQLException {
        statement.setString(++count, value);
        return this;
    }

    Parameters number(long value) throws SQLException {
        statement.setLong(++count, value);
        return this;
    }

    Parameters bytes(byte[] value) throws SQLException {
        statement.setBytes(++count, value);
        return this;
    }

    Parameters time(@Nullable Instant value) throws SQLException {
        statement.setString(++count, spelled(value));
        return this;
    }

    Parameters texts(List<? extends @Nullable String> values) throws SQLException {
        return array("text", values.toArray(new String[0]));
    }

    Parameters ids(List<? extends @Nullable UUID> values) throws SQLException {
        return array(
                "uuid",
                values.stream().map(id -> id == null ? null : id.toString()).toArray(String[]::new));
    }

    Parameters numbers(List<? extends @Nullable Long> values) throws SQLException {
        return array("int8", values.toArray(new Long[0]));
    }

    Parameters flags(List<Boolean> values) throws SQLException {
        return array("bool", values.toArray(new Boolean[0]));
    }

    Parameters bytes(List<byte @Nullable []> values) throws SQLException {
        return array("bytea", values.toArray(new byte[0][]));
    }

    Parameters times(List<? extends @Nullable Instant> values) throws SQLException {
        return array("timestamptz", values.stream().map(Parameters::spelled).toArray(String[]::new));
    }

    private Parameters array(String type, Object[] values) throws SQLException {
        statement.setArray(++count, statement.getConnection().createArrayOf(type, values));
        return this;
    }

    /** As PostgreSQL keeps it: in whole microseconds, of which the rest is cut off. */
    static Instant kept(Instant time) {
        Instant micros = time.truncatedTo(ChronoUnit.MICROS);
        return micros.isAfter(LATEST) ? LATEST : micros.isBefore(EARLIEST) ? EARLIEST : micros;
    }

    private static @Nullable String spelled(@Nullable Instant time) {
        return time == null ? null : kept(time).toString();
    }
}
