package dev.semel.server.cli;

import static dev.semel.server.cli.CommandLineFixture.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.cli.CommandLineFixture.Result;
import dev.semel.server.log.Log;
import dev.semel.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.event.Level;

/** Failures that users cause or meet: exit status 1 and one line without the name of an exception. */
class FailureTest {

    private static final Pattern EXCEPTION = Pattern.compile(".*\\b\\w+(Exception|Error)\\b.*", Pattern.DOTALL);

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void createFile() throws Exception {
        file = Files.writeString(folder.resolve("file"), "{");
    }

    @AfterAll
    static void resetLog() {
        Log.setLevel(Level.INFO);
    }

    private static void assertFails(String start, String... arguments) {
        Result result = semel(List.of(arguments));
        assertThat(result.err())
                .startsWith(start)
                .endsWith("\n")
                .hasLineCount(1)
                .doesNotMatch(EXCEPTION)
                .doesNotContain("\tat ");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
    }

    private static void assertServeFails(String start, Object store) {
        assertFails(
                "semel serve: " + start,
                "serve",
                "--check",
                "--port=0",
                "--log-level=error",
                "--store=rocksdb:" + store);
    }

    @Test
    void folderThatCannotBeUsed_isReported() throws Exception {
        Files.createDirectories(folder.resolve("other"));
        Files.createFile(folder.resolve("other/x"));
        String cannot = "Cannot use the folder ";
        assertServeFails(cannot + "/proc/none: there is no such file or folder: /proc/none", "/proc/none");
        assertServeFails(cannot + file + ": this exists and is not a folder: " + file, file);
        assertServeFails(cannot + file + "/data: ", file + "/data");
        assertServeFails("The folder " + folder.resolve("other") + " contains other files", folder.resolve("other"));
    }

    @Test
    void copyThatCannotBeMade_isReported() {
        String store = "rocksdb:" + folder.resolve("store");
        String backup = folder.resolve("backup").toString();
        assertThat(semel(List.of("serve", "--check", "--port=0", "--log-level=error", "--store=" + store))
                        .status())
                .isZero();
        assertFails("semel backup: There is no store in nowhere", "backup", backup, "--store=rocksdb:nowhere");
        assertFails("semel backup: The target " + folder + " exists", "backup", folder.toString(), "--store=" + store);
        assertFails(
                "semel backup: Cannot copy the store to " + file + "/b: ", "backup", file + "/b", "--store=" + store);
        assertThat(semel(List.of("backup", backup, "--store=" + store)).status())
                .isZero();
        assertFails("semel restore: There is no store in nowhere", "restore", "nowhere", "--store=" + store + "2");
        assertFails("semel restore: The target " + folder + "/store exists", "restore", backup, "--store=" + store);
        assertFails(
                "semel restore: Cannot copy the store to /proc/a/b: ", "restore", backup, "--store=rocksdb:/proc/a/b");
    }

    @Test
    void fileThatCannotBeRead_isReported() {
        assertFails("semel fingerprint: Cannot read 'none': there is no such file or folder\n", "fingerprint", "none");
        assertFails("semel fingerprint: Cannot read '" + folder + "': ", "fingerprint", folder.toString());
        assertFails("semel fingerprint: Cannot read '" + file + "/x': ", "fingerprint", file + "/x");
        assertFails("semel fingerprint: line 1, column 2 ", "fingerprint", file.toString());
    }

    @Test
    void addressThatCannotBeUsed_isReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            int port = taken.getLocalPort();
            assertFails(
                    "semel serve: Port " + port
                            + " of localhost is already in use. Choose another port with --port, or stop the"
                            + " program that uses it.\n",
                    "serve",
                    "--store=memory:",
                    "--port=" + port);
        }
        Path secret = Files.writeString(folder.resolve("secret"), "0123456789012345678901234567890123456789");
        assertFails(
                "semel serve: Cannot listen on 192.0.2.1 port 0: this machine does not have the address. Set --host.\n",
                "serve",
                "--store=memory:",
                "--port=0",
                "--host=192.0.2.1", // reserved for documentation
                "--auth=secret:" + secret);
    }

    @Test
    void textOfAnException_hasNoClassNames() {
        assertText(
                StoreException.rejected("Cannot use the folder x: " + new AccessDeniedException("x/LOCK")),
                "Cannot use the folder x: permission denied: x/LOCK");
        assertText(
                StoreException.rejected("Cannot use the folder x: " + new IOException("No space left on device")),
                "Cannot use the folder x: No space left on device");
        assertText(
                StoreException.rejected(
                        "Cannot open the store in x: DB::Open() failed --- IO error: No space left on device:"
                                + " While appending to file: x/OPTIONS: No space left on device"),
                "Cannot open the store in x: No space left on device");
        assertText(
                new UncheckedIOException("Cannot listen: " + new SocketException("Broken"), new IOException()),
                "Cannot listen: Broken");
        assertText(new IllegalStateException("broken"), "Unexpected error: broken (--verbose prints the stack trace)");
        assertText(new NullPointerException(), "Unexpected error (--verbose prints the stack trace)");
        assertText(new UncheckedIOException(new IOException()), "Unexpected error (--verbose prints the stack trace)");
        assertText(
                new IllegalStateException("a\n\tb \u202e" + new NoSuchFileException("y")),
                "Unexpected error: a\\u000a\\u0009b \\u202ethere is no such file or folder: y (--verbose prints the stack trace)");
        assertText(new OutOfMemoryError("Java heap space"), "There is not enough memory.");
    }

    private static void assertText(Throwable e, String text) {
        assertThat(FailureText.of(e)).isEqualTo(text);
    }
}
