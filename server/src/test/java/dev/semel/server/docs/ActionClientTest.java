package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.ServerFixture;
import java.net.URI;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Runs the client on the page about tables. */
class ActionClientTest {

    @Test
    void page_showsTheClientAsItIs() throws Exception {
        String source = Files.readString(
                Repository.ROOT.resolve("server/src/test/java/dev/semel/server/docs/ActionClient.java"));
        assertThat(Files.readString(Repository.ROOT.resolve("docs/guides/tables.md")))
                .contains("```Java\n" + source.substring(source.indexOf("/** Sends")) + "```\n");
    }

    @Test
    void client_getsTheResultOfAnActionOnce() throws Exception {
        try (ServerFixture server = ServerFixture.onMemory()) {
            String table = server.as("ann").post("/v1/tables", "").text("tableId");
            URI actions = URI.create(
                    server.uri("/v1/tables/" + table + "/actions").toString().replace("http", "ws"));
            String action = "{\"type\":\"action\",\"clientMsgId\":\"550e8400-e29b-41d4-a716-446655440000\","
                    + "\"action\":\"raise\",\"amount\":100}";
            ActionClient client = new ActionClient();
            assertThat(client.result(actions, server.token("ann"), action)).contains("\"pot\":100,\"duplicate\":false");
            assertThat(client.result(actions, server.token("ann"), action)).contains("\"pot\":100,\"duplicate\":true");
        }
    }
}
