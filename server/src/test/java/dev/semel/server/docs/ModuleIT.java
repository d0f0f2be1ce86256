package dev.semel.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs on the module path need no module besides {@code core} and that of their store. */
class ModuleIT {

    private static final String LIB = Repository.ROOT + "/server/target/lib/";

    @TempDir
    Path folder;

    @Test
    void module_compilesAndRunsAgainstCoreAlone() throws Exception {
        assertThat(run("""
                module consumer { requires dev.semel.core; }
                """, """
                System.out.print(dev.semel.id.IdSchemes.TID62.isValid(null));
                """, LIB + "semel-core-*.jar")).isEqualTo(new Repository.Printed(0, "false"));
    }

    @Test
    void moduleThatRequiresTheEmbeddedStore_executesOnceAndReplays() throws Exception {
        assertThat(run(
                        """
                module consumer { requires dev.semel.core; requires dev.semel.store.rocksdb; }
                """,
                        """
                try (var store = dev.semel.rocksdb.RocksDbStore.open(java.nio.file.Path.of("data"),
                        dev.semel.rocksdb.RocksDbSettings.DEFAULTS, java.time.InstantSource.system())) {
                    var key = new dev.semel.store.IdempotencyKey("ann", "POST /payments", "key-1");
                    for (int i = 0; i < 2; i++) {
                        System.out.print(dev.semel.once.Once.on(store)
                                .atomic(key, "{}", tx -> dev.semel.store.Response.of("paid")).name() + " ");
                    }
                }
                """,
                        LIB + "semel-core-*.jar " + LIB + "semel-store-rocksdb-*.jar " + LIB + "rocksdbjni-*.jar"))
                .isEqualTo(new Repository.Printed(0, "executed replayed "));
    }

    /** @param jars patterns of the module path, separated by spaces */
    private Repository.Printed run(String module, String main, String jars) throws IOException, InterruptedException {
        Files.writeString(folder.resolve("module-info.java"), module);
        Files.writeString(
                folder.resolve("Main.java"),
                "package consumer; class Main { public static void main(String[] a) throws Exception { " + main
                        + " } }");
        String java = System.getProperty("java.home") + "/bin/java";
        return Repository.bash(
                folder,
                "path=$(echo " + jars + " | tr ' ' :) && " + java
                        + "c -Xlint:all,-requires-automatic,-requires-transitive-automatic -Werror -d classes"
                        + " --module-path $path module-info.java Main.java && "
                        + java + " --module-path classes:$path --module consumer/consumer.Main");
    }
}
