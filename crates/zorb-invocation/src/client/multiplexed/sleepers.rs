//! The callers that sleep until they have their replies, or are to lead.

use std::collections::VecDeque;

/// The sleeping callers by the priorities of their threads, and among equals in order.
#[derive(Debug, Default)]
pub(super) struct Sleepers(VecDeque<Sleeper>);

#[derive(Clone, Copy, Debug)]
struct Sleeper {
    /// The id of its request.
    id: u32,
    priority: u8,
}

impl Sleepers {
    pub(super) fn add(&mut self, id: u32, priority: u8) {
        let sleeper = Sleeper { id, priority };
        match self.0.back() {
            Some(last) if last.priority < priority => {
                let behind = self.0.partition_point(|other| other.priority >= priority);
                self.0.insert(behind, sleeper);
            }
            _ => self.0.push_back(sleeper),
        }
    }

    /// Removes the caller of this request. Usually it is one of the first.
    pub(super) fn remove(&mut self, id: u32) {
        let known = self.0.iter().position(|sleeper| sleeper.id == id);
        known.map(|at| self.0.remove(at));
    }

    /// Removes the first one.
    pub(super) fn take_first(&mut self) -> Option<u32> {
        self.0.pop_front().map(|first| first.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_leads_next_and_among_equals_the_first() {
        let mut sleepers = Sleepers::default();
        for (id, priority) in [(2, 0), (4, 3), (6, 0), (8, 7), (10, 3), (12, 0)] {
            sleepers.add(id, priority);
        }
        sleepers.remove(6);
        sleepers.remove(14);
        let order: Vec<_> = std::iter::from_fn(|| sleepers.take_first()).collect();
        assert_eq!(order, [8, 4, 10, 2, 12]);
    }
}
