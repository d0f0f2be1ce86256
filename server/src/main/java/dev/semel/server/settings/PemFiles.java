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
 * PEM files with a certificate chain and its private key.
 *
 * @param certificate file with the certificate of the server, followed by those of its issuers
 * @param key file with the private key, as PKCS #8 without a password
 */
public record PemFiles(Path certificate, Path key) {

    /** Password of the key store that {@link #read} returns. It protects nothing, since the key store is only in memory. */
    public static final String PASSWORD = "in memory";

    private static final long MOST_BYTES = 1 << 20;
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    /** Thrown for a file that cannot be used. The message contains nothing of its content. */
    public static final class UnusableException extends Exception {

        private static final long serialVersionUID = 1L;

        private final boolean isKey;

        UnusableException(boolean isKey, String fault) {
            super(fault);
            this.isKey = isKey;
        }

        /** Returns whether the file with the key is at fault, and not the one with the certificate. */
        public boolean isKey() {
            return isKey;
        }
    }

    /**
     * Returns the content of the files, which shows whether they have changed.
     *
     * @throws UnusableException if a file cannot be read
     */
    public String content() throws UnusableException {
        return text(certificate, false) + text(key, true);
    }

    /**
     * Reads the files into a key store.
     *
     * @throws UnusableException if a file cannot be read or has other content, or if certificate and key do not match
     */
    public KeyStore read() throws UnusableException {
        Certificate[] chain = chain();
        PublicKey publicKey = chain[0].getPublicKey();
        PrivateKey privateKey = privateKey(publicKey.getAlgorithm());
        try {
            if (!belongTogether(publicKey, privateKey)) {
                throw new UnusableException(true, "the private key does not belong to the certificate");
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("server", privateKey, PASSWORD.toCharArray(), chain);
            return store;
        } catch (GeneralSecurityException | IOException e) {
            throw new UnusableException(true, "the private key is invalid");
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
            // reported below
        }
        throw new UnusableException(false, "the file contains no certificate (PEM) for an RSA, EC or Ed25519 key");
    }

    private PrivateKey privateKey(String algorithm) throws UnusableException {
        Matcher pem = KEY.matcher(text(key, true));
        if (!pem.find()) {
            throw new UnusableException(
                    true,
                    "the file contains no private key (PEM) as PKCS #8 without a password. openssl pkcs8 -topk8 -nocrypt converts other keys");
        }
        try {
            byte[] bytes = Base64.getMimeDecoder().decode(pem.group(1));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new UnusableException(true, "the private key has another algorithm than the certificate");
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
            // reported below
        }
        throw new UnusableException(isKey, "the file does not exist, cannot be read, or is larger than 1 MiB");
    }
}
