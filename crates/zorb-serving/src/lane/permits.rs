//! Limits the concurrent upcalls of a lane whose connections have threads of their own.

use std::sync::atomic::{AtomicU32, Ordering};

use zorb_base::threads::while_idle;
use zorb_os::futex;

/// Waiters are distributed over this many futex words, to limit spurious wake-ups.
const WORDS: usize = 16;

/// A fair counting semaphore: the longest waiter is next, so a connection with pipelined requests does not
/// starve others.
///
/// Threads draw tickets; those below `called` may go on.
#[derive(Debug)]
pub(crate) struct Permits {
    /// The next ticket.
    next: AtomicU32,
    called: AtomicU32,
    /// Incremented when a ticket with this remainder is called.
    calls: [AtomicU32; WORDS],
}

/// A permit, until dropped.
#[derive(Debug)]
pub(crate) struct Permit<'p>(&'p Permits);

impl Permits {
    pub(crate) fn new(count: usize) -> Self {
        // No lane has that many threads.
        let count = i32::try_from(count).unwrap_or(i32::MAX).cast_unsigned();
        Self {
            next: AtomicU32::new(0),
            called: AtomicU32::new(count),
            calls: [const { AtomicU32::new(0) }; WORDS],
        }
    }

    /// Waits for a permit.
    #[inline]
    pub(crate) fn take(&self) -> Permit<'_> {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        if !self.is_called(number) {
            while_idle(|| self.wait(number));
        }
        Permit(self)
    }

    /// The number of threads that wait for one.
    pub(crate) fn waiting(&self) -> usize {
        let called = self.called.load(Ordering::SeqCst);
        let ahead = self.next.load(Ordering::SeqCst).wrapping_sub(called).cast_signed();
        usize::try_from(ahead).unwrap_or(0)
    }

    fn is_called(&self, number: u32) -> bool {
        self.called.load(Ordering::SeqCst).wrapping_sub(number).cast_signed() > 0
    }

    fn word(&self, number: u32) -> &AtomicU32 {
        let [first, ..] = &self.calls;
        self.calls.get(number as usize % WORDS).unwrap_or(first)
    }

    #[cold]
    fn wait(&self, number: u32) {
        let word = self.word(number);
        loop {
            // Read first: calling the ticket changes it afterwards.
            let seen = word.load(Ordering::SeqCst);
            if self.is_called(number) {
                return;
            }
            futex::wait(word, seen, None);
        }
    }

    #[cold]
    fn call(&self, number: u32) {
        let word = self.word(number);
        word.fetch_add(1, Ordering::SeqCst);
        futex::wake(word);
    }
}

impl Drop for Permit<'_> {
    #[inline]
    fn drop(&mut self) {
        let permits = self.0;
        let number = permits.called.fetch_add(1, Ordering::SeqCst);
        // A thread that draws it later finds it called.
        if permits.next.load(Ordering::SeqCst).wrapping_sub(number).cast_signed() > 0 {
            permits.call(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use zorb_testkit::until;

    use super::*;

    #[test]
    fn the_longest_waiter_is_next() {
        let permits = Permits::new(2);
        // Tickets wrap around.
        permits.next.store(u32::MAX - 3, Ordering::SeqCst);
        permits.called.store(u32::MAX - 1, Ordering::SeqCst);
        let order = Mutex::new(Vec::new());
        let (first, second) = (permits.take(), permits.take());
        assert_eq!(permits.waiting(), 0);
        std::thread::scope(|scope| {
            for who in 0..40 {
                let (permits, order) = (&permits, &order);
                scope.spawn(move || {
                    let permit = permits.take();
                    order.lock().unwrap().push(who);
                    drop(permit);
                });
                until(|| permits.waiting() > who);
            }
            // Only one permit: two holders could write in any order.
            drop(first);
            until(|| permits.waiting() == 0);
        });
        drop(second);
        assert_eq!(order.into_inner().unwrap(), (0..40).collect::<Vec<_>>());
        drop((permits.take(), permits.take()));
        assert_eq!(permits.waiting(), 0);
    }
}
