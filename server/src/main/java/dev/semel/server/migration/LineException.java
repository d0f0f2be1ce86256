package dev.semel.server.migration;

import tools.jackson.databind.JsonNode;

/** A line of the source is left out. The message is the reason, in words that follow the line and the key. */
final class LineException extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final int LONGEST_PART = 255;

    LineException(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }

    /** Returns the text of a part of a key, which may be an integer in the source. */
    static String checkedPart(String where, JsonNode value) {
        if (!value.isString() && !value.isIntegralNumber()) {
            throw new LineException(where + " is neither a text nor a whole number");
        }
        String text = value.asString();
        if (text.isEmpty() || text.length() > LONGEST_PART) {
            throw new LineException(
                    where + (text.isEmpty() ? " is empty" : " has more than " + LONGEST_PART + " characters"));
        }
        return text;
    }
}
