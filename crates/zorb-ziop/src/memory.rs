//! The memory for messages.

use std::sync::Arc;

use zorb_giop::{Charge, MessageBudget};

/// Charges octets to the share of a peer in the memory for messages; `None` if that is used up.
pub(crate) fn charge_of(share: &Arc<MessageBudget>, octets: usize) -> Option<Charge> {
    let mut charge = Charge::to(Arc::clone(share));
    charge.set(octets).then_some(charge)
}
