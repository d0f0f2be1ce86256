package dev.semel.bench;

import java.util.Locale;

/** An SVG document, 720 pixels wide, with a title and a subtitle on a white background. */
final class Svg {

    private final StringBuilder body = new StringBuilder();

    Svg(String title, String subtitle) {
        text(10, 22, "start' font-size='15' font-weight='bold", title);
        text(10, 40, "start' fill='#555", subtitle);
    }

    /** Adds an element, formatted with {@link String#format}. */
    Svg add(String format, Object... arguments) {
        body.append(String.format(Locale.ROOT, format, arguments)).append('\n');
        return this;
    }

    /**
     * Adds a text.
     *
     * @param anchor value of {@code text-anchor}, and more attributes
     */
    Svg text(double x, double y, String anchor, String text) {
        return add(
                "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>",
                x, y, anchor, text.replace("&", "&amp;").replace("<", "&lt;"));
    }

    /** Returns the document as text. */
    String document(int height) {
        return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 " + height
                + "' font-family='sans-serif' font-size='11'>\n<rect width='100%' height='100%' fill='#fff'/>\n" + body
                + "</svg>\n";
    }
}
