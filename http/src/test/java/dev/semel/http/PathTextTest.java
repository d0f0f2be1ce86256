package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathTextTest {

    @Test
    void encodingsOfOnePath_areEqual() {
        assertThat(PathText.normal("/a-b.c_d~E9")).isEqualTo("/a-b.c_d~E9");
        assertThat(PathText.normal("/%61%2D%62%2e%7Ec")).isEqualTo("/a-b.~c");
        assertThat(PathText.normal("/a%2fb%c3%a4")).isEqualTo("/a%2Fb%C3%A4");
    }

    @Test
    void sessionInAPath_isRemoved_andOtherParametersAreKept() {
        assertThat(PathText.normal("/orders;jsessionid=node0123.x")).isEqualTo("/orders");
        assertThat(PathText.normal("/orders;v=1;JSESSIONID=1;w=2/%61;jsessionid=2/b;c"))
                .isEqualTo("/orders;v=1;w=2/a/b;c");
        assertThat(PathText.normal("/jsessionid=1;jsessionids=2")).isEqualTo("/jsessionid=1;jsessionids=2");
    }

    @Test
    void invalidEscape_isUnchanged() {
        assertThat(PathText.normal("/%")).isEqualTo("/%");
        assertThat(PathText.normal("/%4")).isEqualTo("/%4");
        assertThat(PathText.normal("/%zz/%61")).isEqualTo("/%ZZ/a");
        assertThat(PathText.normal("")).isEmpty();
    }
}
