//! Clients with whom a lane has yet to agree on something: over TLS, who they are.

use std::collections::VecDeque;

/// With how many of them a lane agrees at a time. Each has a thread of the lane's priority for it, which
/// a client that says nothing keeps until the transport has enough of it.
const MOST: usize = 8;

/// Who waits for a thread, and how many threads there are.
#[derive(Debug)]
pub(super) struct Handshakes<C> {
    waiting: VecDeque<C>,
    threads: usize,
}

impl<C> Default for Handshakes<C> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), threads: 0 }
    }
}

impl<C> Handshakes<C> {
    /// A client has come. It comes back where it is to have a thread, which counts from then on; else it
    /// waits.
    pub(super) fn come(&mut self, client: C) -> Option<C> {
        if self.threads < MOST {
            self.threads += 1;
            return Some(client);
        }
        self.waiting.push_back(client);
        None
    }

    /// The next one for a thread that has agreed with its last; without any it ends, and counts no more.
    pub(super) fn go_on(&mut self) -> Option<C> {
        let next = self.waiting.pop_front();
        self.threads -= usize::from(next.is_none());
        next
    }

    /// A thread cannot be had. Those come back that no other will take.
    pub(super) fn give_up(&mut self) -> VecDeque<C> {
        self.threads = self.threads.saturating_sub(1);
        match self.threads {
            0 => std::mem::take(&mut self.waiting),
            _ => VecDeque::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_have_threads_and_the_others_wait_for_these() {
        let mut handshakes = Handshakes::default();
        let begun: Vec<_> = (0..20).filter_map(|client| handshakes.come(client)).collect();
        assert_eq!(begun, (0..MOST).collect::<Vec<_>>());
        let rest: Vec<_> = std::iter::from_fn(|| handshakes.go_on()).collect();
        assert_eq!(rest, (MOST..20).collect::<Vec<_>>());
        // One thread has ended.
        assert_eq!((handshakes.come(20), handshakes.come(21)), (Some(20), None));
        assert!(handshakes.give_up().is_empty(), "others go on");
        assert_eq!(handshakes.go_on(), Some(21));
        for _ in 1..MOST {
            assert_eq!(handshakes.go_on(), None);
        }
        assert_eq!(handshakes.come(22), Some(22));
        assert!(handshakes.give_up().is_empty());
        assert_eq!(handshakes.come(23), Some(23), "it begins anew");
    }

    #[test]
    fn without_a_thread_nobody_waits_for_ever() {
        let mut handshakes = Handshakes::default();
        let begun = (0..MOST + 2).filter_map(|client| handshakes.come(client)).count();
        for _ in 1..begun {
            assert!(handshakes.give_up().is_empty());
        }
        assert_eq!(handshakes.give_up(), [MOST, MOST + 1]);
    }
}
