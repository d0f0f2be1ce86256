package dev.semel.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.semel.id.MalformedException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The settings as given by the user: a flag takes precedence over the environment, and the environment over the file. */
public final class RawSettings {

    /** Names the file, in the environment. */
    public static final String FILE_VARIABLE = "SEMEL_CONFIG";

    /** Flags for Java, used by the launcher. */
    private static final String LAUNCHERS_VARIABLE = "SEMEL_JAVA_OPTS";

    /** Names the file, on the command line. */
    public static final String FILE_FLAG = "--config";

    /**
     * A value.
     *
     * @param text as it was given; null if the setting is not set
     * @param where how it was given, for error messages
     */
    record Value(@Nullable String text, String where) {

        SettingException wrong(String expected) {
            return new SettingException(
                    where + " is " + MalformedException.quote(String.valueOf(text)) + "; expected " + expected);
        }

        /** Of a value that must not be shown. */
        SettingException fault(String fault) {
            return new SettingException(where + " " + fault);
        }
    }

    private final Map<Setting, Value> values = new EnumMap<>(Setting.class);
    private final Set<String> unknownVariables = new TreeSet<>();

    /**
     * Collects the settings.
     *
     * @param flags by setting
     * @param file given by flag; null if none was
     * @throws SettingException if the file cannot be read or has an unknown setting, or if a value is empty
     */
    public RawSettings(Map<Setting, String> flags, @Nullable String file, Map<String, String> environment) {
        String path = file != null ? file : environment.get(FILE_VARIABLE);
        Properties properties = path == null ? new Properties() : read(path, file != null ? FILE_FLAG : FILE_VARIABLE);
        for (Setting setting : Setting.values()) {
            Value value = new Value(setting.fallback(), setting.key());
            if (flags.get(setting) != null) {
                value = new Value(flags.get(setting), setting.flag());
            } else if (environment.get(setting.variable()) != null) {
                value = new Value(environment.get(setting.variable()), setting.variable());
            } else if (properties.getProperty(setting.key()) != null) {
                value = new Value(properties.getProperty(setting.key()), setting.key() + " in " + path);
            }
            if (value.text != null && value.text.isBlank()) {
                throw value.fault("is empty; leave it out to use the default");
            }
            values.put(setting, value);
        }
        Set<String> known = Stream.of(Setting.values()).map(Setting::variable).collect(Collectors.toSet());
        known.addAll(Set.of(FILE_VARIABLE, LAUNCHERS_VARIABLE));
        environment.keySet().stream()
                .filter(name -> name.startsWith("SEMEL_") && !known.contains(name))
                .forEach(unknownVariables::add);
    }

    private static Properties read(String path, String where) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(path), UTF_8)) {
            properties.load(reader);
        } catch (IOException | InvalidPathException e) {
            throw new SettingException(where + " names a file that cannot be read: " + MalformedException.quote(path));
        } catch (IllegalArgumentException e) {
            throw new SettingException(where + " names a file that is malformed: " + MalformedException.quote(path));
        }
        Set<String> known = Stream.of(Setting.values()).map(Setting::key).collect(Collectors.toSet());
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!known.contains(name)) {
                throw new SettingException(
                        "Unknown setting " + MalformedException.quote(name) + " in " + path + "; the settings are "
                                + Stream.of(Setting.values()).map(Setting::key).collect(Collectors.joining(", ")));
            }
        }
        return properties;
    }

    Value of(Setting setting) {
        Value value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException(setting.name()); // each has one
        }
        return value;
    }

    /** Variables with our prefix that are no settings. */
    public Set<String> unknownVariables() {
        return Set.copyOf(unknownVariables);
    }
}
