package dev.semel.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies point downwards only. */
class HouseTest {

    /** A folder for each of the systems that the server serves. */
    private static final String[] SYSTEMS = {
        "dev.semel.server.textpile..",
        "dev.semel.server.collections..",
        "dev.semel.server.feed..",
        "dev.semel.server.tables..",
        "dev.semel.server.reputation.."
    };

    private final JavaClasses house = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.semel");

    @Test
    void core_needsTheJdkAlone() {
        classes()
                .that()
                .resideInAnyPackage(
                        "dev.semel.id..",
                        "dev.semel.json..",
                        "dev.semel.key..",
                        "dev.semel.store..",
                        "dev.semel.record..",
                        "dev.semel.once..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "javax.crypto..", "org.jspecify.annotations..", "dev.semel..")
                .check(house);
    }

    @Test
    void eachRoom_knowsOnlyTheRoomsBelow() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("id")
                .definedBy("dev.semel.id..")
                .layer("json")
                .definedBy("dev.semel.json..")
                .layer("key")
                .definedBy("dev.semel.key..")
                .layer("store")
                .definedBy("dev.semel.store..")
                .layer("record")
                .definedBy("dev.semel.record..")
                .layer("once")
                .definedBy("dev.semel.once..")
                .layer("rocksdb")
                .definedBy("dev.semel.rocksdb..")
                .layer("postgres")
                .definedBy("dev.semel.postgres..")
                .layer("http")
                .definedBy("dev.semel.http..")
                .layer("server")
                .definedBy("dev.semel.server..")
                .whereLayer("server")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("http")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("rocksdb")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("postgres")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("once")
                .mayOnlyBeAccessedByLayers("postgres", "http", "server")
                .whereLayer("record")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("store")
                .mayOnlyBeAccessedByLayers("once", "record", "rocksdb", "postgres", "http", "server")
                .whereLayer("key")
                .mayOnlyBeAccessedByLayers("store", "record", "rocksdb", "postgres", "server")
                .whereLayer("json")
                .mayOnlyBeAccessedByLayers("store", "once", "record", "rocksdb", "postgres", "http", "server")
                .whereLayer("id")
                .mayOnlyBeAccessedByLayers("key", "store", "once", "record", "rocksdb", "postgres", "http", "server")
                .check(house);
    }

    @Test
    void roomsOfTheServer_knowOnlyTheRoomsBelow() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("web")
                .definedBy("dev.semel.server.web..")
                .layer("log")
                .definedBy("dev.semel.server.log..")
                .layer("metrics")
                .definedBy("dev.semel.server.metrics..")
                .layer("auth")
                .definedBy("dev.semel.server.auth..")
                .layer("settings")
                .definedBy("dev.semel.server.settings..")
                .layer("apps")
                .definedBy(SYSTEMS)
                .layer("openapi")
                .definedBy("dev.semel.server.openapi..")
                .layer("server")
                .definedBy("dev.semel.server")
                .layer("cli")
                .definedBy("dev.semel.server.cli..")
                .whereLayer("cli")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("server")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("apps")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("openapi")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("settings")
                .mayOnlyBeAccessedByLayers("server", "cli")
                .whereLayer("auth")
                .mayOnlyBeAccessedByLayers("settings", "server")
                .whereLayer("metrics")
                .mayOnlyBeAccessedByLayers("server")
                .whereLayer("log")
                .mayOnlyBeAccessedByLayers("cli")
                .whereLayer("web")
                .mayOnlyBeAccessedByLayers("auth", "metrics", "openapi", "settings", "apps", "server")
                .withOptionalLayers(true)
                .check(house);
    }

    @Test
    void systemsOfTheServer_doNotKnowEachOther() {
        slices().matching("dev.semel.server.(textpile|collections|feed|tables|reputation)..")
                .should()
                .notDependOnEachOther()
                .check(house);
    }
}
