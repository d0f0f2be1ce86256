package dev.semel.json;

/** Reads numbers, one after another, and writes the canonical form of each; see {@link Json#canonical(byte[])}. */
final class JsonNumber {

    private final byte[] in;
    private final Decimal decimal = new Decimal();
    private final Decimal shortest = new Decimal();
    private int at;
    private boolean integer;
    private int plainStart;
    private int plainEnd; // 0 if the number is not plain

    JsonNumber(byte[] in) {
        this.in = in;
    }

    /** Reads the number that starts at a place, and returns where it ends. */
    int read(int start) {
        int end = readPlain(start);
        return plainEnd > 0 ? end : readAny(start);
    }

    /**
     * Tries to read a plain number, which needs no arithmetic: up to 15 characters, no exponent, and not so small that its canonical form has
     * one. Its canonical form is the number without trailing zeros of its fraction.
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
                return start; // its canonical form may have an exponent
            }
        }
        boolean exponent = i < in.length && (in[i] | 0x20) == 'e';
        if (i - first <= 15 && !exponent) {
            plainStart = zero && end == first + 1 ? first : start; // -0 becomes 0
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

    /** Whether {@link #writePlain} can write the number that was read last. */
    boolean isPlain() {
        return plainEnd > 0;
    }

    /** Writes a plain number, which does not become longer, and returns where the text ends. */
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

    /** Writes the number that was read last, which is from {@code start} to {@code end} in the input. Returns where the text ends. */
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
