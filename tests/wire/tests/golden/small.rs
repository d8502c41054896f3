//! The captured requests, sent to the small ORB's server: those of operations whose types it has.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use zorb_nano::{
    Address, Answer, CompletionStatus, Interface, Limits, Linear, Linux, MinorCode, Reader,
    Servant, Server as Small, SystemException, SystemExceptionKind, Writer,
};
use zorb_wire_tests::capture::vec::{Color, LongSeq, Matrix, Person, Prims};

use crate::server::Server;
use crate::vector::Scenario;

/// How often the server looks for the end.
const WAIT: Duration = Duration::from_millis(5);

const OPERATIONS: &[&str] = &[
    "ping",
    "fire",
    "_get_name",
    "_get_level",
    "_set_level",
    "op_octet",
    "op_boolean",
    "op_char",
    "op_short",
    "op_long",
    "op_longlong",
    "op_float",
    "op_double",
    "op_string",
    "op_bstring",
    "op_enum",
    "op_prims",
    "op_person",
    "op_octets",
    "op_longs",
    "op_doubles",
    "op_strings",
    "op_persons",
    "op_shorts4",
    "op_nested",
    "op_matrix",
    "op_bad",
    "op_empty",
    "op_sysex",
];

static TEST: Interface =
    Interface { ids: &["IDL:vec.test/Vec/Test:1.0"], operations: &Linear(OPERATIONS) };

/// Whether a scenario consists of requests of such operations, in whole messages.
pub(crate) fn is_served(scenario: &Scenario) -> bool {
    let operations = scenario.vectors.iter().filter(|vector| vector.from_client).map(|vector| {
        let header = vector.header.as_ref()?;
        match header["message_type"].as_str()? {
            "Request" if header["more_fragments"] == false => header["operation"].as_str(),
            "LocateRequest" => Some("ping"),
            _ => None,
        }
    });
    let known = |name| OPERATIONS.contains(&name) || ["_is_a", "_non_existent"].contains(&name);
    matches!(scenario.folder(), "omniorb-le" | "jacorb-be" | "mixed")
        // Its server has one code set.
        && !scenario.id.ends_with("_utf8")
        && operations.clone().count() > 0
        && operations.into_iter().all(|operation| operation.is_some_and(known))
}

/// Calls `body` with the address of a server.
pub(crate) fn beside_server<T>(body: impl FnOnce(&(String, u16)) -> T) -> Result<T, String> {
    let is_done = AtomicBool::new(false);
    let (send, receive) = channel();
    std::thread::scope(|scope| {
        let is_done = &is_done;
        let server = scope.spawn(move || serve(is_done, &send));
        let address = receive.recv().map_err(|_| "the server does not start".to_owned());
        // A panic must not leave the server running: the scope waits for it.
        let body = std::panic::AssertUnwindSafe(|| address.map(|address| body(&address)));
        let done = std::panic::catch_unwind(body);
        is_done.store(true, Ordering::Release);
        let served = server.join().expect("a server").map_err(|error| format!("{error:?}"));
        let done = done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        served.map(|()| done)
    })
}

fn serve(is_done: &AtomicBool, ready: &Sender<(String, u16)>) -> Result<(), SystemException> {
    let limits = Limits::DEFAULT.max_message_size(64 << 10);
    let mut server = Small::new(Linux::new(10), "127.0.0.1:0".parse()?, limits)?;
    for captured in [&b"vec"[..], b"vecsrv/P/vec"] {
        let key = Server::key_for(captured).expect("a key");
        server.register(key, Box::new(Echo::default()))?;
    }
    let Address::Tcp(address) = server.address() else { return Ok(()) };
    // Without a receiver the test has failed.
    let _ = ready.send((address.ip().to_string(), address.port()));
    while !is_done.load(Ordering::Acquire) {
        server.perform_work(Some(WAIT)).expect("a system that can wait");
    }
    Ok(())
}

/// What the captured servers did.
#[derive(Debug, Default)]
struct Echo {
    level: i32,
}

