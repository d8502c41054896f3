//! Calls with long arguments, and answers with long results, exceptions, service contexts and references.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use zorb::{Any, Interface, Orb, Pending};
use zorb_cdr::{ByteOrder, CdrWriter, TextCoding, WString, Wire};
use zorb_fuzz_smoke::echo_idl::fuzz;
use zorb_giop::{
    AddressingDisposition, CodeSetComponentInfo, ComponentTag, GiopVersion, IiopProfile, Ior,
    MessageHeader, MessageKind, MessageWriter, ProfileTag, ReplyStatus, RequestHeader,
    ResponseFlags, ServiceContext, ServiceId, TaggedComponent, TaggedProfile, fragments,
};
use zorb_os::alloc::Refusal;
use zorb_transport::{Endpoint, ProtocolRegistry};
use zorb_types::{SystemException, TypeCode};

use super::parts::{any, anys, references, values};
use super::{LONG, MANY};

const ORDER: ByteOrder = ByteOrder::NATIVE;
const VERSION: GiopVersion = GiopVersion::V1_2;
pub(super) const KEY: &[u8] = b"object";
/// The keys of objects whose servers want all requests to have the profile, or the reference.
const BY_PROFILE: &[u8] = b"by profile";
const BY_REFERENCE: &[u8] = b"by reference";
/// The key of an object whose server answers every other request by closing the connection.
const CLOSES: &[u8] = b"closes";
/// The name of the forward to it.
const CLOSED: &str = "closed connection";
/// Whether it closes that of the next request.
static CLOSES_NEXT: AtomicBool = AtomicBool::new(true);

/// What a server sends for a request with this id.
pub(super) type Answer = Box<dyn Fn(u32) -> Vec<u8> + Send>;
/// What a client calls; returns the size of the result.
pub(super) type Call = Box<dyn Fn(&fuzz::Echo) -> Result<usize, SystemException> + Sync>;

/// A call and its answer.
pub(super) struct Exchange {
    pub(super) name: String,
    /// Whether the server has executed the request when it comes to the first large block; `None` if it does not say.
    pub(super) has_run: Option<bool>,
    pub(super) call: Call,
    pub(super) answer: Answer,
}

fn reply(
    id: u32,
    status: ReplyStatus,
    contexts: &[ServiceContext<'_>],
    body: impl FnOnce(&mut CdrWriter<'_>),
) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut message =
        MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, contexts).unwrap();
    body(&mut message.body(TextCoding::UNICODE));
    message.finish().unwrap();
    octets
}

