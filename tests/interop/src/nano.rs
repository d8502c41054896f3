//! A part of `idl/interop.idl` by the small ORB, `zorb-nano`: the test object, and the interfaces `Basics`, `Texts` and `Lists`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use zorb_nano::{
    Client, CompletionStatus, Limits, Linux, Os, Reference, Result, Server, SystemException,
    SystemExceptionKind, Text, TypedReference as _, minor,
};

use self::idl::interop::{Basics, BasicsServant, BasicsSkeleton, Lists, Suite, SuiteServant};
use self::idl::interop::{SuiteSkeleton, Texts};
use crate::checks::Outcome;

/// Generated from `idl/small.idl`.
mod idl {
    include!(concat!(env!("OUT_DIR"), "/small.rs"));
}

/// Serves the test object until `is_done`, and passes its reference, of GIOP 1.`minor`, to `ready`.
///
/// # Errors
/// The server cannot listen.
pub fn serve(minor: u8, is_done: &AtomicBool, ready: impl FnOnce(String)) -> Result<()> {
    let any_port = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    let limits = Limits::DEFAULT;
    let mut server = Server::new(Linux::new(10), any_port.into(), limits)?;
    let at = |key: &str| format!("corbaloc:iiop:1.{minor}@{}/{key}", server.address());
    let (suite, basics) = (Reference::parse(&at("suite"))?, Reference::parse(&at("basics"))?);
    server.register(b"suite", Box::new(SuiteSkeleton(Tests { basics })))?;
    server.register(b"basics", Box::new(BasicsSkeleton(Echo)))?;
    let ior = suite.to_ior(Suite::ID)?;
    ready(ior.to_stringified().unwrap_or_default());
    while !is_done.load(Ordering::Acquire) {
        // Somebody has to look at the flag.
        let waited = server.perform_work(Some(Duration::from_millis(50)));
        waited.map_err(|_| failure(SystemExceptionKind::Internal))?;
    }
    server.close();
    Ok(())
}

fn failure(kind: SystemExceptionKind) -> SystemException {
    SystemException::new(kind, zorb_nano::MinorCode::NONE, CompletionStatus::No)
}

/// The test object.
struct Tests {
    basics: Reference,
}

/// The peers' clients ask for all objects, also if they make only some checks.
macro_rules! others {
    ($($attribute:ident),*) => {
        $(
            fn $attribute(&mut self) -> Result<Option<Reference>> {
                Ok(Some(self.basics.clone()))
            }
        )*
    };
}

impl SuiteServant for Tests {
    fn peer(&mut self) -> Result<Text<'_>> {
        Ok("zorb".into())
    }

    fn basic_types(&mut self) -> Result<Option<Basics>> {
        Ok(Some(Basics(self.basics.clone())))
    }

    fn text_types(&mut self) -> Result<Option<Texts>> {
        Ok(Some(Texts(self.basics.clone())))
    }

    fn list_types(&mut self) -> Result<Option<Lists>> {
        Ok(Some(Lists(self.basics.clone())))
    }

    others! {
        wide_types, record_types, array_types, union_types, recursive_types, name_tests, macro_tests, fault_tests,
        guarded_attributes, reference_tests, any_tests, constant_tests, decimal_types, long_double_types, type_tests,
        wide_text_types, dynamic_tests, context_tests, valued_tests, new_events
    }

    fn new_settings(&mut self, _label: Text<'_>) -> Result<Option<Reference>> {
        self.new_events()
    }

    fn shutdown(&mut self) {}
}

struct Echo;

/// Results of `T echo(in T a, inout T b, out T c)`.
macro_rules! echoes {
    ($($operation:ident: $type:ty),*) => {
        $(
            fn $operation(&mut self, a: $type, b: $type) -> Result<($type, $type, $type)> {
                Ok((a, a, b))
            }
        )*
    };
}

impl BasicsServant for Echo {
    echoes! {
        echo_boolean: bool, echo_char: char, echo_octet: u8, echo_short: i16, echo_ushort: u16, echo_long: i32,
        echo_ulong: u32, echo_longlong: i64, echo_ulonglong: u64, echo_float: f32, echo_double: f64, echo_count: i32
    }

    fn nothing(&mut self) -> Result<()> {
        Ok(())
    }

    fn mixed(
        &mut self,
        a: u8,
        c: i16,
        d: Text<'_>,
        flip: bool,
    ) -> Result<(i32, f64, i16, i64, bool)> {
        Ok((42, f64::from(a) * 1.5, c.wrapping_neg(), d.chars().count() as i64, !flip))
    }
}

