package peer;

/** The server of the JacORB peer. */
public final class Server {
    private Server() {}

    public static void main(String[] words) throws Exception {
        Options options = Options.parse(words, false);
        org.omg.CORBA.ORB orb = Orbs.start(options);
        System.out.println("ready " + orb.object_to_string(Orbs.activateSuite(orb)));
        System.out.flush();
        while (System.in.read() >= 0) {
            // Until the end.
        }
        // Not in order: JacORB would complain of connections that clients are closing just now.
        Runtime.getRuntime().halt(0);
    }
}
