//! How clients declare bands to servers (`_bind_priority_band`), octet by octet, and the priority of the
//! threads of such connections.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use zorb_cdr::ByteOrder;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::Policies;
use zorb_core::{Interface, ObjectRef, Orb, OrbBuilder, Result, codegen};
use zorb_giop::{ComponentTag, IiopProfile, Ior};
use zorb_rt::{Direct, Priority, PriorityBand, PriorityBands, RtCurrent, RtOrb};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{require_loopback, until};
use zorb_types::SystemExceptionKind;

/// `interface Desk { short priority(); short hold(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Desk(ObjectRef);

codegen::interface!(Desk(ObjectRef), "IDL:zorb.test/Desk:1.0", "Desk", []);

trait DeskServant: Send + Sync + 'static {
    fn priority(&self) -> Result<i16>;
    fn hold(&self) -> Result<i16>;
}

codegen::skeleton!(Desk, DeskServant, {
    0 "priority" priority() [result: i16],
    1 "hold" hold() [result: i16],
});

/// Returns the priority of its thread, if the adapter has not changed it.
struct Clerk {
    current: RtCurrent,
    /// What each upcall of `hold` waits for.
    may: Vec<Mutex<Receiver<()>>>,
    /// How many upcalls wait or have waited.
    holds: Arc<AtomicUsize>,
}

impl Clerk {
    fn new(current: RtCurrent, may: impl IntoIterator<Item = Receiver<()>>) -> Self {
        let may = may.into_iter().map(Mutex::new).collect();
        Self { current, may, holds: Arc::default() }
    }
}

impl DeskServant for Clerk {
    fn priority(&self) -> Result<i16> {
        Ok(self.current.priority().map_or(-1, Priority::value))
    }

    fn hold(&self) -> Result<i16> {
        let number = self.holds.fetch_add(1, Ordering::SeqCst);
        // The only message is the permission.
        let _ = self.may[number].lock().unwrap().recv();
        self.priority()
    }
}

