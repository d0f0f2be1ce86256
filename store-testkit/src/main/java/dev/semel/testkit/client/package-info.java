/**
 * Fault tests for clients that queue requests, in any language: scenarios as data, a proxy that loses and replaces messages at a given
 * moment, and a checker of what the client and the server did. A client takes part with a {@link dev.semel.testkit.client.ClientDriver}.
 * Start with {@link dev.semel.testkit.client.ScenarioRun}.
 */
@NullMarked
package dev.semel.testkit.client;

import org.jspecify.annotations.NullMarked;
