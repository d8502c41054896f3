//! All vectors against the codecs: what was checked, and what was not and why.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use zorb_cdr::TextCoding;
use zorb_giop::{
    CodeSetContext, GiopVersion, Inbound, Limits, MessageHeader, MessageKind, text_coding,
};

use crate::any::same;
use crate::exceptions::{Allowance, Expected, allowance, expected_fault};
use crate::message::{Content, Fault, Message, decode};
use crate::vector::{Scenario, Vector, hex};

/// What became of one vector.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Header and body are as recorded, and are written octet for octet.
    Checked,
    /// As `Checked`, but for an encoder's choice that may differ.
    Allowed(Allowance),
    /// It is malformed, and was refused for the right reason.
    Refused,
    /// Something is wrong.
    Failed(String),
}

/// The code sets that hold on the connections of a group of scenarios that one capture recorded in
/// one go: JacORB's announce theirs once, in whichever scenario came first.
pub(crate) fn code_sets_of_groups(scenarios: &[Scenario]) -> HashMap<String, CodeSetContext> {
    let mut groups = HashMap::new();
    for scenario in
        scenarios.iter().filter(|scenario| matches!(scenario.folder(), "jacorb-be" | "mixed"))
    {
        for vector in &scenario.vectors {
            let decoded = decode(&vector.octets, |_, _| TextCoding::default(), |_| None);
            if let Ok(Message { code_sets: Some(sets), .. }) = decoded {
                groups.entry(scenario.group().to_owned()).or_insert(sets);
            }
        }
    }
    groups
}

/// One direction of an exchange.
struct Side {
    inbound: Inbound,
    /// The parts of messages that are still incomplete: request id (none in GIOP 1.1), vectors.
    partial: Vec<(Option<u32>, Vec<usize>)>,
    /// The operations asked for, by request id.
    asked: HashMap<u32, String>,
    /// The values of the first arguments of fragmented requests, which the reply repeats.
    arguments: HashMap<u32, Json>,
}

impl Side {
    fn new() -> Self {
        Self {
            inbound: Inbound::new(Limits::default()),
            partial: Vec::new(),
            asked: HashMap::new(),
            arguments: HashMap::new(),
        }
    }
}

/// Checks the messages of one exchange in wire order.
pub(crate) fn check(scenario: &Scenario, group: Option<CodeSetContext>) -> Vec<(String, Outcome)> {
    let mut exchange = Exchange { sides: [Side::new(), Side::new()], code_sets: group, scenario };
    let vectors = scenario.vectors.iter().enumerate();
    vectors
        .map(|(index, vector)| {
            let outcome = exchange.vector(index, vector);
            (vector.id.clone(), outcome.unwrap_or_else(Outcome::Failed))
        })
        .collect()
}

struct Exchange<'s> {
    sides: [Side; 2],
    code_sets: Option<CodeSetContext>,
    scenario: &'s Scenario,
}

