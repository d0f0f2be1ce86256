package dev.semel.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.id.IdScheme.ExhaustedException;
import dev.semel.id.IdScheme.Lifetime;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Minting with clocks that stop, go back, jump ahead, or are out of range. */
@Tag("jdk")
class ClockTest {

    private final SettableClock clock = new SettableClock("2026-01-07T23:59:59.999Z");

    static Stream<IdScheme> rising() {
        return Schemes.rising();
    }

    /** Those with a counter of 16 bits, which a test can count to its end. */
    static Stream<IdScheme> soonCountedOut() {
        return Schemes.rising().filter(scheme -> scheme != IdSchemes.TSID);
    }

    @ParameterizedTest
    @MethodSource("rising")
    void clockStandingStill_idsRiseAndKeepItsTime(IdScheme system) {
        IdScheme scheme = system.withClock(clock);
        String previous = scheme.mint();
        for (int i = 0; i < 30_000; i++) { // the counter has 32,768 values
            String next = scheme.mint();
            assertThat(next).isGreaterThan(previous);
            previous = next;
        }
        assertThat(scheme.parse(previous).time()).contains(clock.instant());
    }

    @ParameterizedTest
    @MethodSource("soonCountedOut")
    void counterRunningOver_idsRiseIntoTheNextMillisecond(IdScheme system) {
        IdScheme scheme = system.withClock(clock);
        String previous = scheme.mint();
        for (int i = 0; i < 200_000; i++) {
            String next = scheme.mint();
            assertThat(next).isGreaterThan(previous);
            previous = next;
        }
        assertThat(scheme.parse(previous).time().orElseThrow())
                .isBetween(clock.instant().plusMillis(2), clock.instant().plusMillis(4));
    }

    @ParameterizedTest
    @MethodSource("rising")
    void clockSetBack_idsGoOnRisingFromTheLast(IdScheme system) {
        IdScheme scheme = system.withClock(clock);
        Instant before = clock.instant();
        String previous = scheme.mint();
        for (Duration step : new Duration[] {Duration.ofMillis(-1), Duration.ofHours(-1), Duration.ofDays(-2000)}) {
            clock.advance(step);
            String next = scheme.mint();
            assertThat(next).isGreaterThan(previous);
            assertThat(scheme.parse(next).time()).contains(before);
            previous = next;
        }
    }

    @ParameterizedTest
    @MethodSource("rising")
    void clockJumpingAheadAndBack_idsRiseThroughout(IdScheme system) {
        IdScheme scheme = system.withClock(clock);
        String first = scheme.mint();
        clock.advance(Duration.ofDays(365));
        String ahead = scheme.mint();
        assertThat(scheme.parse(ahead).time()).contains(clock.instant());
        clock.advance(Duration.ofDays(-365));
        String back = scheme.mint();
        clock.advance(Duration.ofDays(366));
        String later = scheme.mint();

        assertThat(Stream.of(first, ahead, back, later)).isSorted().doesNotHaveDuplicates();
        assertThat(scheme.parse(later).time()).contains(clock.instant());
    }

    @ParameterizedTest
    @MethodSource("rising")
    void counter_startsAtARandomPlaceInEachMillisecond(IdScheme system) {
        IdScheme scheme = system.withClock(clock);
        assertThat(Stream.generate(() -> {
                            clock.advance(Duration.ofMillis(1));
                            return scheme.parse(scheme.mint())
                                    .random()
                                    .orElseThrow()
                                    .substring(0, 4);
                        })
                        .limit(100)
                        .distinct())
                .hasSizeGreaterThan(50);
    }

    @Test
    void longCounterRunningOver_idsRiseIntoTheNextMillisecond() {
        IdScheme scheme = IdSchemes.TSID.withClock(clock);
        String first = scheme.mint();
        String previous = first;
        for (int i = 0; i < 1 << 22; i++) {
            String next = scheme.mint();
            if (next.compareTo(previous) <= 0) {
                throw new AssertionError(previous + " before " + next);
            }
            previous = next;
        }
        assertThat(scheme.parse(first).time()).contains(clock.instant());
        assertThat(scheme.parse(previous).time()).contains(clock.instant().plusMillis(1));
    }

