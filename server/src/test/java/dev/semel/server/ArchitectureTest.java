package dev.semel.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import dev.semel.json.Json;
import dev.semel.server.web.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Dependencies point downwards only. Every package belongs to exactly one layer below; a layer names the layers that may use it. Packages
 * without a layer and layers without classes fail.
 */
class ArchitectureTest {

    private static final String[] CORE = {
        "dev.semel.id",
        "dev.semel.json",
        "dev.semel.key",
        "dev.semel.store",
        "dev.semel.store.spi",
        "dev.semel.store.admin",
        "dev.semel.store.internal",
        "dev.semel.document",
        "dev.semel.kv",
        "dev.semel.once",
        "dev.semel.memory"
    };

    /** The systems of the server, each in a separate package. */
    private static final List<String> APPS = List.of("textpile", "collections", "feed", "tables", "reputation");

    private static final String SERVER = "dev.semel.server";

    /**
     * A layer of the architecture.
     *
     * @param packages the packages, without their subpackages
     * @param usedBy layers that may use it
     */
    private record Layer(String name, List<String> packages, List<String> usedBy) {

        Layer(String name, String onlyPackage, String... usedBy) {
            this(name, List.of(onlyPackage), List.of(usedBy));
        }
    }

    /** The libraries. Everything may use {@code id}. The server is a single layer here, and divided below. */
    private static final List<Layer> LIBRARIES = List.of(
            new Layer(
                    "id",
                    "dev.semel.id",
                    "json",
                    "key",
                    "store",
                    "store.internal",
                    "memory",
                    "document",
                    "kv",
                    "once",
                    "outbox",
                    "rocksdb",
                    "postgres",
                    "http",
                    "server"),
            new Layer(
                    "json",
                    "dev.semel.json",
                    "store",
                    "memory",
                    "document",
                    "kv",
                    "once",
                    "outbox",
                    "rocksdb",
                    "postgres",
                    "http",
                    "server"),
            new Layer("key", "dev.semel.key", "store", "memory", "document", "outbox", "rocksdb", "postgres", "server"),
            // one layer, because a status in the API is named after a stored one
            new Layer(
                    "store",
                    List.of("dev.semel.store", "dev.semel.store.spi", "dev.semel.store.admin"),
                    List.of(
                            "store.internal",
                            "memory",
                            "document",
                            "kv",
                            "once",
                            "outbox",
                            "rocksdb",
                            "postgres",
                            "http",
                            "http.servlet",
                            "server")),
            new Layer(
                    "store.internal",
                    "dev.semel.store.internal",
                    "memory",
                    "document",
                    "kv",
                    "once",
                    "rocksdb",
                    "postgres",
                    "server"),
            new Layer("memory", "dev.semel.memory", "server"),
            new Layer("document", "dev.semel.document", "kv", "once", "outbox", "http", "http.servlet", "server"),
            new Layer("once", "dev.semel.once", "kv", "postgres", "http", "http.servlet", "server"),
            new Layer("kv", "dev.semel.kv", "server"),
            new Layer("rocksdb", "dev.semel.rocksdb", "server"),
            new Layer("postgres", "dev.semel.postgres", "server"),
            new Layer("outbox", "dev.semel.outbox", "server"),
            new Layer("http", "dev.semel.http", "http.servlet", "server"),
            new Layer("http.servlet", "dev.semel.http.servlet", "server"),
            new Layer("server", serverPackages(), List.of()));

    /** The packages of the server. */
    private static final List<Layer> SERVER_PACKAGES = List.of(
            new Layer(
                    "web",
                    SERVER + ".web",
                    "auth",
                    "metrics",
                    "openapi",
                    "settings",
                    "ops",
                    "apps",
                    "migration",
                    "server"),
            new Layer("log", SERVER + ".log", "cli"),
            new Layer("metrics", SERVER + ".metrics", "server"),
            new Layer("auth", SERVER + ".auth", "settings", "server"),
            new Layer("settings", SERVER + ".settings", "server", "cli"),
            new Layer("ops", SERVER + ".ops", "server"),
            new Layer("apps", appPackages(), List.of("migration", "server", "cli")),
            new Layer("migration", SERVER + ".migration", "cli"),
            new Layer("openapi", SERVER + ".openapi", "server"),
            new Layer("server", SERVER, "cli"),
            new Layer("cli", SERVER + ".cli"));

    private final JavaClasses semel = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("dev.semel")
            .that(DescribedPredicate.not(resideInAnyPackage("dev.semel.testkit..")));

