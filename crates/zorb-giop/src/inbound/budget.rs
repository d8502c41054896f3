//! Memory that connections share for messages which have not arrived whole.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A budget of octets for the incomplete messages of many connections.
///
/// Receive buffers up to [`Limits::retained_capacity`](crate::Limits::retained_capacity) are free; larger ones and
/// the buffers that fragments of incomplete messages are joined in are charged. A message that would exceed the budget fails with
/// [`ProtocolErrorKind::OutOfMemory`](crate::ProtocolErrorKind::OutOfMemory).
#[derive(Debug)]
pub struct ReceiveBudget {
    limit: usize,
    used: AtomicUsize,
}

impl ReceiveBudget {
    /// A budget of `limit` octets.
    pub const fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// The octets in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The octets there are.
    pub fn limit(&self) -> usize {
        self.limit
    }

    fn charge(&self, octets: usize) -> bool {
        let charged = |used: usize| used.checked_add(octets).filter(|used| *used <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, charged).is_ok()
    }
}

/// What one connection has charged to a budget, if it has one. Released when dropped.
#[derive(Debug, Default)]
pub(super) struct Charge {
    budget: Option<Arc<ReceiveBudget>>,
    octets: usize,
}

impl Charge {
    pub(super) fn to(budget: Arc<ReceiveBudget>) -> Self {
        Self { budget: Some(budget), octets: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.octets == 0
    }

    /// Charges `octets` in all. `false` if the budget is used up; the charge is as it was then. Less than
    /// before always succeeds.
    pub(super) fn set(&mut self, octets: usize) -> bool {
        let Some(budget) = &self.budget else { return true };
        if octets > self.octets {
            if !budget.charge(octets - self.octets) {
                return false;
            }
        } else if octets < self.octets {
            budget.used.fetch_sub(self.octets - octets, Ordering::Relaxed);
        }
        self.octets = octets;
        true
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.set(0);
    }
}
