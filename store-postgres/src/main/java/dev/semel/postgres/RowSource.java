package dev.semel.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are given to a statement: as values if they are few, which takes the least time, and otherwise as an array for each
 * column, so that the statement is the same for any number of them.
 *
 * @param names of the columns
 * @param types of the columns
 */
record RowSource(List<String> names, List<String> types) {

    private static final int FEW = 2;

    /** How many rows there are, as far as the statement depends on it. */
    static int shape(int count) {
        return Math.min(count, FEW + 1);
    }

    /** @param columns each a name, a space and a type */
    static RowSource of(String... columns) {
        return new RowSource(
                Arrays.stream(columns)
                        .map(column -> column.substring(0, column.indexOf(' ')))
                        .toList(),
                Arrays.stream(columns)
                        .map(column -> column.substring(column.indexOf(' ') + 1))
                        .toList());
    }

    /** The same with more columns behind. */
    RowSource with(String... columns) {
        RowSource more = of(columns);
        return new RowSource(joined(names, more.names), joined(types, more.types));
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** The rows, for a statement's FROM. */
    String sql(String alias, int shape) {
        String columns = alias + "(" + String.join(", ", names) + ")";
        if (shape > FEW) {
            return "unnest(?::" + String.join("[], ?::", types) + "[]) " + columns;
        }
        String row = "(?::" + String.join(", ?::", types) + ")";
        return "(values " + String.join(", ", Collections.nCopies(shape, row)) + ") " + columns;
    }

    /** The rows, for an INSERT. */
    String inserted(String alias, int shape) {
        return inserted(alias, shape, name -> "%s", "");
    }

    /**
     * The same, where columns become something else.
     *
     * @param expressions what a column of a name becomes: in it {@code %s} stands for the column
     * @param more what comes behind the columns
     */
    String inserted(String alias, int shape, UnaryOperator<String> expressions, String more) {
        List<String> row = new ArrayList<>();
        for (int column = 0; column < names.size(); column++) {
            String value = shape > FEW ? alias + "." + names.get(column) : "?::" + types.get(column);
            row.add(expressions.apply(names.get(column)).replace("%s", value));
        }
        String values = String.join(", ", row) + more;
        return shape > FEW
                ? "select " + values + " from " + sql(alias, shape)
                : "values (" + String.join("), (", Collections.nCopies(shape, values)) + ")";
    }

    /** Gives the rows to a statement that was made for as many. */
    void bind(Parameters to, List<List<@Nullable Object>> rows) throws SQLException {
        if (rows.size() > FEW) {
            for (int column = 0; column < types.size(); column++) {
                List<@Nullable Object> values = new ArrayList<>(rows.size());
                for (List<@Nullable Object> row : rows) {
                    values.add(row.get(column));
                }
                to.array(types.get(column), values);
            }
        } else {
            for (List<@Nullable Object> row : rows) {
                for (int column = 0; column < types.size(); column++) {
                    to.value(types.get(column), row.get(column));
                }
            }
        }
    }

    /** A row, whose values may be null. */
    static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}
