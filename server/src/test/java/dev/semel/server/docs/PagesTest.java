package dev.semel.server.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links between pages lead to a page and a heading, and the index of the documentation leads to every page. */
class PagesTest {

    private static final Path INDEX = Repository.ROOT.resolve("docs/README.md");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]*)\\)");

    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?)\\s*");

    /** A target, and the heading in it; empty for the whole of it. */
    private record Link(Path from, Path to, String anchor) {
        @Override
        public String toString() {
            return Repository.ROOT.relativize(from) + ": " + Repository.ROOT.relativize(to)
                    + (anchor.isEmpty() ? "" : "#" + anchor);
        }
    }

    @Test
    void everyLink_leadsToAFileAndAHeading() throws Exception {
        List<Link> dead = new ArrayList<>();
        int checked = 0;
        for (Path page : Repository.pages()) {
            for (Link link : links(page)) {
                checked++;
                if (!Files.exists(link.to)
                        || (!link.anchor.isEmpty() && !anchors(link.to).contains(link.anchor))) {
                    dead.add(link);
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(checked).isGreaterThan(100);
    }

    @Test
    void everyPage_isReachableFromTheIndex() throws Exception {
        Set<Path> reached = new HashSet<>(Set.of(INDEX));
        Deque<Path> next = new ArrayDeque<>(reached);
        while (!next.isEmpty()) {
            for (Link link : links(next.remove())) {
                if (link.to.toString().endsWith(".md") && Files.exists(link.to) && reached.add(link.to)) {
                    next.add(link.to);
                }
            }
        }
        assertThat(reached).containsAll(Repository.pages());
    }

    /** Newcomers look there for a page, and not on some other page. */
    @Test
    void everyPageOfTheDocumentation_isInTheIndex() throws Exception {
        Set<Path> indexed = new LinkedHashSet<>(List.of(INDEX));
        links(INDEX).forEach(link -> indexed.add(link.to));
        assertThat(indexed)
                .containsAll(Repository.pages().stream()
                        .filter(page -> page.startsWith(INDEX.getParent()))
                        .toList());
    }

    @Test
    void anchors_areThoseOfHeadings() throws Exception {
        assertThat(anchors(Repository.ROOT.resolve("docs/operating/operators.md")))
                .contains("erase-a-user-gdpr", "decide-about-a-key")
                .doesNotContain("erase-a-user");
    }

    private static List<Link> links(Path page) throws IOException {
        List<Link> links = new ArrayList<>();
        for (String line : prose(page)) {
            LINK.matcher(line)
                    .results()
                    .map(found -> found.group(1))
                    .filter(target -> !target.contains("://"))
                    .map(target -> target.split("#", 2))
                    .forEach(parts -> links.add(new Link(
                            page,
                            parts[0].isEmpty()
                                    ? page
                                    : page.resolveSibling(parts[0]).normalize(),
                            parts.length == 1 ? "" : URLDecoder.decode(parts[1], UTF_8))));
        }
        return links;
    }

    /** The anchors of a page as GitHub makes them: letters, digits, hyphens and underscores; repeated ones are numbered. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> repeated = new HashMap<>();
        for (String line : prose(page)) {
            var heading = HEADING.matcher(line);
            if (heading.matches()) {
                String anchor = heading.group(1)
                        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-');
                int before = repeated.merge(anchor, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? anchor : anchor + "-" + before);
            }
        }
        return anchors;
    }

    /** The lines outside blocks of code. */
    private static List<String> prose(Path page) throws IOException {
        List<String> prose = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(page)) {
            if (line.startsWith("```")) {
                code = !code;
            } else if (!code) {
                prose.add(line);
            }
        }
        return prose;
    }
}
