//! Over TCP, on Linux.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use zorb_nano::{Client, Endpoint, Limits, Linux, Os, OsError, Reference, Server, Socket, minor};

use crate::servant::Meter;

/// How long a test waits for another thread of a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Runs `body` beside a server with the object `meter`.
pub(crate) fn beside_server(body: impl FnOnce(Reference)) {
    beside("127.0.0.1:0".parse().unwrap(), body);
}

/// The same with a server at this endpoint.
pub(crate) fn beside(endpoint: Endpoint, body: impl FnOnce(Reference)) {
    let limits = Limits::DEFAULT.timeout(TIMEOUT);
    let done = AtomicBool::new(false);
    let (send, receive) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        let done = &done;
        scope.spawn(move || {
            let mut server = Server::new(Linux::new(10), endpoint, limits).unwrap();
            server.register(b"meter", Box::new(Meter::default())).unwrap();
            send.send(server.reference(b"meter").unwrap()).unwrap();
            while !done.load(Ordering::Acquire) {
                server.perform_work(Some(Duration::from_millis(5))).unwrap();
            }
            server.close();
        });
        let reference = receive.recv().unwrap();
        // A panic must not leave the server running: the scope waits for it.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(reference)));
        done.store(true, Ordering::Release);
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn calls_over_tcp() {
    beside_server(|meter| {
        let mut client = Client::new(Linux::new(8), Limits::DEFAULT.timeout(TIMEOUT));
        for value in 0..200 {
            let mut reply = client
                .call(&meter, "add", &mut |it| it.write::<[i32; 2]>(&[value, 1]))
                .expect("a reply");
            assert_eq!(reply.results().unwrap().read::<i32>(), Ok(value + 1));
        }
        let text = "t".repeat(3000);
        let mut reply = client.call(&meter, "echo", &mut |it| it.write_str(&text)).unwrap();
        assert_eq!(reply.results().unwrap().read::<String>().unwrap(), text);
        assert_eq!(client.locate(&meter), Ok(Some(meter.clone())));
    });
}

#[test]
fn nobody_listens() {
    // The port is in use, but by the other side of a connection.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let closed = stream.local_addr().unwrap();
    let target = Reference::new(closed, b"meter").unwrap();
    let mut client = Client::new(Linux::new(8), Limits::DEFAULT.timeout(TIMEOUT));
    let error = client.call(&target, "add", &mut |_| Ok(())).err().unwrap();
    assert_eq!(error.minor, minor::transient::CONNECT_FAILED);
}

#[test]
fn the_table_of_sockets_has_a_size() {
    let mut linux = Linux::new(1);
    let address = "127.0.0.1:0".parse::<Endpoint>().unwrap().address();
    let listener = linux.listen(address).unwrap();
    assert_eq!(linux.listen(address), Err(OsError::NoSocket));
    assert_eq!(linux.accept(listener), Err(OsError::NoSocket));
    linux.close(listener);
    assert_eq!(linux.listen(address), Ok(listener), "the place is free again");
    assert!(matches!(linux.port(Socket(7)), Err(OsError::Other(_))));
}
