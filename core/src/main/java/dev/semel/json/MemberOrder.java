package dev.semel.json;

import java.util.Arrays;

/**
 * Puts the members of objects into the order of their names.
 *
 * <p>A canonical text is first written with its members as they came. Most often they are in order, or nearly; while they are, an
 * object costs one comparison of names a member and leaves nothing behind. An object that is not in order is sorted when it ends, but
 * nothing is moved: only which piece of the text goes where is noted, and {@link #arranged} copies every byte to its place once, however
 * deep the objects are nested.
 *
 * <p>Objects are numbered in the order in which they begin. A piece knows the number of the first object that begins in it or
 * after it, so that the copying finds the objects inside a piece without searching.
 */
final class MemberOrder {

    private static final int FEW = 24;

    // of an object: where its brace is, where its pieces begin and end among the pieces, where its closing brace is,
    // and
    // the number of the first object after it; while it is open, instead of the pieces, its first member and whether
    // the
    // members are out of order
    private static final int OBJECT = 5;
    private static final int BRACE = 0;
    private static final int FIRST = 1;
    private static final int LAST = 2;
    private static final int END = 3;
    private static final int NEXT = 4;
    private static final int COMMIT_ORDER = -1;

    // of a member of an open object: where its name's quotes are, the latter complemented if there is an escape between
    // them,
    // where it came from, and the number of the first object in it
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

    /** An object begins with a brace; returns the object. */
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
     * A member of the object begins with a name, which is between two quotes in the text.
     *
     * @param inByteOrder whether the bytes of the name, as it is written, are in the order of its UTF-16
     * @param source where the name is in the text as it came
     * @return whether it may be; false if it has the name of the one before
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
     * The object ends with a brace.
     *
     * @return where the first name that repeats an earlier one is in the text as it came, or -1
     */
    int close(int object, byte[] text, int brace) {
        int first = objects[object + FIRST];
        int repeated = -1;
        if (objects[object + LAST] == COMMIT_ORDER) {
            if (objectCount * OBJECT == object + OBJECT) { // nothing within it is out of order
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

    /** Notes the pieces of an object in their order. */
    private void keep(int count, int brace) {
        if (pieceEnd + count * PIECE > pieces.length) {
            pieces = Arrays.copyOf(pieces, Math.max(pieces.length * 2 + 48 * PIECE, pieceEnd + count * PIECE));
        }
        for (int i = 0; i < count; i++) {
            int member = sorted[i];
            int next = member + MEMBER;
            pieces[pieceEnd] = members[member + NAME];
            pieces[pieceEnd + 1] = next == memberEnd ? brace : members[next + NAME] - 1; // less the comma
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

    /** The text with all members of all objects in order. */
    byte[] arranged(byte[] text, int length) {
        return objectCount == 0 ? Arrays.copyOf(text, length) : new Arrangement(text, length).arranged();
    }

    /** Copies the pieces, from the outer to the inner, with a stack of its own. */
    private final class Arrangement {

        private static final int FRAME =
                3; // an object, which of its pieces is being copied, where the piece around it ends

        private final byte[] text;
        private final byte[] result;
        private int resultEnd;
        private int[] stack = new int[8 * FRAME];
        private int top;
        private int from; // what is left to copy of the piece, up to …
        private int to;
        private int object; // … and the first object that may be in it

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
