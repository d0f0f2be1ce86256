package dev.semel.testkit;

import dev.semel.store.spi.OnceStore;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The interface that a store must implement for a topic of the contract, or for a single test. They are skipped for other stores. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

    Class<? extends OnceStore> value();
}
