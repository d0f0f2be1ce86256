package dev.semel.server.cli;

import dev.semel.memory.MemoryStore;
import dev.semel.rocksdb.RocksDbSettings;
import dev.semel.rocksdb.RocksDbStore;
import dev.semel.server.Storage;
import dev.semel.server.apps.reputation.DocumentType;
import dev.semel.server.migration.MergeRule;
import dev.semel.server.migration.MigrationOptions;
import dev.semel.server.migration.MigrationSource;
import dev.semel.server.migration.NdjsonSource;
import dev.semel.server.migration.PartMapping;
import dev.semel.server.migration.StoreSource;
import dev.semel.server.settings.PostgresUrl;
import dev.semel.server.settings.StoreSettings;
import dev.semel.server.settings.StoreUrl;
import dev.semel.server.settings.Suggestions;
import dev.semel.store.spi.DocumentStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options that name what is migrated, and how. */
final class MigrateOptions {

    private static final Pattern STORE = Pattern.compile("(rocksdb|memory|postgres|postgresql|jdbc:postgresql):.*");

    @Option(
            names = "--from",
            paramLabel = "SOURCE",
            description = "The documents: a file with one JSON object per line, - for standard input, or the URL of a"
                    + " store with --from-collection.")
    private @Nullable String from;

    @Option(
            names = "--from-collection",
            paramLabel = "NAME",
            description =
                    "The collection of the store, as in /v1/collections/NAME. The documents of all users are read.")
    private @Nullable String fromCollection;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "The type of the documents of --from-collection, if it is not the name of the collection:"
                    + " users, tags, reputations or votes.")
    private @Nullable String type;

    @Mixin
    private MigrateTarget target = new MigrateTarget();

    @Option(
            names = "--map",
            paramLabel = "PARTS",
            description = "Where the parts of keys are that a legacy key does not contain, such as"
                    + " user=data.owner,tag=data.tag.")
    private @Nullable String map;

    @Option(
            names = "--merge",
            paramLabel = "RULE",
            defaultValue = "list",
            description =
                    "What happens to documents that get the same key: newest keeps the latest, sum:FIELD also adds"
                            + " up the numbers at data.FIELD, and list leaves out all but the first. Default: ${DEFAULT-VALUE}.")
    private String merge = "list";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Does something with a source and a target. */
    interface Action<T> {
        T run(MigrationSource source, DocumentStore target);
    }

    MigrationOptions options() {
        String parts = map;
        return new MigrationOptions(
                parts == null
                        ? PartMapping.DEFAULT
                        : PartMapping.parse(parts)
                                .orElseThrow(() -> new UsageException(
                                        command,
                                        "--map must be " + PartMapping.FORM + " or some of these parts, not "
                                                + Suggestions.quote(parts) + ".")),
                MergeRule.parse(merge)
                        .orElseThrow(() -> new UsageException(
                                command,
                                "--merge must be " + MergeRule.FORMS + ", not " + Suggestions.quote(merge) + ".")));
    }

    MigrateTarget target() {
        return target;
    }

    /** Opens the source and the target, which is created if it does not exist. */
    <T> T run(InputStream standardInput, Action<T> action) {
        StoreSettings settings = target.settings();
        return fromStore()
                ? runFromStore(settings, false, action)
                : runFromLines(settings, false, standardInput, action);
    }

    /** Opens the source and the target. If the target does not exist, it is an empty one. */
    <T> T plan(InputStream standardInput, Action<T> action) {
        StoreSettings settings = target.settings();
        return fromStore() ? runFromStore(settings, true, action) : runFromLines(settings, true, standardInput, action);
    }

    private boolean fromStore() {
        if (from == null) {
            throw new UsageException(command, "--from is missing: a file, - or the URL of a store.");
        }
        boolean isStore = STORE.matcher(from).matches();
        if (isStore && fromCollection == null) {
            throw new UsageException(command, "--from-collection is missing, which a store requires.");
        }
        if (!isStore && (fromCollection != null || type != null)) {
            throw new UsageException(
                    command,
                    (fromCollection != null ? "--from-collection" : "--type")
                            + " requires a store: --from must be its URL, not " + Suggestions.quote(from) + ".");
        }
        return isStore;
    }

    private Storage openTarget(StoreSettings settings, boolean dryRun) {
        return dryRun && !MigrateTarget.exists(settings) ? Storage.inMemory(new MemoryStore()) : target.open(settings);
    }

    private <T> T runFromLines(StoreSettings settings, boolean dryRun, InputStream standardInput, Action<T> action) {
        String file = String.valueOf(from);
        if (file.equals("-")) {
            try (Storage to = openTarget(settings, dryRun)) {
                return action.run(new NdjsonSource(standardInput, "standard input", 0), to.store());
            }
        }
        try (InputStream in = Files.newInputStream(Path.of(file));
                Storage to = openTarget(settings, dryRun)) {
            return action.run(new NdjsonSource(in, file, Files.size(Path.of(file))), to.store());
        } catch (InvalidPathException e) {
            throw new FailureException(Suggestions.quote(file) + " is not the name of a file", e);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + Suggestions.quote(file) + ": " + FailureText.reason(e), e);
        }
    }

    private <T> T runFromStore(StoreSettings settings, boolean dryRun, Action<T> action) {
        String documentType = typeOfCollection();
        StoreSettings source = target.settings("--from", from);
        if (location(source).equals(location(settings))) {
            try (Storage both = target.openExisting(settings)) {
                return run(both, source, documentType, both, action);
            }
        }
        try (Storage in = target.openExisting(source);
                Storage to = openTarget(settings, dryRun)) {
            return run(in, source, documentType, to, action);
        }
    }

    private <T> T run(Storage in, StoreSettings from, String documentType, Storage to, Action<T> action) {
        String name = String.valueOf(fromCollection);
        StoreSource source = new StoreSource(in.store(), in.admin(), location(from), name, documentType);
        if (!source.hasDocuments()) {
            throw new FailureException(
                    "The collection " + Suggestions.quote(name) + " of " + location(from) + " has no documents");
        }
        return action.run(source, to.store());
    }

    private String typeOfCollection() {
        String given = type != null ? type : String.valueOf(fromCollection);
        if (DocumentType.named(given).isPresent()) {
            return given;
        }
        throw new UsageException(
                command,
                type != null
                        ? "--type must be users, tags, reputations or votes, not " + Suggestions.quote(type) + "."
                        : "--type is missing: " + Suggestions.quote(given)
                                + " is none of users, tags, reputations and votes.");
    }

    private static String location(StoreSettings settings) {
        if (settings.url() instanceof PostgresUrl url) {
            return url.location() + " (" + settings.schema() + ")";
        }
        StoreUrl.Directory folder = (StoreUrl.Directory) settings.url();
        return "rocksdb:" + folder.path().toAbsolutePath().normalize();
    }

    /** Makes an empty store for a dry run, which is deleted afterwards. */
    static <T> T withScratch(MigrateTarget target, Function<DocumentStore, T> action) {
        Path folder;
        try {
            folder = Files.createTempDirectory("semel-plan");
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot create a temporary folder: " + FailureText.reason(e), e);
        }
        try (RocksDbStore scratch =
                RocksDbStore.open(folder.resolve("store"), RocksDbSettings.DEFAULTS.withSynced(false), target.time())) {
            return action.apply(scratch);
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot delete " + folder + ": " + FailureText.reason(e), e);
        }
    }
}
