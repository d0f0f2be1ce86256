package dev.semel.server.cli;

import static dev.semel.server.cli.CommandLineFixture.semel;
import static dev.semel.server.cli.CommandLineFixture.with;
import static dev.semel.server.cli.CommandLineFixture.words;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.cli.CommandLineFixture.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Wrong use of every command: one line that names what is wrong, the value given, and what is accepted. */
@Tag("jdk")
class UsageErrorsTest {

    private static final Pattern FORM =
            Pattern.compile("semel( [a-z]+)*: [-A-Z].*[.?] See '\\./semel( [a-z]+)* --help'\\.\n");

    private static final List<String> WORDS_OF_PICOCLI = List.of(
            "Unmatched",
            "Missing required",
            "Invalid value",
            "Unknown option:",
            "Unknown options",
            "only once",
            "cannot convert",
            "Possible solutions",
            "at index",
            "Expected parameter",
            "is not a",
            "Exception");

    private static void assertWrongUse(Result result, String where, List<String> command) {
        assertThat(result.status()).as(where).isEqualTo(2);
        assertThat(result.out()).as(where).isEmpty();
        assertThat(result.err())
                .as(where)
                .matches(FORM)
                .doesNotContain(WORDS_OF_PICOCLI)
                .startsWith(String.join(" ", with(List.of("semel"), command.toArray(String[]::new))) + ": ")
                .endsWith("'./" + String.join(" ", with(List.of("semel"), command.toArray(String[]::new)))
                        + " --help'.\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "serv|semel|Unknown command 'serv'. Did you mean 'serve'?",
                "SERVE|semel|Unknown command 'SERVE'. Did you mean 'serve'?",
                "server --port 1|semel|Unknown command 'server'. Did you mean 'serve'?",
                "finger-print -|semel|Unknown command 'finger-print'. Did you mean 'fingerprint'?",
                "tortrue|semel|Unknown command 'tortrue'. Did you mean 'torture'?",
                "bnech ids|semel|Unknown command 'bnech'. Did you mean 'bench'?",
                "start|semel|Unknown command 'start'. Choose one of serve, backup, restore, outbox, migrate, id, key, fingerprint, simulate,"
                        + " completion, help, test, bench, torture.",
                "--verison|semel|Unknown option '--verison'. Did you mean '--version'?",
                "-x|semel|Unknown option '-x'.",
                "--version=3|semel|--version takes no value, but it is given '3'.",
                "--verbose=2 id list|semel|--verbose takes no value, but it is given '2'.",
                "help serv|semel help|Unknown command 'serv'. Did you mean 'serve'?",
                "help id lst|semel help|Unknown command 'lst'. Did you mean 'list'?",
                "--verbose bench ids|semel bench|The launcher runs this command if it is the first argument: './semel bench'.",
                "serve --prot 9|semel serve|Unknown option '--prot'. Did you mean '--port'?",
                "serve --prot=9|semel serve|Unknown option '--prot'. Did you mean '--port'?",
                "serve --nothing|semel serve|Unknown option '--nothing'.",
                "serve 9000|semel serve|Unexpected argument '9000'. This command takes no arguments.",
                "serve --port|semel serve|--port requires a value: a whole number.",
                "serve --port x|semel serve|--port must be a whole number from 0 to 65535, not 'x'.",
                "serve --port=|semel serve|--port is empty. Remove it to use the default.",
                "serve --port 1 --port 2|semel serve|--port is given twice. Give it once.",
                "serve --check=no|semel serve|--check takes no value, but it is given 'no'.",
                "serve --retention|semel serve|--retention requires a value: a time such as 24h.",
                "serve --retention 24|semel serve|--retention must be a time such as 24h (a whole number with ms, s, m, h or d, at"
                        + " most 100 years), not '24'.",
                "serve --log-level|semel serve|--log-level requires a value: one of error, warn, info, debug or trace.",
                "serve --log-level loud|semel serve|--log-level must be one of error, warn, info, debug or trace, not 'loud'.",
                "serve --expired-keys|semel serve|--expired-keys requires a value: new or reject.",
                "serve --auth|semel serve|--auth requires a value: secret:FILE, secret:env:NAME, jwks:FILE or jwks:URL.",
                "serve --store mysql:|semel serve|--store must be memory:, rocksdb:FOLDER or"
                        + " postgres://USER:PASSWORD@HOST:PORT/DATABASE, not 'mysql:'.",
                "serve --config nowhere|semel serve|--config must name a file that can be read, not 'nowhere'.",
                "backup|semel backup|FOLDER is missing: the name of a folder.",
                "backup a b|semel backup|Unexpected argument 'b'. This command takes FOLDER.",
                "backup --stor rocksdb:x|semel backup|Unknown option '--stor'. Did you mean '--store'?",
                "backup --stor|semel backup|Unknown option '--stor'. Did you mean '--store'?",
                "backup a --store|semel backup|--store requires a value: the URL of a store.",
                "backup a --store=a --store=b|semel backup|--store is given twice. Give it once.",
                "backup a --store memory:|semel backup|--store must be rocksdb:FOLDER, not 'memory:'.",
                "backup a --store postgres://ann:hunter2@h/d|semel backup|--store must be rocksdb:FOLDER, not 'postgres://…'.",
                "restore|semel restore|FOLDER is missing: the name of a folder.",
                "id|semel id|SCHEME is missing: one of tid62, uuid4, uuid4s, uuid464, uuid7, ulid, seq10, seq36,"
                        + " ksuid, nanoid, typeid, tsid, day-nonce.",
                "id uid7|semel id|Unknown scheme 'uid7'. Did you mean 'uuid7'?",
                "id snowflake|semel id|Unknown scheme 'snowflake'. Choose one of tid62, uuid4, uuid4s, uuid464, uuid7, ulid, seq10,"
                        + " seq36, ksuid, nanoid, typeid, tsid, day-nonce.",
                "id lst|semel id|Unknown scheme 'lst'. Did you mean 'list'?",
                "id tid62 ulid|semel id|Unexpected argument 'ulid'. This command takes SCHEME.",
                "id tid62 -n|semel id|-n requires a value: a whole number.",
                "id tid62 -n x|semel id|-n must be a whole number, not 'x'.",
                "id tid62 -n5x|semel id|-n must be a whole number, not '5x'.",
                "id tid62 --count=x|semel id|--count must be a whole number, not 'x'.",
                "id tid62 -n 99999999999999999999|semel id|-n must be a whole number, not '99999999999999999999'.",
                "id tid62 -n 0|semel id|-n must be a whole number of 1 or more, not '0'.",
                "id tid62 -n 1 -n 2|semel id|-n is given twice. Give it once.",
                "id tid62 --json=maybe|semel id|--json takes no value, but it is given 'maybe'.",
                "id tid62 --prefix|semel id|--prefix requires a value: letters, digits and underscores.",
                "id tid62 --prefix a-b|semel id|--prefix must be 1 to 64 of 0-9A-Za-z_, not 'a-b'.",
                "id typeid --prefix user_|semel id|--prefix must be 1 to 63 of a-z_, with a letter at both ends, not 'user_'.",
                "id typeid --prefix user1|semel id|--prefix must be 1 to 63 of a-z_, with a letter at both ends, not 'user1'.",
                "id tid62 --prefx a|semel id|Unknown option '--prefx'. Did you mean '--prefix'?",
                "id tid62 --from 1|semel id|--from cannot be used with tid62: only seq10 and seq36 have a first number.",
                "id seq10 --from -1|semel id|--from must be a whole number of 0 or more, not '-1'.",
                "id --json list|semel id list|--json must follow list.",
                "id -n 5 list|semel id list|--count cannot be given before list.",
                "id tid62 list|semel id list|SCHEME cannot be given before list.",
                "id list more|semel id list|Unexpected argument 'more'. This command takes no arguments.",
                "id inspect|semel id inspect|ID is missing: one or more ids, or - for ids from standard input, one per line.",
                "id inspect --jsn x|semel id inspect|Unknown option '--jsn'. Did you mean '--json'?",
                "key|semel key|COMMAND is missing: check or parse.",
                "key chek|semel key|Unknown command 'chek'. Did you mean 'check'?",
                "key check|semel key check|TEMPLATE is missing: a text with parts {name:type}.",
                "key check --jsno {a}|semel key check|Unknown option '--jsno'. Did you mean '--json'?",
                "key parse {a}|semel key parse|KEY is missing: the key.",
                "key parse {a} b c|semel key parse|Unexpected argument 'c'. This command takes TEMPLATE and KEY.",
                "key parse --jsn {a} b|semel key parse|Unknown option '--jsn'. Did you mean '--json'?",
                "fingerprint|semel fingerprint|FILE is missing: the name of a file.",
                "fingerprint a b|semel fingerprint|Unexpected argument 'b'. This command takes FILE.",
                "fingerprint --canonicl -|semel fingerprint|Unknown option '--canonicl'. Did you mean '--canonical'?",
                "completion zsh|semel completion|Unexpected argument 'zsh'. This command takes no arguments."
            })
    void wrongUse_isDescribed(String line, String command, String description) {
        Result result = semel(line);
        assertThat(result.err()).isEqualTo(command + ": " + description + " See './" + command + " --help'.\n");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
    }

