package peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.jacorb.orb.factory.DefaultServerSocketFactory;
import org.jacorb.orb.factory.DefaultSocketFactory;

/** Sockets without Nagle's algorithm, and with the queues of --socket-queue. JacORB makes them. */
public final class SocketFactories {
    /** In octets; 0: the system's. */
    static volatile int queue;

    private SocketFactories() {}

    private static Socket tuned(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        if (queue > 0) {
            socket.setSendBufferSize(queue);
            socket.setReceiveBufferSize(queue);
        }
        return socket;
    }

    /** Sockets that connect. */
    public static final class Client extends DefaultSocketFactory {
        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return doCreateSocket(host, port, 0);
        }

        @Override
        protected Socket doCreateSocket(String host, int port, int timeout) throws IOException {
            Socket socket = tuned(new Socket());
            socket.connect(new InetSocketAddress(host, port), timeout);
            return socket;
        }
    }

    /** Sockets that listen. */
    public static final class Server extends DefaultServerSocketFactory {
        private static final int BACKLOG = 1024;

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return createServerSocket(port, BACKLOG, null);
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) throws IOException {
            return createServerSocket(port, backlog, null);
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address)
                throws IOException {
            ServerSocket socket = new ServerSocket() {
                @Override
                public Socket accept() throws IOException {
                    return tuned(super.accept());
                }
            };
            if (queue > 0) {
                socket.setReceiveBufferSize(queue);
            }
            socket.bind(new InetSocketAddress(address, port), Math.max(backlog, BACKLOG));
            return socket;
        }
    }
}