impl Exchange<'_> {
    fn decode<'a>(&self, octets: &'a [u8], from_client: bool) -> Result<Message<'a>, Fault> {
        let other = &self.sides[usize::from(from_client)].asked;
        let text = |sets: Option<CodeSetContext>, version: GiopVersion| {
            let sets = sets.or(self.code_sets).unwrap_or(CodeSetContext::DEFAULT);
            text_coding(sets, version).unwrap_or_default()
        };
        decode(octets, text, |id| other.get(&id).cloned())
    }

    fn vector(&mut self, index: usize, vector: &Vector) -> Result<Outcome, String> {
        let expected = expected_fault(&vector.id);
        let whole = self.receive(vector, expected)?;
        let message = match self.decode(&vector.octets, vector.from_client) {
            Ok(message) => message,
            Err(fault) => return refused(fault, expected),
        };
        self.code_sets = message.code_sets.or(self.code_sets);
        if let Some((id, name)) = message.request_id.zip(message.operation.clone()) {
            self.sides[usize::from(!vector.from_client)].asked.insert(id, name);
        }
        compare_header(vector, &message)?;
        let header = message.header;
        if header.more_fragments || header.kind == MessageKind::Fragment {
            check_own_header(vector, &header)?;
            return self.fragment(index, vector, &message, whole.as_deref(), expected);
        }
        let reasons = (expected, allowance(&vector.id));
        let outcome = self.body(vector, &message, vector.body.as_ref(), reasons)?;
        if matches!(outcome, Outcome::Refused | Outcome::Failed(_)) {
            return Ok(outcome);
        }
        self.write_again(vector.from_client, &vector.zero_padded, outcome, reasons.1)
    }

    /// Feeds the message to the receiving half of a connection; the message that became whole.
    fn receive(
        &mut self,
        vector: &Vector,
        expected: Option<Expected>,
    ) -> Result<Option<Vec<u8>>, String> {
        let side = &mut self.sides[usize::from(!vector.from_client)];
        for octets in vector.octets.chunks(7) {
            let mut rest = octets;
            while !rest.is_empty() {
                let space = side.inbound.space();
                let count = rest.len().min(space.len());
                space[..count].copy_from_slice(&rest[..count]);
                side.inbound.advance(count);
                rest = &rest[count..];
            }
        }
        let mut found = None;
        loop {
            match side.inbound.poll() {
                Ok(Some(_)) if found.is_some() => return Err("two messages at once".into()),
                Ok(Some(_)) => found = Some(side.inbound.current().to_vec()),
                Ok(None) => return Ok(found),
                Err(error) if expected == Some(Expected::Protocol(error.kind)) => return Ok(None),
                Err(error) => return Err(format!("refused on receipt: {error}")),
            }
        }
    }

    /// Compares the body and says what became of it.
    fn body(
        &mut self,
        vector: &Vector,
        message: &Message<'_>,
        recorded: Option<&Json>,
        (expected, allowed): (Option<Expected>, Option<Allowance>),
    ) -> Result<Outcome, String> {
        let shown = match &message.content {
            Content::Faulty(fault) => return refused(*fault, expected),
            Content::Partial => return Err("an incomplete body".into()),
            Content::Decoded(_) if expected.is_some() => {
                return Err(format!("was accepted; {expected:?} was to be expected"));
            }
            Content::Decoded(body) => &body.shown,
        };
        if let Some(recorded) = recorded {
            let ours = Json::Object(shown.clone());
            let unknown = allowed == Some(Allowance::UnknownSystemException)
                && shown["exception"] == "IDL:omg.org/CORBA/UNKNOWN:1.0"
                && shown["minor"] == 0x4f4d_0002
                && shown["completed"] == recorded["completed"];
            if !same(recorded, &ours) && !unknown {
                return Err(format!("body: recorded {recorded}, decoded {ours}"));
            }
            // The argument came in fragments, and was not recorded: the operation echoes it.
            let id = message.request_id.unwrap_or_default();
            let sent = self.sides[usize::from(vector.from_client)].arguments.get(&id);
            if let (Some(sent), Some(echo)) = (sent, recorded.get("return"))
                && !same(echo, sent)
            {
                return Err(format!("body: {sent} was sent in fragments, {echo} came back"));
            }
        } else {
            self.unrecorded(vector, message, shown)?;
        }
        Ok(Outcome::Checked)
    }

    /// Bodies that the recording does not show: fragmented ones, whose values are those of the
    /// other direction since the operations echo; and a few known ones.
    fn unrecorded(
        &mut self,
        vector: &Vector,
        message: &Message<'_>,
        shown: &Map<String, Json>,
    ) -> Result<(), String> {
        let id = message.request_id.unwrap_or_default();
        let (from, to) = (usize::from(!vector.from_client), usize::from(vector.from_client));
        let known = match message.header.kind {
            _ if shown.is_empty() => return Ok(()),
            MessageKind::Request => {
                let argument = shown.get("a").cloned().unwrap_or_default();
                self.sides[from].arguments.insert(id, argument);
                return Ok(());
            }
            _ => crate::exceptions::unrecorded_body(&vector.id),
        };
        let argument = self.sides[to].arguments.get(&id);
        match (argument.map(|argument| json!({ "return": argument })), known) {
            (Some(echo), _) if echo == Json::Object(shown.clone()) => Ok(()),
            (None, Some(known)) if known == Json::Object(shown.clone()) => Ok(()),
            (echo, known) => {
                Err(format!("body {shown:?} is not recorded; echo {echo:?}, known {known:?}"))
            }
        }
    }

    /// A part of a message. With the last part the whole is checked.
    fn fragment(
        &mut self,
        index: usize,
        vector: &Vector,
        message: &Message<'_>,
        whole: Option<&[u8]>,
        expected: Option<Expected>,
    ) -> Result<Outcome, String> {
        let header = message.header;
        let id = (header.version == GiopVersion::V1_2).then_some(message.request_id).flatten();
        let partial = &mut self.sides[usize::from(!vector.from_client)].partial;
        if header.kind == MessageKind::Fragment {
            let place =
                partial.iter().position(|(known, _)| *known == id).ok_or("a stray fragment")?;
            partial[place].1.push(index);
            if !header.more_fragments {
                let (_, parts) = partial.remove(place);
                let whole = whole.ok_or("the whole message was not received")?;
                return self.joined(vector, &parts, whole, expected);
            }
        } else {
            partial.push((id, vec![index]));
        }
        match whole {
            None => Ok(Outcome::Checked),
            Some(_) => Err("received before its last fragment".into()),
        }
    }

    /// A message joined from its parts.
    fn joined(
        &mut self,
        vector: &Vector,
        parts: &[usize],
        received: &[u8],
        expected: Option<Expected>,
    ) -> Result<Outcome, String> {
        let parts = || parts.iter().filter_map(|&part| self.scenario.vectors.get(part));
        let whole = join(parts().map(|part| part.octets.as_slice()))?;
        if whole != received {
            return Err(format!("joined to {}, not {}", hex(received), hex(&whole)));
        }
        let zero_padded = join(parts().map(|part| part.zero_padded.as_slice()))?;
        let first = parts().next().ok_or("no parts")?;
        let message = match self.decode(&whole, vector.from_client) {
            Ok(message) => message,
            Err(fault) => return refused(fault, expected),
        };
        // The name of a request whose first part did not reach to it.
        if let Some((id, name)) = message.request_id.zip(message.operation.clone()) {
            self.sides[usize::from(!vector.from_client)].asked.insert(id, name);
        }
        let reasons = (expected, allowance(&first.id));
        let outcome = self.body(vector, &message, None, reasons)?;
        if outcome == Outcome::Refused {
            return Ok(outcome);
        }
        self.write_again(vector.from_client, &zero_padded, outcome, reasons.1)
    }

    /// Decodes the zero-padded message and writes it again: the same octets must come out.
    fn write_again(
        &self,
        from_client: bool,
        zero_padded: &[u8],
        outcome: Outcome,
        allowed: Option<Allowance>,
    ) -> Result<Outcome, String> {
        let message =
            self.decode(zero_padded, from_client).map_err(|fault| format!("{fault:?}"))?;
        let ours = message.encode().map_err(|error| format!("cannot be written: {error}"))?;
        if ours == zero_padded {
            return match allowed {
                None => Ok(outcome),
                Some(allowed) => Err(format!("the allowance {allowed:?} is not needed")),
            };
        }
        let difference = || format!("written as {}\n  recorded   {}", hex(&ours), hex(zero_padded));
        let Some(allowed) = allowed else { return Err(difference()) };
        if allowed == Allowance::ReservedOctets {
            return without_reserved(&message, zero_padded, &ours)
                .ok_or_else(difference)
                .map(|()| outcome_or(outcome, allowed));
        }
        // The other encoding must mean the same.
        let again = self
            .decode(&ours, from_client)
            .map_err(|fault| format!("{fault:?}: {}", difference()))?;
        match (&message.content, &again.content) {
            (Content::Decoded(one), Content::Decoded(other)) if one.shown == other.shown => {
                Ok(Outcome::Allowed(allowed))
            }
            _ => Err(difference()),
        }
    }
}

