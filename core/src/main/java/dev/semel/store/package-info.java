/** Types that users of every store meet: keys, responses, documents, quotas and time. */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
