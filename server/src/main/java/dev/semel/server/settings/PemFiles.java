package dev.semel.server.settings;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate with those that vouch for it, and its key, each in a PEM file.
 *
 * @param certificate the server's own comes first
 * @param key in the form PKCS #8, without a password
 */
public record PemFiles(Path certificate, Path key) {

    /** What the key is kept under, and with; it stays in memory. */
    public static final String PASSWORD = "in memory";

    private static final long MOST_BYTES = 1 << 20;
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    /** A file that cannot be used: says why, and never what is in it. */
    public static final class UnusableException extends Exception {

        private static final long serialVersionUID = 1L;

        private final boolean isKey;

        UnusableException(boolean isKey, String fault) {
            super(fault);
            this.isKey = isKey;
        }

        /** Whether it is the file with the key. */
        public boolean isKey() {
            return isKey;
        }
    }

    /** What the files hold, as bytes: to see whether they have changed. */
    public String content() throws UnusableException {
        return text(certificate, false) + text(key, true);
    }

    /**
     * Reads them.
     *
     * @throws UnusableException if they are not there, hold something else, or do not belong together
     */
    public KeyStore read() throws UnusableException {
        Certificate[] chain = chain();
        PublicKey publicKey = chain[0].getPublicKey();
        PrivateKey privateKey = privateKey(publicKey.getAlgorithm());
        try {
            if (!belongTogether(publicKey, privateKey)) {
                throw new UnusableException(true, "holds the key of another certificate");
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("server", privateKey, PASSWORD.toCharArray(), chain);
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new UnusableException(true, "holds a key that cannot be used");
        }
    }

    private Certificate[] chain() throws UnusableException {
        try {
            Certificate[] chain = CertificateFactory.getInstance("X.509")
                    .generateCertificates(
                            new ByteArrayInputStream(text(certificate, false).getBytes(ISO_8859_1)))
                    .toArray(Certificate[]::new);
            if (chain.length > 0
                    && SIGNATURES.containsKey(chain[0].getPublicKey().getAlgorithm())) {
                return chain;
            }
        } catch (GeneralSecurityException e) {
            // as if there were none
        }
        throw new UnusableException(
                false, "names a file that holds no certificate (PEM, with an RSA, EC or Ed25519 key)");
    }

    private PrivateKey privateKey(String algorithm) throws UnusableException {
        Matcher pem = KEY.matcher(text(key, true));
        if (!pem.find()) {
            throw new UnusableException(
                    true,
                    "names a file that holds no private key as PKCS #8 without a password (openssl pkcs8 -topk8 -nocrypt makes one of others)");
        }
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(pem.group(1));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new UnusableException(true, "names a file whose key is none for the certificate");
        }
    }

    private static boolean belongTogether(PublicKey publicKey, PrivateKey privateKey) throws GeneralSecurityException {
        String algorithm = SIGNATURES.getOrDefault(publicKey.getAlgorithm(), "");
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(privateKey);
        signing.update(new byte[32]);
        Signature checking = Signature.getInstance(algorithm);
        checking.initVerify(publicKey);
        checking.update(new byte[32]);
        return checking.verify(signing.sign());
    }

    private static String text(Path file, boolean isKey) throws UnusableException {
        try {
            if (Files.size(file) <= MOST_BYTES) {
                return Files.readString(file, ISO_8859_1);
            }
        } catch (IOException e) {
            // as if it were too large
        }
        throw new UnusableException(isKey, "names a file that is not there, cannot be read, or is over 1 MiB");
    }
}
