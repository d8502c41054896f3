//! The captured replies, sent to the small ORB's client: it must make of them what the recordings show.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::{Map, Value as Json, json};
use zorb_cdr::ByteOrder;
use zorb_giop::{
    CodeSetContext, GiopVersion, HEADER_SIZE, MessageFormat, MessageHeader, MessageKind,
};
use zorb_nano::{
    Client, CompletionStatus, Limits, Linux, Reader, Reference, Reply, SystemException,
    SystemExceptionKind, minor,
};
use zorb_wire_tests::capture::vec::{Bad, Color, Person, Prims};

use crate::any::same;
use crate::shown::{Shown, Wide};
use crate::vector::{Scenario, Vector};

/// Sends the replies of each scenario whose types the small ORB has. How many were compared.
pub(crate) fn replay(
    scenarios: &[Scenario],
    groups: &HashMap<String, CodeSetContext>,
) -> Result<usize, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let (answers, to_send) = channel();
    std::thread::spawn(move || answer(&listener, &to_send));
    let mut compared = 0;
    // Its client asks for no other code set than ISO 8859-1.
    let has_other_text = |scenario: &Scenario| {
        let sets = groups.get(scenario.group()).copied().unwrap_or(CodeSetContext::DEFAULT);
        let is_other = sets.char_data != CodeSetContext::DEFAULT.char_data;
        scenario.id.ends_with("_utf8") || scenario.id.ends_with("_latin1") && is_other
    };
    let usable = scenarios.iter().filter(|scenario| !has_other_text(scenario));
    for vector in usable.flat_map(|scenario| &scenario.vectors) {
        if !vector.from_client {
            let outcome = check(vector, address, &answers);
            compared += usize::from(outcome.map_err(|why| format!("{}: {why}", vector.id))?);
        }
    }
    Ok(compared)
}

/// Answers each client's request with the next message, and closes the connection.
fn answer(listener: &TcpListener, answers: &Receiver<Vec<u8>>) {
    for answer in answers {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // A client that has gone has failed its check.
        let _ = take_request(&mut stream).and_then(|()| stream.write_all(&answer));
    }
}

fn take_request(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut header = [0; HEADER_SIZE];
    stream.read_exact(&mut header)?;
    let header = MessageHeader::parse(&header).map_err(std::io::Error::other)?;
    stream.read_exact(&mut vec![0; header.size as usize])
}

/// Calls the operation of a reply and compares what comes of it. Whether the small ORB knows its types.
fn check(vector: &Vector, address: SocketAddr, answers: &Sender<Vec<u8>>) -> Result<bool, String> {
    let Ok(Some(header)) = MessageHeader::parse_prefix(&vector.octets) else { return Ok(false) };
    let recorded = vector.header.as_ref().filter(|_| header.kind == MessageKind::Reply);
    let (Some(recorded), Some(octets)) = (recorded, with_first_id(&vector.octets, &header)) else {
        return Ok(false);
    };
    let operation = recorded["operation"].as_str().unwrap_or_default();
    let status = recorded["reply_status"].as_str().unwrap_or_default();
    let Some(results) = results_of(operation) else { return Ok(false) };
    if status.starts_with("LOCATION") {
        return Ok(false);
    }
    // A connection takes only whole messages.
    let is_fragmented = header.more_fragments;
    answers.send(octets).map_err(|_| "the server has ended")?;
    let version = header.version;
    let url = format!("corbaloc:iiop:{version}@{address}/vec");
    let target = Reference::parse(&url).map_err(|error| format!("{error:?}"))?;
    let limits = Limits::DEFAULT.max_message_size(64 << 10).max_connections(1);
    let mut client = Client::new(Linux::new(1), limits);
    let outcome = client.call(&target, operation, &mut |_| Ok(()));
    if is_fragmented {
        let kind = outcome.err().map(|error| error.kind);
        let refused = kind == Some(SystemExceptionKind::CommFailure);
        return if refused { Ok(true) } else { Err(format!("fragments: {kind:?}")) };
    }
    let wide = if version == GiopVersion::V1_2 { Wide::Text } else { Wide::Units };
    let shown = match (status, outcome) {
        ("SYSTEM_EXCEPTION", Err(error)) => exception(&error),
        ("NEEDS_ADDRESSING_MODE", Err(error)) => {
            let refused = error.kind == SystemExceptionKind::InvObjref;
            return if refused { Ok(true) } else { Err(format!("{error:?}")) };
        }
        (_, Ok(reply)) => show(reply, results, wide).map_err(|error| format!("{error:?}"))?,
        (status, Err(error)) => return Err(format!("{status} becomes {error:?}")),
    };
    let Some(expected) = vector.body.clone().map(known_exception) else { return Ok(false) };
    match same(&expected, &shown) {
        true => Ok(true),
        false => Err(format!("captured {expected}, ours {shown}")),
    }
}

