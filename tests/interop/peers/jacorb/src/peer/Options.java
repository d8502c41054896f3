package peer;

import java.util.Properties;

/** The command line and the ORB set-up that client and server have in common. */
final class Options {
    String first = "";
    String iorFile = "";
    String giop = "1.2";
    String only = "";
    String skip = "";
    String port = "";
    boolean persistent;
    String tls = "";
    boolean tls12;
    String repository = "";
    boolean bidirectional;

    static Options parse(String[] words) {
        Options options = new Options();
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            switch (word) {
                case "--ior-file": options.iorFile = value(words, ++i); break;
                case "--giop": options.giop = value(words, ++i); break;
                case "--only": options.only = value(words, ++i); break;
                case "--skip": options.skip = value(words, ++i); break;
                case "--port": options.port = value(words, ++i); break;
                case "--persistent": options.persistent = true; break;
                case "--tls": options.tls = value(words, ++i); break;
                case "--repository": options.repository = value(words, ++i); break;
                case "--tls12": options.tls12 = true; break;
                case "--bidirectional": options.bidirectional = true; break;
                default:
                    if (word.startsWith("--")) {
                        throw new IllegalArgumentException("unknown option " + word);
                    }
                    options.first = word;
            }
        }
        if (!options.giop.matches("1\\.[012]")) {
            throw new IllegalArgumentException("--giop is 1.0, 1.1 or 1.2");
        }
        if (options.persistent && options.port.isEmpty()) {
            throw new IllegalArgumentException("--persistent needs --port");
        }
        return options;
    }

    private static String value(String[] words, int at) {
        if (at >= words.length) {
            throw new IllegalArgumentException(words[at - 1] + " needs a value");
        }
        return words[at];
    }

    int minor() {
        return giop.charAt(2) - '0';
    }

    /**
     * Starts the ORB: UTF-8 and UTF-16 natively, on the loopback interface only; with {@code --tls}
     * over TLS alone.
     */
    org.omg.CORBA.ORB startOrb() {
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        properties.put("jacorb.codeset", "on");
        properties.put("jacorb.native_char_codeset", "UTF8");
        properties.put("jacorb.native_wchar_codeset", "UTF16");
        properties.put("jacorb.giop_minor_version", Integer.toString(minor()));
        properties.put("jacorb.dns.enable", "off");
        properties.put("jacorb.implname", "zorb-interop");
        // A full request queue makes the connection wait, instead of TRANSIENT for the client.
        properties.put("jacorb.poa.queue_wait", "on");
        properties.put("OAIAddr", "127.0.0.1");
        if (!port.isEmpty()) {
            properties.put("OAPort", port);
        }
        if (!repository.isEmpty()) {
            properties.put("jacorb.use_tao_imr", "on");
            properties.put("ORBInitRef.ImplRepoService", repository);
        }
        if (bidirectional) {
            properties.put("org.omg.PortableInterceptor.ORBInitializerClass.bidir_init",
                    "org.jacorb.orb.giop.BiDirConnectionInitializer");
        }
        if (!tls.isEmpty()) {
            Tls.use(tls, tls12, properties);
        }
        return org.omg.CORBA.ORB.init(new String[0], properties);
    }

    /** The policy of POAs whose clients or objects use connections in both directions. */
    static org.omg.CORBA.Policy bothDirections(org.omg.CORBA.ORB orb) throws Exception {
        org.omg.CORBA.Any value = orb.create_any();
        org.omg.BiDirPolicy.BidirectionalPolicyValueHelper.insert(
                value, org.omg.BiDirPolicy.BOTH.value);
        return orb.create_policy(org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE.value, value);
    }

    /** The root POA. */
    static org.omg.PortableServer.POA rootPoa(org.omg.CORBA.ORB orb) throws Exception {
        return org.omg.PortableServer.POAHelper.narrow(
                orb.resolve_initial_references("RootPOA"));
    }

    /** The root POA, its manager active. */
    static org.omg.PortableServer.POA activeRootPoa(org.omg.CORBA.ORB orb) throws Exception {
        org.omg.PortableServer.POA poa = rootPoa(orb);
        poa.the_POAManager().activate();
        return poa;
    }
}