/// Whether two GIOP 1.1 requests are the same but for the three reserved octets of the header.
fn without_reserved(message: &Message<'_>, recorded: &[u8], ours: &[u8]) -> Option<()> {
    // They stand before the length of the object key.
    let key = message.key()?;
    let place = recorded.windows(key.len()).position(|window| window == key)?.checked_sub(7)?;
    let mut recorded = recorded.to_vec();
    recorded.get_mut(place..place + 3)?.fill(0);
    (recorded == ours).then_some(())
}

/// The allowance, unless the body is not covered at all.
fn outcome_or(outcome: Outcome, allowed: Allowance) -> Outcome {
    if outcome == Outcome::Checked { Outcome::Allowed(allowed) } else { outcome }
}

fn refused(fault: Fault, expected: Option<Expected>) -> Result<Outcome, String> {
    match (fault, expected) {
        (Fault::Protocol(error), Some(Expected::Protocol(kind))) if error.kind == kind => {
            Ok(Outcome::Refused)
        }
        (Fault::Body(error), Some(Expected::Body(kind))) if error.kind == kind => {
            Ok(Outcome::Refused)
        }
        (Fault::Trailing(count), Some(Expected::Trailing(expected))) if count == expected => {
            Ok(Outcome::Refused)
        }
        (fault, expected) => Err(format!("refused: {fault:?}; expected: {expected:?}")),
    }
}

