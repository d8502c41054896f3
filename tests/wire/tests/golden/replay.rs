//! The captured requests, sent to a server over TCP: its replies must say what the captured
//! ones say.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value as Json, json};
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{
    CodeSetContext, GiopVersion, Inbound, Limits, MessageHeader, MessageKind, MessageWriter,
    RequestStart, ResponseFlags, TargetAddress, text_coding,
};

use crate::any::same;
use crate::exceptions::{Expected, expected_fault, is_unanswerable, own_answer};
use crate::message::{Content, Message, decode};
use crate::server::Server;
use crate::vector::{Scenario, Vector};

/// Where a server listens: host and port.
type Address = (String, u16);

/// A limit for what never takes long; only a hanging server reaches it.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Replays one scenario on a connection of its own. How many replies were compared.
pub(crate) fn replay(
    server: &Address,
    scenario: &Scenario,
    group: Option<CodeSetContext>,
) -> Result<usize, String> {
    let mut replayed = 0;
    if is_unanswerable(&scenario.id) {
        return Ok(replayed);
    }
    let mut client = Client::connect(server, scenario, group)?;
    let text = |error: std::io::Error| format!("{}: {error}", scenario.id);
    for vector in &scenario.vectors {
        if vector.from_client {
            client.send(vector).map_err(text)?;
            continue;
        }
        let Some(recorded) = vector.header.as_ref() else { continue };
        let id = recorded["request_id"].as_u64().and_then(|id| u32::try_from(id).ok());
        let is_reply =
            ["Reply", "LocateReply"].iter().any(|kind| recorded["message_type"] == *kind);
        let Some(id) = id.filter(|id| is_reply && client.asked.contains_key(id)) else { continue };
        let message = client.receive(id).map_err(text)?;
        let message =
            client.decode(&message).map_err(|fault| format!("{}: {fault:?}", vector.id))?;
        compare(vector, recorded, &message, &client)
            .map_err(|why| format!("{}: {why}", vector.id))?;
        replayed += 1;
    }
    // Replies come in order on an idle connection: none may have come to a oneway request.
    client.ping(u32::MAX - 1, None).map_err(text)?;
    let mut oneways = client.asked.iter().filter(|(_, asked)| asked.oneway);
    match oneways.find(|(id, _)| client.replies.contains_key(id)) {
        Some((id, _)) => Err(format!("{}: a reply to the oneway request {id}", scenario.id)),
        None => Ok(replayed),
    }
}

/// Sends the messages whose twelve first octets are wrong: each is answered with MessageError, and
/// the connection is closed.
pub(crate) fn bad_headers(server: &Address, scenarios: &[Scenario]) -> Result<usize, String> {
    let mut answered = 0;
    for vector in scenarios.iter().flat_map(|scenario| &scenario.vectors) {
        if matches!(expected_fault(&vector.id), Some(Expected::Protocol(_))) {
            refused(server, &vector.octets).map_err(|why| format!("{}: {why}", vector.id))?;
            answered += 1;
        }
    }
    Ok(answered)
}

fn refused(server: &Address, octets: &[u8]) -> Result<(), String> {
    let mut stream = connect(server).map_err(|error| error.to_string())?;
    let mut received = Vec::new();
    stream
        .write_all(octets)
        .and_then(|()| stream.read_to_end(&mut received))
        .map_err(|error| error.to_string())?;
    match MessageHeader::parse_prefix(&received) {
        Ok(Some(header)) if header.kind == MessageKind::MessageError && received.len() == 12 => {
            Ok(())
        }
        other => Err(format!("answered with {other:?}, {} octets", received.len())),
    }
}

