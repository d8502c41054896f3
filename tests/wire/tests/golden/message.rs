//! One message: decoded, compared, written again.

use serde_json::{Map, Value as Json, json};
use zorb_cdr::{ByteOrder, CdrError, CdrReader, CdrResult, TextCoding};
use zorb_giop::{
    CancelRequest, CodeSetContext, GiopVersion, LocateReplyHeader, LocateRequestHeader,
    LocateStatus, MessageHeader, MessageKind, MessageWriter, ProtocolError, ReplyHeader,
    ReplyStatus, RequestHeader, RequestStart, ResponseFlags, ServiceContext, ServiceContexts,
    ServiceId, TaggedProfile, TargetAddress,
};
use zorb_types::{CompletionStatus, SystemException};

use crate::operations::{Body, operation, user_exception};
use crate::shown::{Reference, Shown, Wide, order_of, rebuilt, rebuilt_profile, show_profile};
use crate::values;
use crate::vector::hex;

/// Why a message or its body was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// On the level of messages.
    Protocol(ProtocolError),
    /// In the arguments or results.
    Body(CdrError),
    /// So many octets were left behind them.
    Trailing(usize),
}

/// The body of a decoded message.
pub(crate) enum Content {
    /// All of it was decoded.
    Decoded(Body),
    /// It breaks a rule.
    Faulty(Fault),
    /// The message goes on in fragments.
    Partial,
}

