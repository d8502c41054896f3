package peer;

import java.util.concurrent.atomic.AtomicInteger;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/** Where the server's objects live: one POA with user ids. */
final class World {
    final org.omg.CORBA.ORB orb;
    final POA poa;
    private final AtomicInteger last = new AtomicInteger();

    World(org.omg.CORBA.ORB orb, POA poa) {
        this.orb = orb;
        this.poa = poa;
    }

    /** Activates the servant under this id and returns its reference. */
    org.omg.CORBA.Object add(String id, Servant servant) {
        try {
            byte[] oid = id.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            poa.activate_object_with_id(oid, servant);
            return poa.id_to_reference(oid);
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Activates under an id that no other object has: "prefix-N". */
    org.omg.CORBA.Object addFresh(String prefix, Servant servant) {
        return add(prefix + "-" + last.incrementAndGet(), servant);
    }

    /** The reference of an active servant. */
    org.omg.CORBA.Object reference(Servant servant) {
        try {
            return poa.servant_to_reference(servant);
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }

    void remove(Servant servant) {
        try {
            poa.deactivate_object(poa.servant_to_id(servant));
        } catch (org.omg.CORBA.UserException e) {
            throw new IllegalStateException(e);
        }
    }
}
