//! A part of `idl/interop.idl` by the small ORB, `zorb-nano`: the test object, and the interface `Basics`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_nano::{
    Answer, Client, CompletionStatus, Interface, Limits, Linear, Linux, Os, Reader, Reference,
    Servant, Server, SystemException, SystemExceptionKind, Wire, Writer, minor,
};

use crate::checks::Outcome;

const SUITE: &str = "IDL:zorb.test/Interop/Suite:1.0";
const BASICS: &str = "IDL:zorb.test/Interop/Basics:1.0";

type Result<T> = std::result::Result<T, SystemException>;

/// Serves the test object until `is_done`, and passes its reference, of GIOP 1.`minor`, to `ready`.
///
/// # Errors
/// The server cannot listen.
pub fn serve(minor: u8, is_done: &AtomicBool, ready: impl FnOnce(String)) -> Result<()> {
    let any_port = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let limits = Limits::DEFAULT;
    let mut server = Server::new(Linux::new(10), any_port, limits)?;
    let at = |key: &str| format!("corbaloc:iiop:1.{minor}@{}/{key}", server.address());
    let (suite, basics) = (Reference::parse(&at("suite"))?, Reference::parse(&at("basics"))?);
    server.register(b"suite", Box::new(Suite { basics }))?;
    server.register(b"basics", Box::new(Basics))?;
    let ior = suite.to_ior(SUITE)?;
    ready(ior.to_stringified().unwrap_or_default());
    while !is_done.load(Ordering::Acquire) {
        // Somebody has to look at the flag.
        let waited = server.turn(Some(Duration::from_millis(50)));
        waited.map_err(|_| failure(SystemExceptionKind::Internal))?;
    }
    server.close();
    Ok(())
}

fn failure(kind: SystemExceptionKind) -> SystemException {
    SystemException::new(kind, zorb_nano::MinorCode::NONE, CompletionStatus::No)
}

struct Suite {
    basics: Reference,
}

/// The attributes, and the operations that return objects.
static SUITE_INTERFACE: Interface = Interface {
    ids: &[SUITE],
    operations: &Linear(&[
        "_get_peer",
        "shutdown",
        "_get_basic_types",
        "_get_text_types",
        "_get_wide_types",
        "_get_record_types",
        "_get_list_types",
        "_get_array_types",
        "_get_union_types",
        "_get_recursive_types",
        "_get_name_tests",
        "_get_macro_tests",
        "_get_fault_tests",
        "_get_guarded_attributes",
        "_get_reference_tests",
        "_get_any_tests",
        "_get_constant_tests",
        "_get_decimal_types",
        "_get_long_double_types",
        "_get_type_tests",
        "_get_wide_text_types",
        "_get_dynamic_tests",
        "_get_context_tests",
        "_get_valued_tests",
        "new_settings",
        "new_events",
    ]),
};

impl Servant for Suite {
    fn interface(&self) -> &'static Interface {
        &SUITE_INTERFACE
    }

    fn invoke(
        &mut self,
        operation: usize,
        _arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer> {
        match operation {
            0 => results.write_str("zorb")?,
            1 => {}
            2 => results.write_reference(&self.basics, BASICS)?,
            // The peers' clients ask for all objects, also if they make only some checks.
            _ => results.write_reference(&self.basics, "")?,
        }
        Ok(Answer::Results)
    }
}

struct Basics;

static BASICS_INTERFACE: Interface = Interface {
    ids: &[BASICS],
    operations: &Linear(&[
        "nothing",
        "mixed",
        "echo_boolean",
        "echo_char",
        "echo_octet",
        "echo_short",
        "echo_ushort",
        "echo_long",
        "echo_ulong",
        "echo_longlong",
        "echo_ulonglong",
        "echo_float",
        "echo_double",
        "echo_count",
    ]),
};

impl Servant for Basics {
    fn interface(&self) -> &'static Interface {
        &BASICS_INTERFACE
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer> {
        match operation {
            0 => arguments.end()?,
            1 => mixed(arguments, results)?,
            2 => echo::<bool>(arguments, results)?,
            3 => echo::<char>(arguments, results)?,
            4 => echo::<u8>(arguments, results)?,
            5 => echo::<i16>(arguments, results)?,
            6 => echo::<u16>(arguments, results)?,
            7 | 13 => echo::<i32>(arguments, results)?,
            8 => echo::<u32>(arguments, results)?,
            9 => echo::<i64>(arguments, results)?,
            10 => echo::<u64>(arguments, results)?,
            11 => echo::<f32>(arguments, results)?,
            _ => echo::<f64>(arguments, results)?,
        }
        Ok(Answer::Results)
    }
}

/// `T echo(in T a, inout T b, out T c)`.
fn echo<T: Wire>(arguments: &mut Reader<'_>, results: &mut Writer<'_>) -> Result<()> {
    let (a, b) = (arguments.read::<T>()?, arguments.read::<T>()?);
    arguments.end()?;
    results.write::<T>(T::view(&a))?;
    results.write::<T>(T::view(&a))?;
    results.write::<T>(T::view(&b))
}

/// `long mixed(in octet a, out double b, inout short c, in string d, out long long size, inout boolean flip)`.
fn mixed(arguments: &mut Reader<'_>, results: &mut Writer<'_>) -> Result<()> {
    let (a, c) = (arguments.read::<u8>()?, arguments.read::<i16>()?);
    let (d, flip) = (arguments.borrow::<String>()?, arguments.read::<bool>()?);
    arguments.end()?;
    results.write::<i32>(&42)?;
    results.write::<f64>(&(f64::from(a) * 1.5))?;
    results.write::<i16>(&c.wrapping_neg())?;
    results.write::<i64>(&(d.chars().count() as i64))?;
    results.write::<bool>(&!flip)
}