impl Servant for Echo {
    fn interface(&self) -> &'static Interface {
        &TEST
    }

    fn invoke(
        &mut self,
        operation: usize,
        arguments: &mut Reader<'_>,
        results: &mut Writer<'_>,
    ) -> Result<Answer, SystemException> {
        match *OPERATIONS.get(operation).expect("an operation") {
            "ping" => {}
            "fire" => drop(arguments.read::<i32>()?),
            "_get_name" => results.write_str("vectors")?,
            "_get_level" => results.write::<i32>(&self.level)?,
            "_set_level" => self.level = arguments.read::<i32>()?,
            "op_octet" => {
                let (a, b) = (arguments.read::<u8>()?, arguments.read::<u8>()?);
                results.write::<[u8; 3]>(&[a.wrapping_add(1), a, b])?;
            }
            "op_short" => {
                let (a, b) = (arguments.read::<i16>()?, arguments.read::<i16>()?);
                results.write::<[i16; 3]>(&[a.wrapping_add(1), a, b])?;
            }
            "op_long" => {
                let (a, b) = (arguments.read::<i32>()?, arguments.read::<i32>()?);
                results.write::<[i32; 3]>(&[a.wrapping_add(1), a, b])?;
            }
            "op_boolean" => results.write::<bool>(&!arguments.read::<bool>()?)?,
            "op_char" => results.write::<char>(&arguments.read::<char>()?)?,
            "op_longlong" => {
                let (a, b) = (arguments.read::<i64>()?, arguments.read::<u64>()?);
                results.write::<i64>(&a.wrapping_add_unsigned(b))?;
            }
            "op_float" => results.write::<f32>(&arguments.read::<f32>()?)?,
            "op_double" => {
                arguments.read::<u8>()?;
                results.write::<f64>(&arguments.read::<f64>()?)?;
            }
            "op_string" => {
                let (a, b) = (arguments.read_text(u32::MAX)?, arguments.read_text(u32::MAX)?);
                [a, a, b].into_iter().try_for_each(|text| results.write_text(text, u32::MAX))?;
            }
            "op_bstring" => results.write_text(arguments.read_text(8)?, 8)?,
            "op_enum" => results.write::<Color>(&arguments.read::<Color>()?)?,
            "op_prims" => results.write::<Prims>(&arguments.read::<Prims>()?)?,
            "op_person" => write_person(&arguments.read::<Person>()?, results)?,
            "op_octets" => results.write_octets(arguments.read_octets(u32::MAX)?)?,
            "op_longs" => results.write_sequence::<i32>(&arguments.read::<Vec<i32>>()?)?,
            "op_doubles" => results.write_sequence::<f64>(&arguments.read::<Vec<f64>>()?)?,
            "op_shorts4" => results.write_sequence::<i16>(&arguments.read::<Vec<i16>>()?)?,
            "op_strings" => {
                let all = arguments.read::<Vec<String>>()?;
                results.write_count(all.len())?;
                all.iter().try_for_each(|text| results.write_str(text))?;
            }
            "op_persons" => {
                let all = arguments.read::<Vec<Person>>()?;
                results.write_count(all.len())?;
                all.iter().try_for_each(|person| write_person(person, results))?;
            }
            "op_nested" => {
                let all = arguments.read::<Vec<LongSeq>>()?;
                results.write_count(all.len())?;
                all.iter().try_for_each(|longs| results.write_sequence::<i32>(longs))?;
            }
            "op_matrix" => results.write::<Matrix>(&arguments.read::<Matrix>()?)?,
            "op_bad" => {
                let why = arguments.read_text(u32::MAX)?;
                results.write_str("IDL:vec.test/Vec/Bad:1.0")?;
                results.write_text(why, u32::MAX)?;
                results.write::<i32>(&42)?;
                return Ok(Answer::UserException);
            }
            "op_empty" => {
                results.write_str("IDL:vec.test/Vec/Empty:1.0")?;
                return Ok(Answer::UserException);
            }
            _ => {
                let kind = SystemExceptionKind::BadParam;
                let completed = CompletionStatus::Yes;
                return Err(SystemException::new(kind, MinorCode::omg(1), completed));
            }
        }
        arguments.end()?;
        Ok(Answer::Results)
    }
}

fn write_person(person: &Person, results: &mut Writer<'_>) -> Result<(), SystemException> {
    results.write_str(&person.name)?;
    results.write::<Color>(&person.favourite)?;
    results.write::<i32>(&person.age)
}
