package dev.semel.json;

import java.util.Arrays;

/**
 * Sorts the members of objects by their names.
 *
 * <p>A canonical text is first written with its members in their original order. Members are usually sorted already; then an object costs one
 * comparison of names for each member, and no memory. An object that is not sorted is sorted when it ends, but no byte is moved: only the new
 * order of its pieces is recorded. {@link #arranged} then copies every byte to its place once, however deep the objects are nested.
 *
 * <p>Objects are numbered in the order in which they begin. A piece has the number of the first object that begins in it or after it, so
 * the copying finds the objects inside a piece without a search.
 */
final class MemberOrder {

    private static final int FEW = 24;

    // An object: the position of its brace, the range of its pieces, the position of its closing brace, and the number
    // of
    // the first object after it. While it is open, in place of the pieces: its first member, and whether the members
    // are
    // out of order.
    private static final int OBJECT = 5;
    private static final int BRACE = 0;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int END = 3;
    private static final int NEXT = 4;
    private static final int COMMIT_ORDER = -1;

    // A member of an open object: the positions of its name's quotes, the second one complemented if the name is not in
    // byte
    // order, its position in the original text, and the number of the first object in it.
    private static final int MEMBER = 4;
    private static final int NAME = 0;
    private static final int NAME_END = 1;
    private static final int SOURCE = 2;
    private static final int INNER = 3;

    private static final int PIECE = 3; // from, to, the number of the first object in it

    private int[] objects = new int[8 * OBJECT];
    private int objectCount;
    private int[] members = new int[24 * MEMBER];
    private int memberEnd;
    private long[] beginnings = new long[24]; // of the members' names
    private int[] pieces = {};
    private int pieceEnd;
    private int[] sorted = {};
    private int[] merged = {};

    /** Begins an object at a brace, and returns it. */
    int open(int brace) {
        int object = objectCount * OBJECT;
        if (object == objects.length) {
            objects = Arrays.copyOf(objects, object * 2);
        }
        objectCount++;
        objects[object + BRACE] = brace;
        objects[object + FIRST] = memberEnd;
        objects[object + LAST] = COMMIT_ORDER;
        return object;
    }

    /**
     * Adds a member to an object. Its name is between two quotes in the text.
     *
     * @param inByteOrder whether the bytes of the name sort as its UTF-16 code units do
     * @param source the position of the name in the original text
     * @return false if the previous member has the same name
     */
    boolean add(int object, byte[] text, int quote, int endQuote, boolean inByteOrder, int source) {
        int member = memberEnd;
        if (member == members.length) {
            members = Arrays.copyOf(members, member * 2);
            beginnings = Arrays.copyOf(beginnings, beginnings.length * 2);
        }
        memberEnd += MEMBER;
        members[member + NAME] = quote;
        members[member + NAME_END] = inByteOrder ? endQuote : ~endQuote;
        beginnings[member / MEMBER] = NameOrder.beginning(text, quote + 1, endQuote);
        members[member + SOURCE] = source;
        members[member + INNER] = objectCount;
        if (member == objects[object + FIRST]) {
            return true;
        }
        int order = compare(text, member - MEMBER, member);
        if (order > 0) {
            objects[object + LAST] = 0;
        }
        return order != 0;
    }

    /**
     * Ends an object at a brace.
     *
     * @return the position, in the original text, of the first name that repeats an earlier one; -1 if there is none
     */
    int close(int object, byte[] text, int brace) {
        int first = objects[object + FIRST];
        int repeated = -1;
        if (objects[object + LAST] == COMMIT_ORDER) {
            if (objectCount * OBJECT == object + OBJECT) { // no object inside it is out of order
                objectCount--;
            }
        } else {
            int count = (memberEnd - first) / MEMBER;
            sort(text, first, count);
            repeated = firstRepeated(text, count);
            objects[object + FIRST] = pieceEnd;
            keep(count, brace);
            objects[object + LAST] = pieceEnd;
        }
        if (object < objectCount * OBJECT) {
            objects[object + END] = brace;
            objects[object + NEXT] = objectCount;
        }
        memberEnd = first;
        return repeated;
    }

    private void sort(byte[] text, int first, int count) {
        if (sorted.length < count) {
            sorted = new int[Math.max(count, FEW)];
        }
        for (int i = 0; i < count; i++) {
            sorted[i] = first + i * MEMBER;
        }
        for (int from = 0; from < count; from += FEW) {
            insertionSort(text, from, Math.min(from + FEW, count));
        }
        for (int run = FEW; run < count; run *= 2) {
            mergeRuns(text, run, count);
        }
    }

