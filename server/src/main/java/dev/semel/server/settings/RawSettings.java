package dev.semel.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Settings as the user has given them. An option overrides the environment, and the environment overrides the file. */
public final class RawSettings {

    /** Environment variable that names the settings file. */
    public static final String FILE_VARIABLE = "SEMEL_CONFIG";

    /** Options of the JVM, read by the launcher. */
    private static final String LAUNCHERS_VARIABLE = "SEMEL_JAVA_OPTS";

    /** Option that names the settings file. */
    public static final String FILE_FLAG = "--config";

    /**
     * The value of a setting.
     *
     * @param text the value; null if it is not set and has no default
     * @param where name of the option, variable or line that has set it, for errors
     */
    record Value(@Nullable String text, String where) {

        /** Returns "--port must be a whole number, not 'x'". */
        SettingException wrong(String accepted) {
            return fault("must be " + accepted + ", not " + Suggestions.quote(String.valueOf(text)));
        }

        /** Returns an error that does not show the value, as it may be secret. */
        SettingException fault(String fault) {
            return new SettingException(where + " " + fault);
        }
    }

    private final Map<Setting, Value> values = new EnumMap<>(Setting.class);
    private final Set<String> unknownVariables = new TreeSet<>();

    /**
     * Collects the settings.
     *
     * @param flags values of options
     * @param file settings file named by an option; null if none is
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
                throw value.fault("is empty. Remove it to use the default");
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
            throw new SettingException(where + " must name a file that can be read, not " + Suggestions.quote(path));
        } catch (IllegalArgumentException e) {
            throw new SettingException(where + " names a malformed file: " + Suggestions.quote(path));
        }
        Set<String> known = Stream.of(Setting.values()).map(Setting::key).collect(Collectors.toSet());
        for (String name : new TreeSet<>(properties.stringPropertyNames())) {
            if (!known.contains(name)) {
                throw new SettingException(path + ": " + Suggestions.unknown("setting", name, known));
            }
        }
        return properties;
    }

    Value of(Setting setting) {
        Value value = values.get(setting);
        return Objects.requireNonNull(value);
    }

    /** Returns whether an option, the environment or the file sets a setting. */
    public boolean isSet(Setting setting) {
        return !of(setting).where.equals(setting.key());
    }

    /** Returns the variables that begin with SEMEL_ and are not settings, each with the most similar variable or an empty text. */
    public Map<String, String> unknownVariables() {
        List<String> variables =
                Stream.of(Setting.values()).map(Setting::variable).toList();
        return unknownVariables.stream()
                .collect(Collectors.toMap(
                        name -> name, name -> String.join(", ", Suggestions.similar(name, variables))));
    }
}
