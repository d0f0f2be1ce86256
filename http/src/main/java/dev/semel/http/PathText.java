package dev.semel.http;

import java.util.Locale;
import java.util.regex.Pattern;

/** Normalizes the path of a request, which is part of its key: equivalent encodings by RFC 3986 give the same text. */
final class PathText {

    private static final int ESCAPE = 3;

    /** The session that containers add to a path as a parameter. */
    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    private PathText() {}

    /** Removes {@code ;jsessionid=…}, decodes escapes of unreserved characters, and writes all others in upper case. */
    static String normal(String path) {
        return withNormalEscapes(
                path.indexOf(';') < 0 ? path : SESSION.matcher(path).replaceAll(""));
    }

    private static String withNormalEscapes(String path) {
        int at = path.indexOf('%');
        if (at < 0) {
            return path;
        }
        StringBuilder normal = new StringBuilder(path.length());
        int done = 0;
        while (at >= 0 && at + ESCAPE <= path.length()) {
            normal.append(path, done, at);
            int code = (Character.digit(path.charAt(at + 1), 16) << 4) | Character.digit(path.charAt(at + 2), 16);
            if (needsNoEscape(code)) {
                normal.append((char) code);
            } else {
                normal.append(path.substring(at, at + ESCAPE).toUpperCase(Locale.ROOT));
            }
            done = at + ESCAPE;
            at = path.indexOf('%', done);
        }
        return normal.append(path, done, path.length()).toString();
    }

    private static boolean needsNoEscape(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }
}
