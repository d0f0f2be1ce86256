package dev.semel.postgres;

import java.util.HashMap;
import java.util.Map;

/** Encodes headers as readable text: name, tab, value, one header per line. Tabs, line breaks and backslashes are escaped. */
final class HeaderText {

    private HeaderText() {}

    static String of(Map<String, String> headers) {
        StringBuilder text = new StringBuilder();
        headers.forEach((name, value) -> {
            append(text, name);
            text.append('\t');
            append(text, value);
            text.append('\n');
        });
        return text.toString();
    }

    private static void append(StringBuilder text, String part) {
        for (int i = 0; i < part.length(); i++) {
            char c = part.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < part.length() && Character.isLowSurrogate(part.charAt(i + 1))) {
                text.append(c).append(part.charAt(++i));
                continue;
            }
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '\t' -> text.append("\\t");
                case '\n' -> text.append("\\n");
                case '\0' -> text.append("\\0");
                default -> {
                    if (Character.isSurrogate(c)) {
                        text.append(String.format("\\u%04x", (int) c)); // a lone one, which UTF-8 cannot encode
                    } else {
                        text.append(c);
                    }
                }
            }
        }
    }

    static Map<String, String> headers(String text) {
        Map<String, String> headers = new HashMap<>();
        StringBuilder part = new StringBuilder();
        String name = "";
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\t') {
                name = part.toString();
                part.setLength(0);
            } else if (c == '\n') {
                headers.put(name, part.toString());
                part.setLength(0);
            } else if (c != '\\') {
                part.append(c);
            } else if (text.charAt(++i) == 'u') {
                part.append((char) Integer.parseInt(text, i + 1, i + 5, 16));
                i += 4;
            } else {
                part.append(unescaped(text.charAt(i)));
            }
        }
        return headers;
    }

    private static char unescaped(char c) {
        return switch (c) {
            case 't' -> '\t';
            case 'n' -> '\n';
            case '0' -> '\0';
            default -> c;
        };
    }
}
