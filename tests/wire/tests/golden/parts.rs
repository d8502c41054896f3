//! Requests and replies in GIOP 1.1 fragments, with numbers aligned as the standard says and as omniORB does, and
//! messages with octets behind their last value: through skeletons, stubs, anys and dynamic calls.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use zorb::dynamic::{Dynamic, DynamicServant, Mode, NamedValue, Request, ServerRequest};
use zorb::poa::ObjectId;
use zorb::{Interface, ObjectRef, Orb};
use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, Wire};
use zorb_giop::{
    GiopVersion, HEADER_SIZE, Inbound, Limits, MessageHeader, MessageKind, MessageWriter,
    ReplyHeader, ReplyStatus, RequestHeader, RequestStart, ResponseFlags, TargetAddress,
};
use zorb_types::{Any, Typed, minor};
use zorb_wire_tests::capture::vec::test::OpBadError;
use zorb_wire_tests::capture::vec::{Bad, Test};

use crate::server::Server;

type Checked<T = ()> = Result<T, Box<dyn std::error::Error>>;

const VERSION: GiopVersion = GiopVersion::V1_1;
const NUMBERS: [f64; 4] = [1.5, -2.25, 1e300, 4.75];
/// The octets of the numbers that are in the second fragment.
const IN_SECOND: usize = 16;

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Whole,
    /// The numbers are aligned once, and continue in the fragment.
    Once,
    /// The numbers are aligned in the fragment.
    PerPart,
    /// Four octets follow the last value, which are no context.
    Extra,
}

const FORMS: [Form; 4] = [Form::Whole, Form::Once, Form::PerPart, Form::Extra];

fn sent(message: &[u8], form: Form) -> Checked<Vec<u8>> {
    let header = MessageHeader::parse_prefix(message)?.ok_or("no header")?;
    let padding: &[u8] = match form {
        Form::Whole => return Ok(message.to_vec()),
        Form::Extra => {
            let size = header.size + 4;
            let header = MessageHeader { size, ..header }.to_octets();
            return Ok([&header[..], &message[HEADER_SIZE..], &[0xff; 4]].concat());
        }
        Form::Once => &[],
        Form::PerPart => &[0xaa; 4],
    };
    let (first, second) = message.split_at(message.len() - IN_SECOND);
    let part = |kind, octets: usize, more_fragments| -> Checked<[u8; HEADER_SIZE]> {
        let size = u32::try_from(octets)?;
        Ok(MessageHeader { kind, size, more_fragments, ..header }.to_octets())
    };
    Ok([
        &part(header.kind, first.len() - HEADER_SIZE, true)?[..],
        &first[HEADER_SIZE..],
        &part(MessageKind::Fragment, padding.len() + second.len(), false)?,
        padding,
        second,
    ]
    .concat())
}

/// The time for an answer, after which a server counts as one that does not answer.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

fn receive(stream: &mut TcpStream) -> Checked<(MessageHeader, Vec<u8>)> {
    let mut inbound = Inbound::new(Limits::default());
    loop {
        if let Some(header) = inbound.poll()? {
            return Ok((header, inbound.take(Vec::new()).message().to_vec()));
        }
        let count = stream.read(inbound.space())?;
        if count == 0 {
            return Err("the connection has ended".into());
        }
        inbound.advance(count);
    }
}

/// Whether the exception of a reply says that octets were left behind the last value.
fn is_extra(exception: &zorb::SystemException) -> bool {
    exception.minor == minor::marshal::EXTRA_OCTETS
}

/// All checks.
pub(crate) fn check() -> Checked {
    let server = Server::start(false)?;
    for form in FORMS {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let told = |error| format!("{form:?}, {order:?}: {error}");
            skeleton(&server, form, order).map_err(told)?;
            dynamic_skeleton(form, order).map_err(told)?;
        }
    }
    for form in FORMS {
        for allows in [false, true] {
            let told = |error| format!("{form:?}, extra octets allowed: {allows}: {error}");
            stub(form, allows).map_err(told)?;
        }
    }
    Ok(())
}

/// Sends a sequence of doubles and an any of one to a servant, which returns them.
fn skeleton(server: &Server, form: Form, order: ByteOrder) -> Checked {
    returned::<Vec<f64>>(server, "op_doubles", &NUMBERS.to_vec(), form, order)?;
    let any = Any::new::<Vec<f64>>(&NUMBERS)?;
    returned::<Any>(server, "op_any", &any, form, order)
}