/// Every recorded field of the header must be ours, and none of ours may be missing there.
fn compare_header(vector: &Vector, message: &Message<'_>) -> Result<(), String> {
    let Some(recorded) = vector.header.as_ref().and_then(Json::as_object) else { return Ok(()) };
    let ours = message.shown.as_object().expect("an object");
    for (key, recorded) in recorded {
        let mut recorded = recorded.clone();
        for context in recorded.as_array_mut().into_iter().flatten() {
            // The recording shows what a BiDir context holds; its octets are compared.
            context.as_object_mut().map(|context| context.remove("listen_points"));
        }
        let ours = ours.get(key).unwrap_or(&Json::Null);
        let is_invalid_flag = key == "response_flags"
            && allowance(&vector.id) == Some(Allowance::InvalidResponseFlags)
            && (&recorded, ours) == (&json!(2), &json!(0));
        if recorded != *ours && !is_invalid_flag {
            return Err(format!("header: {key} is {recorded} in the recording, decoded {ours}"));
        }
    }
    match ours.keys().find(|key| !recorded.contains_key(*key) && *key != "body_offset") {
        Some(key) => Err(format!("header: {key} is not in the recording")),
        None => Ok(()),
    }
}

/// The twelve octets of a part of a message.
fn check_own_header(vector: &Vector, header: &MessageHeader) -> Result<(), String> {
    match vector.octets.starts_with(&header.to_octets()) {
        true => Ok(()),
        false => Err(format!("message header written as {}", hex(&header.to_octets()))),
    }
}

/// The parts of a message put together by hand.
fn join<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>, String> {
    let mut whole = Vec::new();
    for part in parts {
        let header = MessageHeader::parse_prefix(part).ok().flatten().ok_or("no header")?;
        let skipped = match (header.kind, header.version) {
            (MessageKind::Fragment, GiopVersion::V1_2) => 16,
            (MessageKind::Fragment, _) => 12,
            _ => 0,
        };
        whole.extend_from_slice(&part[skipped..]);
    }
    let header = MessageHeader::parse_prefix(&whole).ok().flatten().ok_or("no header")?;
    let size = u32::try_from(whole.len() - 12).map_err(|error| error.to_string())?;
    let header = MessageHeader { more_fragments: false, size, ..header };
    whole[..12].copy_from_slice(&header.to_octets());
    Ok(whole)
}