    @ParameterizedTest
    @MethodSource("rising")
    void lastMilliseconds_endInAnErrorAndNeverWrapAround(IdScheme system) {
        Instant first = ((Lifetime.Between) system.lifetime()).first();
        Instant last = ((Lifetime.Between) system.lifetime()).last();
        clock.set(last.minusMillis(1));
        IdScheme scheme = system.withClock(clock);
        String previous = scheme.mint();
        int minted = 1;
        ExhaustedException end = null;
        while (end == null) {
            try {
                String next = scheme.mint();
                if (next.compareTo(previous) <= 0) { // an assertion for each of four million ids would take long
                    throw new AssertionError(previous + " before " + next);
                }
                previous = next;
                minted++;
            } catch (ExhaustedException e) {
                end = e;
            }
        }
        assertThat(minted).isBetween(32_768, system == IdSchemes.TSID ? 1 << 22 : 65_536);
        for (int i = 0; i < 200_000; i++) { // more calls than the counter has values
            assertThatNothingIsLeft(scheme);
        }
        clock.set(last.plusMillis(1));
        assertThatNothingIsLeft(scheme);
        assertThat(scheme.parse(scheme.mintAt(last)).time()).contains(last);
        assertThatThrownBy(() -> scheme.mintAt(last.plusMillis(1))).isInstanceOf(ExhaustedException.class);
        for (Instant outside : new Instant[] {first.minusNanos(1), Instant.MIN, Instant.MAX}) {
            assertThatThrownBy(() -> scheme.mintAt(outside)).isInstanceOf(ExhaustedException.class);
        }
    }

    private static void assertThatNothingIsLeft(IdScheme scheme) {
        try {
            String id = scheme.mint();
            throw new AssertionError("minted " + id + " after the end");
        } catch (ExhaustedException expected) {
            // expected
        }
    }

    @Test
    void threadsThatMoveToTheSameTick_getTwo() {
        MonotonicClock time = new MonotonicClock("test", clock, Instant.EPOCH, 16);
        assertThat(time.moveTo(1L << 40)).isEqualTo(1L << 40);
        assertThat(time.moveTo(1L << 40)).isEqualTo((1L << 40) + 1);
        assertThat(time.moveTo(5)).isEqualTo((1L << 40) + 2);
    }

    @Test
    void clockAtTheEndsOfTime_isBeyondEveryLifetime() {
        for (Instant end : new Instant[] {Instant.MIN, Instant.MAX}) {
            for (IdScheme scheme : new IdScheme[] {
                IdSchemes.TID62,
                IdSchemes.UUID7,
                IdSchemes.ULID,
                IdSchemes.KSUID,
                IdSchemes.TYPEID,
                IdSchemes.TSID,
                IdSchemes.DAY_NONCE
            }) {
                assertThatThrownBy(scheme.withClock(() -> end)::mint).isInstanceOf(ExhaustedException.class);
            }
        }
    }

    @Test
    void tid62_livesFrom2020To2156AndSaysSo() {
        IdScheme scheme = IdSchemes.TID62.withClock(clock);
        clock.set(Instant.parse("2019-12-31T23:59:59.999Z"));
        assertThatThrownBy(scheme::mint)
                .isInstanceOf(ExhaustedException.class)
                .hasMessage("tid62 has no id for 2019-12-31T23:59:59Z; its lifetime is 2020 to 2156");
        clock.set(Instant.parse("2020-01-01T00:00:00Z"));
        assertThat(scheme.mint()).startsWith("000000");
        clock.set(Instant.parse("2156-02-07T06:28:15.999Z"));
        assertThat(scheme.mint()).isLessThanOrEqualTo("1f2SI9UJPXvb7vdJ1").startsWith("1f2SI9");
        clock.set(Instant.parse("2156-02-07T06:28:16Z"));
        assertThatThrownBy(scheme::mint).isInstanceOf(ExhaustedException.class);
        assertThatThrownBy(() -> scheme.mintAt(Instant.MAX)).isInstanceOf(ExhaustedException.class);
        assertThatThrownBy(() -> scheme.mintAt(Instant.MIN)).isInstanceOf(ExhaustedException.class);
    }

