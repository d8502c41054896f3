package peer;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Properties;

/** JacORB's SSL over JSSE: both sides show certificates, nothing goes without it. */
final class Tls {
    private static final String PASSWORD = "password";
    /**
     * Integrity, confidentiality, trust in the target and in the client, in hexadecimal.
     */
    private static final String EVERYTHING = "66";

    private Tls() {}

    /**
     * Sets the properties for a folder with ca.pem, who is trusted, and own.pem, certificate and
     * key. JacORB wants a key store: it goes to own.store in that folder.
     */
    static void use(String folder, boolean only12, Properties properties) {
        String ssl = "jacorb.security.ssl.";
        String jsse = "org.jacorb.security.ssl.sun_jsse.";
        properties.put("jacorb.security.support_ssl", "on");
        properties.put("jacorb.ssl.socket_factory", jsse + "SSLSocketFactory");
        properties.put("jacorb.ssl.server_socket_factory", jsse + "SSLServerSocketFactory");
        properties.put("jacorb.security.keystore", store(Paths.get(folder)).toString());
        properties.put("jacorb.security.keystore_password", PASSWORD);
        properties.put("jacorb.security.jsse.trustees_from_ks", "on");
        for (String side : new String[] {"client", "server"}) {
            properties.put(ssl + side + ".supported_options", EVERYTHING);
            properties.put(ssl + side + ".required_options", EVERYTHING);
            if (only12) {
                properties.put(ssl + side + ".protocols", "TLSv1.2");
            }
        }
    }

    private static Path store(Path folder) {
        try {
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setCertificateEntry("ca", certificate(folder.resolve("ca.pem")));
            Path own = folder.resolve("own.pem");
            store.setKeyEntry("own", key(own), PASSWORD.toCharArray(),
                    new Certificate[] {certificate(own)});
            Path file = folder.resolve("own.store");
            try (OutputStream out = Files.newOutputStream(file)) {
                store.store(out, PASSWORD.toCharArray());
            }
            return file;
        } catch (java.io.IOException | java.security.GeneralSecurityException e) {
            throw new IllegalArgumentException("no key store of " + folder, e);
        }
    }

    private static Certificate certificate(Path file) throws java.io.IOException,
            java.security.GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static PrivateKey key(Path file) throws java.io.IOException,
            java.security.GeneralSecurityException {
        String text = new String(Files.readAllBytes(file), "US-ASCII");
        String begin = "-----BEGIN PRIVATE KEY-----";
        int from = text.indexOf(begin) + begin.length();
        String body = text.substring(from, text.indexOf("-----END PRIVATE KEY-----"));
        byte[] octets = Base64.getMimeDecoder().decode(body);
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(octets));
    }
}
