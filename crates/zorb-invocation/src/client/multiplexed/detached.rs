//! Replies in buffers of their own.

use zorb_giop::{DetachedMessage, Inbound, ProtocolError};

/// Replies up to this size are copied for their caller. For larger ones, the caller gets the receive buffer,
/// and the octets after the reply are copied.
pub(super) const COPIED: usize = 2048;

/// The current message in its own buffer: `spare`, or the receive buffer, which `spare` then replaces.
pub(super) fn detach(
    inbound: &mut Inbound,
    mut spare: DetachedMessage,
) -> Result<DetachedMessage, ProtocolError> {
    if inbound.current().len() > COPIED {
        inbound.take_into(&mut spare);
    } else {
        spare.copy_from(inbound.current(), inbound.fragment_starts())?;
    }
    Ok(spare)
}
