/** A shop on Spring Boot whose requests run once, and the tests of it. Two modules compile it, each with another version of Spring Boot. */
@NullMarked
package dev.semel.boot;

import org.jspecify.annotations.NullMarked;