    @Test
    void ksuid_livesFrom2014To2150AndSaysSo() {
        IdScheme scheme = IdSchemes.KSUID.withClock(clock);
        clock.set(Instant.parse("2014-05-13T16:53:19.999Z"));
        assertThatThrownBy(scheme::mint)
                .isInstanceOf(ExhaustedException.class)
                .hasMessage("ksuid has no id for 2014-05-13T16:53:19Z; its lifetime is 2014 to 2150");
        clock.set(Instant.parse("2014-05-13T16:53:20Z"));
        assertThat(scheme.mint()).startsWith("00000");
        clock.set(Instant.parse("2150-06-19T23:21:35.999Z"));
        assertThat(scheme.mint())
                .isLessThanOrEqualTo("aWgEPTl1tmebfsQzFP4bxwgy80V")
                .startsWith("aWgEP");
        clock.set(Instant.parse("2150-06-19T23:21:36Z"));
        assertThatThrownBy(scheme::mint).isInstanceOf(ExhaustedException.class);
        assertThatThrownBy(() -> scheme.mintAt(Instant.MAX)).isInstanceOf(ExhaustedException.class);
        assertThatThrownBy(() -> scheme.mintAt(Instant.MIN)).isInstanceOf(ExhaustedException.class);
    }

    @Test
    void tsid_livesFrom2020To2159AndSaysSo() {
        clock.set(Instant.parse("2019-12-31T23:59:59.999Z"));
        assertThatThrownBy(IdSchemes.TSID.withClock(clock)::mint)
                .isInstanceOf(ExhaustedException.class)
                .hasMessage("tsid has no id for 2019-12-31T23:59:59.999Z; its lifetime is 2020 to 2159");
        clock.set(Instant.parse("2020-01-01T00:00:00.001Z"));
        assertThat(IdSchemes.TSID.withClock(clock).mint()).startsWith("00000000");
        clock.set(Instant.parse("2159-05-15T07:35:11.102Z"));
        assertThat(IdSchemes.TSID.withClock(clock).mint()).startsWith("FZZZZZZZ");
        clock.set(Instant.parse("2159-05-15T07:35:11.104Z"));
        assertThatThrownBy(IdSchemes.TSID.withClock(clock)::mint).isInstanceOf(ExhaustedException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"tid62", "ksuid"})
    void schemeToTheSecond_followsItsClockBothWays(String name) {
        IdScheme scheme = IdSchemes.named(name).orElseThrow().withClock(clock);
        for (Duration step : new Duration[] {
            Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(-1), Duration.ofDays(4000), Duration.ofDays(-2000)
        }) {
            clock.advance(step);
            assertThat(scheme.parse(scheme.mint()).time())
                    .contains(Instant.ofEpochSecond(clock.instant().getEpochSecond()));
        }
    }

    @Test
    void prefixedScheme_takesTheClockToo() {
        IdScheme scheme = IdSchemes.TID62.prefixed("user").withClock(clock);
        assertThat(scheme.parse(scheme.mint()).time()).contains(Instant.parse("2026-01-07T23:59:59Z"));
        assertThat(scheme.name()).isEqualTo("user-tid62");
    }

    @Test
    void prefixedTypeid_takesTheClockToo() {
        IdScheme scheme = IdSchemes.TYPEID.prefixed("user").withClock(clock);
        assertThat(scheme.parse(scheme.mint()).time()).contains(clock.instant());
        assertThat(scheme.name()).isEqualTo("user_typeid");
    }

    @Test
    void schemesWithoutTime_ignoreIt() {
        assertThat(IdSchemes.NANOID.withClock(clock)).isSameAs(IdSchemes.NANOID);
        assertThat(IdSchemes.UUID4.withClock(clock)).isSameAs(IdSchemes.UUID4);
        assertThat(IdSchemes.UUID4.parse(IdSchemes.UUID4.mintAt(Instant.MAX)).time())
                .isEmpty();
    }
}
