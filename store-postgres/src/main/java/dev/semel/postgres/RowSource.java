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
 * Rows that are parameters of a statement. One or two rows are sent as VALUES, which is fastest. More rows are sent as one array per
 * column, so the text of the statement is the same for any number of rows.
 *
 * @param names of the columns
 * @param types of the columns
 */
record RowSource(List<String> names, List<String> types) {

    private static final int FEW = 2;

    /** Returns the number of rows as far as the text of the statement depends on it: 0, 1, 2, or 3 for more. */
    static int shape(int count) {
        return Math.min(count, FEW + 1);
    }

    /** @param columns name, space and type of each column */
    static RowSource of(String... columns) {
        return new RowSource(
                Arrays.stream(columns)
                        .map(column -> column.substring(0, column.indexOf(' ')))
                        .toList(),
                Arrays.stream(columns)
                        .map(column -> column.substring(column.indexOf(' ') + 1))
                        .toList());
    }

    /** Returns these columns followed by others. */
    RowSource with(String... columns) {
        RowSource more = of(columns);
        return new RowSource(joined(names, more.names), joined(types, more.types));
    }

    private static List<String> joined(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** Returns the rows as an item of FROM. */
    String sql(String alias, int shape) {
        String columns = alias + "(" + String.join(", ", names) + ")";
        if (shape > FEW) {
            return "unnest(?::" + String.join("[], ?::", types) + "[]) " + columns;
        }
        String row = "(?::" + String.join(", ?::", types) + ")";
        return "(values " + String.join(", ", Collections.nCopies(shape, row)) + ") " + columns;
    }

    /** Returns the rows as the source of an INSERT. */
    String inserted(String alias, int shape) {
        return inserted(alias, shape, name -> "%s", "");
    }

    /**
     * Returns the rows as the source of an INSERT that computes some columns.
     *
     * @param expressions returns the expression for a column, in which {@code %s} stands for the given value
     * @param more appended to each row
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

    /** Sets the rows as parameters of a statement that was made for their {@linkplain #shape shape}. */
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

    /** Returns a row. Unlike {@link List#of}, it may contain null. */
    static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}