fn returned<T>(
    server: &Server,
    operation: &str,
    value: &T::Value,
    form: Form,
    order: ByteOrder,
) -> Checked
where
    T: Wire<Value: PartialEq + std::fmt::Debug>,
{
    let key = Server::key_for(b"vec").ok_or("no key")?;
    let value = (T::view(value), value);
    returned_by::<T>(&server.address, key, operation, value, &[], form, order)
}

/// As [`returned`], by the object with this key, with a context of these pairs behind the argument.
fn returned_by<T>(
    (host, port): &(String, u16),
    key: &[u8],
    operation: &str,
    (view, value): (&T::View, &T::Value),
    context: &[String],
    form: Form,
    order: ByteOrder,
) -> Checked
where
    T: Wire<Value: PartialEq + std::fmt::Debug>,
{
    let mut octets = Vec::new();
    let start = RequestStart {
        request_id: 2,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    };
    let mut message = MessageWriter::request(&mut octets, VERSION, order, &start)?;
    let mut writer = message.body(Default::default());
    T::write(view, &mut writer)?;
    if !context.is_empty() {
        <Vec<String>>::write(context, &mut writer)?;
    }
    drop(writer);
    message.finish()?;
    let mut stream = TcpStream::connect((host.as_str(), *port))?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.write_all(&sent(&octets, form)?)?;
    let (header, reply) = receive(&mut stream)?;
    let (reply, mut body) = ReplyHeader::read(&reply, &header)?;
    if form == Form::Extra {
        let exception = zorb::SystemException::read(&mut body)?;
        return if is_extra(&exception) { Ok(()) } else { Err(exception.into()) };
    }
    if reply.status != ReplyStatus::NoException {
        return Err(format!("{:?}", reply.status).into());
    }
    let read = T::read(&mut body)?;
    match read == *value && body.remaining() == 0 {
        true => Ok(()),
        false => Err(format!("{operation} returns {read:?}").into()),
    }
}

/// Returns its argument, a sequence of doubles.
struct Doubles;

impl DynamicServant for Doubles {
    fn primary_interface(&self, _: &ObjectId) -> Cow<'_, str> {
        "IDL:Doubles:1.0".into()
    }

    fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), zorb::SystemException> {
        let argument = NamedValue::typed("a", Mode::In, Vec::<f64>::type_code());
        let list = request.arguments(vec![argument])?;
        let value = list.first().and_then(|argument| argument.value.clone());
        let contexts = request.context()?.len();
        assert!(contexts == 0 || contexts == 2, "{contexts}");
        value.map_or(Ok(()), |value| request.set_result(value))
    }
}

/// As [`skeleton`], to a dynamic servant, without and with a context.
fn dynamic_skeleton(form: Form, order: ByteOrder) -> Checked {
    let orb = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build()?;
    let object: ObjectRef = orb.root_poa().activate(Dynamic(Doubles))?;
    let profile = object.ior().iiop_profiles().next().ok_or("no IIOP profile")?;
    let address = (profile.host, profile.port);
    let numbers = (&NUMBERS[..], &NUMBERS.to_vec());
    let call = |context: &[String], form| {
        let key = &profile.object_key;
        returned_by::<Vec<f64>>(&address, key, "doubles", numbers, context, form, order)
    };
    call(&[], form)?;
    if form == Form::Whole {
        call(&["name".into(), "value".into()], form)?;
    }
    Ok(orb.shutdown(true)?)
}