/// Makes the checks of `Basics`, and of the protocol, with a server of `idl/interop.idl`; then tells it to end.
pub fn check(suite: &str) -> Vec<Outcome> {
    let mut client = Client::new(Linux::new(8), Limits::DEFAULT.timeout(Duration::from_secs(300)));
    let mut outcomes = Vec::new();
    if let Err(error) = check_all(&mut client, suite, &mut outcomes) {
        outcomes.push(Outcome { name: "client".into(), result: Err(format!("{error:?}")) });
    }
    outcomes
}

fn check_all<O: Os>(
    client: &mut Client<O>,
    suite: &str,
    outcomes: &mut Vec<Outcome>,
) -> Result<()> {
    let suite = Reference::parse(suite)?;
    let mut reply = client.call(&suite, "_get_basic_types", &mut |_| Ok(()))?;
    let basics = reply.results()?.read_reference()?;
    let basics = basics.ok_or(failure(SystemExceptionKind::InvObjref))?;
    let mut check = |name: &str, result: Result<bool>| {
        let result = match result {
            Ok(true) => Ok(()),
            other => Err(format!("{other:?}")),
        };
        outcomes.push(Outcome { name: name.to_owned(), result });
    };
    check("basics/boolean", echoes::<bool, _>(client, &basics, "echo_boolean", &[true, false]));
    check("basics/char", echoes::<char, _>(client, &basics, "echo_char", &['a', '~', '\n']));
    check("basics/octet", echoes::<u8, _>(client, &basics, "echo_octet", &[0, 127, 255]));
    check("basics/short", echoes::<i16, _>(client, &basics, "echo_short", &[i16::MIN, 1]));
    check("basics/ushort", echoes::<u16, _>(client, &basics, "echo_ushort", &[0, u16::MAX]));
    check("basics/long", echoes::<i32, _>(client, &basics, "echo_long", &[i32::MIN, 0x0123_4567]));
    check("basics/ulong", echoes::<u32, _>(client, &basics, "echo_ulong", &[0, u32::MAX]));
    check("basics/longlong", echoes::<i64, _>(client, &basics, "echo_longlong", &[i64::MIN, 7]));
    check("basics/ulonglong", echoes::<u64, _>(client, &basics, "echo_ulonglong", &[u64::MAX, 7]));
    check("basics/float", echoes::<f32, _>(client, &basics, "echo_float", &[-0.0, f32::MAX]));
    check("basics/double", echoes::<f64, _>(client, &basics, "echo_double", &[1.5, f64::INFINITY]));
    check("basics/nothing", client.call(&basics, "nothing", &mut |_| Ok(())).map(|_| true));
    check("basics/mixed", check_mixed(client, &basics));
    check("protocol/locate", client.locate(&basics).map(|found| found.is_some()));
    let is_a = client.call(&basics, "_is_a", &mut |arguments| arguments.write_str(BASICS));
    check("protocol/is_a", is_a.and_then(|mut reply| reply.results()?.read::<bool>()));
    let unknown = client.call(&basics, "no_such_operation", &mut |_| Ok(())).map(|_| false);
    let is_right = |error: SystemException| error.kind == SystemExceptionKind::BadOperation;
    check(
        "protocol/unknown_operation",
        unknown.or_else(|error| match is_right(error) {
            true => Ok(true),
            false => Err(error),
        }),
    );
    let large = vec![0; 4096];
    let refused = client.call(&basics, "echo_octet", &mut |it| it.write_octets(&large)).err();
    let expected = minor::imp_limit::MESSAGE_TOO_LARGE;
    check("protocol/message_limit", Ok(refused.is_some_and(|error| error.minor == expected)));
    client.send(&suite, "shutdown", &mut |_| Ok(()))
}

/// Whether each value comes back, in the order that `Basics` specifies.
fn echoes<T, O: Os>(
    client: &mut Client<O>,
    basics: &Reference,
    operation: &str,
    values: &[T::Value],
) -> Result<bool>
where
    T: Wire,
    T::Value: PartialEq,
{
    for (a, b) in values.iter().zip(values.iter().rev()) {
        let mut reply = client.call(basics, operation, &mut |arguments| {
            arguments.write::<T>(T::view(a))?;
            arguments.write::<T>(T::view(b))
        })?;
        let results = reply.results()?;
        let echoed = [results.read::<T>()?, results.read::<T>()?, results.read::<T>()?];
        results.end()?;
        if echoed.iter().ne([a, a, b]) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn check_mixed<O: Os>(client: &mut Client<O>, basics: &Reference) -> Result<bool> {
    let mut reply = client.call(basics, "mixed", &mut |arguments| {
        arguments.write::<u8>(&7)?;
        arguments.write::<i16>(&-3)?;
        arguments.write_str("abcde")?;
        arguments.write::<bool>(&true)
    })?;
    let results = reply.results()?;
    let is_right = results.read::<i32>()? == 42
        && results.read::<f64>()? == 10.5
        && results.read::<i16>()? == 3
        && results.read::<i64>()? == 5
        && !results.read::<bool>()?;
    results.end()?;
    Ok(is_right)
}
