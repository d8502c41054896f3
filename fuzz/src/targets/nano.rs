//! The small ORB: what a client sends to its server, what a server answers its client, and references as text.

mod echo;
mod wire;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use zorb_giop::{Corbaloc, CorbalocAddress, HostPort, ObjectUrl};
use zorb_nano::{
    Address, ArrayVec, BoundedText, Client, Endpoint, Interest, Limits, MAX_ENDPOINTS, MAX_KEY, Os,
    OsError, Reference, Result, Sequence, Server, Socket, SocketName, Text,
};

use self::echo::Answers;
use super::{AllocationBound, Target, server};
use crate::small_idl::fuzz::EchoSkeleton;
use crate::small_idl::small::{AddError, Item, Refused, Unit};
use crate::small_idl::{Small, SmallServant, SmallSkeleton};

/// The first octet chooses: [`SERVER`] and what a client sends, [`LITE`] and what one sends in GIOPlite, [`DATAGRAMS`] and
/// what clients send over UDP, [`REFERENCE`] and text, or the number of a call and what the server answers.
pub const TARGET: Target = Target {
    name: "nano",
    run: |octets| {
        let _ = outcome(octets);
    },
    // The input, and the buffers of a client or server; URLs as the target `corbaloc`.
    allocation: AllocationBound { per_octet: 1024, constant: 64 << 10 },
    words: &[
        b"GIOP\x01\x02\x01\0",
        b"GIOP\x01\x02\x01\x01",
        b"GIOP\x01\0\x01\x01",
        b"GIOP\x01\x02\x01\x03",
        b"GIOP\x01\x02\x01\x05",
        b"IDL:Small/Refused:1.0\0",
        b"IDL:omg.org/CORBA/TRANSIENT:1.0\0",
        b"127.0.0.1\0",
        b"corbaloc:iiop:1.2@127.0.0.1:2809/",
        b"IOR:",
        b"items\0",
        b"\xff\xff\xff\xff",
        b"\x03\0\0\0",
    ],
};

/// The first octet of what a client sends.
pub const SERVER: u8 = b'S';
/// The first octet of what a client sends in GIOPlite.
pub const LITE: u8 = b'L';
/// The first octet of datagrams. Before each is its size, an `unsigned short` with the lowest octet first.
pub const DATAGRAMS: u8 = b'D';
/// The first octet of a reference.
pub const REFERENCE: u8 = b'R';
/// The number of calls: those of [`Small`], then those of the object that the other targets call, too.
pub const CALLS: u8 = 7 + echo::CALLS;

pub use self::echo::number_of;
pub use self::wire::{WireOctets, answering};

const LIMITS: Limits = Limits::DEFAULT.max_message_size(1024).max_connections(1);

/// Processes an input. Returns what was written to the peer, and whether the call, if it is one, succeeded.
pub fn outcome(octets: &[u8]) -> (Vec<u8>, bool) {
    match octets {
        [SERVER, rest @ ..] => {
            let written = serve(rest, endpoint());
            assert!(written.is_empty() || written.starts_with(b"GIOP"));
            (written, true)
        }
        [LITE, rest @ ..] => (serve(rest, endpoint().lite()), true),
        [DATAGRAMS, rest @ ..] => {
            let written = serve(rest, Endpoint::new(Address::Udp(address())));
            assert!(written.is_empty(), "datagrams are not answered");
            (written, true)
        }
        [REFERENCE, rest @ ..] => (Vec::new(), parse(&String::from_utf8_lossy(rest))),
        [number, rest @ ..] => call(number % CALLS, rest, endpoint()),
        [] => (Vec::new(), false),
    }
}

fn parse(text: &str) -> bool {
    let parsed = Reference::parse(text);
    let located = parsed.as_ref().ok().map(|reference| {
        let endpoints = reference.endpoints().iter().map(Endpoint::address);
        (endpoints.collect::<Vec<Address>>(), reference.key().to_vec())
    });
    match ObjectUrl::parse(text) {
        // Profiles are read by the small ORB itself.
        Ok(ObjectUrl::Ior(_)) => {}
        Ok(ObjectUrl::Corbaloc(corbaloc)) => assert_eq!(located, usable(&corbaloc)),
        _ => assert_eq!(located, None),
    }
    let Ok(reference) = parsed else { return false };
    let ior = reference.to_ior("IDL:Small:1.0").expect("a reference that was read can be written");
    let printed = ior.to_stringified().expect("text");
    assert_eq!(Reference::parse(&printed), Ok(reference));
    true
}

