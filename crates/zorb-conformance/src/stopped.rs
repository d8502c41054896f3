//! Clients that stop in the middle of what they do.

use std::sync::{Mutex, PoisonError};

use zorb::giop::{RequestStart, ResponseFlags, TargetAddress};
use zorb::transport::Stream;

use crate::raw::Raw;
use crate::subject::{Server, Subject};

/// More than there are threads for a connection.
const STOPPED: usize = 100;
/// Over shared memory a connection has ten descriptors in this process, and the process often 1,024.
const STOPPED_IN_MEMORY: usize = 20;
/// Clients that read no replies; each fills the buffers of its transport.
const UNREAD: usize = 10;
/// The number of successive attempts to send that a server takes nothing of.
const ATTEMPTS: usize = 1000;
/// The octets of a reply that is not read.
const REPLY: usize = 64 << 10;

/// Clients that stop in the middle of a message, and clients that do not read their replies, delay no other. Those that
/// go on are served, and those that read at last get all replies.
pub fn stopped_clients_delay_nobody(on: &Subject, _: &'static str) {
    // One at a time: a process has a limited number of descriptors.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Longer than a call waits: no limit in time may end what should delay nobody.
    let limits = [("MessageTimeout", "0"), ("SendTimeout", "3600000")];
    let server = limits.iter().fold(on.builder(), |orb, (name, value)| orb.option(name, *value));
    let server = on.server_of(server);
    let stopped =
        if on.urls().any(|url| url.contains("shm")) { STOPPED_IN_MEMORY } else { STOPPED };
    let stopped: Vec<_> = (0..stopped).map(|_| Stopped::new(&server)).collect();
    let unread: Vec<_> = (0..UNREAD).map(|_| Unread::new(&server)).collect();
    assert_eq!(server.seen_by(&on.client()).add(1, 2).unwrap(), 3);
    for client in stopped {
        client.go_on();
    }
    assert_eq!(server.seen_by(&on.client()).add(3, 4).unwrap(), 7);
    for client in unread {
        client.read_all();
    }
    assert_eq!(server.seen_by(&on.client()).add(5, 6).unwrap(), 11);
}

/// A client that has sent half of a request.
struct Stopped {
    raw: Raw,
    rest: Vec<u8>,
}

impl Stopped {
    fn new(server: &Server) -> Self {
        let raw = Raw::to(server);
        let mut request = raw.request(server);
        // It has been accepted.
        raw.stream.send_all(&request).unwrap();
        assert_eq!(raw.answer(), 42);
        let rest = request.split_off(request.len() / 2);
        raw.stream.send_all(&request).unwrap();
        Self { raw, rest }
    }

    fn go_on(self) {
        self.raw.stream.send_all(&self.rest).unwrap();
        assert_eq!(self.raw.answer(), 42);
    }
}

/// A client that does not read its replies, and has sent requests until the server stopped receiving.
struct Unread {
    raw: Raw,
    /// The number of whole requests that it has sent; none if the server was too slow.
    requests: usize,
}

impl Unread {
    fn new(server: &Server) -> Self {
        let raw = Raw::to(server);
        let request = large_request(&raw, server);
        let sent = leave_replies_unread(&*raw.stream, &request);
        Self { raw, requests: sent / request.len() }
    }

    fn read_all(self) {
        let mut inbound = self.raw.inbound();
        (0..self.requests).for_each(|_| _ = self.raw.next_reply(&mut inbound));
    }
}

/// Sends `requests` repeatedly without reading the replies, until the server stops receiving. Returns how many octets
/// it has received.
///
/// # Panics
/// If the connection ends.
pub fn leave_replies_unread(client: &dyn Stream, requests: &[u8]) -> usize {
    let (mut sent, mut refused) = (0, 0);
    while refused < ATTEMPTS {
        let taken = client.try_send(&requests[sent % requests.len()..]).unwrap();
        sent += taken;
        refused = if taken == 0 { refused + 1 } else { 0 };
        std::thread::yield_now();
    }
    sent
}

/// A request to return many octets.
fn large_request(raw: &Raw, server: &Server) -> Vec<u8> {
    let key = raw.key(server);
    let start = RequestStart {
        request_id: 7,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(&key),
        operation: "mirror",
        service_contexts: &[],
    };
    raw.message(&start, REPLY as u32, &vec![7; REPLY])
}