/// Makes the checks of `Basics`, of text and sequences, and of the protocol, with a server of `idl/interop.idl`; then tells
/// it to end.
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
    let suite = Suite(Reference::parse(suite)?);
    let nil = failure(SystemExceptionKind::InvObjref);
    let basics = suite.basic_types(client)?.ok_or(nil)?;
    let texts = suite.text_types(client)?.ok_or(nil)?;
    let lists = suite.list_types(client)?.ok_or(nil)?;
    let mut check = |name: &str, result: Result<bool>| {
        let result = match result {
            Ok(true) => Ok(()),
            other => Err(format!("{other:?}")),
        };
        outcomes.push(Outcome { name: name.to_owned(), result });
    };
    macro_rules! echoes {
        ($($name:literal $operation:ident $values:expr),* $(,)?) => {
            $(check($name, echoes(client, |it, a, b| basics.$operation(it, a, b), &$values));)*
        };
    }
    echoes! {
        "basics/boolean" echo_boolean [true, false],
        "basics/char" echo_char ['a', '~', '\n'],
        "basics/octet" echo_octet [0, 127, 255],
        "basics/short" echo_short [i16::MIN, 1],
        "basics/ushort" echo_ushort [0, u16::MAX],
        "basics/long" echo_long [i32::MIN, 0x0123_4567],
        "basics/ulong" echo_ulong [0, u32::MAX],
        "basics/longlong" echo_longlong [i64::MIN, 7],
        "basics/ulonglong" echo_ulonglong [u64::MAX, 7],
        "basics/float" echo_float [-0.0, f32::MAX],
        "basics/double" echo_double [1.5, f64::INFINITY],
    }
    check("basics/nothing", basics.nothing(client).map(|()| true));
    let mixed = basics.mixed(client, 7, -3, "abcde", true);
    check("basics/mixed", mixed.map(|results| results == (42, 10.5, 3, 5, false)));
    // In ASCII: the small ORB negotiates no code sets, and JacORB then returns other characters changed.
    let echoed = texts.echo_string(client, "one", "two");
    check("texts/string", echoed.map(|(a, b, c)| a == "one" && b == "one" && c == "two"));
    let repeated = texts.repeat(client, "ab", 3);
    check("texts/repeat", repeated.map(|text| text == "ababab"));
    let echoed = lists.echo_blob(client, &[1, 255], &[]);
    check("lists/blob", echoed.map(|(a, b, c)| a == [1, 255] && b == [1, 255] && c.is_empty()));
    let echoed = lists.echo_longs(client, &[-1, 7], &[5]);
    let is_right =
        echoed.map(|(a, b, c)| a.iter().eq([-1, 7]) && b.iter().eq([-1, 7]) && c.iter().eq([5]));
    check("lists/longs", is_right);
    let echoed = lists.echo_doubles(client, &[0.5], &[]);
    let is_right = echoed.map(|(a, b, c)| a.iter().eq([0.5]) && b.iter().eq([0.5]) && c.is_empty());
    check("lists/doubles", is_right);
    check("protocol/locate", client.locate(&basics.0).map(|found| found.is_some()));
    let is_a = client.call(&basics.0, "_is_a", &mut |arguments| arguments.write_str(Basics::ID));
    check("protocol/is_a", is_a.and_then(|mut reply| reply.results()?.read::<bool>()));
    let unknown = client.call(&basics.0, "no_such_operation", &mut |_| Ok(())).map(|_| false);
    let is_right = |error: SystemException| error.kind == SystemExceptionKind::BadOperation;
    check(
        "protocol/unknown_operation",
        unknown.or_else(|error| match is_right(error) {
            true => Ok(true),
            false => Err(error),
        }),
    );
    let refused = lists.echo_blob(client, &[0; 4096], &[]).err();
    let expected = minor::imp_limit::MESSAGE_TOO_LARGE;
    check("protocol/message_limit", Ok(refused.is_some_and(|error| error.minor == expected)));
    suite.shutdown(client)
}

/// Whether each value comes back, in the order that `Basics` specifies.
fn echoes<T: Copy + PartialEq, O: Os>(
    client: &mut Client<O>,
    call: impl Fn(&mut Client<O>, T, T) -> Result<(T, T, T)>,
    values: &[T],
) -> Result<bool> {
    for (a, b) in values.iter().zip(values.iter().rev()) {
        if call(client, *a, *b)? != (*a, *a, *b) {
            return Ok(false);
        }
    }
    Ok(true)
}
