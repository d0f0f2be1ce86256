package dev.semel.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/**
 * The id of an entry: the time at which it was added, and the digest of its lane. The key of its document is {@code TIME-LANE}, so keys are
 * in the order of adding. Its entry in the index of lanes is {@code LANE-TIME}, so the entries of a lane are together and in order.
 *
 * @param time microseconds since 1970, base 36
 * @param lane see {@link #digest}
 */
record EntryId(String time, String lane) {

    private static final int TIME_LENGTH = 11;
    private static final int RADIX = 36;
    private static final int LANE_LENGTH = 8;
    private static final String BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final Pattern FORM =
            Pattern.compile("[0-9a-z]{" + TIME_LENGTH + "}-[0-9A-Za-z]{" + LANE_LENGTH + "}");

    static EntryId of(long micros, String lane) {
        String digits = Long.toString(micros, RADIX);
        return new EntryId("0".repeat(TIME_LENGTH - digits.length()) + digits, lane);
    }

    /** Splits a text that {@linkplain #isId is an id}. */
    static EntryId parse(String id) {
        return new EntryId(id.substring(0, TIME_LENGTH), id.substring(TIME_LENGTH + 1));
    }

    static boolean isId(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns eight base-62 characters of the lane's hash. Two lanes with the same digest are sent as one. */
    static String digest(String lane) {
        byte[] hash = sha256(lane);
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            bits = (bits << Byte.SIZE) | (hash[i] & 0xFF);
        }
        char[] digits = new char[LANE_LENGTH];
        for (int i = 0; i < LANE_LENGTH; i++) {
            digits[i] = BASE62.charAt((int) Long.remainderUnsigned(bits, BASE62.length()));
            bits = Long.divideUnsigned(bits, BASE62.length());
        }
        return new String(digits);
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    long micros() {
        return Long.parseLong(time, RADIX);
    }

    /** Returns the key of the document. */
    String key() {
        return time + "-" + lane;
    }

    /** Returns the key in the index of lanes. */
    String laneKey() {
        return lane + "-" + time;
    }

    @Override
    public String toString() {
        return key();
    }
}
