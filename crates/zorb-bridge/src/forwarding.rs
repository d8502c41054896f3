//! Replies that forward the client to another object.

use zorb_cdr::{CdrReader, CdrResult, TextCoding, Wire};
use zorb_giop::{Ior, LocateStatus, MessageFormat, MessageHeader, MessageKind, ReplyStatus};
use zorb_transport::ProtocolRegistry;

use crate::context::Context;

/// Rewrites a message that forwards the client to an object of the target's server, so that it
/// forwards the client to the bridge. None if the object is in another server.
pub(crate) fn redirected(
    context: &Context,
    form: MessageFormat<'_>,
    header: &MessageHeader,
    message: &[u8],
) -> Option<Vec<u8>> {
    let (forward, mut body) = Forward::read(form, header, message)?;
    let ior = Ior::read(&mut body).ok()?;
    let bridged = redirect(context, &ior)?;
    forward.write(form, header, &bridged).ok()
}

/// The bridge's reference for the object of `ior`, if that is in the target's server.
pub(crate) fn redirect(context: &Context, ior: &Ior) -> Option<Ior> {
    let key = key_at_target(context, ior)?;
    if !context.settings.all_objects && !context.forwarded.insert(&key) {
        return None;
    }
    context.references.reference(&ior.type_id, &key).ok()
}

/// The key of the object of `ior`, if that is in the target's server.
fn key_at_target(context: &Context, ior: &Ior) -> Option<Vec<u8>> {
    let registry: &ProtocolRegistry = &context.registry;
    ior.profiles.iter().find_map(|profile| {
        let (_, resolved) = registry.resolve(ior, profile)?.ok()?;
        let is_local = resolved.endpoints.iter().any(|endpoint| context.target.is_at(endpoint));
        is_local.then_some(resolved.object_key)
    })
}

enum Forward {
    Reply(u32, ReplyStatus),
    LocateReply(u32, LocateStatus),
}

impl Forward {
    fn read<'a>(
        form: MessageFormat<'_>,
        header: &MessageHeader,
        message: &'a [u8],
    ) -> Option<(Self, CdrReader<'a>)> {
        if header.kind == MessageKind::LocateReply {
            let (reply, body) = form.read_locate_reply(message, header).ok()?;
            return Some((Self::LocateReply(reply.request_id, reply.status), body));
        }
        let (reply, body) = form.read_reply(message, header).ok()?;
        Some((Self::Reply(reply.request_id, reply.status), body))
    }

    /// The service contexts of a forward are dropped: they belong to the connection to an object
    /// that the client does not call.
    fn write(
        &self,
        form: MessageFormat<'_>,
        header: &MessageHeader,
        ior: &Ior,
    ) -> CdrResult<Vec<u8>> {
        let mut octets = Vec::new();
        let order = header.order;
        let mut message = match *self {
            Self::Reply(id, status) => form.reply(&mut octets, order, id, status, &[])?,
            Self::LocateReply(id, status) => form.locate_reply(&mut octets, order, id, status)?,
        };
        Ior::write(ior, &mut message.body(TextCoding::default()))?;
        message.finish()?;
        Ok(octets)
    }
}
