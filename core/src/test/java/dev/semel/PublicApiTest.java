package dev.semel;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.once.Once;
import dev.semel.store.admin.AdminStore;
import dev.semel.store.spi.CallerTransaction;
import dev.semel.store.spi.OnceStore;
import dev.semel.store.spi.OrderedStore;
import dev.semel.store.spi.QuotaStore;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Limits the number of public types. A new public type needs a higher number here. */
class PublicApiTest {

    /** The number of public top-level types in each exported package. */
    private static final Map<String, Integer> TYPES = Map.of(
            "dev.semel.document", 5,
            "dev.semel.id", 7,
            "dev.semel.json", 3,
            "dev.semel.key", 2,
            "dev.semel.kv", 6,
            "dev.semel.memory", 1,
            "dev.semel.once", 7,
            "dev.semel.store", 8,
            "dev.semel.store.admin", 3,
            "dev.semel.store.spi", 9);

    private static final int ONCE_USER = 15;
    private static final int STORE_AUTHOR = 15;

    private final Path classes = Path.of(
            Once.class.getProtectionDomain().getCodeSource().getLocation().toURI());

    PublicApiTest() throws Exception {}

    @Test
    void publicTypesOfAPackage_areAsManyAsPlanned() throws Exception {
        ModuleDescriptor core =
                ModuleFinder.of(classes).find("dev.semel.core").orElseThrow().descriptor();
        Map<String, Integer> types = new TreeMap<>();
        for (Exports exports : core.exports()) {
            if (!exports.isQualified()) {
                types.put(exports.source(), publicTypes(exports.source()).size());
            }
        }
        assertThat(types).isEqualTo(TYPES);
        assertThat(types.values().stream().mapToInt(count -> count).sum()).isLessThanOrEqualTo(51);
    }

    /** Types in the signatures of {@code once}, apart from stores. */
    @Test
    void userOfOnce_meetsFewTypes() throws Exception {
        assertThat(onceUser()).hasSizeLessThanOrEqualTo(ONCE_USER);
    }

    /** Returns the types that are reachable from the interfaces of a store and are not part of the user's API. */
    @Test
    void authorOfAStore_meetsFewMore() throws Exception {
        Set<Class<?>> met = new HashSet<>();
        Deque<Class<?>> next = new ArrayDeque<>(List.of(
                OnceStore.class, OrderedStore.class, QuotaStore.class, AdminStore.class, CallerTransaction.class));
        while (!next.isEmpty()) {
            Class<?> type = next.pop();
            if (met.add(type)) {
                next.addAll(namedBy(type));
            }
        }
        met.removeAll(onceUser());
        assertThat(names(met)).hasSizeLessThanOrEqualTo(STORE_AUTHOR);
    }

    private Set<Class<?>> onceUser() throws Exception {
        Set<Class<?>> met = new HashSet<>(publicTypes("dev.semel.once"));
        for (Class<?> type : publicTypes("dev.semel.once")) {
            met.addAll(namedBy(type));
        }
        met.removeIf(type -> type.getPackageName().startsWith("dev.semel.store."));
        return met;
    }

    private static Set<String> names(Set<Class<?>> types) {
        return types.stream().map(Class::getName).collect(toCollection(TreeSet::new));
    }

    private List<Class<?>> publicTypes(String packageName) throws Exception {
        try (Stream<Path> files = Files.list(classes.resolve(packageName.replace('.', '/')))) {
            List<String> names = files.map(file -> file.getFileName().toString())
                    .filter(name ->
                            name.endsWith(".class") && !name.contains("$") && !name.equals("package-info.class"))
                    .map(name -> packageName + "." + name.substring(0, name.length() - ".class".length()))
                    .toList();
            Predicate<Class<?>> isPublic = type -> Modifier.isPublic(type.getModifiers());
            return names.stream()
                    .<Class<?>>map(PublicApiTest::load)
                    .filter(isPublic)
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApiTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns Semel's top-level types in the public signatures of a type and its nested types. */
    private static Set<Class<?>> namedBy(Class<?> type) {
        Set<Class<?>> named = new HashSet<>();
        for (Class<?> implemented : type.getInterfaces()) {
            add(implemented, named);
        }
        for (Method method : type.getMethods()) {
            add(method.getGenericReturnType(), named);
            addParameters(method, named);
        }
        for (Constructor<?> constructor : type.getConstructors()) {
            addParameters(constructor, named);
        }
        for (Class<?> nested : type.getClasses()) {
            named.addAll(namedBy(nested));
        }
        named.remove(type);
        return named;
    }

    private static void addParameters(Executable executable, Set<Class<?>> named) {
        for (Type parameter : executable.getGenericParameterTypes()) {
            add(parameter, named);
        }
        for (Type thrown : executable.getGenericExceptionTypes()) {
            add(thrown, named);
        }
    }

    private static void add(Type type, Set<Class<?>> named) {
        if (type instanceof ParameterizedType generic) {
            add(generic.getRawType(), named);
            for (Type argument : generic.getActualTypeArguments()) {
                add(argument, named);
            }
        } else if (type instanceof GenericArrayType array) {
            add(array.getGenericComponentType(), named);
        } else if (type instanceof Class<?> named1) {
            Class<?> top = named1.isArray() ? named1.getComponentType() : named1;
            while (top.getEnclosingClass() != null) {
                top = top.getEnclosingClass();
            }
            if (top.getPackageName().startsWith("dev.semel.")) {
                named.add(top);
            }
        }
    }
}
