//! Replies that send the client elsewhere.

use zorb_cdr::{CdrReader, CdrResult, TextCoding, Wire};
use zorb_giop::{Form, Ior, LocateStatus, MessageHeader, MessageKind, ReplyStatus};
use zorb_os::lock::Lock;
use zorb_transport::ProtocolRegistry;

use crate::bridge::Shared;

/// The most object keys that clients may have been forwarded to.
const MOST_KEYS: usize = 1024;

/// Objects of the target's server that it has forwarded clients to, by their keys.
#[derive(Debug, Default)]
pub(crate) struct ForwardedKeys(Lock<Vec<Vec<u8>>>);

impl ForwardedKeys {
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.0.lock().iter().any(|known| known == key)
    }

    /// Takes note of a key; whether there is room for it.
    fn insert(&self, key: &[u8]) -> bool {
        let mut keys = self.0.lock();
        if keys.iter().any(|known| known == key) {
            return true;
        }
        let has_room = keys.len() < MOST_KEYS;
        if has_room {
            keys.push(key.to_vec());
        }
        has_room
    }
}

/// The message that goes over in place of one that forwards the client to an object of the target's
/// server: there it is forwarded to the bridge. Nothing when the object is somewhere else.
pub(crate) fn redirected(
    shared: &Shared,
    form: Form<'_>,
    header: &MessageHeader,
    message: &[u8],
) -> Option<Vec<u8>> {
    let (forward, mut body) = Forward::read(form, header, message)?;
    let place = Ior::read(&mut body).ok()?;
    let bridged = redirect(shared, &place)?;
    forward.write(form, header, &bridged).ok()
}

/// The reference that leads through the bridge to where `place` leads, if that is an object of the
/// target's server.
pub(crate) fn redirect(shared: &Shared, place: &Ior) -> Option<Ior> {
    let key = key_at_target(shared, place)?;
    if !shared.settings.all_objects && !shared.forwarded.insert(&key) {
        return None;
    }
    shared.published.reference(&place.type_id, &key).ok()
}

/// The key of an object of the target's server, if `place` is one.
fn key_at_target(shared: &Shared, place: &Ior) -> Option<Vec<u8>> {
    let registry: &ProtocolRegistry = &shared.registry;
    place.profiles.iter().find_map(|profile| {
        let (_, resolved) = registry.resolve(place, profile)?.ok()?;
        let here = resolved.endpoints.iter().any(|endpoint| shared.target.is_at(endpoint));
        here.then_some(resolved.object_key)
    })
}

enum Forward {
    Reply(u32, ReplyStatus),
    LocateReply(u32, LocateStatus),
}

impl Forward {
    fn read<'a>(
        form: Form<'_>,
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

    /// Service contexts of a forward are left out: they are about the connection to an object that the
    /// client does not call.
    fn write(&self, form: Form<'_>, header: &MessageHeader, place: &Ior) -> CdrResult<Vec<u8>> {
        let mut octets = Vec::new();
        let order = header.order;
        let mut message = match *self {
            Self::Reply(id, status) => form.reply(&mut octets, order, id, status, &[])?,
            Self::LocateReply(id, status) => form.locate_reply(&mut octets, order, id, status)?,
        };
        Ior::write(place, &mut message.body(TextCoding::default()))?;
        message.finish()?;
        Ok(octets)
    }
}