/// The message with the id of a client's first request.
fn with_first_id(octets: &[u8], header: &MessageHeader) -> Option<Vec<u8>> {
    let at = match header.version {
        GiopVersion::V1_2 => HEADER_SIZE,
        version => {
            let reply = MessageFormat::Giop(version).read_reply_start(octets, header).ok()?;
            // The id and the status are before the body.
            reply.body_start.checked_sub(8)?
        }
    };
    let mut octets = octets.to_vec();
    octets.get_mut(at..at + 4)?.copy_from_slice(&match header.order {
        ByteOrder::Little => 1_u32.to_le_bytes(),
        ByteOrder::Big => 1_u32.to_be_bytes(),
    });
    Some(octets)
}

/// An exception of no standard becomes `UNKNOWN`.
fn known_exception(mut body: Json) -> Json {
    let id = body["exception"].as_str().unwrap_or_default();
    let is_of_system = body.get("completed").is_some();
    if is_of_system && SystemExceptionKind::from_repository_id(id).is_none() {
        body["exception"] = json!(SystemExceptionKind::Unknown.repository_id());
        body["minor"] = json!(minor::unknown::UNKNOWN_SYSTEM_EXCEPTION.0);
    }
    body
}

fn exception(error: &SystemException) -> Json {
    let completed = match error.completed {
        CompletionStatus::Yes => "YES",
        CompletionStatus::No => "NO",
        CompletionStatus::Maybe => "MAYBE",
    };
    let id = error.kind.repository_id();
    json!({ "exception": id, "minor": error.minor.0, "completed": completed })
}

fn show(mut reply: Reply<'_>, results: Results, wide: Wide) -> Result<Json, SystemException> {
    let mut shown = Map::new();
    if let Some(members) = reply.exception() {
        let id = members.read::<String>()?;
        if id == "IDL:vec.test/Vec/Bad:1.0"
            && let Json::Object(members) = Bad::show(&members.read::<Bad>()?, wide)
        {
            shown = members;
        }
        shown.insert("exception".to_owned(), json!(id));
        members.end()?;
        return Ok(Json::Object(shown));
    }
    let reader = reply.results()?;
    results(&mut shown, reader, wide)?;
    reader.end()?;
    Ok(Json::Object(shown))
}

/// Reads the results of an operation.
type Results = fn(&mut Map<String, Json>, &mut Reader<'_>, Wide) -> Result<(), SystemException>;

/// Text is read without a copy, as generated code does.
fn text(reader: &mut Reader<'_>, bound: u32) -> Result<Json, SystemException> {
    Ok(json!(reader.read_text(bound)?.chars().collect::<String>()))
}

macro_rules! results {
    ($($operation:literal $(=> $($name:literal: $type:ty),+)?;)*) => {
        /// How to read the results of an operation; `None` if the small ORB lacks their types.
        fn results_of(operation: &str) -> Option<Results> {
            Some(match operation {
                $($operation => |_shown, _reader, _wide| {
                    $($({
                        let value = _reader.read::<$type>()?;
                        _shown.insert($name.to_owned(), <$type>::show(&value, _wide));
                    })+)?
                    Ok(())
                },)*
                "_get_name" => |shown, reader, _| {
                    shown.insert("return".to_owned(), text(reader, u32::MAX)?);
                    Ok(())
                },
                "op_string" => |shown, reader, _| {
                    for name in ["return", "b", "c"] {
                        shown.insert(name.to_owned(), text(reader, u32::MAX)?);
                    }
                    Ok(())
                },
                "op_bstring" => |shown, reader, _| {
                    shown.insert("return".to_owned(), text(reader, 8)?);
                    Ok(())
                },
                "op_octets" => |shown, reader, _| {
                    let octets = reader.read_octets(u32::MAX)?;
                    shown.insert("return".to_owned(), json!(crate::vector::hex(octets)));
                    Ok(())
                },
                _ => return None,
            })
        }
    };
}

results! {
    "ping";
    "_get_level" => "return": i32;
    "_set_level";
    "op_octet" => "return": u8, "b": u8, "c": u8;
    "op_boolean" => "return": bool;
    "op_char" => "return": char;
    "op_short" => "return": i16, "b": i16, "c": i16;
    "op_long" => "return": i32, "b": i32, "c": i32;
    "op_longlong" => "return": i64;
    "op_float" => "return": f32;
    "op_double" => "return": f64;
    "op_enum" => "return": Color;
    "op_prims" => "return": Prims;
    "op_person" => "return": Person;
    "op_longs" => "return": Vec<i32>;
    "op_doubles" => "return": Vec<f64>;
    "op_strings" => "return": Vec<String>;
    "op_persons" => "return": Vec<Person>;
    "op_shorts4" => "return": zorb_cdr::Bounded<Vec<i16>, 4>;
    "op_nested" => "return": Vec<Vec<i32>>;
    "op_matrix" => "return": [[i32; 3]; 2];
    "op_bad";
    "op_empty";
    "op_sysex";
    "_is_a" => "return": bool;
    "_non_existent" => "return": bool;
}
