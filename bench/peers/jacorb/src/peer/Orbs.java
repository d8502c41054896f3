package peer;

import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** Starts ORBs, tuned. */
final class Orbs {
    /** Processors of requests: as many as there may be, so that none is started or ended. */
    private static final String PROCESSORS = "64";

    private Orbs() {}

    static ORB start(Options options) {
        SocketFactories.queue = options.socketQueue;
        Properties properties = new Properties();
        properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
        properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
        properties.put("jacorb.implname", "zorb-bench");
        properties.put("jacorb.dns.enable", "off");
        properties.put("jacorb.codeset", "off");
        properties.put("jacorb.net.socket_factory", SocketFactories.Client.class.getName());
        properties.put("jacorb.net.server_socket_factory", SocketFactories.Server.class.getName());
        properties.put("jacorb.connection.server.max_receptor_threads",
                Integer.toString(Math.max(1000, options.connections)));
        properties.put("jacorb.poa.thread_pool_min", PROCESSORS);
        properties.put("jacorb.poa.thread_pool_max", PROCESSORS);
        // A full request queue makes the connection wait, instead of TRANSIENT for the client.
        properties.put("jacorb.poa.queue_wait", "on");
        properties.put("OAIAddr", "127.0.0.1");
        return ORB.init(new String[0], properties);
    }

    /** Activates the one object; returns its reference. */
    static Bench.Suite activateSuite(ORB orb) throws Exception {
        POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
        poa.the_POAManager().activate();
        return Bench.SuiteHelper.narrow(poa.servant_to_reference(new SuiteServant()));
    }
}
