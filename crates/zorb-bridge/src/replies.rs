//! The direction from the server to the client.

use std::io;

use zorb_cdr::Number;
use zorb_giop::{
    GiopVersion, LocateStatus, MessageFormat, MessageHeader, MessageKind, ProtocolError,
    ReplyStatus,
};
use zorb_os::lock::Locked;

use crate::forwarding::redirected;
use crate::link::Link;
use crate::relay::{Ending, MAX_HEAD, Side, Verdict};

/// The handler of the direction from the server.
#[derive(Debug)]
pub(crate) struct Replies<'l> {
    link: &'l Link,
    /// Held while a message is partly sent, so that no other message is interleaved.
    sending: Option<Locked<'l, ()>>,
}

impl<'l> Replies<'l> {
    pub(crate) fn new(link: &'l Link) -> Self {
        Self { link, sending: None }
    }

    fn inspect_reply(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        let form = self.link.framing.form(header.version);
        match forwards(form, header, seen) {
            Ok(false) => {}
            Err(error) if whole => return Err(Ending::Broken(error)),
            Err(_) => return Ok(Verdict::More),
            // Larger and fragmented ones are forwarded unchanged.
            Ok(true) if header.more_fragments || header.size as usize > MAX_HEAD / 2 => {}
            Ok(true) if !whole => return Ok(Verdict::More),
            Ok(true) => {
                if let Some(octets) = redirected(&self.link.context, form, header, seen) {
                    self.link.from_server.messages.add(1);
                    return Ok(Verdict::Replace(octets));
                }
            }
        }
        self.link.from_server.messages.add(1);
        Ok(Verdict::Pass)
    }
}

/// Whether the Reply or LocateReply that starts with `seen` forwards the client.
fn forwards(
    form: MessageFormat<'_>,
    header: &MessageHeader,
    seen: &[u8],
) -> Result<bool, ProtocolError> {
    if header.kind == MessageKind::LocateReply {
        let (reply, _) = form.read_locate_reply(seen, header)?;
        return Ok(matches!(
            reply.status,
            LocateStatus::ObjectForward | LocateStatus::ObjectForwardPerm
        ));
    }
    let forward = [ReplyStatus::LocationForward, ReplyStatus::LocationForwardPerm];
    // In GIOP 1.2 the status precedes all fields of variable length.
    if form == MessageFormat::Giop(GiopVersion::V1_2)
        && let Some(octets) = seen.get(16..20).and_then(|octets| octets.first_chunk())
    {
        let status = u32::from_octets(*octets, header.order);
        return Ok(forward.iter().any(|known| *known as u32 == status));
    }
    let (reply, _) = form.read_reply(seen, header)?;
    Ok(forward.contains(&reply.status))
}

impl Side for Replies<'_> {
    fn inspect(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        match header.kind {
            MessageKind::Reply | MessageKind::LocateReply => {
                self.inspect_reply(header, seen, whole)
            }
            MessageKind::CloseConnection | MessageKind::MessageError => Ok(Verdict::PassLast),
            // Requests from the server belong to bidirectional GIOP.
            MessageKind::Request
            | MessageKind::LocateRequest
            | MessageKind::CancelRequest
            | MessageKind::Fragment => Ok(Verdict::Pass),
        }
    }

    fn send(&mut self, octets: &[u8], complete: bool) -> io::Result<()> {
        let guard = self.sending.take().unwrap_or_else(|| self.link.sending());
        self.link.send(octets)?;
        self.link.from_server.octets.add(octets.len() as u64);
        if !complete {
            self.sending = Some(guard);
        }
        Ok(())
    }

    fn keeps_waiting(&self) -> bool {
        true
    }
}