fn connect(server: &Address) -> std::io::Result<TcpStream> {
    let (host, port) = server;
    let stream = TcpStream::connect((host.as_str(), *port))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Operations that the server's IDL leaves out, or that need another server.
fn is_unserved(operation: &str) -> bool {
    matches!(operation, "op_typecode" | "op_forward" | "op_money" | "op_measure" | "op_longdouble")
}

/// What a request was for.
struct Asked {
    operation: String,
    version: GiopVersion,
    /// Its first argument, where the reply does not show it.
    argument: Option<Json>,
    /// Whether it is not to be answered.
    oneway: bool,
}

struct Client {
    stream: TcpStream,
    inbound: Inbound,
    code_sets: Option<CodeSetContext>,
    asked: HashMap<u32, Asked>,
    replies: HashMap<u32, Vec<u8>>,
    /// The parts of a fragmented message sent so far.
    parts: Vec<u8>,
    /// Whether the parts belong to a message for another object.
    dropping: bool,
}

impl Client {
    fn connect(
        server: &Address,
        scenario: &Scenario,
        group: Option<CodeSetContext>,
    ) -> Result<Self, String> {
        let stream = connect(server).map_err(|error| error.to_string())?;
        let mut client = Self {
            stream,
            inbound: Inbound::new(Limits::default()),
            code_sets: group,
            asked: HashMap::new(),
            replies: HashMap::new(),
            parts: Vec::new(),
            dropping: false,
        };
        // Where the capture told the code sets in another scenario they are told first.
        let told = scenario.vectors.iter().any(|vector| {
            decode(&vector.octets, |_, _| TextCoding::default(), |_| None)
                .is_ok_and(|message| message.code_sets.is_some())
        });
        if let Some(sets) = group.filter(|_| !told) {
            client.ping(u32::MAX, Some(sets)).map_err(|error| error.to_string())?;
        }
        Ok(client)
    }

    /// A call of ping and its reply; it tells the code sets of the connection, if there are some.
    fn ping(&mut self, id: u32, sets: Option<CodeSetContext>) -> std::io::Result<()> {
        let contexts: Vec<_> =
            sets.map(|sets| sets.service_context(ByteOrder::Big)).into_iter().collect();
        let mut buffer = Vec::new();
        let start = RequestStart {
            request_id: id,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(Server::key_for(b"vec").unwrap_or_default()),
            operation: "ping",
            service_contexts: &contexts,
        };
        MessageWriter::request(&mut buffer, GiopVersion::V1_2, ByteOrder::Big, &start)
            .and_then(MessageWriter::finish)
            .map_err(std::io::Error::other)?;
        self.stream.write_all(&buffer)?;
        self.receive(id).map(drop)
    }

    /// Sends a captured message, if it is for an object of the server and of a covered type.
    fn send(&mut self, vector: &Vector) -> std::io::Result<()> {
        use MessageKind::{CloseConnection, LocateReply, MessageError, Reply};
        let Ok(message) = self.decode(&vector.octets) else { return Ok(()) };
        if matches!(message.header.kind, Reply | LocateReply | CloseConnection | MessageError) {
            return Ok(());
        }
        if message.header.kind == MessageKind::Fragment {
            return self.send_fragment(vector, &message);
        }
        self.code_sets = message.code_sets.or(self.code_sets);
        let key = message.key().map(|key| (key.to_vec(), Server::key_for(key)));
        let patched = match key {
            Some((_, None)) => None,
            Some((captured, Some(key))) => patched(&vector.octets, &message.header, &captured, key),
            None => Some(vector.octets.clone()),
        };
        let operation = message.operation.clone().unwrap_or_default();
        let covered = !is_unserved(&operation);
        let whole = !message.header.more_fragments;
        let patched =
            patched.filter(|_| covered && message.request_id.is_some() && !is_by_profile(&message));
        self.dropping = patched.is_none();
        let Some(octets) = patched else { return Ok(()) };
        if let Some(id) =
            message.request_id.filter(|_| message.header.kind != MessageKind::CancelRequest)
        {
            let argument = match &message.content {
                Content::Decoded(body) => body.shown.get("a").cloned(),
                _ => None,
            };
            let oneway = message.is_oneway();
            self.asked
                .insert(id, Asked { operation, version: message.header.version, argument, oneway });
        }
        self.stream.write_all(&octets)?;
        if !whole {
            self.parts = octets;
        }
        Ok(())
    }

    fn send_fragment(&mut self, vector: &Vector, message: &Message<'_>) -> std::io::Result<()> {
        if self.dropping {
            return Ok(());
        }
        let mut octets = vector.octets.clone();
        let skipped = if message.header.version == GiopVersion::V1_2 { 16 } else { 12 };
        // A LocateRequest whose key is in its last part.
        if let Some(whole) = self.whole_with(octets.get(skipped..).unwrap_or_default())
            && let Ok(joined) = self.decode(&whole)
        {
            let key = joined.key().map(<[u8]>::to_vec).unwrap_or_default();
            if let Some(own) = Server::key_for(&key) {
                octets = patched(&octets, &message.header, &key, own).unwrap_or(octets);
            }
        }
        self.parts.extend_from_slice(octets.get(skipped..).unwrap_or_default());
        self.stream.write_all(&octets)?;
        if !message.header.more_fragments
            && let Some(whole) = self.whole_with(&[])
            && let Ok(joined) = self.decode(&whole)
            && let (Some(id), Content::Decoded(body)) = (joined.request_id, &joined.content)
        {
            let argument = body.shown.get("a").cloned();
            let operation = joined.operation.clone().unwrap_or_default();
            let oneway = joined.is_oneway();
            self.asked
                .insert(id, Asked { operation, version: joined.header.version, argument, oneway });
        }
        Ok(())
    }

    /// The message that the parts are, `more` included.
    fn whole_with(&self, more: &[u8]) -> Option<Vec<u8>> {
        let mut whole = self.parts.clone();
        whole.extend_from_slice(more);
        let header = MessageHeader::parse_prefix(&whole).ok()??;
        let size = u32::try_from(whole.len().checked_sub(12)?).ok()?;
        let header = MessageHeader { more_fragments: false, size, ..header };
        whole.get_mut(..12)?.copy_from_slice(&header.to_octets());
        Some(whole)
    }

    fn decode<'a>(&self, octets: &'a [u8]) -> Result<Message<'a>, crate::message::Fault> {
        let text = |sets: Option<CodeSetContext>, version| {
            let sets = sets.or(self.code_sets).unwrap_or(CodeSetContext::DEFAULT);
            text_coding(sets, version).unwrap_or_default()
        };
        decode(octets, text, |id| self.asked.get(&id).map(|asked| asked.operation.clone()))
    }

    /// The reply to a request, whatever else comes before it.
    fn receive(&mut self, id: u32) -> std::io::Result<Vec<u8>> {
        loop {
            if let Some(reply) = self.replies.remove(&id) {
                return Ok(reply);
            }
            while let Some(header) = self.inbound.poll().map_err(std::io::Error::other)? {
                let message = self.inbound.current().to_vec();
                let decoded = decode(&message, |_, _| TextCoding::default(), |_| None);
                match decoded.ok().and_then(|decoded| decoded.request_id) {
                    Some(id) => drop(self.replies.insert(id, message)),
                    None => {
                        return Err(std::io::Error::other(format!(
                            "{} instead of a reply",
                            header.kind
                        )));
                    }
                }
            }
            if self.replies.contains_key(&id) {
                continue;
            }
            let count = self.stream.read(self.inbound.space())?;
            if count == 0 {
                return Err(std::io::Error::other(format!("closed instead of a reply to {id}")));
            }
            self.inbound.advance(count);
        }
    }
}

