package dev.semel.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.memory.MemoryStore;
import dev.semel.server.settings.ConnectionSettings;
import dev.semel.server.settings.PemFiles;
import dev.semel.server.settings.RawSettings;
import dev.semel.server.settings.ServerSettings;
import dev.semel.server.settings.Setting;
import dev.semel.server.settings.SettingException;
import dev.semel.testkit.ControlledTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("jdk")
class TlsTest {

    @TempDir
    private static Path folder;

    private static Path cert;
    private static Path key;
    private static Pem first;
    private static Pem second;
    private static final ControlledTime TIME = new ControlledTime();
    private static Server server;

    /** A certificate and its key in PEM format. */
    private record Pem(String certificate, String key) {

        void write() throws IOException {
            Files.writeString(cert, certificate);
            Files.writeString(TlsTest.key, key);
        }

        SSLContext trusting() throws Exception {
            Certificate trusted = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(certificate.getBytes(UTF_8)));
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setCertificateEntry("it", trusted);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        }
    }

    private static Pem make(String name, String algorithm) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "it",
                        "-keyalg",
                        algorithm,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "password")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore made = KeyStore.getInstance(store.toFile(), "password".toCharArray());
        return new Pem(
                pem("CERTIFICATE", made.getCertificate("it").getEncoded()),
                pem("PRIVATE KEY", made.getKey("it", "password".toCharArray()).getEncoded()));
    }

    private static String pem(String kind, byte[] bytes) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(bytes) + "\n-----END " + kind
                + "-----\n";
    }

    @BeforeAll
    static void start() throws Exception {
        cert = folder.resolve("cert.pem");
        key = folder.resolve("key.pem");
        first = make("first", "EC");
        second = make("second", "RSA");
        server = serve(Duration.ofSeconds(10));
    }

    private static Server serve(Duration requestTimeout) throws IOException {
        first.write();
        ServerSettings settings = ServerSettings.defaults()
                .withPort(0)
                .withConnections(new ConnectionSettings(100, requestTimeout, new PemFiles(cert, key)));
        return Server.start(settings, Storage.of(new MemoryStore()), TIME, Apps::all);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static HttpResponse<String> get(Pem trusted) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(trusted.trusting())
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/health/live"))
                                .build(),
                        BodyHandlers.ofString());
    }

    @Test
    void server_usesTls_andHttpsUrls() throws Exception {
        first.write();
        TIME.advance(Duration.ofSeconds(10));
        assertThat(server.url()).startsWith("https://localhost:");
        HttpResponse<String> response = get(first);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Strict-Transport-Security")).hasValue("max-age=31536000");
        assertThat(server.requestReadiness()).isEqualTo(200);
        assertThat(server.commands()).anyMatch(command -> command.contains("curl -si https://localhost:"));
    }

    @Test
    void newFiles_areUsedIfValid_andOtherwiseTheOldOnesStay() throws Exception {
        first.write();
        TIME.advance(Duration.ofSeconds(10));
        Files.writeString(cert, second.certificate);
        TIME.advance(Duration.ofSeconds(10)); // the new certificate does not match the old key
        assertThat(get(first).statusCode()).isEqualTo(200);
        Files.writeString(key, second.key);
        TIME.advance(Duration.ofSeconds(10));
        assertThat(get(second).statusCode()).isEqualTo(200);
        assertThatThrownBy(() -> get(first)).isInstanceOf(SSLHandshakeException.class);
        Files.writeString(key, "nonsense");
        TIME.advance(Duration.ofSeconds(10));
        Files.delete(cert);
        TIME.advance(Duration.ofSeconds(10));
        assertThat(get(second).statusCode()).isEqualTo(200);
    }

    @Test
    void oldVersionsOfTls_andPlainHttp_areRejected() throws Exception {
        int port = server.port();
        try (SSLSocket socket =
                (SSLSocket) first.trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.1"});
            assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLHandshakeException.class);
        }
        assertThat(RawSocket.send(port, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .doesNotContain("200");
    }

    /** The client never completes its TLS handshake. */
    @Test
    void incompleteHandshake_isDisconnected() throws Exception {
        try (Server impatient = serve(Duration.ofSeconds(1))) {
            // returns when the connection is closed
            RawSocket.send(impatient.port(), "\u0016\u0003\u0001\u0002\u0000\u0001");
            RawSocket.send(impatient.port(), "");
        }
    }

    @Test
    void unusableFiles_areRejectedAtTheStart() throws Exception {
        Path good = Files.writeString(folder.resolve("good.pem"), first.certificate);
        Path goodKey = Files.writeString(folder.resolve("good-key.pem"), first.key);
        Path otherKey = Files.writeString(folder.resolve("other-key.pem"), second.key);
        Path nothing = Files.writeString(folder.resolve("nothing.pem"), "nothing");
        Path gone = folder.resolve("gone");
        Path old = Files.writeString(folder.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n");
        assertRefused(
                good,
                otherKey,
                unusable("--tls-key", otherKey) + "the private key has another algorithm than the certificate");
        assertRefused(
                good, nothing, unusable("--tls-key", nothing) + "the file contains no private key (PEM) as PKCS #8");
        assertRefused(good, old, unusable("--tls-key", old) + "the file contains no private key (PEM) as PKCS #8");
        assertRefused(nothing, goodKey, unusable("--tls-cert", nothing) + "the file contains no certificate (PEM)");
        assertRefused(gone, goodKey, unusable("--tls-cert", gone) + "the file does not exist");
        assertThatThrownBy(() -> settings(Map.of(Setting.TLS_CERT, good.toString())))
                .isInstanceOf(SettingException.class)
                .hasMessage("--tls-cert requires --tls-key");
        Path another = Files.writeString(folder.resolve("another-key.pem"), make("third", "EC").key);
        assertRefused(
                good, another, unusable("--tls-key", another) + "the private key does not belong to the certificate");
        assertThat(settings(Map.of(Setting.TLS_CERT, good.toString(), Setting.TLS_KEY, goodKey.toString()))
                        .connections()
                        .tls())
                .isEqualTo(new PemFiles(good, goodKey));
    }

    private static String unusable(String option, Path file) {
        return option + " '" + file + "' cannot be used: ";
    }

    private static ServerSettings settings(Map<Setting, String> flags) {
        return ServerSettings.of(new RawSettings(flags, null, Map.of()), Map.of(), InstantSource.system());
    }

    private static void assertRefused(Path certificate, Path privateKey, String message) {
        assertThatThrownBy(() -> settings(
                        Map.of(Setting.TLS_CERT, certificate.toString(), Setting.TLS_KEY, privateKey.toString())))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }
}
