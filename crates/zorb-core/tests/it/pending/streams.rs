//! Functions of calls over streams without a descriptor, at which the reader receives as a caller does.

use std::io::{self, Read, Write};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use super::send_twice;
use crate::sharing::{answer, read_requests};
use crate::support::{Echo, builder};
use zorb_core::Orb;
use zorb_giop::{GiopVersion, Ior};
use zorb_transport::inproc::{InprocProtocol, InprocTransport};
use zorb_transport::{ListenOptions, Protocol, Stream, Transport};

/// The server's end of a connection.
struct Served(Arc<dyn Stream>);

impl Read for Served {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.recv(buffer)
    }
}

impl Write for Served {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.0.send_all(octets).map(|()| octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A server that runs `play` on its only connection, its reference, and a client whose calls share that.
fn scripted(play: impl FnOnce(Served) + Send + 'static) -> (Orb, Echo, JoinHandle<()>) {
    let transport = InprocTransport::new();
    let acceptor = transport.listen("inproc://", &ListenOptions::default()).unwrap();
    let protocol = InprocProtocol::new(transport);
    let profile =
        protocol.encode_profile(acceptor.published(), GiopVersion::V1_2, b"scripted", &[]).unwrap();
    let ior = Ior { type_id: "IDL:zorb.test/Echo:1.0".to_owned(), profiles: vec![profile] };
    let served = std::thread::spawn(move || play(Served(acceptor.accept().unwrap())));
    let orb = builder().protocol(Arc::new(protocol)).option("MaxConnectionsPerEndpoint", "1");
    let orb = orb.option("MaxCallsPerConnection", "64").build().unwrap();
    let echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    (orb, echo, served)
}

#[test]
fn a_function_may_call_over_the_connection_of_its_reply() {
    let (go, wait) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |mut stream| {
        let mut requests = read_requests(&mut stream, 2);
        wait.recv().unwrap();
        answer(&mut stream, requests.drain(..1));
        // The other call is still pending.
        let from_function = read_requests(&mut stream, 1);
        answer(&mut stream, from_function);
        answer(&mut stream, requests);
    });
    let (tell, told) = mpsc::channel();
    let there = echo.clone();
    let first = send_twice(echo.object(), 1);
    let second = send_twice(echo.object(), 10);
    first.on_reply(move |result| tell.send(there.twice(result.unwrap())).unwrap());
    go.send(()).unwrap();
    assert_eq!(told.recv().unwrap(), Ok(4));
    assert_eq!(second.wait().unwrap(), 20);
    served.join().unwrap();
}

#[test]
fn a_function_runs_while_callers_wait_for_their_replies() {
    let (go, wait) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |mut stream| {
        let mut requests = read_requests(&mut stream, 3);
        requests.sort_by_key(|&(_, value)| value);
        answer(&mut stream, requests.drain(..1));
        wait.recv().unwrap();
        answer(&mut stream, requests);
    });
    let (tell, told) = mpsc::channel();
    send_twice(echo.object(), 1).on_reply(move |result| tell.send(result).unwrap());
    let last = send_twice(echo.object(), 100);
    std::thread::scope(|scope| {
        let caller = scope.spawn(|| echo.twice(10));
        assert_eq!(told.recv().unwrap().unwrap(), 2);
        go.send(()).unwrap();
        assert_eq!(caller.join().unwrap(), Ok(20));
    });
    assert_eq!(last.wait().unwrap(), 200);
    served.join().unwrap();
}