/// Calls a server whose replies have this form.
fn stub(form: Form, allows: bool) -> Checked {
    let orb = Orb::builder().without_environment().allow_extra_octets(allows).build()?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("corbaloc:iiop:1.1@{}/test", listener.local_addr()?);
    let server =
        std::thread::spawn(move || serve(&listener, form).map_err(|error| error.to_string()));
    let test: Test = orb.resolve(&url)?;
    let called = (|| -> zorb::Result<()> {
        assert_eq!(test.op_doubles(&[])?, NUMBERS);
        let any = test.op_any(&Any::new::<i32>(&0)?)?;
        assert_eq!(any.get::<Vec<f64>>().as_deref(), Some(&NUMBERS[..]));
        Ok(())
    })();
    match called {
        Err(exception) if form == Form::Extra && !allows && is_extra(&exception) => {}
        Err(exception) => return Err(exception.into()),
        Ok(()) if form == Form::Extra && !allows => return Err("extra octets are ignored".into()),
        Ok(()) => {}
    }
    let raised = test.op_bad("why").unwrap_err();
    match raised {
        OpBadError::Bad(found) if form != Form::Extra || allows => assert_eq!(found, bad()),
        OpBadError::System(exception) if form == Form::Extra && is_extra(&exception) => {}
        raised => return Err(format!("{raised:?}").into()),
    }
    untyped(&test, form, allows)?;
    // Dynamic calls report extra octets instead.
    let none = Any::new::<Vec<f64>>(&[])?;
    let request = Request::new(test.as_object(), "op_doubles").input("a", none);
    let response =
        request.returns(Vec::<f64>::type_code()).invoke().map_err(|error| format!("{error:?}"))?;
    assert_eq!(response.result.get::<Vec<f64>>().as_deref(), Some(&NUMBERS[..]));
    assert_eq!(response.octets_left, if form == Form::Extra { 4 } else { 0 });
    // The connection ends, and then the server's wait for another one.
    orb.shutdown(true)?;
    TcpStream::connect(url.trim_start_matches("corbaloc:iiop:1.1@").trim_end_matches("/test"))?;
    Ok(server.join().map_err(|_| "the server panicked")??)
}

/// The exception that the server raises.
fn bad() -> Bad {
    Bad { why: "why".to_owned(), code: 42 }
}

/// Decodes replies whose types are known later.
fn untyped(test: &Test, form: Form, allows: bool) -> Checked {
    let call = |operation: &str| {
        let none = Any::new::<Vec<f64>>(&[])?;
        let request = Request::new(test.as_object(), operation).input("a", none);
        Ok::<_, Box<dyn std::error::Error>>(request.invoke_untyped()?)
    };
    let numbers = call("op_doubles")?.values(&[Vec::<f64>::type_code()]);
    let exception = call("op_bad")?.exception(&Bad::type_code());
    if form == Form::Extra && !allows {
        return match (&numbers, &exception) {
            (Err(numbers), Err(exception)) if is_extra(numbers) && is_extra(exception) => Ok(()),
            found => Err(format!("{found:?}").into()),
        };
    }
    let numbers = numbers?.pop().and_then(|any| any.get::<Vec<f64>>());
    assert_eq!(numbers.as_deref(), Some(&NUMBERS[..]));
    assert_eq!(exception?.get::<Bad>(), Some(bad()));
    Ok(())
}

/// Answers requests on one connection after another, until one ends without a request.
fn serve(listener: &TcpListener, form: Form) -> Checked {
    loop {
        let (mut stream, _) = listener.accept()?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        let mut requests = 0;
        while let Ok((header, message)) = receive(&mut stream) {
            let (request, _) = RequestHeader::read(&message, &header)?;
            let any =
                |writer: &mut CdrWriter<'_>| Any::write(&Any::new::<Vec<f64>>(&NUMBERS)?, writer);
            let doubles = |writer: &mut CdrWriter<'_>| <Vec<f64>>::write(&NUMBERS, writer);
            let exception = |writer: &mut CdrWriter<'_>| {
                String::write(Bad::type_code().id(), writer)?;
                Bad::write(&bad(), writer)
            };
            let yes = |writer: &mut CdrWriter<'_>| bool::write(&true, writer);
            let answer: &dyn Fn(&mut CdrWriter<'_>) -> CdrResult<()> = match &*request.operation {
                "_is_a" => &yes,
                "op_bad" => &exception,
                "op_any" => &any,
                _ => &doubles,
            };
            // Only runs of numbers have padding in fragments.
            let (form, status) = match (&*request.operation, form) {
                ("_is_a", _) => (Form::Whole, ReplyStatus::NoException),
                ("op_bad", Form::Extra) => (form, ReplyStatus::UserException),
                ("op_bad", _) => (Form::Whole, ReplyStatus::UserException),
                _ => (form, ReplyStatus::NoException),
            };
            let mut octets = Vec::new();
            let id = request.request_id;
            let mut reply =
                MessageWriter::reply(&mut octets, VERSION, header.order, id, status, &[])?;
            answer(&mut reply.body(Default::default()))?;
            reply.finish()?;
            stream.write_all(&sent(&octets, form)?)?;
            requests += 1;
        }
        if requests == 0 {
            return Ok(());
        }
    }
}
