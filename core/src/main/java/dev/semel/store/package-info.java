/** What users of any store meet: keys, responses, documents, quotas and time. */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