/// The addresses of a `corbaloc:` that the small ORB remembers, and the key; `None` if it can use none.
fn usable(corbaloc: &Corbaloc) -> Option<(Vec<Address>, Vec<u8>)> {
    let ip = |address: &str| {
        let HostPort { host, port } = HostPort::parse(address).ok()?;
        let host = if host == "localhost" { "127.0.0.1" } else { &host };
        let ip = host.parse().ok().filter(|_| port != 0)?;
        Some(SocketAddr::new(ip, port))
    };
    let address = |at: &CorbalocAddress| match at.protocol.strip_prefix("lite+") {
        None if at.protocol == "diop" => ip(&at.address).map(Address::Udp),
        lite => match lite.unwrap_or(&at.protocol) {
            "iiop" => ip(&at.address).map(Address::Tcp),
            "uiop" => SocketName::new(at.address.as_bytes()).ok().map(Address::Unix),
            _ => None,
        },
    };
    let addresses = corbaloc.addresses.iter().filter_map(address).take(MAX_ENDPOINTS);
    let addresses: Vec<Address> = addresses.collect();
    let is_usable = !addresses.is_empty() && corbaloc.key.len() <= MAX_KEY;
    is_usable.then(|| (addresses, corbaloc.key.clone()))
}

fn endpoint() -> Endpoint {
    address().into()
}

fn address() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 2809))
}

fn serve(octets: &[u8], endpoint: Endpoint) -> Vec<u8> {
    let peer = Peer::shared(octets);
    let machine = Machine(Rc::clone(&peer));
    let mut server = Server::new(machine, endpoint, LIMITS).expect("a server");
    server.register(b"o", Box::new(SmallSkeleton(Echo::default()))).expect("an object");
    for key in [server::OBJECT_KEY, b"fuzz"] {
        server.register(key, Box::new(EchoSkeleton(Answers::default()))).expect("an object");
    }
    let mut calls = 0;
    while !peer.borrow().is_closed {
        server.perform_work(Some(Duration::from_secs(1))).expect("a server that lives on");
        calls += 1;
        // A message has five octets or more.
        assert!(calls < octets.len() + 100, "the connection is not closed");
    }
    drop(server);
    peer.borrow().written.clone()
}

fn call(number: u8, octets: &[u8], endpoint: Endpoint) -> (Vec<u8>, bool) {
    let peer = Peer::shared(octets);
    let client = &mut Client::new(Machine(Rc::clone(&peer)), LIMITS);
    let small = Small(Reference::new(endpoint, b"o").expect("a short key"));
    let item = item(Some(small.clone()));
    let is_good = match number {
        0 => small.add(client, 1, 2).is_ok(),
        1 => small
            .text(client, "gr\u{f6}\u{df}e", "bounded")
            .is_ok_and(|text| text.chars().count() > 0),
        2 => small.blob(client, &[1, 2, 3]).is_ok(),
        3 => {
            let items = small.items(client, &[item], true);
            items.is_ok_and(|all| all.iter().count() == all.len())
        }
        4 => small.pass(client, Some(&small)).is_ok(),
        5 => small.tell(client, &item).is_ok(),
        6 => client.locate(&small.0).is_ok(),
        other => echo::call(other - 7, client, endpoint),
    };
    let written = peer.borrow().written.clone();
    (written, is_good)
}

fn item(at: Option<Small>) -> Item {
    let name = BoundedText::new("n").expect("a short name");
    Item { id: 1, at, name, few: ArrayVec::from_iter([1, 2]), of: Unit::Second, pair: [0.5, 1.5] }
}

/// The seeds: requests of the client, and the answers of the server to them.
pub fn recorded() -> Vec<(String, Vec<u8>)> {
    let (mut seeds, mut datagrams) = (Vec::new(), vec![DATAGRAMS]);
    for number in 0..CALLS {
        let (request, _) = call(number, b"", endpoint().lite());
        seeds.push((format!("lite-{number}"), [&[LITE][..], &request].concat()));
        let (request, _) = call(number, b"", endpoint());
        datagrams.extend((request.len() as u16).to_le_bytes());
        datagrams.extend(&request);
        let request = [&[SERVER][..], &request].concat();
        let (answer, _) = outcome(&request);
        seeds.push((format!("request-{number}"), request));
        if !answer.is_empty() {
            seeds.push((format!("answer-{number}"), [&[number][..], &answer].concat()));
        }
    }
    seeds.push(("datagrams".to_owned(), datagrams));
    let url = "corbaloc:iiop:1.2@127.0.0.1:2809/o";
    let ior = Reference::parse(url).and_then(|reference| reference.to_ior("IDL:Small:1.0"));
    let ior = ior.expect("a reference").to_stringified().expect("text");
    for (name, text) in [("url", url), ("ior", &*ior)] {
        seeds.push((name.to_owned(), [&[REFERENCE][..], text.as_bytes()].concat()));
    }
    seeds
}

