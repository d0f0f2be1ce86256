package dev.semel.testkit;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Skips a test that {@linkplain Needs needs} an interface that the store does not implement, or a mode that the store does not support. */
final class SkipsWhatIsNotImplemented implements InvocationInterceptor {

    @Override
    public void interceptTestMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        skipUnlessImplemented(test, context);
        invocation.proceed();
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<@Nullable Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext context)
            throws Throwable {
        skipUnlessImplemented(test, context);
        invocation.proceed();
    }

    private static void skipUnlessImplemented(ReflectiveInvocationContext<Method> test, ExtensionContext context) {
        StoreFixture fixture = (StoreFixture) context.getRequiredTestInstance();
        check(test.getExecutable(), fixture);
        checkTopic(test.getExecutable().getDeclaringClass(), fixture);
        for (Object argument : test.getArguments()) {
            boolean isPossible = !(argument instanceof StoreFixture.Mode mode)
                    || fixture.modes().contains(mode);
            Assumptions.assumeTrue(isPossible, () -> "The store does not support the mode " + argument);
        }
    }

    /** Checks the needs of a topic and of the fixtures that it extends. */
    private static void checkTopic(Class<?> topic, StoreFixture fixture) {
        check(topic, fixture);
        for (Class<?> parent : topic.getInterfaces()) {
            checkTopic(parent, fixture);
        }
    }

    private static void check(AnnotatedElement test, StoreFixture fixture) {
        Needs needs = test.getAnnotation(Needs.class);
        if (needs != null) {
            Assumptions.assumeTrue(
                    needs.value().isInstance(fixture.store()),
                    () -> "The store does not implement " + needs.value().getSimpleName());
        }
    }
}
