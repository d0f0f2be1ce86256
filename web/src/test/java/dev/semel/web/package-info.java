/** Tests of what runs in browsers, in Chromium. */
@NullMarked
package dev.semel.web;

import org.jspecify.annotations.NullMarked;
