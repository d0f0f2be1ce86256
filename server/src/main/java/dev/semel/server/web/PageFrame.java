package dev.semel.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What all pages have in common: the head, the navigation, and where the page begins. */
public final class PageFrame {

    private static final String RESOURCES = "/dev/semel/web/pages/";
    private static final Pattern PART = Pattern.compile("\\{([a-z]+)}");

    /** The frame, loaded by the first page. */
    private static final class Frame {
        static final String HTML = new String(read("frame.html"), UTF_8);
    }

    private PageFrame() {}

    /**
     * Returns a page. Without scripts, the default content security policy is enough.
     *
     * @param title the title as text
     * @param current the path in the navigation that leads to the page; empty if none does
     * @param assets the path of the folder of the style sheets
     * @param head further elements of the head as HTML
     * @param main the content as HTML
     */
    public static String page(String title, String current, String assets, String head, String main) {
        Map<String, String> parts = Map.of("title", Html.escape(title), "assets", assets, "head", head, "main", main);
        String frame = Frame.HTML.replace(
                "<a href=\"" + current + "\">", "<a href=\"" + current + "\" aria-current=\"page\">");
        return PART.matcher(frame).replaceAll(part -> Matcher.quoteReplacement(parts.getOrDefault(part.group(1), "")));
    }

    /** Returns a page without scripts. */
    public static String plain(String title, String main) {
        return page(title, "", "/assets/pages", "", main);
    }

    /** Returns a file of the pages. */
    public static byte[] read(String name) {
        try (InputStream in = PageFrame.class.getResourceAsStream(RESOURCES + name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
