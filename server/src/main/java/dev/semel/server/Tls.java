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
 * The certificate and key of the server. Changed files are loaded within seconds and used for new connections. If they are invalid, the
 * previous ones stay in use and an error is logged.
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
            throw new IllegalArgumentException(e); // the settings have already validated the files
        }
        factory.setKeyStorePassword(PemFiles.PASSWORD);
        factory.setRenegotiationAllowed(false);
        factory.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    }

    /** Returns the factory of TLS connections, which uses the current certificate. */
    SslContextFactory.Server factory() {
        return factory;
    }

    /** Starts to check the files for changes at intervals. */
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
                LOG.atInfo().log("Certificate reloaded");
            }
        } catch (Exception e) {
            LOG.atError()
                    .addKeyValue("error", e instanceof UnusableException ? e.getMessage() : e.toString())
                    .log("Cannot use the new certificate or key; the previous ones stay in use");
        }
    }

    /** Makes a connection of the server to itself accept its own certificate, whatever its issuer and host name. */
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
