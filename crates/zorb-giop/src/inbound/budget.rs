//! The memory that the messages of many connections share.

use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A budget of octets for the messages of many connections: those that are being received, that wait to be served,
/// and that wait to be sent.
///
/// Receive buffers up to [`Limits::retained_capacity`](crate::Limits::retained_capacity) are free. Charged are the
/// rest of larger ones, the buffers that fragments of incomplete messages are joined in, and whatever a program
/// [charges](Charge) besides. A message that would exceed the budget fails with
/// [`ProtocolErrorKind::OutOfMemory`](crate::ProtocolErrorKind::OutOfMemory).
#[derive(Debug)]
pub struct MessageBudget {
    limit: AtomicUsize,
    used: AtomicUsize,
    /// The budget that contains this one.
    whole: Option<Arc<Self>>,
}

impl MessageBudget {
    /// A budget of `limit` octets.
    pub const fn new(limit: usize) -> Self {
        Self { limit: AtomicUsize::new(limit), used: AtomicUsize::new(0), whole: None }
    }

    /// A part of `whole`: what is charged to it is charged to both.
    pub const fn part_of(whole: Arc<Self>, limit: usize) -> Self {
        let (limit, used) = (AtomicUsize::new(limit), AtomicUsize::new(0));
        Self { limit, used, whole: Some(whole) }
    }

    /// The octets in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The octets there are.
    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Raises the limit to `limit` octets, unless it is higher.
    pub fn raise_limit(&self, limit: usize) {
        self.limit.fetch_max(limit, Ordering::Relaxed);
    }

    fn charge(&self, octets: usize) -> bool {
        let limit = self.limit();
        let charged = |used: usize| used.checked_add(octets).filter(|used| *used <= limit);
        if self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, charged).is_err() {
            return false;
        }
        let fits = self.whole.as_ref().is_none_or(|whole| whole.charge(octets));
        if !fits {
            self.used.fetch_sub(octets, Ordering::Relaxed);
        }
        fits
    }

    fn release(&self, octets: usize) {
        self.used.fetch_sub(octets, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.release(octets);
        }
    }
}

/// Octets that are charged to a [`MessageBudget`], if there is one. Released when dropped.
#[derive(Debug, Default)]
pub struct Charge {
    budget: Option<Arc<MessageBudget>>,
    octets: usize,
}

impl Charge {
    /// A charge of nothing yet.
    pub const fn to(budget: Arc<MessageBudget>) -> Self {
        Self { budget: Some(budget), octets: 0 }
    }

    /// Whether nothing is charged.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.octets == 0
    }

    /// The octets charged.
    #[inline]
    pub const fn octets(&self) -> usize {
        self.octets
    }

    /// Charges `octets` in all. `false` if the budget is used up; the charge is as it was then. Less than
    /// before always succeeds.
    #[must_use]
    pub fn set(&mut self, octets: usize) -> bool {
        if let Some(budget) = &self.budget {
            if octets > self.octets {
                if !budget.charge(octets - self.octets) {
                    return false;
                }
            } else if octets < self.octets {
                budget.release(self.octets - octets);
            }
        }
        self.octets = octets;
        true
    }

    /// Releases all.
    pub fn clear(&mut self) {
        self.reduce(0);
    }

    /// Releases all but `octets`, if there are more.
    pub fn reduce(&mut self, octets: usize) {
        let reduced = self.set(octets.min(self.octets));
        debug_assert!(reduced, "less always succeeds");
    }

    /// Splits `octets` off, or all if there are fewer.
    pub(super) fn split_off(&mut self, octets: usize) -> Self {
        let octets = octets.min(self.octets);
        self.octets -= octets;
        Self { budget: self.budget.clone(), octets }
    }

    /// Exchanges the octets with `other`, which gets the same budget if it has none.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        core::mem::swap(self, other);
        if self.budget.is_none() {
            self.budget.clone_from(&other.budget);
        }
    }

    /// Charges to `budget` if there was none before.
    pub(super) fn begin(&mut self, budget: &Arc<MessageBudget>) {
        if self.budget.is_none() {
            self.octets = 0;
            self.budget = Some(Arc::clone(budget));
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.clear();
    }
}
