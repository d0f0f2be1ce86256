package dev.semel.server.openapi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import dev.semel.http.IdempotencyProblem;
import dev.semel.server.ServerFixture;
import dev.semel.server.web.ApiResponse;
import dev.semel.server.web.Routes;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The description is complete, well-formed and consistent. All tests that send requests check that it is correct. */
class DescriptionTest {

    private static final ServerFixture SERVER = ServerFixture.onMemory();
    private static final Described API = SERVER.described();

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    private static Set<String> operations(JsonNode paths) {
        Set<String> operations = new TreeSet<>();
        paths.properties()
                .forEach(path -> path.getValue().propertyNames().stream()
                        .filter(name -> !name.equals("parameters"))
                        .forEach(method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        return operations;
    }

    @Test
    void everyRoute_isDescribed_andNothingElse() {
        Set<String> routes = new TreeSet<>();
        SERVER.asNobody().get("/").json().get("routes").forEach(route -> routes.add(route.stringValue()));
        assertThat(operations(API.api().get("paths"))).isEqualTo(routes);
        assertThat(operations(Fragments.all().get("paths"))).isEqualTo(routes);
    }

    @Test
    void description_isValidOpenApi31() throws IOException {
        Map<String, String> schemas = Map.of(
                "https://spec.openapis.org/oas/3.1/schema-base/2025-09-15", resource("schema-base/2025-09-15"),
                "https://spec.openapis.org/oas/3.1/schema/2025-09-15", resource("schema/2025-09-15"),
                "https://spec.openapis.org/oas/3.1/dialect/2024-11-10", resource("dialect/2024-11-10"),
                "https://spec.openapis.org/oas/3.1/meta/2024-11-10", resource("meta/2024-11-10"));
        Schema schema = SchemaRegistry.withDefaultDialect(
                        Dialects.getDraft202012(), builder -> builder.schemas(schemas))
                .getSchema(SchemaLocation.of("https://spec.openapis.org/oas/3.1/schema-base/2025-09-15"));
        JsonNode api = API.api().deepCopy();
        assertThat(schema.validate(api)).isEmpty();

        ((ObjectNode) api.at("/paths/~1/get")).put("sumary", "misspelled");
        assertThat(schema.validate(api)).isNotEmpty();
        ((ObjectNode) api.at("/paths/~1/get")).remove("sumary");
        ((ObjectNode) api.at("/components/schemas/Post")).put("required", "id");
        assertThat(schema.validate(api)).isNotEmpty();
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = DescriptionTest.class.getResourceAsStream("/openapi/3.1/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
        }
    }

    @Test
    void operations_haveNamesAndTagsAndSummaries() {
        Set<String> tags =
                API.api().get("tags").findValuesAsString("name").stream().collect(Collectors.toSet());
        List<String> ids = new ArrayList<>();
        for (Described.Operation operation : API.operations()) {
            ids.add(operation.node().get("operationId").stringValue());
            assertThat(operation.node().get("summary").stringValue())
                    .as("%s", operation)
                    .isNotBlank();
            assertThat(operation.node().get("tags")).as("%s", operation).hasSize(1);
            assertThat(tags).contains(operation.node().get("tags").get(0).stringValue());
            for (JsonNode parameter : operation.parameters("path")) {
                assertThat(operation.pattern())
                        .contains("{" + parameter.get("name").stringValue() + "}");
            }
            assertThat(operation.parameters("path")).hasSize((int)
                    operation.pattern().chars().filter(c -> c == '{').count());
        }
        assertThat(ids).doesNotHaveDuplicates();
    }

    @Test
    void examples_areAsDescribed() {
        List<String> without = new ArrayList<>();
        for (Described.Operation operation : API.operations()) {
            operation
                    .parameters()
                    .forEach(parameter -> checkExample(operation + " " + parameter.get("name"), parameter, without));
            JsonNode body = API.resolved(operation.node().path("requestBody"));
            body.path("content").forEach(media -> checkExample(operation + " body", media, without));
            for (Map.Entry<String, JsonNode> response :
                    operation.node().get("responses").properties()) {
                JsonNode content = API.resolved(response.getValue()).path("content");
                content.properties().forEach(media -> {
                    if (media.getKey().equals("application/json")) {
                        checkExample(operation + " " + response.getKey(), media.getValue(), without);
                    }
                    media.getValue()
                            .path("examples")
                            .forEach(example -> API.checkExample(
                                    media.getValue().get("schema"),
                                    API.resolved(example).get("value"),
                                    operation + " " + response.getKey()));
                });
            }
        }
        assertThat(without)
                .allMatch(
                        name ->
                                name.matches(
                                        ".* \"(after|tag|target|key|status|clientTxId|If-Match|If-None-Match)\"")); // most requests lack them
    }

    private static void checkExample(String what, JsonNode node, List<String> without) {
        JsonNode example = node.get("example");
        if (example == null) {
            without.add(what);
        } else {
            API.checkExample(node.get("schema"), example, what);
        }
    }

    @Test
    void problemsOfKeyedRequests_areTheOnesDescribed() {
        JsonNode catalogue = Fragments.all().get("problems");
        Set<IdempotencyProblem> elsewhere = Set.of(
                IdempotencyProblem.UNAUTHENTICATED,
                IdempotencyProblem.INVALID_USER,
                IdempotencyProblem.OUTCOME_UNKNOWN,
                IdempotencyProblem.RESPONSE_NOT_KEPT);
        for (IdempotencyProblem problem : IdempotencyProblem.values()) {
            if (!elsewhere.contains(problem)) {
                JsonNode described = catalogue.get(problem.code());
                assertThat(described).as(problem.code()).isNotNull();
                assertThat(described.get("status").asInt() + " "
                                + described.get("error").stringValue())
                        .isEqualTo(problem.problem().status() + " "
                                + problem.problem().error());
            }
        }
    }

    @Test
    void whatFollowsFromARoute_isDescribed() {
        JsonNode publish = API.api().at("/paths/~1v1~1feed~1posts/post");
        assertThat(publish.get("security").toString()).isEqualTo("[{\"bearer\":[]}]");
        assertThat(publish.get("parameters").toString())
                .contains("/RequiredIdempotencyKey", "/RequiredClientTxId", "/Prefer");
        assertThat(publish.get("responses").propertyNames())
                .contains("201", "400", "401", "403", "409", "413", "415", "422", "429", "500", "503");
        assertThat(codes(publish, "400")).contains("missing_idempotency_key", "invalid_client_tx_id", "invalid_field");
        JsonNode submit = API.api().at("/paths/~1api~1submit/post");
        assertThat(submit.get("parameters").toString())
                .contains("/IdempotencyKey")
                .doesNotContain("Required");
        assertThat(codes(submit, "400")).doesNotContain("missing_idempotency_key");
        JsonNode page = API.api().at("/paths/~1p~1{id}/get");
        assertThat(page.get("security")).isEmpty();
        JsonNode socket = API.api().at("/paths/~1v1~1tables~1{tableId}~1actions/get");
        // the first message may contain the token
        assertThat(socket.get("security").toString()).isEqualTo("[{},{\"bearer\":[]}]");
        assertThat(page.get("responses").propertyNames()).doesNotContain("401", "409", "413", "422", "429");
    }

    private static List<String> codes(JsonNode operation, String status) {
        JsonNode media = API.resolved(operation.get("responses").get(status)).at("/content/application~1problem+json");
        return media.at("/schema/properties/code/enum")
                .valueStream()
                .map(JsonNode::stringValue)
                .toList();
    }

    @Test
    void withoutDevMode_itsRouteIsNotDescribed() {
        Routes routes = new Routes().getOpen("/health/live", request -> ApiResponse.nothing());
        JsonNode api = Description.of(routes);
        assertThat(operations(api.get("paths"))).containsExactly("GET /health/live");
        assertThat(api.toString()).doesNotContain("foreign_host", "/v1/dev", "\"dev\"", "Post");
    }
}
