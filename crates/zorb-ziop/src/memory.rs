//! The memory for messages.

use std::sync::Arc;

use zorb_giop::Charge;
use zorb_transport::process_budget;

/// Charges octets to the memory that the messages of the process may use; `None` if that is used up.
pub(crate) fn charge_of(octets: usize) -> Option<Charge> {
    let mut charge = Charge::to(Arc::clone(process_budget()));
    charge.set(octets).then_some(charge)
}