/// The servant.
#[derive(Default)]
struct Echo {
    items: ArrayVec<Item, 8>,
}

impl SmallServant for Echo {
    fn add(&mut self, a: i32, b: i32) -> Result<(i32, i32), AddError> {
        if a == 7 {
            let why = BoundedText::new("seven")?;
            return Err(Refused { why, code: b }.into());
        }
        Ok((a.wrapping_add(b), a))
    }

    fn text<'a>(&'a mut self, s: Text<'a>, bounded: Text<'a>) -> Result<Text<'a>> {
        assert!(bounded.chars().count() <= 12);
        Ok(s)
    }

    fn blob<'a>(&'a mut self, octets: &'a [u8]) -> Result<&'a [u8]> {
        Ok(octets)
    }

    fn items<'a>(&'a mut self, all: Sequence<'a, Item>, _flag: bool) -> Result<&'a [Item]> {
        assert_eq!(all.iter().count(), all.len());
        self.items = all.into_iter().take(8).collect();
        Ok(&self.items)
    }

    fn pass(&mut self, one: Option<&Small>) -> Result<(Option<Small>, char)> {
        Ok((one.cloned(), 'x'))
    }

    fn tell(&mut self, one: &Item) {
        assert!(one.few.len() <= 4);
    }
}

/// The other end of the only connection: it has sent the input, and ends the connection after it.
struct Peer {
    input: Vec<u8>,
    read: usize,
    written: Vec<u8>,
    is_accepted: bool,
    is_closed: bool,
    /// The time, which goes on whenever somebody waits.
    waits: u32,
}

impl Peer {
    fn shared(input: &[u8]) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            input: input.to_vec(),
            read: 0,
            written: Vec::new(),
            is_accepted: false,
            is_closed: false,
            waits: 0,
        }))
    }
}

impl Peer {
    /// The next datagram; without one, all has been served.
    fn datagram(&mut self, space: &mut [u8]) -> Result<usize, OsError> {
        let left = self.input.get(self.read..).unwrap_or_default();
        let Some((size, rest)) = left.split_first_chunk() else {
            self.is_closed = true;
            return Err(OsError::WouldBlock);
        };
        let datagram = rest.get(..usize::from(u16::from_le_bytes(*size))).unwrap_or(rest);
        self.read += size.len() + datagram.len();
        let count = datagram.len().min(space.len());
        for (to, from) in space.iter_mut().zip(datagram) {
            *to = *from;
        }
        Ok(count)
    }
}

/// A machine with one connection, which never has to wait.
struct Machine(Rc<RefCell<Peer>>);

const LISTENER: Socket = Socket(0);
const CONNECTION: Socket = Socket(1);

impl Os for Machine {
    fn now(&mut self) -> Duration {
        Duration::from_millis(self.0.borrow().waits.into())
    }

    fn connect(&mut self, _: Address) -> Result<Socket, OsError> {
        Ok(CONNECTION)
    }

    fn listen(&mut self, _: Address) -> Result<Socket, OsError> {
        Ok(LISTENER)
    }

    fn port(&mut self, _: Socket) -> Result<u16, OsError> {
        Ok(2809)
    }

    fn accept(&mut self, _: Socket) -> Result<Socket, OsError> {
        let mut peer = self.0.borrow_mut();
        if std::mem::replace(&mut peer.is_accepted, true) {
            return Err(OsError::WouldBlock);
        }
        Ok(CONNECTION)
    }

    fn read(&mut self, socket: Socket, space: &mut [u8]) -> Result<usize, OsError> {
        let mut peer = self.0.borrow_mut();
        // Over UDP nothing is accepted.
        if socket == LISTENER {
            return peer.datagram(space);
        }
        let left = peer.input.get(peer.read..).unwrap_or_default();
        let count = left.len().min(space.len());
        for (to, from) in space.iter_mut().zip(left) {
            *to = *from;
        }
        peer.read += count;
        Ok(count)
    }

    fn write(&mut self, _: Socket, octets: &[u8]) -> Result<usize, OsError> {
        self.0.borrow_mut().written.extend_from_slice(octets);
        Ok(octets.len())
    }

    fn close(&mut self, socket: Socket) {
        if socket == CONNECTION {
            self.0.borrow_mut().is_closed = true;
        }
    }

    fn poll(&mut self, interests: &mut [Interest], _: Option<Duration>) -> Result<(), OsError> {
        self.0.borrow_mut().waits += 1;
        interests.iter_mut().for_each(|interest| interest.is_ready = true);
        Ok(())
    }
}
