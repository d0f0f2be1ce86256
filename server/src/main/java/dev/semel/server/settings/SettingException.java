package dev.semel.server.settings;

/** Thrown for an invalid setting. The message names the setting, where it was set, and what is accepted. */
public final class SettingException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    SettingException(String message) {
        super(message, null, false, false);
    }
}
