package dev.semel.store.spi;

/** Shortens texts of any origin to one line that every store can hold. */
final class OneLine {

    private static final char REPLACEMENT = '\ufffd';

    private OneLine() {}

    /**
     * Returns a text with at most a number of characters. Control characters become spaces, and lone surrogates, which UTF-8 cannot encode,
     * are replaced.
     */
    static String of(String text, int most) {
        StringBuilder line = new StringBuilder(Math.min(text.length(), most));
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            int shown = isControl(c) ? ' ' : isLoneSurrogate(c) ? REPLACEMENT : c;
            if (line.length() + Character.charCount(shown) > most) {
                break;
            }
            line.appendCodePoint(shown);
        }
        return line.toString();
    }

    private static boolean isControl(int c) {
        return Character.isISOControl(c)
                || Character.getType(c) == Character.LINE_SEPARATOR
                || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
    }

    private static boolean isLoneSurrogate(int c) {
        return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    }
}
