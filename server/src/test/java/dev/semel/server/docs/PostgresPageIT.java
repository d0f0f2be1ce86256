package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.KillablePostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the page about PostgreSQL from top to bottom on a new server. Statements must succeed, and commands must print what the page shows.
 */
class PostgresPageIT {

    static final Path PAGE = Repository.ROOT.resolve("docs/operating/postgres.md");

    @TempDir
    Path folder;

    /** A block of the page: SQL statements, or commands with their output. */
    private record Block(String kind, int line, List<String> lines) {}

    @Test
    void page_doesWhatItShows() throws Exception {
        List<ConsoleIT.Example> commands = ConsoleIT.examples(PAGE);
        int statements = 0;
        try (KillablePostgres postgres = new KillablePostgres(folder)) {
            String database = "postgres";
            for (Block block : blocks()) {
                if (block.kind.equals("```sql")) {
                    for (String statement :
                            String.join("\n", block.lines).strip().split(";\\s*", 0)) {
                        postgres.execute(database, statement);
                        database = statement.contains("create database") ? "semel" : database;
                        statements++;
                    }
                } else {
                    for (ConsoleIT.Example command : commands) {
                        if (command.line() > block.line && command.line() <= block.line + block.lines.size()) {
                            run(command, postgres);
                        }
                    }
                }
            }
        }
        assertThat(commands).hasSizeGreaterThan(2);
        assertThat(statements).isGreaterThan(5);
    }

    private static void run(ConsoleIT.Example command, KillablePostgres postgres) throws Exception {
        String port = "localhost:" + postgres.port();
        String here = command.command().replace("localhost/", port + "/");
        Repository.Printed printed = Repository.bash(Repository.ROOT, here);
        Shape.assertSame(command.toString(), command.shown(), printed.text());
    }

    private static List<Block> blocks() throws Exception {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = Files.readAllLines(PAGE);
        for (int i = 0; i < lines.size(); i++) {
            String kind = lines.get(i);
            if (kind.startsWith("```")) {
                List<String> within = lines.subList(i + 1, lines.size()).stream()
                        .takeWhile(line -> !line.startsWith("```"))
                        .toList();
                if (kind.equals("```sql") || kind.equals("```console")) {
                    blocks.add(new Block(kind, i + 1, within));
                }
                i += within.size() + 1;
            }
        }
        return blocks;
    }
}
