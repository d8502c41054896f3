//! The memory that the messages of a process may use.

use std::sync::{Arc, OnceLock};

use zorb_giop::MessageBudget;
use zorb_os::machine;

/// The octets of the budget where the size of the memory is unknown.
const UNKNOWN_MEMORY: usize = 256 << 20;

/// The budget that all ORBs of the process share, and the buffers of [streams over datagrams](crate::driven): a quarter
/// of the memory, or the largest `MaxBufferedOctets` of an ORB if that is more.
pub fn process_budget() -> &'static Arc<MessageBudget> {
    static BUDGET: OnceLock<Arc<MessageBudget>> = OnceLock::new();
    BUDGET.get_or_init(|| {
        let quarter = machine::memory().map(|octets| octets / 4);
        let limit = quarter.map(|octets| usize::try_from(octets).unwrap_or(usize::MAX));
        Arc::new(MessageBudget::new(limit.unwrap_or(UNKNOWN_MEMORY)))
    })
}
