package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.memory.MemoryStore;
import dev.semel.outbox.Outbox;
import dev.semel.outbox.OutboxEntry;
import dev.semel.outbox.OutboxMeters;
import dev.semel.outbox.OutboxRequest;
import dev.semel.outbox.Reason;
import dev.semel.postgres.Postgres;
import dev.semel.server.Scrape;
import dev.semel.server.ServerFixture;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard, the alert rules and the pages use only metrics that servers and outboxes report, and the reference describes all of them. */
class OperatingTest {

    private static final Path METRICS_PAGE = Repository.ROOT.resolve("docs/reference/metrics.md");
    private static final Path ALERTS_PAGE = Repository.ROOT.resolve("docs/operating/alerts.md");
    private static final List<Path> PAGES = List.of(
            METRICS_PAGE,
            ALERTS_PAGE,
            Repository.ROOT.resolve("docs/operating/maintenance.md"),
            Repository.ROOT.resolve("docs/operating/monitoring.md"),
            Repository.ROOT.resolve("docs/operating/outbox.md"));
    private static final Path DASHBOARD = Repository.ROOT.resolve("docs/operating/dashboard.json");
    private static final Path ALERTS = Repository.ROOT.resolve("docs/operating/alerts.yml");

    private static final Pattern WORD = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");
    private static final Pattern SELECTOR = Pattern.compile("([a-z_]+)\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|!=|!~|=)\"([^\"]*)\"");
    private static final Pattern FORMULA = Pattern.compile("`((?:sum|max)[^`]*)`");
    private static final Pattern HEADING = Pattern.compile("(?m)^(?:## (\\w+)|### `(\\w+)`)$");
    private static final Pattern PART = Pattern.compile("_(bucket|count|sum|max)$");
    private static final Pattern OF_OURS = Pattern.compile("`((?:semel|hikaricp|jvm|process)_[a-z_]*[a-z])`");

    /** Keywords and functions of PromQL. */
    private static final Set<String> LANGUAGE = Set.of(
            "sum",
            "max",
            "rate",
            "increase",
            "histogram_quantile",
            "predict_linear",
            "changes",
            "topk",
            "scalar",
            "time",
            "on",
            "and",
            "or",
            "offset");

    /** Labels that Prometheus adds to every series. */
    private static final Set<String> SCRAPED = Set.of("instance", "job");

    /** The values of each label of each metric. */
    private static final Map<String, Map<String, Set<String>>> REPORTED = new HashMap<>();

    private static final Pattern HELP = Pattern.compile("(?m)^# HELP (semel_\\w+) \\S.*$");
    private static final Set<String> OWN = new HashSet<>();
    private static final Set<String> DESCRIBED = new HashSet<>();

    @BeforeAll
    static void askServersOnAllStores(@TempDir Path folder) throws Exception {
        try (ServerFixture memory = ServerFixture.onMemory();
                ServerFixture embedded = ServerFixture.onRocksDb(folder);
                ServerFixture shared = ServerFixture.onPostgres(Postgres.url(Postgres.NEWEST.database()), Map.of())) {
            System.gc(); // otherwise there may be no pause to report
            for (ServerFixture server : List.of(memory, embedded, shared)) {
                server.asNobody().get("/health/ready");
                note(Scrape.await(
                        server,
                        scrape -> scrape.names().contains("semel_http_requests_total")
                                && (server != memory || scrape.names().contains("jvm_gc_pause_seconds_sum"))));
            }
        }
        note(Scrape.parse(outboxMetrics()));
        REPORTED.put("up", Map.of());
    }

    /** Returns the metrics of an outbox after an entry with each result. */
    private static String outboxMetrics() {
        Outbox outbox = Outbox.on(new MemoryStore());
        OutboxEntry entry = outbox.add(OutboxRequest.post("/v1/feed/posts"));
        OutboxMeters meters = new OutboxMeters(outbox);
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.bindTo(registry);
        meters.confirmed(entry, Duration.ofMillis(1));
        for (Reason reason : Reason.values()) {
            meters.retry(entry, reason);
            meters.failed(entry, reason);
        }
        return registry.scrape();
    }

    private static void note(Scrape scrape) {
        scrape.text()
                .lines()
                .filter(line -> line.startsWith("# TYPE semel_"))
                .forEach(line -> OWN.add(line.split(" ", -1)[2]));
        HELP.matcher(scrape.text()).results().forEach(help -> DESCRIBED.add(help.group(1)));
        for (String series : scrape.series().keySet()) {
            Map<String, Set<String>> labels =
                    REPORTED.computeIfAbsent(series.replaceFirst("\\{.*", ""), name -> new HashMap<>());
            MATCHER.matcher(series)
                    .results()
                    .forEach(label -> labels.computeIfAbsent(label.group(1), name -> new HashSet<>())
                            .add(label.group(3)));
        }
    }

