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
    waiting: AtomicUsize,
    /// The budget that contains this one.
    whole: Option<Arc<Self>>,
}

impl MessageBudget {
    /// A budget of `limit` octets.
    pub const fn new(limit: usize) -> Self {
        Self::with(limit, None)
    }

    /// A part of `whole`: what is charged to it is charged to both.
    pub const fn part_of(whole: Arc<Self>, limit: usize) -> Self {
        Self::with(limit, Some(whole))
    }

    const fn with(limit: usize, whole: Option<Arc<Self>>) -> Self {
        let [used, waiting] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        Self { limit: AtomicUsize::new(limit), used, waiting, whole }
    }

    /// Counts a request of its connections that waits for a deferred reply, if fewer than `most` do.
    pub fn begin_waiting(&self, most: usize) -> bool {
        let next = |count| (count < most).then_some(count + 1);
        self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
    }

    /// Ends what [`begin_waiting`](Self::begin_waiting) began.
    pub fn end_waiting(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// The octets in use.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// The total number of octets.
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

    /// Charges octets that are in use already, also beyond the limit.
    fn charge_in_use(&self, octets: usize) {
        self.used.fetch_add(octets, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.charge_in_use(octets);
        }
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
    /// An empty charge.
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

    /// Exchanges the octets with `other`, and charges them all to the budget of this one: both buffers now belong to
    /// its connection.
    pub(super) fn exchange(&mut self, other: &mut Self) {
        let same_budget = match (&self.budget, &other.budget) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        if same_budget {
            core::mem::swap(&mut self.octets, &mut other.octets);
            return;
        }
        let Self { budget, octets } = self;
        let earlier = core::mem::replace(other, Self { budget: budget.clone(), octets: *octets });
        *octets = earlier.octets;
        if let Some(budget) = budget {
            budget.charge_in_use(*octets);
        }
    }

    /// Makes `other` charge to the budget of this one, if there is one and nothing is charged to another one.
    pub(super) fn begin_another(&self, other: &mut Self) {
        if let Some(budget) = &self.budget {
            other.begin(budget);
        }
    }

    /// Charges to `budget` from now on, if nothing is charged to another one.
    pub(super) fn begin(&mut self, budget: &Arc<MessageBudget>) {
        if self.budget.is_none() || self.octets == 0 {
            *self = Self::to(Arc::clone(budget));
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanged_octets_are_charged_to_the_budget_of_the_connection() {
        let whole = Arc::new(MessageBudget::new(100));
        let [one, other] =
            [40, 50].map(|limit| Arc::new(MessageBudget::part_of(Arc::clone(&whole), limit)));
        let (mut receiving, mut spare) = (Charge::to(Arc::clone(&one)), Charge::default());
        assert!(receiving.set(30));
        receiving.exchange(&mut spare);
        assert_eq!((receiving.octets(), spare.octets(), one.used()), (0, 30, 30));
        // The spare buffer of one connection becomes that of another.
        let mut receiving = Charge::to(Arc::clone(&other));
        assert!(receiving.set(45));
        receiving.exchange(&mut spare);
        assert_eq!((receiving.octets(), spare.octets()), (30, 45));
        assert_eq!((one.used(), other.used(), whole.used()), (0, 75, 75));
        assert!(!spare.set(46) && spare.set(5));
        spare.clear();
        spare.begin(&one);
        assert!(spare.set(40) && !spare.set(41));
        spare.begin(&other);
        assert_eq!(
            (one.used(), other.used()),
            (40, 30),
            "charged to the first until it is released"
        );
        drop((receiving, spare));
        assert_eq!([&one, &other, &whole].map(|it| it.used()), [0; 3]);
    }
}
