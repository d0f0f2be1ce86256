package dev.semel.server.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import dev.semel.server.ServerFixture.Client;
import dev.semel.server.ServerFixture.Reply;
import dev.semel.server.openapi.Described.Operation;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * Sends requests that are generated from the description, both valid and nearly valid ones. Responses must match the description, and must
 * not be failures. Sends at least {@code semel.api.requests} requests, and more until every operation has succeeded; {@code semel.api.seed}
 * repeats a run.
 */
class DescribedRequestsTest {

    private static final int REQUESTS = Integer.getInteger("semel.api.requests", 2_500);

    /** After this many requests, another user continues, before the quota of keys is exceeded. */
    private static final int REQUESTS_OF_A_USER = 500;

    /** Operations that a short run with generated requests does not reach. */
    private static final Set<String> HARD = Set.of(
            "readSettlement",
            "findKey",
            "opsReadKey",
            "opsRelease",
            "opsExpire",
            "opsComplete",
            "opsReadKeyByQuery",
            "opsReleaseByQuery",
            "opsExpireByQuery",
            "opsCompleteByQuery",
            "outboxFileOfVersion",
            "pageFileOfVersion");

    private final long seed = Long.getLong("semel.api.seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @Test
    void requestsMadeByTheDescription_getDescribedResponses() {
        Set<String> done = new TreeSet<>();
        Set<String> refused = new TreeSet<>();
        Set<String> wanted;
        int sent = 0;
        try (ServerFixture server = ServerFixture.onMemory()) {
            Described api = server.described();
            Values values = new Values(api, random);
            List<Operation> operations = api.operations().stream()
                    .filter(DescribedRequestsTest::comesToAnEnd)
                    .toList();
            wanted = operations.stream()
                    .map(DescribedRequestsTest::name)
                    .filter(name -> !HARD.contains(name))
                    .collect(toSet());
            Client client = server.asNobody();
            for (; sent < REQUESTS || (sent < 10 * REQUESTS && !done.containsAll(wanted)); sent++) {
                if (sent % REQUESTS_OF_A_USER == 0) {
                    client = server.withToken(server.token("user-" + sent, List.of("operator")));
                    values.forget();
                }
                Operation operation = operations.get(random.nextInt(operations.size()));
                boolean bent = random.nextInt(3) == 0;
                try {
                    int status = send(client, api, operation, values, bent);
                    (status < 300 ? done : refused).add(name(operation));
                } catch (Described.Lenience lenience) {
                    if (!bent) {
                        throw lenience; // nearly valid requests may succeed
                    }
                }
            }
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("semel.api.seed=" + seed + ", request " + sent + ": " + e.getMessage(), e);
        }
        assertThat(done).as("semel.api.seed=%d, %d requests", seed, sent).containsAll(wanted);
        assertThat(refused).hasSizeGreaterThan(done.size() / 2);
    }

    private static String name(Operation operation) {
        return operation.node().get("operationId").stringValue();
    }

    /** Streams do not end, and WebSockets are not HTTP. */
    private static boolean comesToAnEnd(Operation operation) {
        JsonNode responses = operation.node().get("responses");
        return !responses.has("101") && !responses.at("/200/content").has("text/event-stream");
    }

    private int send(Client client, Described api, Operation operation, Values values, boolean bent) {
        int parts = operation.parameters().size() + 1;
        int bentPart = bent ? random.nextInt(parts) : parts;
        String path = operation.pattern();
        Map<JsonNode, JsonNode> inPath = new HashMap<>();
        StringBuilder query = new StringBuilder();
        List<String> headers = new ArrayList<>();
        for (int i = 0; i < operation.parameters().size(); i++) {
            JsonNode parameter = operation.parameters().get(i);
            String place = parameter.get("in").stringValue();
            String name = parameter.get("name").stringValue();
            boolean required = parameter.path("required").asBoolean(false);
            boolean left = i == bentPart && !place.equals("path") && random.nextInt(3) == 0;
            if (left || Described.standsForOthers(parameter) || (!required && i != bentPart && random.nextInt(3) > 0)) {
                continue;
            }
            JsonNode schema = parameter.get("schema");
            String text = (i == bentPart ? values.bent(schema) : values.valid(schema)).asString("x");
            switch (place) {
                case "path" -> {
                    inPath.put(schema, StringNode.valueOf(text));
                    path = path.replace("{" + name + "}", encoded(text.isEmpty() ? "-" : text));
                }
                case "query" ->
                    query.append(query.isEmpty() ? '?' : '&')
                            .append(name)
                            .append('=')
                            .append(encoded(text));
                default -> headers.addAll(List.of(name, text.replaceAll("[^ -~]", "~")));
            }
        }
        Reply reply = client.send(
                operation.method(),
                path + query,
                body(api, operation, values, bentPart == parts - 1),
                headers.toArray(String[]::new));
        assertThat(reply.status()).as("%s: %s", operation, reply.text()).isLessThan(500);
        if (reply.status() < 300) {
            inPath.forEach(values::learn);
        }
        if (reply.status() < 300 && reply.header("Content-Type").equals("application/json")) {
            JsonNode response = api.resolved(operation.node().get("responses").get(String.valueOf(reply.status())));
            values.learn(response.at("/content/application~1json/schema"), reply.json());
        }
        return reply.status();
    }

    private String body(Described api, Operation operation, Values values, boolean bent) {
        JsonNode described = api.resolved(operation.node().path("requestBody"));
        boolean needed = described.path("required").asBoolean(false);
        if (described.isMissingNode() || (!needed && random.nextBoolean())) {
            return "";
        }
        JsonNode schema = described.at("/content/application~1json/schema");
        if (!bent) {
            return values.valid(schema).toString();
        }
        String body = values.bent(schema).toString();
        return random.nextInt(5) == 0 ? body.substring(0, random.nextInt(body.length())) : body;
    }

    private static String encoded(String text) {
        String encoded = URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("*", "%2A");
        return encoded.matches("[.]+") ? "-" : encoded;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "^[A-Za-z0-9_-]{1,255}$",
                "^([A-Za-z0-9_-]{1,255}|\"[A-Za-z0-9_-]{1,255}\")$",
                "^[0-9]{6}-[bcdfghjkmnpqrstvwxyz]{2,3}$",
                "^usr_[0-9a-f]{4}(_tag_[0-9a-f]{2}(_tar_x)?)?$",
                "^(\\*|[0-9]+|(W/)?\"[^\"]*\")(, *(\\*|[0-9]+|(W/)?\"[^\"]*\"))*$"
            })
    void textsMadeByAPattern_matchIt(String pattern) {
        for (int i = 0; i < 200; i++) {
            assertThat(PatternText.matching(pattern, random)).matches(pattern);
        }
    }
}
