package dev.semel.testkit;

import dev.semel.store.spi.OnceStore;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The interface that a store must implement to be tested by a topic of the contract, or by a single test. On other stores these are skipped. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

    /** The interface. */
    Class<? extends OnceStore> value();
}