    private void insertionSort(byte[] text, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int member = sorted[i];
            int j = i;
            while (j > from && compare(text, sorted[j - 1], member) > 0) {
                sorted[j] = sorted[j - 1];
                j--;
            }
            sorted[j] = member;
        }
    }

    private void mergeRuns(byte[] text, int run, int count) {
        if (merged.length < count) {
            merged = new int[count];
        }
        for (int from = 0; from < count; from += 2 * run) {
            int middle = Math.min(from + run, count);
            int to = Math.min(from + 2 * run, count);
            int left = from;
            int right = middle;
            for (int i = from; i < to; i++) {
                boolean takeLeft = right == to || (left < middle && compare(text, sorted[left], sorted[right]) <= 0);
                merged[i] = takeLeft ? sorted[left++] : sorted[right++];
            }
        }
        int[] swapped = sorted;
        sorted = merged;
        merged = swapped;
    }

    private int firstRepeated(byte[] text, int count) {
        int first = -1;
        for (int i = 1; i < count; i++) {
            if (compare(text, sorted[i - 1], sorted[i]) == 0) {
                int source = members[sorted[i] + SOURCE];
                first = first < 0 ? source : Math.min(first, source);
            }
        }
        return first;
    }

    /** Records the pieces of an object in their sorted order. */
    private void keep(int count, int brace) {
        if (pieceEnd + count * PIECE > pieces.length) {
            pieces = Arrays.copyOf(pieces, Math.max(pieces.length * 2 + 48 * PIECE, pieceEnd + count * PIECE));
        }
        for (int i = 0; i < count; i++) {
            int member = sorted[i];
            int next = member + MEMBER;
            pieces[pieceEnd] = members[member + NAME];
            pieces[pieceEnd + 1] = next == memberEnd ? brace : members[next + NAME] - 1; // without the comma
            pieces[pieceEnd + 2] = members[member + INNER];
            pieceEnd += PIECE;
        }
    }

    private int compare(byte[] text, int left, int right) {
        int end = members[left + NAME_END];
        int otherEnd = members[right + NAME_END];
        if ((end | otherEnd) >= 0) {
            int order = Long.compareUnsigned(beginnings[left / MEMBER], beginnings[right / MEMBER]);
            return order != 0
                    ? order
                    : Arrays.compareUnsigned(
                            text, members[left + NAME] + 1, end, text, members[right + NAME] + 1, otherEnd);
        }
        return NameOrder.compare(
                text,
                members[left + NAME] + 1,
                end < 0 ? ~end : end,
                members[right + NAME] + 1,
                otherEnd < 0 ? ~otherEnd : otherEnd);
    }

    /** Returns the text with the members of all objects sorted. */
    byte[] arranged(byte[] text, int length) {
        return objectCount == 0 ? Arrays.copyOf(text, length) : new Arrangement(text, length).arranged();
    }

    /** Copies the pieces from the outer objects to the inner, without recursion. */
    private final class Arrangement {

        private static final int FRAME = 3; // an object, its current piece, and the end of the piece around it

        private final byte[] text;
        private final byte[] result;
        private int resultEnd;
        private int[] stack = new int[8 * FRAME];
        private int top;
        private int from; // the rest of the current piece
        private int to;
        private int object; // the first object that may be in it

        Arrangement(byte[] text, int length) {
            this.text = text;
            this.result = new byte[length];
            this.to = length;
        }

        byte[] arranged() {
            for (; ; ) {
                skipObjectsInOrder();
                if (object < objectCount * OBJECT && objects[object + BRACE] < to) {
                    copyUpTo(objects[object + BRACE] + 1);
                    enter();
                } else {
                    copyUpTo(to);
                    if (top == 0) {
                        return result;
                    }
                    nextPiece();
                }
            }
        }

        private void skipObjectsInOrder() {
            while (object < objectCount * OBJECT
                    && objects[object + BRACE] < to
                    && objects[object + LAST] == COMMIT_ORDER) {
                object += OBJECT;
            }
        }

        private void copyUpTo(int end) {
            System.arraycopy(text, from, result, resultEnd, end - from);
            resultEnd += end - from;
            from = end;
        }

        private void enter() {
            if (top == stack.length) {
                stack = Arrays.copyOf(stack, top * 2);
            }
            stack[top] = object;
            stack[top + 1] = objects[object + FIRST];
            stack[top + 2] = to;
            top += FRAME;
            begin(objects[object + FIRST]);
        }

        private void nextPiece() {
            int outer = stack[top - FRAME];
            int piece = stack[top - FRAME + 1] + PIECE;
            if (piece < objects[outer + LAST]) {
                stack[top - FRAME + 1] = piece;
                result[resultEnd++] = ',';
                begin(piece);
            } else {
                top -= FRAME;
                from = objects[outer + END];
                to = stack[top + 2];
                object = objects[outer + NEXT] * OBJECT;
            }
        }

        private void begin(int piece) {
            from = pieces[piece];
            to = pieces[piece + 1];
            object = pieces[piece + 2] * OBJECT;
        }
    }
}
