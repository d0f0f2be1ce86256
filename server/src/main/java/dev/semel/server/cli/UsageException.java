package dev.semel.server.cli;

import dev.semel.server.settings.SettingException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** A command is used wrongly. The message is one or two sentences for the user. */
final class UsageException extends ParameterException {

    private static final long serialVersionUID = 1L;

    UsageException(CommandSpec command, String message) {
        super(command.commandLine(), message);
    }

    /** Returns the exception for a setting that is not valid. */
    static UsageException of(CommandSpec command, SettingException e) {
        String fault = String.valueOf(e.getMessage());
        return new UsageException(command, fault.endsWith("?") ? fault : fault + ".");
    }
}