    private static List<String> appPackages() {
        return APPS.stream().map(app -> SERVER + ".apps." + app).toList();
    }

    private static List<String> serverPackages() {
        return Stream.concat(
                        Stream.of(
                                SERVER,
                                SERVER + ".web",
                                SERVER + ".log",
                                SERVER + ".metrics",
                                SERVER + ".auth",
                                SERVER + ".settings",
                                SERVER + ".ops",
                                SERVER + ".openapi",
                                SERVER + ".migration",
                                SERVER + ".cli"),
                        appPackages().stream())
                .toList();
    }

    private static LayeredArchitecture architecture(List<Layer> layers) {
        LayeredArchitecture architecture =
                layeredArchitecture().consideringOnlyDependenciesInLayers().withOptionalLayers(false);
        for (Layer layer : layers) {
            architecture = architecture.layer(layer.name).definedBy(layer.packages.toArray(String[]::new));
        }
        for (Layer layer : layers) {
            architecture = layer.usedBy.isEmpty()
                    ? architecture.whereLayer(layer.name).mayNotBeAccessedByAnyLayer()
                    : architecture
                            .whereLayer(layer.name)
                            .mayOnlyBeAccessedByLayers(layer.usedBy.toArray(String[]::new));
        }
        return architecture;
    }

    @Test
    void everyPackage_belongsToOneLayer() {
        List<String> named =
                LIBRARIES.stream().flatMap(layer -> layer.packages.stream()).toList();
        assertThat(named).doesNotHaveDuplicates();
        assertThat(semel.stream().map(JavaClass::getPackageName).distinct()).containsExactlyInAnyOrderElementsOf(named);
        assertThat(SERVER_PACKAGES.stream().flatMap(layer -> layer.packages.stream()))
                .containsExactlyInAnyOrderElementsOf(serverPackages());
    }

    @Test
    void core_needsTheJdkAlone() {
        classes()
                .that()
                .resideInAnyPackage(CORE)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify.annotations..", "dev.semel..")
                .allowEmptyShould(false)
                .check(semel);
    }

    @Test
    void libraries_useOnlyTheLayersBelow() {
        architecture(LIBRARIES).check(semel);
    }

    @Test
    void packagesOfTheServer_useOnlyTheLayersBelow() {
        architecture(SERVER_PACKAGES).check(semel);
    }

    @Test
    void layerWithoutClasses_fails() {
        List<Layer> more = new ArrayList<>(SERVER_PACKAGES);
        more.add(new Layer("empty", SERVER + ".nothing"));
        assertThat(architecture(more).evaluate(semel).hasViolation()).isTrue();
    }

    @Test
    void apps_doNotUseEachOther() {
        slices().matching("dev.semel.server.apps.(*)..")
                .should()
                .notDependOnEachOther()
                .allowEmptyShould(false)
                .check(semel);
    }

    @Test
    void servletTypes_areUsedInTheirPartsOnly() {
        classes()
                .that(DescribedPredicate.describe(
                        "use servlets",
                        (JavaClass each) -> each.getDirectDependenciesFromSelf().stream()
                                .anyMatch(dependency -> dependency
                                        .getTargetClass()
                                        .getPackageName()
                                        .startsWith("jakarta.servlet"))))
                .should()
                .resideInAnyPackage(
                        "dev.semel.http.servlet", SERVER, SERVER + ".web", SERVER + ".auth", SERVER + ".metrics")
                .allowEmptyShould(false)
                .check(semel);
    }

    /** Text from clients can become {@link Json} only by methods that validate it. */
    @Test
    void uncheckedJson_isMadeByStoresAndOurOwnWritersOnly() {
        methods()
                .that()
                .areDeclaredIn(Json.class)
                .and()
                .haveName("ofChecked")
                .should(beCalledOnlyBy(resideInAnyPackage("dev.semel.rocksdb", "dev.semel.postgres")
                        .or(type(JsonText.class))
                        .or(name("dev.semel.outbox.EntryCodec"))))
                .allowEmptyShould(false)
                .check(semel);
    }

    private static ArchCondition<JavaMethod> beCalledOnlyBy(DescribedPredicate<JavaClass> callers) {
        return new ArchCondition<>("be called only by classes that " + callers.getDescription()) {
            @Override
            public void check(JavaMethod method, ConditionEvents events) {
                method.getCallsOfSelf().forEach(call -> {
                    boolean allowed = callers.test(call.getOriginOwner());
                    events.add(new SimpleConditionEvent(method, allowed, call.getDescription()));
                });
            }
        };
    }
}
