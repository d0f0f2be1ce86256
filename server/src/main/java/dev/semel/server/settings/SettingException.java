package dev.semel.server.settings;

/** A setting that is wrong; the message says which, where it was given and what would be right. */
public final class SettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SettingException(String message) {
        super(message, null, false, false);
    }
}