fn builder() -> OrbBuilder {
    require_loopback();
    Orb::builder()
        .without_environment()
        .declare(zorb_rt::RtOptions::default())
        .protocol(Arc::new(IiopProtocol::new()))
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

/// The octets of a message, in either byte order.
struct Octets {
    big: bool,
    octets: Vec<u8>,
}

impl Octets {
    fn new(big: bool, kind: u8) -> Self {
        let octets = [&b"GIOP\x01\x02"[..], &[u8::from(!big), kind, 0, 0, 0, 0]].concat();
        Self { big, octets }
    }

    fn align(&mut self, to: usize) -> &mut Self {
        self.octets.resize(self.octets.len().next_multiple_of(to), 0);
        self
    }

    fn short(&mut self, value: i16) -> &mut Self {
        self.align(2);
        self.octets.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn long(&mut self, value: u32) -> &mut Self {
        self.align(4);
        self.octets.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        self
    }

    fn run(&mut self, octets: &[u8]) -> &mut Self {
        self.long(u32::try_from(octets.len()).unwrap());
        self.octets.extend(octets);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.run(&[text.as_bytes(), b"\0"].concat())
    }

    fn complete(mut self) -> Vec<u8> {
        let size = u32::try_from(self.octets.len() - 12).unwrap();
        let size = if self.big { size.to_be_bytes() } else { size.to_le_bytes() };
        self.octets[8..12].copy_from_slice(&size);
        self.octets
    }
}

/// A request without arguments; with `RTCorbaPriorityRange`, which is context 11.
fn request(big: bool, id: u32, key: &[u8], operation: &str, band: Option<(i16, i16)>) -> Vec<u8> {
    let mut message = Octets::new(big, 0);
    message.long(id).octets.extend([3, 0, 0, 0]);
    message.short(0).run(key).text(operation);
    message.long(u32::from(band.is_some()));
    if let Some((low, high)) = band {
        let mut context = Octets { big, octets: vec![u8::from(!big)] };
        context.short(low).short(high);
        message.long(11).run(&context.octets);
    }
    message.complete()
}

/// The next message of a stream, whole.
fn next(stream: &mut TcpStream) -> Vec<u8> {
    let mut message = vec![0; 12];
    stream.read_exact(&mut message).unwrap();
    let size: [u8; 4] = message[8..12].try_into().unwrap();
    let size = match message[6] & 1 {
        0 => u32::from_be_bytes(size),
        _ => u32::from_le_bytes(size),
    };
    message.resize(12 + size as usize, 0);
    stream.read_exact(&mut message[12..]).unwrap();
    message
}

/// The id of a message, and the status and result of a reply.
fn told(message: &[u8]) -> (u32, u32, Option<i16>) {
    let big = message[6] & 1 == 0;
    let long = |at: usize| {
        let octets: [u8; 4] = message[at..at + 4].try_into().unwrap();
        if big { u32::from_be_bytes(octets) } else { u32::from_le_bytes(octets) }
    };
    let short = message.get(24..26).map(|octets| {
        let octets: [u8; 2] = octets.try_into().unwrap();
        if big { i16::from_be_bytes(octets) } else { i16::from_le_bytes(octets) }
    });
    (long(12), long(16), short)
}

struct Server {
    orb: Orb,
    rt: RtOrb,
    /// The key of an object without a priority model, which does not change its thread's priority.
    key: Vec<u8>,
    /// The key of one with a model.
    modelled: Vec<u8>,
    address: (String, u16),
    /// Ends the first and the second upcall of `hold`.
    release: [Sender<()>; 2],
    /// How many upcalls of `hold` have begun.
    holds: Arc<AtomicUsize>,
}

fn server() -> Server {
    server_with(builder())
}

fn server_with(builder: OrbBuilder) -> Server {
    let orb = builder.listen("iiop://127.0.0.1:0").option("StallTakeover", "1").build().unwrap();
    let rt = RtOrb::builder().mapping(Direct::default()).attach(&orb).unwrap();
    let [(first, may_first), (second, may_second)] = [channel(), channel()];
    let release = [first, second];
    let clerk = Clerk::new(rt.current(), [may_first, may_second]);
    let holds = Arc::clone(&clerk.holds);
    let here: Desk = orb.root_poa().activate(clerk).unwrap();
    let profile = IiopProfile::decode(&here.0.ior().profiles[0].data).unwrap();
    let (key, address) = (profile.object_key, (profile.host, profile.port));
    let policies = PoaPolicies::new().with(rt.client_propagated(number(0)));
    let poa = orb.root_poa().create("modelled", policies).unwrap();
    let clerk = Clerk::new(rt.current(), []);
    let here: Desk = poa.activate(clerk).unwrap();
    let modelled = IiopProfile::decode(&here.0.ior().profiles[0].data).unwrap().object_key;
    Server { orb, rt, key, modelled, address, release, holds }
}

impl Server {
    fn connect(&self) -> TcpStream {
        TcpStream::connect((&*self.address.0, self.address.1)).unwrap()
    }

    /// Sends a request and waits for its reply. A request that declares a band is for the object with a priority model.
    fn ask(
        &self,
        stream: &mut TcpStream,
        big: bool,
        operation: &str,
        band: Option<(i16, i16)>,
    ) -> (u32, Option<i16>) {
        let key = if band.is_some() { &self.modelled } else { &self.key };
        stream.write_all(&request(big, 7, key, operation, band)).unwrap();
        let (id, status, short) = told(&next(stream));
        assert_eq!(id, 7);
        (status, short)
    }
}

#[test]
fn a_thread_rests_at_the_priority_of_the_band_that_its_client_binds() {
    let server = server();
    for big in [false, true] {
        let mut stream = server.connect();
        assert_eq!(server.ask(&mut stream, big, "priority", None), (0, Some(-1)));
        let bound = server.ask(&mut stream, big, "_bind_priority_band", Some((10, 40)));
        assert_eq!(bound.0, 0, "no exception");
        assert_eq!(server.ask(&mut stream, big, "priority", None), (0, Some(40)));
        // Any request may declare a band, and replace it.
        server.ask(&mut stream, big, "_non_existent", Some((0, 9)));
        assert_eq!(server.ask(&mut stream, big, "priority", None), (0, Some(9)));
        // An invalid band changes nothing.
        for (low, high) in [(9, 3), (-1, 3), (-5, -1)] {
            server.ask(&mut stream, big, "_bind_priority_band", Some((low, high)));
            assert_eq!(server.ask(&mut stream, big, "priority", None), (0, Some(9)));
        }
    }
    if server.rt.denial().is_none() {
        assert_eq!(server.rt.denials(), 0);
    }
    server.orb.shutdown(true).unwrap();
}

#[test]
fn bands_of_objects_without_priorities_are_not_heeded() {
    let server = server();
    let mut stream = server.connect();
    for operation in ["_bind_priority_band", "_non_existent", "priority"] {
        stream.write_all(&request(false, 1, &server.key, operation, Some((10, 40)))).unwrap();
        assert_eq!(told(&next(&mut stream)).1, 0, "no exception: {operation}");
        assert_eq!(server.ask(&mut stream, false, "priority", None), (0, Some(-1)), "{operation}");
    }
    server.orb.shutdown(true).unwrap();
}

/// A request with this priority, to an object with a priority model: `RTCorbaPriority` is context 10.
fn urgent(key: &[u8], priority: i16) -> Vec<u8> {
    let mut message = Octets::new(false, 0);
    message.long(1).octets.extend([3, 0, 0, 0]);
    message.short(0).run(key).text("priority").long(1);
    let mut context = Octets { big: false, octets: vec![1] };
    context.short(priority);
    message.long(10).run(&context.octets);
    message.complete()
}

#[test]
fn clients_ask_for_no_more_than_they_may() {
    for (builder, most) in
        [(builder().option("RtMaxClientPriority", "25"), 25), (builder(), i16::MAX)]
    {
        let server = server_with(builder);
        let mut stream = server.connect();
        for priority in [10, 25, 40] {
            stream.write_all(&urgent(&server.modelled, priority)).unwrap();
            assert_eq!(told(&next(&mut stream)), (1, 0, Some(priority.min(most))));
        }
        server.ask(&mut stream, false, "_bind_priority_band", Some((10, 40)));
        assert_eq!(server.ask(&mut stream, false, "priority", None), (0, Some(most.min(40))));
        server.orb.shutdown(true).unwrap();
    }
}

#[test]
fn a_thread_that_takes_over_a_connection_rests_at_its_band() {
    let server = server();
    let mut stream = server.connect();
    server.ask(&mut stream, false, "_bind_priority_band", Some((10, 40)));
    stream.write_all(&request(false, 1, &server.key, "hold", None)).unwrap();
    // Served by another thread, as the first one is busy.
    stream.write_all(&request(false, 2, &server.key, "priority", None)).unwrap();
    assert_eq!(told(&next(&mut stream)), (2, 0, Some(40)));
    server.release[0].send(()).unwrap();
    assert_eq!(told(&next(&mut stream)), (1, 0, Some(40)));
    server.orb.shutdown(true).unwrap();
}

#[test]
fn a_thread_that_reads_again_is_at_the_band_that_another_was_told() {
    let server = server();
    let mut stream = server.connect();
    let hold = |id| request(false, id, &server.key, "hold", None);
    let until_holding = |count| {
        until(|| server.holds.load(Ordering::SeqCst) >= count);
    };
    stream.write_all(&hold(1)).unwrap();
    until_holding(1);
    // Another thread reads on, is told the band, and blocks in an upcall.
    server.ask(&mut stream, false, "_bind_priority_band", Some((10, 40)));
    stream.write_all(&hold(2)).unwrap();
    until_holding(2);
    // The first one, which nobody told the band, may read again.
    server.release[0].send(()).unwrap();
    assert_eq!(told(&next(&mut stream)).0, 1);
    assert_eq!(server.ask(&mut stream, false, "priority", None), (0, Some(40)));
    server.release[1].send(()).unwrap();
    assert_eq!(told(&next(&mut stream)), (2, 0, Some(40)));
    server.orb.shutdown(true).unwrap();
}

#[test]
fn requests_of_adapters_with_a_model_tell_the_band_as_well() {
    let server = server();
    let clerk = Clerk::new(server.rt.current(), []);
    let declared = PoaPolicies::new().with(server.rt.server_declared(number(20)));
    let poa = server.orb.root_poa().create("declared", declared).unwrap();
    let here: Desk = poa.activate(clerk).unwrap();
    let key = IiopProfile::decode(&here.0.ior().profiles[0].data).unwrap().object_key;
    let mut stream = server.connect();
    stream.write_all(&request(false, 1, &key, "priority", Some((15, 30)))).unwrap();
    assert_eq!(told(&next(&mut stream)), (1, 0, Some(20)), "an upcall runs at its own");
    assert_eq!(server.ask(&mut stream, false, "priority", None), (0, Some(30)));
    server.orb.shutdown(true).unwrap();
}

/// The reply to a request.
fn reply(big: bool, id: u32, status: u32, body: impl FnOnce(&mut Octets)) -> Vec<u8> {
    let mut message = Octets::new(big, 1);
    message.long(id).long(status).long(0).align(8);
    body(&mut message);
    message.complete()
}

/// The result of binding if the server replies `answer`.
fn bind(answer: &str) -> std::result::Result<(), SystemExceptionKind> {
    let big = cfg!(target_endian = "big");
    let server = server();
    let policies = PoaPolicies::new().with(server.rt.server_declared(number(20)));
    let poa = server.orb.root_poa().create("declared", policies).unwrap();
    let clerk = Clerk::new(server.rt.current(), []);
    let here: Desk = poa.activate(clerk).unwrap();
    // The same reference with the test's address, and without code sets.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut profile = IiopProfile::decode(&here.0.ior().profiles[0].data).unwrap();
    profile.port = listener.local_addr().unwrap().port();
    profile.host = "127.0.0.1".to_owned();
    profile.components.retain(|component| component.tag == ComponentTag::POLICIES);
    let profiles = vec![profile.encode(ByteOrder::NATIVE).unwrap()];
    let ior = Ior { profiles, ..here.0.ior().clone() };
    let client = builder().build().unwrap();
    let _rt = RtOrb::builder().mapping(Direct::default()).attach(&client).unwrap();
    let there = client.string_to_object(&ior.to_stringified().unwrap()).unwrap().unwrap();
    let band = |low, high| PriorityBand::new(number(low), number(high)).unwrap();
    let bands = PriorityBands::new([band(0, 15), band(16, 40)]).unwrap();
    let there = there.with_policies(&Policies::new().with(bands)).unwrap();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| Desk::from_object(there).0.validate_connection());
        let (mut stream, _) = listener.accept().unwrap();
        let bind = next(&mut stream);
        let (id, ..) = told(&bind);
        let operation = "_bind_priority_band";
        assert_eq!(bind, request(big, id, &profile.object_key, operation, Some((16, 40))));
        let answered = match answer {
            "" => reply(big, id, 0, |_| {}),
            exception => reply(big, id, 2, |body| {
                body.text(exception).long(0).long(1);
            }),
        };
        stream.write_all(&answered).unwrap();
        if !answer.contains("INV_POLICY") {
            for _ in 0..2 {
                let question = next(&mut stream);
                let (id, ..) = told(&question);
                let plain = request(big, id, &profile.object_key, "_non_existent", None);
                assert_eq!(question, plain, "the band is told once");
                let here = reply(big, id, 0, |body| body.octets.push(0));
                stream.write_all(&here).unwrap();
            }
        }
        asked.join().unwrap().map_err(|exception| exception.kind)
    })
}

#[test]
fn a_client_binds_its_band_before_its_first_call() {
    assert_eq!(bind(""), Ok(()));
    assert_eq!(bind("IDL:omg.org/CORBA/BAD_OPERATION:1.0"), Ok(()), "it need not be known");
    let refused = bind("IDL:omg.org/CORBA/INV_POLICY:1.0");
    assert_eq!(refused, Err(SystemExceptionKind::InvPolicy));
}
