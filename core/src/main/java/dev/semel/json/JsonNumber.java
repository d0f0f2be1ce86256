package dev.semel.json;

/** Reads one number after another and spells each as {@link Json#canonical(byte[])} says. */
final class JsonNumber {

    private final byte[] in;
    private final Decimal decimal = new Decimal();
    private final Decimal shortest = new Decimal();
    private int at;
    private boolean integer;
    private int plainStart;
    private int plainEnd; // or 0 if it is not plain

    JsonNumber(byte[] in) {
        this.in = in;
    }

    /** Reads the number that begins at a place; returns the place behind it. */
    int read(int start) {
        int end = readPlain(start);
        return plainEnd > 0 ? end : readAny(start);
    }

    /**
     * Tries to read a number that needs no arithmetic: of up to 15 characters, without exponent, and not so small that it would have to have
     * one. It is its own spelling, but for zeros at the end of its fraction.
     */
    private int readPlain(int start) {
        plainEnd = 0;
        int i = in[start] == '-' ? start + 1 : start;
        int first = i;
        i = digitsEnd(i);
        int whole = i - first;
        boolean zero = whole == 1 && in[first] == '0';
        if (whole == 0 || (in[first] == '0' && !zero)) {
            return start;
        }
        int end = i;
        if (i < in.length && in[i] == '.') {
            int point = i;
            i = digitsEnd(point + 1);
            if (i == point + 1) {
                return start;
            }
            end = i;
            while (in[end - 1] == '0') {
                end--;
            }
            if (end == point + 1) {
                end = point;
            } else if (zero && in[point + 1] == '0') {
                return start; // it may be small
            }
        }
        boolean exponent = i < in.length && (in[i] | 0x20) == 'e';
        if (i - first <= 15 && !exponent) {
            plainStart = zero && end == first + 1 ? first : start; // there is no -0
            plainEnd = end;
        }
        return i;
    }

    private int digitsEnd(int from) {
        int i = from;
        while (i < in.length && isDigit(in[i])) {
            i++;
        }
        return i;
    }

    /** Whether the number that was read last is to be written by {@link #writePlain}. */
    boolean isPlain() {
        return plainEnd > 0;
    }

    /** Writes a number that is not longer than it came; returns where the text ends. */
    int writePlain(byte[] out, int from) {
        int to = from;
        for (int i = plainStart; i < plainEnd; i++) {
            out[to++] = in[i];
        }
        return to;
    }

    private int readAny(int start) {
        decimal.clear();
        at = in[start] == '-' ? start + 1 : start;
        if (peek() == '0') {
            at++;
            if (isDigit(peek())) {
                throw MalformedJsonException.at(in, at - 1, "a number begins with zero");
            }
        } else {
            requireDigit();
            while (isDigit(peek())) {
                decimal.whole(in[at++]);
            }
        }
        integer = true;
        if (peek() == '.') {
            integer = false;
            at++;
            requireDigit();
            while (isDigit(peek())) {
                decimal.fraction(in[at++]);
            }
        }
        if (peek() == 'e' || peek() == 'E') {
            integer = false;
            at++;
            decimal.scale(exponent());
        }
        return at;
    }

    private long exponent() {
        boolean negative = peek() == '-';
        if (negative || peek() == '+') {
            at++;
        }
        requireDigit();
        long exponent = 0;
        while (isDigit(peek())) {
            exponent = Math.min(exponent * 10 + in[at++] - '0', Decimal.HUGE);
        }
        return negative ? -exponent : exponent;
    }

    private void requireDigit() {
        if (!isDigit(peek())) {
            throw MalformedJsonException.at(in, at, "expected a digit of a number, " + Canonicalizer.found(in, at));
        }
    }

    private int peek() {
        return at < in.length ? in[at] : -1;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** Writes the number that was read last, and that is from a place to another; returns where the text ends. */
    int write(int start, int end, byte[] out, int from) {
        if (integer && decimal.count() > 17) { // no double's shortest decimal has that many
            return copy(start, end, out, from);
        }
        if (decimal.isZero() || decimal.isSurelyShortest()) {
            return write(decimal, start, out, from);
        }
        double nearest = decimal.nearest();
        if (Double.isInfinite(nearest)) {
            if (integer) {
                return copy(start, end, out, from);
            }
            throw MalformedJsonException.at(in, start, "a number beyond what a double holds");
        }
        shortest.clear();
        if (nearest > 0) {
            ShortestDecimal.of(nearest, shortest);
        }
        return integer && !shortest.isSameAs(decimal) ? copy(start, end, out, from) : write(shortest, start, out, from);
    }

    private int write(Decimal number, int start, byte[] out, int from) {
        int to = from;
        if (in[start] == '-' && !number.isZero()) {
            out[to++] = '-';
        }
        return number.write(out, to);
    }

    private int copy(int start, int end, byte[] out, int from) {
        System.arraycopy(in, start, out, from, end - start);
        return from + end - start;
    }
}
