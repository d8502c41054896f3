//! Half-sync: one thread of the lane reads, the others make upcalls.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::Lane;
use super::lane::{Neighbours, Role};
use super::permits::Permit;
use super::queue::{Call, Offered, Rest, Taker, Worker};
use crate::server::{Job, Kept};

impl Lane {
    /// Hands a request on to a thread that makes its upcall: one of the lane that waits, a dynamic one
    /// to come, one that is borrowed, in this order; else the request waits. It comes back when too
    /// many do.
    #[allow(clippy::result_large_err, reason = "to be refused it comes back whole, on no heap")]
    pub(crate) fn hand_on(&self, mut job: Job) -> Result<(), Job> {
        loop {
            let alone = !self.queue.has_idle() && !self.wants.may_ask(self.missing());
            let lender = if alone { self.borrow() } else { None };
            let ask = || self.wants.ask(self.missing());
            match (self.queue.offer(job, lender.is_some(), ask), lender) {
                (Offered::Lent, Some((lender, rank))) => {
                    lender.call(Call::Lent(rank));
                    return Ok(());
                }
                (Offered::Promised, _) => {
                    self.wants.call();
                    return Ok(());
                }
                (Offered::Assigned(worker), lender) => {
                    worker.call(Call::Own);
                    // One of the lane's own became free just then.
                    let _ = lender.map(|(lender, _)| lender.call(Call::Look));
                    return Ok(());
                }
                // With a thread that is lent it would not wait, and is not said to be lent without one.
                (Offered::Waits | Offered::Lent, _) => {
                    // One of a lower lane may have come to rest after it was looked for.
                    let _ = self.borrow().map(|(lender, _)| lender.call(Call::Look));
                    return Ok(());
                }
                (Offered::Ended, None) => return Ok(()),
                (Offered::Ended, Some((lender, _))) => {
                    lender.call(Call::Look);
                    return Ok(());
                }
                (Offered::TooMany(back), _) if self.queue.holds_requests() => {
                    self.refused.fetch_add(1, Ordering::Relaxed);
                    return Err(back);
                }
                // Requests stay in the transport until a thread is free.
                (Offered::TooMany(back), _) => job = back,
            }
            // Another reader may have got the thread that this one saw, so all is looked at again.
            self.queue.wait_for_thread(|| {
                self.queue.has_idle() || self.wants.may_ask(self.missing()) || self.may_borrow()
            });
        }
    }

    /// How many threads there could be more.
    fn missing(&self) -> u32 {
        let there = self.threads.load(Ordering::Acquire);
        u32::try_from(self.settings.max_threads().saturating_sub(there)).unwrap_or(u32::MAX)
    }

    fn neighbours(&self) -> Option<&Neighbours> {
        self.neighbours.get()
    }

    fn may_borrow(&self) -> bool {
        let Some(neighbours) = self.neighbours() else { return false };
        neighbours.below.iter().filter_map(Weak::upgrade).any(|lane| lane.queue.has_idle())
    }

    /// A thread of a lower lane that waits, with the priority of this one, and this one's rank.
    fn borrow(&self) -> Option<(Arc<Worker>, usize)> {
        let neighbours = self.neighbours()?;
        let mut below = neighbours.below.iter().filter_map(Weak::upgrade);
        let worker = below.find_map(|lane| lane.queue.lend())?;
        // Before it runs, or threads of the lanes between could keep it from running.
        self.settings.threads.raise(worker.thread);
        Some((worker, neighbours.above.len()))
    }

    /// The body of a thread that makes upcalls.
    pub(super) fn work(self: &Arc<Self>, role: Role) {
        let worker = Worker::new();
        let mut kept = Kept::default();
        let mut call = None;
        let mut comes = matches!(role, Role::Dynamic(_));
        // Else what comes before its first wait is its beginning.
        let mut begun = comes;
        loop {
            if std::mem::replace(&mut begun, true) {
                self.frozen.turn_begins();
            }
            match call.take() {
                None => {
                    let asked_for = std::mem::take(&mut comes).then_some(Taker::Promised);
                    if let Some(job) = asked_for.and_then(|taker| self.queue.take(taker)) {
                        self.serve_job(job, &mut kept);
                    }
                }
                Some(Call::Own) => {
                    if let Some(job) = self.queue.take(Taker::Called) {
                        self.serve_job(job, &mut kept);
                    }
                }
                // It may have been raised for nothing.
                Some(Call::Look) => self.settings.threads.adopt(),
                Some(Call::Lent(rank)) => {
                    let lane = self.neighbours().and_then(|all| all.above.get(rank)?.upgrade());
                    if let Some(lane) = lane
                        && let Some(job) = lane.queue.take(Taker::Called)
                    {
                        lane.serve_borrowed(job, &mut kept);
                    }
                    self.settings.threads.adopt();
                }
            }
            if self.work_above(&mut kept) {
                self.settings.threads.adopt();
                continue;
            }
            if let Some(job) = self.queue.take(Taker::Free) {
                self.serve_job(job, &mut kept);
                continue;
            }
            self.frozen.turn_ends();
            match self.queue.rest(&worker) {
                Rest::LookAgain => continue,
                Rest::End => return,
                Rest::Wait => {}
            }
            // A request above may have found no thread just before this one was to be had.
            if self.is_wanted_above() && self.queue.leave(&worker) {
                continue;
            }
            call = worker.wait(self.patience(role));
            if call.is_none() {
                if self.queue.leave(&worker) {
                    return;
                }
                // Called at the last moment.
                call = worker.wait(None);
            }
        }
    }

    /// Serves a request of a higher lane for which there was no thread, the highest first. Whether
    /// there was one.
    fn work_above(&self, kept: &mut Kept) -> bool {
        let Some(neighbours) = self.neighbours() else { return false };
        let mut above = neighbours.above.iter().filter_map(Weak::upgrade);
        let found = above.find_map(|lane| lane.queue.take(Taker::Free).map(|job| (lane, job)));
        let Some((lane, job)) = found else { return false };
        lane.serve_borrowed(job, kept);
        true
    }

    /// Serves a request on a thread of another lane.
    fn serve_borrowed(&self, job: Job, kept: &mut Kept) {
        self.borrowed.fetch_add(1, Ordering::Relaxed);
        self.frozen.turn_begins();
        self.settings.threads.adopt();
        let _calling = self.calls();
        self.serve_job(job, kept);
        self.frozen.turn_ends();
    }

    /// Whether a request of a higher lane waits for a thread. Readers that wait for one look again.
    fn is_wanted_above(&self) -> bool {
        let Some(neighbours) = self.neighbours() else { return false };
        neighbours.above.iter().filter_map(Weak::upgrade).fold(false, |wanted, lane| {
            lane.queue.free();
            lane.queue.has_unassigned() || wanted
        })
    }

    fn serve_job(&self, job: Job, kept: &mut Kept) {
        let buffer = job.serve(kept);
        self.queue.give_back(buffer);
    }

    /// A buffer for the next request.
    pub(crate) fn spare_buffer(&self) -> Vec<u8> {
        self.queue.spare()
    }

    /// Waits until one more upcall may begin, on a connection's `own_thread` or on one of those that
    /// wait together. Where the lane has connections of one kind alone, the latter are as many as there
    /// may be upcalls.
    #[inline]
    pub(crate) fn permit(&self, own_thread: bool) -> Option<Permit<'_>> {
        (own_thread || self.is_mixed.load(Ordering::Relaxed)).then(|| self.permits.take())
    }
}
