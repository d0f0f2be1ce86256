package dev.semel.http;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    private final JavaClasses classes = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.semel.http");

    @Test
    void engine_usesNoServletTypes() {
        noClasses()
                .that()
                .resideInAPackage("dev.semel.http")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jakarta..", "dev.semel.http.servlet..")
                .allowEmptyShould(false)
                .check(classes);
    }

    @Test
    void servletTypes_areUsedInTheServletPackageOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.semel.http.servlet")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jakarta.servlet..")
                .allowEmptyShould(false)
                .check(classes);
    }

    @Test
    void bothPackages_areThere() {
        classes()
                .should()
                .resideInAnyPackage("dev.semel.http", "dev.semel.http.servlet")
                .allowEmptyShould(false)
                .check(classes);
        assertThat(classes.stream().map(JavaClass::getPackageName))
                .contains("dev.semel.http", "dev.semel.http.servlet");
    }
}
