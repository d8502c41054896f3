//! The queued jobs of a lane, in the order in which they are taken.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

/// The maximum number of waiting requests.
pub(super) const MAX_WAITING: usize = 65_536;

/// Queued jobs: in the order of arrival, or the most urgent first. No operation takes longer than the
/// logarithm of their number.
#[derive(Debug)]
pub(super) enum Backlog<J> {
    InOrder(VecDeque<J>),
    ByPriority {
        jobs: BinaryHeap<Ranked<J>>,
        /// The number of the next job.
        next: u64,
    },
}

/// The greatest is taken first.
#[derive(Debug)]
pub(super) struct Ranked<J> {
    priority: i16,
    number: Reverse<u64>,
    job: J,
}

impl<J> Backlog<J> {
    /// An empty backlog, in which `room` jobs can wait before it allocates.
    pub(super) fn new(by_priority: bool, room: usize) -> Self {
        match by_priority {
            false => Self::InOrder(VecDeque::with_capacity(room)),
            true => Self::ByPriority { jobs: BinaryHeap::with_capacity(room), next: 0 },
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::InOrder(jobs) => jobs.len(),
            Self::ByPriority { jobs, .. } => jobs.len(),
        }
    }

    pub(super) fn put(&mut self, priority: i16, job: J) {
        match self {
            Self::InOrder(jobs) => jobs.push_back(job),
            Self::ByPriority { jobs, next } => {
                jobs.push(Ranked { priority, number: Reverse(*next), job });
                *next += 1;
            }
        }
    }

    pub(super) fn take(&mut self) -> Option<J> {
        match self {
            Self::InOrder(jobs) => jobs.pop_front(),
            Self::ByPriority { jobs, .. } => jobs.pop().map(|ranked| ranked.job),
        }
    }
}

impl<J> Ord for Ranked<J> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.priority, self.number).cmp(&(other.priority, other.number))
    }
}

impl<J> PartialOrd for Ranked<J> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> PartialEq for Ranked<J> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<J> Eq for Ranked<J> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_urgent_are_first_and_among_them_those_that_came_first() {
        for by_priority in [false, true] {
            let mut jobs = Backlog::new(by_priority, 10);
            let mut all: Vec<_> = (0..1000_i32).map(|at| ((at * 7 % 13 - 5) as i16, at)).collect();
            for &(priority, at) in &all {
                jobs.put(priority, (priority, at));
            }
            assert_eq!(jobs.len(), 1000);
            if by_priority {
                all.sort_by_key(|&(priority, at)| (Reverse(priority), at));
            }
            assert_eq!(std::iter::from_fn(|| jobs.take()).collect::<Vec<_>>(), all);
            // One that is less urgent than those behind it, and one that comes meanwhile.
            for (priority, at) in [(1, 1), (9, 2)] {
                jobs.put(priority, (priority, at));
            }
            let first = jobs.take().unwrap();
            jobs.put(1, (1, 3));
            let rest = [jobs.take().unwrap().1, jobs.take().unwrap().1];
            assert_eq!((first.1, rest), if by_priority { (2, [1, 3]) } else { (1, [2, 3]) });
        }
    }
}