    static Stream<CommandLine> commands() {
        return CommandLineFixture.commands().stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void unknownOption_isRejectedByEveryCommand(CommandLine command) {
        List<String> words = words(command);
        assertWrongUse(semel(with(words, "--verbsoe")), words + " --verbsoe", words);
        assertThat(semel(with(words, "--verbsoe")).err()).contains("Did you mean '--verbose'?");
        if (!words.isEmpty() && !words.contains("help")) {
            String[] many = {"a", "b", "c", "d"};
            boolean takesAny = command.getCommandSpec().positionalParameters().stream()
                    .anyMatch(parameter -> parameter.arity().max() > 1);
            if (!takesAny) {
                assertWrongUse(semel(with(words, many)), words + " with arguments", words);
            }
        }
    }

    /** Every option of every command without its value, twice, with a value it does not take, and with one that it cannot be. */
    @ParameterizedTest
    @MethodSource("commands")
    void wrongValueOfEveryOption_isDescribed(CommandLine command) {
        List<String> words = words(command);
        List<String> arguments = command.getCommandSpec().positionalParameters().stream()
                .map(parameter -> "x")
                .toList();
        List<String> base = new ArrayList<>(words);
        base.addAll(arguments);
        for (OptionSpec option : command.getCommandSpec().options()) {
            for (String name : option.names()) {
                if (option.arity().max() == 0) {
                    assertWrongUse(semel(with(base, name + "=x")), name + "=x", words);
                    continue;
                }
                if (option.arity().min() == 0) {
                    continue; // without a value, the option is a switch
                }
                assertWrongUse(semel(with(base, name)), name, words);
                assertThat(semel(with(base, name)).err())
                        .contains(name + " requires a value: ")
                        .doesNotContain(": " + option.paramLabel() + ".");
                assertWrongUse(semel(with(base, name, "1", name, "1")), name + " twice", words);
                if (option.type() != String.class) {
                    assertWrongUse(semel(with(base, name, "\0")), name + " \0", words);
                }
            }
        }
    }

    @Test
    void invalidPath_isWrongUse() {
        assertThat(semel(List.of("backup", "a", "--store=rocksdb:b\0")).err())
                .isEqualTo(
                        "semel backup: --store must be rocksdb:FOLDER, not 'rocksdb:b\\u0000'. See './semel backup --help'.\n");
        assertThat(semel(List.of("backup", "a\0")).err())
                .isEqualTo(
                        "semel backup: FOLDER must be the name of a folder, not 'a\\u0000'. See './semel backup --help'.\n");
    }

    @Test
    void longValue_isShortened() {
        assertThat(semel("id tid62 -n " + "9".repeat(5000)).err())
                .isEqualTo("semel id: -n must be a whole number, not '" + "9".repeat(100)
                        + "…'. See './semel id --help'.\n");
    }
}
