package dev.semel.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.Test;

class OutboxTest extends BrowserFixture {

    @Test
    void entries_areSentInOrder_andConfirmed() {
        Page tab = open(tab(), "{}");
        for (String text : new String[] {"a", "b", "c"}) {
            add(tab, text, "lane");
        }
        awaitTexts(tab, "confirmed", "a b c");
        assertThat(site.bodies()).containsExactly("{\"text\":\"a\"}", "{\"text\":\"b\"}", "{\"text\":\"c\"}");
    }
}
