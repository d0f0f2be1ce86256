package dev.semel.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sets the parameters of a statement in their order. */
final class Parameters {

    /** Later times are stored as this one, which is within the range of PostgreSQL. */
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

    private final PreparedStatement statement;
    private int count;

    Parameters(PreparedStatement statement) {
        this.statement = statement;
    }

    Parameters text(@Nullable String value) throws SQLException {
        return value("text", value);
    }

    Parameters number(long value) throws SQLException {
        return value("int8", value);
    }

    Parameters bytes(byte[] value) throws SQLException {
        return value("bytea", value);
    }

    Parameters time(@Nullable Instant value) throws SQLException {
        return value("timestamptz", value);
    }

    Parameters texts(List<String> values) throws SQLException {
        return array("text", values);
    }

    Parameters numbers(List<Long> values) throws SQLException {
        return array("int8", values);
    }

    /** Sets a value. A type is always sent in the same way, because the driver prepares a statement again if a type changes. */
    Parameters value(String type, @Nullable Object value) throws SQLException {
        count++;
        switch (type) {
            case "int8" -> {
                if (value == null) {
                    statement.setNull(count, Types.BIGINT);
                } else {
                    statement.setLong(count, (Long) value);
                }
            }
            case "bool" -> statement.setBoolean(count, Boolean.TRUE.equals(value));
            case "bytea" -> statement.setBytes(count, (byte[]) value);
            default -> statement.setString(count, encoded(value));
        }
        return this;
    }

    /** Sets an array of values. */
    Parameters array(String type, List<? extends @Nullable Object> values) throws SQLException {
        Object[] array = switch (type) {
            case "int8" -> values.toArray(new Long[0]);
            case "bool" -> values.toArray(new Boolean[0]);
            case "bytea" -> values.toArray(new byte[0][]);
            default -> values.stream().map(Parameters::encoded).toArray(String[]::new);
        };
        statement.setArray(++count, statement.getConnection().createArrayOf(type, array));
        return this;
    }

    /** Returns the time as PostgreSQL stores it, in whole microseconds. */
    static Instant stored(Instant time) {
        Instant micros = time.truncatedTo(ChronoUnit.MICROS);
        return micros.isAfter(LATEST) ? LATEST : micros.isBefore(EARLIEST) ? EARLIEST : micros;
    }

    private static @Nullable String encoded(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        return value instanceof Instant time ? stored(time).toString() : value.toString();
    }
}