/// The header of a decoded message, with what writes it again.
enum Head<'a> {
    Request(RequestHeader<'a>),
    Reply(ReplyHeader<'a>),
    Cancel(CancelRequest),
    Locate(LocateRequestHeader<'a>),
    LocateReply(LocateReplyHeader),
    Plain,
}

/// A decoded message.
pub(crate) struct Message<'a> {
    pub(crate) header: MessageHeader,
    head: Head<'a>,
    /// The header as the recording would show it.
    pub(crate) shown: Json,
    /// The request id, where the kind of message has one.
    pub(crate) request_id: Option<u32>,
    /// The operation of a request.
    pub(crate) operation: Option<String>,
    /// The code sets that the message announces.
    pub(crate) code_sets: Option<CodeSetContext>,
    text: TextCoding,
    pub(crate) content: Content,
}

/// Decodes a message. `text` says how text is written after a context in the message was seen, and
/// `asked` which operation an id was sent for.
pub(crate) fn decode<'a>(
    octets: &'a [u8],
    text: impl Fn(Option<CodeSetContext>, GiopVersion) -> TextCoding,
    asked: impl Fn(u32) -> Option<String>,
) -> Result<Message<'a>, Fault> {
    let header = match MessageHeader::parse_prefix(octets) {
        Ok(header) => header.expect("a recorded message has a header"),
        Err(error) => return Err(Fault::Protocol(error)),
    };
    let mut shown = Map::new();
    let mut show = |key: &str, value: Json| shown.insert(key.to_owned(), value);
    show("message_type", json!(header.kind.name()));
    show("giop_version", json!(header.version.to_string()));
    let order = if header.order == ByteOrder::Big { "big" } else { "little" };
    show("byte_order", json!(order));
    show("more_fragments", json!(header.more_fragments));

    let mut body_reader = None;
    let mut contexts = None;
    let mut request_id = None;
    let mut name = None;
    let head = match header.kind {
        MessageKind::Request => {
            let (request, reader) =
                RequestHeader::read(octets, &header).map_err(Fault::Protocol)?;
            request_id = Some(request.request_id);
            name = Some(request.operation.clone().into_owned());
            show("operation", json!(request.operation.as_str()));
            if header.version == GiopVersion::V1_2 {
                show("response_flags", json!(request.response as u8));
                show("target", show_target(&request.target));
            } else {
                show("response_expected", json!(request.response.expects_reply()));
                show("object_key", json!(hex(request.target.object_key().expect("a key"))));
                show("requesting_principal", json!(""));
            }
            contexts = Some(request.service_contexts);
            body_reader = Some(reader);
            Head::Request(request)
        }
        MessageKind::Reply => {
            let (reply, reader) = ReplyHeader::read(octets, &header).map_err(Fault::Protocol)?;
            request_id = Some(reply.request_id);
            show("reply_status", json!(REPLY_STATUS[reply.status as usize]));
            show("operation", json!(asked(reply.request_id)));
            contexts = Some(reply.service_contexts);
            body_reader = Some(reader);
            Head::Reply(reply)
        }
        MessageKind::CancelRequest => {
            let cancel = CancelRequest::read(octets, &header).map_err(Fault::Protocol)?;
            request_id = Some(cancel.request_id);
            Head::Cancel(cancel)
        }
        // The first part of one in fragments may end behind the id.
        MessageKind::LocateRequest if header.more_fragments => {
            request_id = Some(first_id(octets, &header)?);
            Head::Plain
        }
        MessageKind::LocateRequest => {
            let locate = LocateRequestHeader::read(octets, &header).map_err(Fault::Protocol)?;
            request_id = Some(locate.request_id);
            show("target", show_target(&locate.target));
            show("operation", json!("(locate)"));
            Head::Locate(locate)
        }
        MessageKind::LocateReply => {
            let (reply, reader) =
                LocateReplyHeader::read(octets, &header).map_err(Fault::Protocol)?;
            request_id = Some(reply.request_id);
            show("locate_status", json!(LOCATE_STATUS[reply.status as usize]));
            show("operation", json!("(locate)"));
            body_reader = Some(reader);
            Head::LocateReply(reply)
        }
        MessageKind::Fragment => {
            if header.version == GiopVersion::V1_2 {
                request_id = Some(first_id(octets, &header)?);
            }
            Head::Plain
        }
        MessageKind::CloseConnection | MessageKind::MessageError => Head::Plain,
    };
    if let Some(id) = request_id {
        show("request_id", json!(id));
    }
    let mut code_sets = None;
    if let Some(contexts) = &contexts {
        show("service_contexts", show_contexts(contexts));
        code_sets =
            contexts.find(ServiceId::CODE_SETS).and_then(|data| CodeSetContext::decode(data).ok());
    }
    if let Some(reader) =
        body_reader.as_ref().filter(|_| contexts.is_some() && !header.more_fragments)
    {
        show("body_offset", json!(reader.offset()));
    }
    let shown = Json::Object(shown);
    let text = text(code_sets, header.version);
    let mut message = Message {
        header,
        head,
        shown,
        request_id,
        operation: name,
        code_sets,
        text,
        content: Content::Partial,
    };
    if !header.more_fragments {
        let reader =
            body_reader.map(|reader| reader.with_text(text).with_context(values::registry()));
        message.content = message.read_content(reader, asked);
    }
    Ok(message)
}

const REPLY_STATUS: [&str; 6] = [
    "NO_EXCEPTION",
    "USER_EXCEPTION",
    "SYSTEM_EXCEPTION",
    "LOCATION_FORWARD",
    "LOCATION_FORWARD_PERM",
    "NEEDS_ADDRESSING_MODE",
];
const LOCATE_STATUS: [&str; 6] = [
    "UNKNOWN_OBJECT",
    "OBJECT_HERE",
    "OBJECT_FORWARD",
    "OBJECT_FORWARD_PERM",
    "LOC_SYSTEM_EXCEPTION",
    "LOC_NEEDS_ADDRESSING_MODE",
];

fn show_target(target: &TargetAddress<'_>) -> Json {
    match target {
        TargetAddress::Key(key) => json!({ "KeyAddr": hex(key) }),
        TargetAddress::Profile { tag, data } => {
            let profile = TaggedProfile { tag: *tag, data: data.to_vec() };
            json!({ "ProfileAddr": show_profile(&profile) })
        }
        TargetAddress::Reference { selected, ior } => {
            json!({ "ReferenceAddr": { "index": selected, "ior": Reference::show(ior, Wide::Text) } })
        }
    }
}

