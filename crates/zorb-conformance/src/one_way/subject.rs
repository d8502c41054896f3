//! The subject of the suite for one-way calls, and a server that records what it receives.

use crate::calls::pattern;
use crate::idl::suite::{Notes, NotesServant, Record};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use zorb::{Interface as _, ObjectRef, Orb, OrbBuilder};

/// The number of sends after which a message counts as never arriving.
const ATTEMPTS: u32 = 1000;
/// The time after which a message is sent again, since it may have been lost.
const RESEND_AFTER: Duration = Duration::from_millis(300);

/// The subject of the suite for one-way calls: a datagram protocol.
#[derive(Clone, Copy, Debug)]
pub struct OneWay {
    /// Where servers listen; for groups, the endpoint of the additional protocol.
    pub(super) url: &'static str,
    pub(super) is_group: bool,
    pub(super) plug_in: fn(OrbBuilder) -> OrbBuilder,
}

impl OneWay {
    /// A protocol of the facade, by a URL at which any number of servers can listen at the same
    /// time.
    #[must_use]
    pub fn at(url: &'static str) -> Self {
        Self { url, is_group: false, plug_in: |builder| builder }
    }

    /// A protocol that the facade does not register and `plug_in` does.
    #[must_use]
    pub fn built(url: &'static str, plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url, is_group: false, plug_in }
    }

    /// MIOP, registered by `plug_in` next to IIOP, so that packets stay on this machine.
    #[must_use]
    pub fn groups(plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url: "iiop://127.0.0.1:0", is_group: true, plug_in }
    }

    pub(super) fn builder(&self) -> OrbBuilder {
        (self.plug_in)(Orb::builder().without_environment())
    }

    pub(super) fn client(&self) -> Orb {
        self.builder().build().expect("a client")
    }

    pub(super) fn server(&self) -> Server {
        self.server_at(self.endpoint().as_deref())
    }

    /// The group of a new server; `None` for a server that chooses its own endpoint.
    pub(super) fn endpoint(&self) -> Option<String> {
        self.is_group.then(group_url)
    }

    /// A server at the endpoint or in the group of an earlier one.
    pub(super) fn server_at(&self, address: Option<&str>) -> Server {
        self.server_of(self.builder(), address)
    }

    pub(super) fn server_of(&self, builder: OrbBuilder, address: Option<&str>) -> Server {
        let url = if self.is_group { self.url } else { address.unwrap_or(self.url) };
        let orb = builder.listen(url).build().expect("a server");
        let (sender, received) = channel();
        let servant = RecordingServant { received: sender, gate: Mutex::new(()) };
        let notes: Notes = orb.root_poa().activate(servant).expect("active");
        let (address, reference) = match address.filter(|_| self.is_group) {
            Some(group) => {
                let whole = group_of(&orb, group);
                let id = orb.root_poa().id_of(&notes).expect("its id");
                orb.root_poa().associate(&whole, &id).expect("a member");
                (group.to_owned(), group.to_owned())
            }
            None => {
                orb.publish("notes", &notes).expect("published");
                let address = orb.endpoints().first().expect("an endpoint").clone();
                let (scheme, host) = address.split_once("://").expect("a URL");
                let reference = format!("corbaloc:{scheme}:1.2@{host}/notes");
                (address, reference)
            }
        };
        Server { orb, notes, received, address, reference, is_group: self.is_group }
    }
}

/// A group with a name and a port that no other test uses.
pub(super) fn group_url() -> String {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let free = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
    let port = free.expect("a free port").port();
    format!("corbaloc:miop:1.0@1.0-conformance-{number}/239.255.81.{number}:{port}")
}

pub(super) fn group_of(orb: &Orb, url: &str) -> ObjectRef {
    orb.string_to_object(url).expect("a reference").expect("a group")
}

/// A message that the servant has received.
#[derive(Debug, PartialEq)]
pub(super) enum Received {
    Note(u32, Vec<u8>),
    Record(Record),
}

/// Reports what it receives, one message at a time.
struct RecordingServant {
    received: Sender<Received>,
    gate: Mutex<()>,
}

impl RecordingServant {
    pub(super) fn tell(&self, received: Received) {
        let _gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        // The test may be over.
        let _ = self.received.send(received);
    }
}

impl NotesServant for RecordingServant {
    fn note(&self, number: u32, data: &[u8]) {
        self.tell(Received::Note(number, data.to_vec()));
    }

    fn tell(&self, what: &Record) {
        Self::tell(self, Received::Record(what.clone()));
    }

    fn wait(&self) -> zorb::Result<()> {
        Ok(())
    }
}

pub(super) struct Server {
    pub(super) orb: Orb,
    pub(super) notes: Notes,
    pub(super) received: Receiver<Received>,
    /// The endpoint or group, at which another server can replace this one.
    pub(super) address: String,
    /// The reference by which clients find the current server.
    pub(super) reference: String,
    pub(super) is_group: bool,
}

impl Server {
    /// A client's reference to this server's object.
    pub(super) fn seen_by(&self, client: &Orb) -> Notes {
        if self.is_group {
            return self.resolve_in(client);
        }
        client.resolve(&self.notes.as_object().to_ior_string()).expect("an object")
    }

    /// A client's reference to the object of the current server.
    pub(super) fn resolve_in(&self, client: &Orb) -> Notes {
        group_of(client, &self.reference).unchecked_narrow()
    }

    /// The address for datagrams.
    pub(super) fn address(&self) -> &str {
        let end = if self.is_group { self.address.rsplit_once('/') } else { None };
        end.or_else(|| self.address.split_once("://")).expect("an address").1
    }

    /// Sends until the message arrives.
    pub(super) fn expect_received(&self, expected: &Received, send: impl Fn() -> zorb::Result<()>) {
        for _ in 0..ATTEMPTS {
            send().expect("it is sent");
            loop {
                match self.received.recv_timeout(RESEND_AFTER) {
                    Ok(received) if received == *expected => return,
                    // An earlier message that arrives late.
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
        panic!("none of {ATTEMPTS} arrived");
    }

    pub(super) fn hears_note(&self, there: &Notes, number: u32, size: usize) {
        let data = pattern(size);
        self.expect_received(&Received::Note(number, data.clone()), || there.note(number, &data));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}