/// Whether the target is a whole profile or reference, whose address would be another server's.
fn is_by_profile(message: &Message<'_>) -> bool {
    matches!(message.header.kind, MessageKind::Request | MessageKind::LocateRequest)
        && !message.header.more_fragments
        && message.key().is_none()
}

/// The message with another object key, and its size made right.
fn patched(octets: &[u8], header: &MessageHeader, captured: &[u8], key: &[u8]) -> Option<Vec<u8>> {
    let length = |key: &[u8]| {
        let count = u32::try_from(key.len()).unwrap_or(u32::MAX);
        if header.order == ByteOrder::Little { count.to_le_bytes() } else { count.to_be_bytes() }
    };
    let needle = [&length(captured), captured].concat();
    let place = octets.windows(needle.len()).position(|window| window == needle)?;
    let (before, rest) = octets.split_at_checked(place)?;
    let mut patched = [before, &length(key), key, rest.get(needle.len()..)?].concat();
    let size = u32::try_from(patched.len() - 12).ok()?;
    let mut own = MessageHeader { size, ..*header }.to_octets();
    own[6] = octets[6];
    patched.get_mut(..12)?.copy_from_slice(&own);
    Some(patched)
}

/// Compares a reply of ours with the captured one.
fn compare(
    vector: &Vector,
    recorded: &Json,
    ours: &Message<'_>,
    client: &Client,
) -> Result<(), String> {
    let id = ours.request_id.unwrap_or_default();
    let asked = client.asked.get(&id).ok_or("a reply to nothing")?;
    if ours.header.version != asked.version {
        return Err(format!(
            "a reply in GIOP {} to a request in {}",
            ours.header.version, asked.version
        ));
    }
    let Content::Decoded(body) = &ours.content else {
        return Err("a body that is no reply's".into());
    };
    let mut shown = Json::Object(body.shown.clone());
    if let Some(expected) = own_answer(&vector.id) {
        if shown.get("minor").is_some() {
            shown["minor"] = Json::Null;
        }
        return match shown == expected {
            true => Ok(()),
            false => Err(format!("expected {expected}, ours {shown}")),
        };
    }
    for key in ["message_type", "reply_status", "locate_status"] {
        if recorded.get(key) != ours.shown.get(key) {
            return Err(format!("{key}: {:?}, ours {:?}", recorded.get(key), ours.shown.get(key)));
        }
    }
    let Some(mut expected) = vector.body.clone() else {
        return match &asked.argument {
            Some(argument) if shown == json!({ "return": argument }) => Ok(()),
            None if body.shown.is_empty() => Ok(()),
            argument => Err(format!("sent {argument:?}, got {shown}")),
        };
    };
    let is_system_exception = recorded["reply_status"] == "SYSTEM_EXCEPTION";
    if is_system_exception && asked.operation != "op_sysex" {
        // Which minor code an ORB chooses is its own affair.
        for one in [&mut expected, &mut shown] {
            one["minor"] = Json::Null;
        }
    }
    if asked.operation == "op_self" {
        // The server's own reference: the address differs.
        for one in [&mut expected, &mut shown] {
            one["return"]["profiles"] = Json::Null;
        }
    }
    match same(&expected, &shown) {
        true => Ok(()),
        false => Err(format!("captured {expected}, ours {shown}")),
    }
}
