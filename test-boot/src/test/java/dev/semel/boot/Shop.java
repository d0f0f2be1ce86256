package dev.semel.boot;

import dev.semel.http.Idempotency;
import dev.semel.http.servlet.IdempotencyFilter;
import dev.semel.once.Once;
import dev.semel.once.OnceListener;
import dev.semel.once.OnceSettings;
import dev.semel.postgres.CallerTransactions;
import dev.semel.postgres.PostgresSettings;
import dev.semel.postgres.PostgresStore;
import dev.semel.store.IfAbandoned;
import dev.semel.store.Time;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A shop that charges its customers, as an integrator sets it up: HTTP Basic, CSRF tokens in forms, and the filter behind all other
 * filters. Requests below {@code /freeze} and {@code /rerun} have the policy of that name.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {

    static final String PASSWORD = "secret";

    public static void main(String[] arguments) {
        System.out.println("port " + port(SpringApplication.run(Shop.class, arguments)));
    }

    static int port(ApplicationContext shop) {
        return Integer.parseInt(shop.getEnvironment().getRequiredProperty("local.server.port"));
    }

    @Bean
    PostgresStore store(DataSource source) {
        return PostgresStore.open(source, PostgresSettings.DEFAULTS);
    }

    @Bean
    Once once(PostgresStore store, @Value("${shop.lease}") Duration lease) {
        return new Once(store, Time.system(), OnceSettings.DEFAULTS.withLease(lease), OnceListener.NONE);
    }

    @Bean
    CallerTransactions callerTransactions(
            PlatformTransactionManager manager, DataSource source, PostgresStore store, Once once) {
        return new CallerTransactions(new SpringTransactions(manager, source), store, once);
    }

    @Bean
    FilterRegistrationBean<IdempotencyFilter> idempotency(Once once) {
        FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(
                new IdempotencyFilter(once, HttpServletRequest::getRemoteUser, Shop::rule));
        // not the default of Spring Boot
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
        return registration;
    }

    private static Idempotency rule(HttpServletRequest request) {
        String path = request.getRequestURI();
        if (path.startsWith("/freeze/")) {
            return Idempotency.leased(IfAbandoned.FREEZE);
        }
        return path.startsWith("/rerun/") ? Idempotency.leased(IfAbandoned.RERUN) : Idempotency.NONE;
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(all -> all.dispatcherTypeMatchers(DispatcherType.ERROR)
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.ignoringRequestMatchers(
                        request -> !request.getRequestURI().contains("/forms")))
                .build();
    }

    /** A fast one, since each request signs in. */
    @Bean
    PasswordEncoder passwordEncoder() {
        return new BCryptPasswordEncoder(4);
    }

    @Bean
    UserDetailsService users(PasswordEncoder encoder) {
        InMemoryUserDetailsManager users = new InMemoryUserDetailsManager();
        for (String name : new String[] {"ann", "bob@example.com"}) {
            users.createUser(User.withUsername(name)
                    .password(encoder.encode(PASSWORD))
                    .roles("CUSTOMER")
                    .build());
        }
        return users;
    }

    @Bean(destroyMethod = "shutdownNow")
    ExecutorService background() {
        return Executors.newCachedThreadPool();
    }

    @Bean
    ServletRegistrationBean<AsyncServlet> asyncServlet(Charges charges, ExecutorService background) {
        return new ServletRegistrationBean<>(
                new AsyncServlet(charges, background), "/freeze/servlet/*", "/rerun/servlet/*");
    }

    @Bean
    ServletRegistrationBean<FragmentServlet> fragmentServlet() {
        return new ServletRegistrationBean<>(new FragmentServlet(), "/fragment");
    }
}