fn show_contexts(contexts: &ServiceContexts<'_>) -> Json {
    let show = |context: ServiceContext<'_>| {
        let mut shown = json!({ "id": context.id.0, "data": hex(&context.data) });
        if let Ok(sets) = CodeSetContext::decode(&context.data)
            && context.id == ServiceId::CODE_SETS
        {
            let set = |number: u32| format!("{number:#010x}");
            shown["code_sets"] =
                json!({ "char": set(sets.char_data.0), "wchar": set(sets.wchar_data.0) });
        }
        shown
    };
    contexts.iter().map(show).collect()
}

impl Message<'_> {
    fn wide(&self) -> Wide {
        if self.header.version == GiopVersion::V1_2 { Wide::Text } else { Wide::Units }
    }

    fn read_content(
        &self,
        reader: Option<CdrReader<'_>>,
        asked: impl Fn(u32) -> Option<String>,
    ) -> Content {
        let mut body = Body::default();
        let Some(mut reader) = reader else { return Content::Decoded(body) };
        values::begin();
        match self.read_body(&mut body, &mut reader, asked) {
            Ok(()) if reader.remaining() > 0 => {
                Content::Faulty(Fault::Trailing(reader.remaining()))
            }
            Ok(()) => Content::Decoded(body),
            Err(error) => Content::Faulty(Fault::Body(error)),
        }
    }

    fn read_body(
        &self,
        body: &mut Body,
        reader: &mut CdrReader<'_>,
        asked: impl Fn(u32) -> Option<String>,
    ) -> CdrResult<()> {
        let wide = self.wide();
        match &self.head {
            Head::Request(request) => {
                (operation(&request.operation).arguments)(body, reader, wide)?;
            }
            Head::Reply(reply) => match reply.status {
                ReplyStatus::NoException => {
                    let name = asked(reply.request_id).unwrap_or_default();
                    (operation(&name).results)(body, reader, wide)?;
                }
                ReplyStatus::UserException => {
                    let id = reader.read_latin1("exception id")?;
                    user_exception(&id, body, reader, wide)?;
                }
                ReplyStatus::SystemException => system_exception(body, reader)?,
                ReplyStatus::LocationForward | ReplyStatus::LocationForwardPerm => {
                    body.take::<Reference>("forward", reader, wide)?;
                }
                ReplyStatus::NeedsAddressingMode => {
                    body.take::<i16>("disposition", reader, wide)?
                }
            },
            Head::LocateReply(reply) => match reply.status {
                LocateStatus::UnknownObject | LocateStatus::ObjectHere => {}
                LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm => {
                    body.take::<Reference>("forward", reader, wide)?;
                }
                LocateStatus::LocSystemException => system_exception(body, reader)?,
                LocateStatus::LocNeedsAddressingMode => {
                    body.take::<i16>("disposition", reader, wide)?
                }
            },
            Head::Cancel(_) | Head::Locate(_) | Head::Plain => {}
        }
        Ok(())
    }

    /// The message written again from what was decoded.
    pub(crate) fn encode(&self) -> CdrResult<Vec<u8>> {
        let MessageHeader { version, order, .. } = self.header;
        let mut buffer = Vec::new();
        let mut kept = Vec::new();
        let mut writer = match &self.head {
            Head::Request(request) => {
                let contexts = again(&request.service_contexts);
                MessageWriter::request(
                    &mut buffer,
                    version,
                    order,
                    &RequestStart {
                        request_id: request.request_id,
                        response: request.response,
                        target: again_target(&request.target, &mut kept)?,
                        operation: &request.operation,
                        service_contexts: &contexts,
                    },
                )?
            }
            Head::Reply(reply) => {
                let contexts = again(&reply.service_contexts);
                MessageWriter::reply(
                    &mut buffer,
                    version,
                    order,
                    reply.request_id,
                    reply.status,
                    &contexts,
                )?
            }
            Head::Locate(locate) => {
                let target = again_target(&locate.target, &mut kept)?;
                MessageWriter::locate_request(
                    &mut buffer,
                    version,
                    order,
                    locate.request_id,
                    &target,
                )?
            }
            Head::LocateReply(reply) => MessageWriter::locate_reply(
                &mut buffer,
                version,
                order,
                reply.request_id,
                reply.status,
            )?,
            Head::Cancel(cancel) => {
                MessageWriter::cancel_request(&mut buffer, version, order, cancel.request_id);
                return Ok(buffer);
            }
            Head::Plain if self.header.kind == MessageKind::CloseConnection => {
                MessageWriter::close_connection(&mut buffer, version, order);
                return Ok(buffer);
            }
            Head::Plain if self.header.kind == MessageKind::MessageError => {
                MessageWriter::message_error(&mut buffer, order);
                return Ok(buffer);
            }
            Head::Plain => MessageWriter::begin(&mut buffer, version, order, self.header.kind),
        };
        match &self.content {
            Content::Decoded(body) => body.write(&mut writer.body(self.text))?,
            Content::Faulty(_) | Content::Partial => {}
        }
        writer.finish()?;
        Ok(buffer)
    }

    /// Whether a request wants no reply at all.
    pub(crate) fn is_oneway(&self) -> bool {
        matches!(&self.head, Head::Request(request) if request.response == ResponseFlags::NoResponse)
    }

    /// The object key of a request or LocateRequest that names its target by key.
    pub(crate) fn key(&self) -> Option<&[u8]> {
        match &self.head {
            Head::Request(RequestHeader { target: TargetAddress::Key(key), .. })
            | Head::Locate(LocateRequestHeader { target: TargetAddress::Key(key), .. }) => {
                Some(key)
            }
            _ => None,
        }
    }
}

