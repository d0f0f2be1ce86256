package dev.semel.server;

import dev.semel.server.settings.PemFiles;
import dev.semel.server.settings.PemFiles.UnusableException;
import dev.semel.store.Time;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's certificate and key. Files that have changed are used from then on, by new connections; if they are bad, the old ones
 * stay in use and that is logged.
 */
final class Tls {

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(Tls.class);

    private final PemFiles files;
    private final Time time;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private String seen;
    private volatile boolean stopped;

    Tls(PemFiles files, Time time) {
        this.files = files;
        this.time = time;
        try {
            this.seen = files.content();
            factory.setKeyStore(files.read());
        } catch (UnusableException e) {
            throw new IllegalArgumentException(e); // they were read when the settings were
        }
        factory.setKeyStorePassword(PemFiles.PASSWORD);
        factory.setRenegotiationAllowed(false);
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    }

    /** For connections. */
    SslContextFactory.Server factory() {
        return factory;
    }

    /** Looks for new files from now on. */
    void watch() {
        time.after(CHECK_INTERVAL, () -> {
            if (!stopped) {
                reloadIfChanged();
                watch();
            }
        });
    }

    void stop() {
        stopped = true;
    }

    private void reloadIfChanged() {
        try {
            String content = files.content();
            if (!content.equals(seen)) {
                seen = content;
                KeyStore store = files.read();
                factory.reload(old -> old.setKeyStore(store));
                LOG.atInfo().log("New certificate in use");
            }
        } catch (Exception e) {
            LOG.atError()
                    .addKeyValue("error", e instanceof UnusableException ? e.getMessage() : e.toString())
                    .log("The new certificate or its key cannot be used; the old ones stay in use");
        }
    }

    /** Lets the server be asked by itself, whoever has signed its certificate and for whichever name. */
    void trust(HttpsURLConnection connection) {
        try {
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setCertificateEntry("server", files.read().getCertificate("server"));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(own);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            connection.setSSLSocketFactory(context.getSocketFactory());
            connection.setHostnameVerifier((host, session) -> true);
        } catch (GeneralSecurityException | UnusableException e) {
            throw new IllegalStateException(e);
        } catch (java.io.IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