    private static List<String> dashboardFormulas() throws Exception {
        List<String> formulas = new ArrayList<>();
        JsonNode dashboard = new JsonMapper().readTree(Files.readString(DASHBOARD));
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).as(panel.toString()).isTrue();
            if (panel.has("targets")) {
                assertThat(panel.get("description").asString()).isNotEmpty();
                panel.get("targets")
                        .forEach(target -> formulas.add(target.get("expr").asString()));
            }
        }
        return formulas;
    }

    /** Returns the rules as maps. */
    private static List<Map<?, ?>> alerts() throws Exception {
        Map<?, ?> all = (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(ALERTS));
        List<Map<?, ?>> alerts = new ArrayList<>();
        for (Object group : (List<?>) all.get("groups")) {
            for (Object rule : (List<?>) ((Map<?, ?>) group).get("rules")) {
                alerts.add((Map<?, ?>) rule);
            }
        }
        return alerts;
    }

    private static void assertUsesReportedMetrics(String formula) {
        Matcher selectors = SELECTOR.matcher(formula);
        while (selectors.find()) {
            Map<String, Set<String>> labels = REPORTED.getOrDefault(selectors.group(1), Map.of());
            for (MatchResult matcher :
                    MATCHER.matcher(selectors.group(2)).results().toList()) {
                String label = matcher.group(1);
                if (!SCRAPED.contains(label)) {
                    assertThat(labels.keySet()).as(formula).contains(label);
                    Pattern wanted = Pattern.compile(
                            matcher.group(2).endsWith("~") ? matcher.group(3) : Pattern.quote(matcher.group(3)));
                    assertThat(label.equals("status")
                                    || labels.get(label).stream().anyMatch(wanted.asMatchPredicate()))
                            .as(formula + ": " + matcher.group())
                            .isTrue();
                }
            }
        }
        String bare = formula.replaceAll("\\{[^}]*}", "")
                .replaceAll("\\[[^]]*]", "")
                .replaceAll("offset [0-9]+[a-z]", "offset")
                .replaceAll("\\b(by|on) \\([^)]*\\)", "")
                .replaceAll("\\b[0-9.]+(e[0-9]+)?\\b", "");
        List<String> metrics = WORD.matcher(bare)
                .results()
                .map(MatchResult::group)
                .filter(word -> !LANGUAGE.contains(word))
                .toList();
        assertThat(metrics).as(formula).isNotEmpty().isSubsetOf(REPORTED.keySet());
        for (char[] pair : List.of(new char[] {'(', ')'}, new char[] {'{', '}'}, new char[] {'[', ']'})) {
            assertThat(formula.chars().filter(c -> c == pair[0]).count())
                    .as(formula)
                    .isEqualTo(formula.chars().filter(c -> c == pair[1]).count());
        }
    }

    @Test
    void metricsOfTheServer_haveADescription() {
        assertThat(OWN).hasSizeGreaterThan(30);
        assertThat(DESCRIBED).containsExactlyInAnyOrderElementsOf(OWN);
    }

    @Test
    void dashboard_usesExistingMetrics() throws Exception {
        List<String> formulas = dashboardFormulas();
        assertThat(formulas).hasSizeGreaterThan(30);
        formulas.forEach(OperatingTest::assertUsesReportedMetrics);
    }

    @Test
    void alerts_useExistingMetrics() throws Exception {
        for (Map<?, ?> alert : alerts()) {
            assertUsesReportedMetrics(String.valueOf(alert.get("expr")));
            assertThat(((Map<?, ?>) alert.get("labels")).get("severity")).isIn("critical", "warning", "info");
            assertThat(((Map<?, ?>) alert.get("annotations")).containsKey("summary"))
                    .isTrue();
        }
    }

    /** Each alert has a section under the heading of its severity. */
    @Test
    void alertsPage_describesEachAlert() throws Exception {
        Map<String, String> described = new TreeMap<>();
        String severity = "";
        for (MatchResult heading :
                HEADING.matcher(Files.readString(ALERTS_PAGE)).results().toList()) {
            if (heading.group(1) != null) {
                severity = heading.group(1).toLowerCase(Locale.ROOT);
            } else {
                assertThat(described.put(heading.group(2), severity))
                        .as(heading.group())
                        .isNull();
            }
        }
        Map<String, String> alerts = new TreeMap<>();
        for (Map<?, ?> alert : alerts()) {
            Object label = ((Map<?, ?>) alert.get("labels")).get("severity");
            assertThat(alerts.put(String.valueOf(alert.get("alert")), String.valueOf(label)))
                    .as(String.valueOf(alert))
                    .isNull();
        }
        assertThat(described).isEqualTo(alerts);
    }

    @Test
    void pages_useExistingMetrics() throws Exception {
        int found = 0;
        for (Path page : PAGES) {
            String text = Files.readString(page);
            for (MatchResult named : OF_OURS.matcher(text).results().toList()) {
                String name = named.group(1);
                assertThat(REPORTED.containsKey(name) || REPORTED.containsKey(name + "_count"))
                        .as(page + ": " + name)
                        .isTrue();
            }
            for (MatchResult formula : FORMULA.matcher(text).results().toList()) {
                assertUsesReportedMetrics(formula.group(1));
                found++;
            }
        }
        assertThat(found).isGreaterThan(8);
    }

    @Test
    void metricsPage_listsEveryMetric() throws Exception {
        String page = Files.readString(METRICS_PAGE);
        Set<String> names = new TreeSet<>(REPORTED.keySet());
        names.removeIf(name -> !name.startsWith("semel_") && !name.startsWith("hikaricp_"));
        assertThat(names).hasSizeGreaterThan(40);
        assertThat(names)
                .allMatch(name -> page.contains("`" + name + "`")
                        || page.contains("`" + PART.matcher(name).replaceFirst("") + "`"));
    }
}