pub(super) fn good(body: impl Fn(&mut CdrWriter<'_>) + Send + 'static) -> Answer {
    Box::new(move |id| reply(id, ReplyStatus::NoException, &[], &body))
}

fn result<T: Wire + 'static>(value: &T::View) -> Answer
where
    T::View: ToOwned,
    <T::View as ToOwned>::Owned: Send + 'static,
{
    let value = value.to_owned();
    good(move |writer| write::<T>(writer, std::borrow::Borrow::borrow(&value)))
}

fn write<T: Wire>(writer: &mut CdrWriter<'_>, value: &T::View) {
    T::write(value, writer).unwrap();
}

/// A server, which gets all memory. It answers `add` with 5, requests for other objects than that of the client's
/// reference with 0, if it does not have them sent again, and all others with the answer of the exchange.
pub(super) fn serve(listener: TcpListener, answer: Arc<Mutex<Answer>>) {
    Refusal::spare();
    while let Ok((stream, _)) = listener.accept() {
        let answer = Arc::clone(&answer);
        std::thread::spawn(move || {
            Refusal::spare();
            converse(stream, &answer);
        });
    }
}

fn converse(mut stream: TcpStream, answer: &Mutex<Answer>) {
    let mut message = vec![0; 12];
    while stream.read_exact(&mut message[..12]).is_ok() {
        let header = MessageHeader::parse_prefix(&message).unwrap().unwrap();
        message.resize(header.total_size(), 0);
        if stream.read_exact(&mut message[12..]).is_err() {
            return;
        }
        if header.kind != MessageKind::Request {
            continue;
        }
        let (request, _) = RequestHeader::read(&message, &header).unwrap();
        if request.response == ResponseFlags::NoResponse {
            continue;
        }
        let id = request.request_id;
        let number =
            |number| reply(id, ReplyStatus::NoException, &[], |writer| writer.write_i32(number));
        let form = request.target.disposition();
        let in_form = |wanted| match form == wanted {
            true => number(0),
            false => reply(id, ReplyStatus::NeedsAddressingMode, &[], |writer| {
                writer.write_i16(wanted as i16);
            }),
        };
        let octets = match (&*request.operation, request.target.object_key().unwrap()) {
            ("add", _) => number(5),
            (_, KEY) => answer.lock().unwrap()(id),
            (_, BY_PROFILE) => in_form(AddressingDisposition::ProfileAddr),
            (_, BY_REFERENCE) => in_form(AddressingDisposition::ReferenceAddr),
            (_, CLOSES) if CLOSES_NEXT.fetch_not(Ordering::SeqCst) => {
                let mut octets = Vec::new();
                MessageWriter::close_connection(&mut octets, VERSION, ORDER);
                // The client may have closed.
                let _ = stream.write_all(&octets);
                return;
            }
            _ => number(0),
        };
        // The client may have closed.
        if stream.write_all(&octets).is_err() {
            return;
        }
    }
}

/// A reference to an object at this port.
pub(super) fn object_at(port: u16, object_key: &[u8]) -> Ior {
    let code_sets = TaggedComponent::with_body(&CodeSetComponentInfo::zorb(), ORDER).unwrap();
    let profile = IiopProfile {
        version: VERSION,
        host: "127.0.0.1".to_owned(),
        port,
        object_key: object_key.to_vec(),
        components: vec![code_sets],
    };
    let type_id = "IDL:fuzz.zorb/Fuzz/Echo:1.0".to_owned();
    Ior { type_id, profiles: vec![profile.encode(ORDER).unwrap()] }
}

/// Long references to other objects at this port. For some of them, requests are sent several times.
fn forwards(protocols: &ProtocolRegistry, port: u16) -> Vec<(&'static str, Ior)> {
    let there = || object_at(port, b"there");
    let component = TaggedComponent { tag: ComponentTag(77), data: vec![1; LONG] };
    let mut profile = there().iiop_profiles().next().unwrap();
    profile.components.push(component);
    let with_component = vec![profile.encode(ORDER).unwrap()];
    let unknown = TaggedProfile { tag: ProfileTag(99), data: vec![1; LONG] };
    let and_unknown = vec![unknown, there().profiles.remove(0)];
    let many = vec![there().profiles.remove(0); 200];
    // Profiles of further protocols, which are decoded, too.
    let further = [
        ("uiop", "/zorb"),
        ("shmiop", "/zorb"),
        ("lite+iiop", "127.0.0.1:1"),
        ("diop", "127.0.0.1:1"),
    ];
    let further = further.map(|(scheme, address)| {
        let protocol = protocols.by_scheme(scheme).unwrap();
        let endpoint = Endpoint::new(scheme, address).unwrap();
        protocol.encode_profile(&[endpoint], VERSION, &[1; LONG], &[]).unwrap()
    });
    let and_further = [there().profiles, further.to_vec()].concat();
    let addressed = |key| {
        let mut profile = object_at(port, key).iiop_profiles().next().unwrap();
        profile.components.push(TaggedComponent { tag: ComponentTag(77), data: vec![1; LONG] });
        Ior { profiles: vec![profile.encode(ORDER).unwrap()], ..there() }
    };
    // Nobody listens there.
    let and_other = [object_at(1, b"there").profiles, object_at(port, &[1; LONG]).profiles];
    let host = IiopProfile { host: "a".repeat(LONG), ..there().iiop_profiles().next().unwrap() };
    let and_host = vec![there().profiles.remove(0), host.encode(ORDER).unwrap()];
    vec![
        ("key", object_at(port, &[1; LONG])),
        ("type id", Ior { type_id: format!("IDL:{}:1.0", "a".repeat(LONG)), ..there() }),
        ("component", Ior { profiles: with_component, ..there() }),
        ("unknown profile", Ior { profiles: and_unknown, ..there() }),
        ("profiles", Ior { profiles: many, ..there() }),
        ("further profiles", Ior { profiles: and_further, ..there() }),
        ("host", Ior { profiles: and_host, ..there() }),
        ("profile as the address", addressed(BY_PROFILE)),
        ("reference as the address", addressed(BY_REFERENCE)),
        (CLOSED, addressed(CLOSES)),
        ("other profile", Ior { profiles: and_other.concat(), ..there() }),
    ]
}

/// Makes a call without waiting for its reply first.
fn pending(echo: &fuzz::Echo, octets: &[u8]) -> Result<usize, SystemException> {
    let arguments = |writer: &mut CdrWriter<'_>| <Vec<u8> as Wire>::write(octets, writer);
    let call: Pending<Vec<u8>> =
        echo.as_object().send("back_octets", arguments, <Vec<u8> as Wire>::read);
    call.wait().map(|it| it.len())
}

/// A list of exchanges.
#[derive(Default)]
pub(super) struct Exchanges {
    pub(super) all: Vec<Exchange>,
    /// That of the next ones.
    has_run: Option<bool>,
}

impl Exchanges {
    fn add(
        &mut self,
        name: &str,
        call: impl Fn(&fuzz::Echo) -> Result<usize, SystemException> + Sync + 'static,
        answer: Answer,
    ) {
        let (name, has_run) = (name.to_owned(), self.has_run);
        self.all.push(Exchange { name, has_run, call: Box::new(call), answer });
    }

    /// Long arguments.
    pub(super) fn arguments(&mut self, orb: &Orb) {
        self.has_run = Some(false);
        let (long, wide) = ("a".repeat(LONG), "\u{e4}".repeat(LONG));
        let (octets, strings) = (vec![1; LONG], vec!["text".to_owned(); MANY]);
        self.add(
            "octets",
            move |echo| echo.back_octets(&octets).map(|it| it.len()),
            result::<Vec<u8>>(&[]),
        );
        self.add(
            "strings",
            move |echo| echo.back_strings(&strings, &[], &Default::default()).map(|it| it.len()),
            result::<Vec<String>>(&[]),
        );
        let octets = vec![1; LONG];
        self.add(
            "octets of a pending call",
            move |echo| pending(echo, &octets),
            result::<Vec<u8>>(&[]),
        );
        let text = long.clone();
        let short = result::<String>("");
        self.add("text", move |echo| echo.back_text(&text, "b").map(|it| it.len()), short);
        let short = result::<WString>("");
        self.add("wide", move |echo| echo.back_wide(&wide, 'b').map(|it| it.len()), short);
        self.add("note", move |echo| echo.note(&long).map(|()| 0), good(|_| {}));
        for (name, value) in anys() {
            let list = vec![any::<i32>(&1), value.clone()];
            self.add(
                &format!("any with {name}"),
                move |echo| echo.back_anything(&value, &list).map(|_| 0),
                result::<Any>(&Any::default()),
            );
        }
        for (name, ior) in references(KEY) {
            // Some are longer than a reference of a program may be.
            let object = orb.string_to_object(&ior.to_stringified().unwrap());
            let Ok(Some(object)) = object else { continue };
            let nil = Ior { type_id: String::new(), profiles: Vec::new() };
            self.add(
                &format!("object with {name}"),
                move |echo| echo.back_object(Some(&object)).map(|_| 0),
                good(move |writer| write::<Ior>(writer, &nil)),
            );
        }
    }

    /// Long results.
    pub(super) fn results(&mut self) {
        self.has_run = Some(true);
        let (long, wide) = ("a".repeat(LONG), "\u{e4}".repeat(LONG));
        let strings = vec!["text".to_owned(); MANY];
        let text = |echo: &fuzz::Echo| echo.back_text("a", "b").map(|it| it.len());
        let octets = |echo: &fuzz::Echo| echo.back_octets(&[1]).map(|it| it.len());
        self.add("text result", text, result::<String>(&long));
        self.add("octets result", octets, result::<Vec<u8>>(&[1; LONG]));
        let answer = result::<Vec<u8>>(&[1; LONG]);
        self.add("octets result of a pending call", |echo| pending(echo, &[1]), answer);
        self.add(
            "wide result",
            |echo| echo.back_wide("a", 'b').map(|it| it.len()),
            result::<WString>(&wide),
        );
        self.add(
            "strings result",
            |echo| echo.back_strings(&[], &[], &Default::default()).map(|it| it.len()),
            result::<Vec<String>>(&strings),
        );
        for most in [64, 6400] {
            let answer = move |id| {
                let whole = reply(id, ReplyStatus::NoException, &[], |writer| {
                    write::<Vec<u8>>(writer, &[1; 4 * LONG]);
                });
                let pieces = fragments(&whole, most);
                pieces.flat_map(|piece| [piece.header(), piece.payload].concat()).collect()
            };
            self.add(&format!("result in fragments of {most}"), octets, Box::new(answer));
        }
        let anything = |echo: &fuzz::Echo| echo.back_anything(&Any::default(), &[]).map(|_| 0);
        for (name, value) in anys() {
            self.add(&format!("result with {name}"), anything, result::<Any>(&value));
        }
        for (name, code, octets) in values() {
            let answer = good(move |writer| {
                TypeCode::write(&code, writer).unwrap();
                writer.align(4);
                writer.put(&octets);
            });
            self.add(&format!("result of {name}"), anything, answer);
        }
        for (name, ior) in references(KEY) {
            let answer = |ior: Ior| good(move |writer| write::<Ior>(writer, &ior));
            let object = |echo: &fuzz::Echo| echo.back_object(None).map(|_| 0);
            self.add(&format!("object result with {name}"), object, answer(ior.clone()));
            let echo = |echo: &fuzz::Echo| echo.back_echo(None).map(|_| 0);
            self.add(&format!("echo result with {name}"), echo, answer(ior));
        }
    }

    /// Replies with long exceptions and long service contexts.
    pub(super) fn exceptions_and_contexts(&mut self) {
        self.has_run = None;
        let long = "a".repeat(LONG);
        let level = |echo: &fuzz::Echo| echo.level().map(|_| 0);
        let refused = long.clone();
        let which = fuzz::Choice::Text(String::new());
        let node = fuzz::Node { name: String::new(), which, kids: Vec::new() };
        self.add(
            "user exception",
            move |echo| match echo.back_node(&node) {
                Err(fuzz::echo::BackNodeError::Refused(it)) => Ok(it.why.len()),
                Err(fuzz::echo::BackNodeError::System(it)) => Err(it),
                _ => Ok(0),
            },
            Box::new(move |id| {
                reply(id, ReplyStatus::UserException, &[], |writer| {
                    write::<String>(writer, "IDL:fuzz.zorb/Fuzz/Refused:1.0");
                    write::<String>(writer, &refused);
                    writer.write_u32(0);
                })
            }),
        );
        for status in [ReplyStatus::UserException, ReplyStatus::SystemException] {
            let long = long.clone();
            let answer = move |id| {
                reply(id, status, &[], |writer| {
                    write::<String>(writer, &long);
                    writer.write_u32(1);
                    writer.write_u32(1);
                })
            };
            self.add(&format!("unknown {status:?}"), level, Box::new(answer));
        }
        for (id, fill) in
            (0..17).chain([0x5a52_4206, 0x5a6f_0000, 999]).flat_map(|id| [(id, 0), (id, 1)])
        {
            let mut data = vec![fill; LONG];
            data[..4].copy_from_slice(&[ORDER.flag(), 0, 0, 0]);
            data[4..8].copy_from_slice(&(10 + 1000 * u32::from(fill)).to_ne_bytes());
            let answer = move |request| {
                let contexts = [ServiceContext::new(ServiceId(id), data.clone())];
                reply(request, ReplyStatus::NoException, &contexts, |writer| writer.write_i32(1))
            };
            self.add(&format!("context {id}, {fill}"), level, Box::new(answer));
        }
    }

    /// Forwards to long references.
    pub(super) fn forwards(&mut self, protocols: &ProtocolRegistry, port: u16) {
        self.has_run = Some(false);
        for (name, ior) in forwards(protocols, port) {
            let answer = move |id| {
                reply(id, ReplyStatus::LocationForward, &[], |writer| write::<Ior>(writer, &ior))
            };
            let level = |echo: &fuzz::Echo| echo.level().map(|_| 0);
            self.add(&format!("forward with {name}"), level, Box::new(answer.clone()));
            if name == CLOSED {
                // A pending call without memory to keep its arguments is not sent again then: it ends with TRANSIENT.
                continue;
            }
            let octets = vec![1; LONG];
            let pending = move |echo: &fuzz::Echo| pending(echo, &octets);
            self.add(&format!("forward of a pending call with {name}"), pending, Box::new(answer));
        }
    }
}