/// The request id at the start of a GIOP 1.2 message.
fn first_id(octets: &[u8], header: &MessageHeader) -> Result<u32, Fault> {
    let mut reader = CdrReader::new(octets, header.order);
    reader.take(12, "header").and_then(|_| reader.read_u32()).map_err(Fault::Body)
}

fn system_exception(body: &mut Body, reader: &mut CdrReader<'_>) -> CdrResult<()> {
    let exception = SystemException::read(reader)?;
    let completed = match exception.completed {
        CompletionStatus::Yes => "YES",
        CompletionStatus::No => "NO",
        CompletionStatus::Maybe => "MAYBE",
    };
    body.shown.insert("exception".to_owned(), json!(exception.repository_id()));
    body.shown.insert("minor".to_owned(), json!(exception.minor.0));
    body.shown.insert("completed".to_owned(), json!(completed));
    body.push(move |writer| exception.write(writer));
    Ok(())
}

/// The contexts, those that the protocol crate understands decoded and encoded again.
fn again(contexts: &ServiceContexts<'_>) -> Vec<ServiceContext<'static>> {
    let encode = |context: ServiceContext<'_>| match CodeSetContext::decode(&context.data) {
        Ok(sets) if context.id == ServiceId::CODE_SETS => {
            sets.service_context(order_of(&context.data))
        }
        _ => context.into_owned(),
    };
    contexts.iter().map(encode).collect()
}

fn again_target<'a>(
    target: &'a TargetAddress<'_>,
    kept: &'a mut Vec<u8>,
) -> CdrResult<TargetAddress<'a>> {
    Ok(match target {
        TargetAddress::Key(key) => TargetAddress::Key(key),
        TargetAddress::Profile { tag, data } => {
            *kept = rebuilt_profile(&TaggedProfile { tag: *tag, data: data.to_vec() })?.data;
            TargetAddress::Profile { tag: *tag, data: kept }
        }
        TargetAddress::Reference { selected, ior } => TargetAddress::Reference {
            selected: *selected,
            ior: std::borrow::Cow::Owned(rebuilt(ior)?),
        },
    })
}
