//! Half-sync/half-async: one thread of the lane reads and queues requests, the others make upcalls and
//! reply. It costs a change of threads a request; requests can wait in the queue, and lanes can borrow
//! threads of each other.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use zorb_giop::{MessageHeader, ProtocolError};

use super::ServingStrategy;
use super::queue::{Call, Next, Offered, RequestQueue, Room, Taker, Worker};
use crate::connection::{Scratch, ServerConnection};
use crate::input::Input;
use crate::lane::{Lane, Neighbours, Role};
use crate::queued::{QueuedRequest, RequestMessage};
use crate::settings::Buffering;

/// The strategy half-sync/half-async.
#[derive(Debug)]
pub(crate) struct HalfSync {
    queue: RequestQueue,
}

impl HalfSync {
    /// Of a lane with at most so many threads, with so much room for requests that wait for one, which are
    /// served by priority or in the order in which they came.
    pub(crate) fn new(threads: usize, buffering: Option<Buffering>, by_priority: bool) -> Self {
        Self { queue: RequestQueue::new(threads, buffering, by_priority) }
    }

    /// Queues a request for a thread that makes its upcall: one of the lane that waits, a dynamic one to
    /// come, one that is borrowed, in this order; else the request waits for one. It comes back when too
    /// many do. `spare` becomes the message for the next request.
    fn queue(
        &self,
        lane: &Lane,
        mut request: QueuedRequest,
        room: Room,
        spare: &mut Option<Box<RequestMessage>>,
    ) -> Result<(), QueuedRequest> {
        loop {
            let alone = !self.queue.has_idle() && !lane.wants.may_ask(missing(lane));
            let lender = if alone { borrow(lane) } else { None };
            let ask = || lane.wants.ask(missing(lane));
            match (self.queue.offer(request, room, lender.is_some(), spare, ask), lender) {
                (Offered::Lent, Some((lender, rank))) => {
                    lender.call(Call::Lent(rank));
                    return Ok(());
                }
                (Offered::Promised, _) => {
                    lane.wants.call();
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
                    let _ = borrow(lane).map(|(lender, _)| lender.call(Call::Look));
                    return Ok(());
                }
                (Offered::Ended, None) => return Ok(()),
                (Offered::Ended, Some((lender, _))) => {
                    lender.call(Call::Look);
                    return Ok(());
                }
                (Offered::TooMany(back), _) if self.queue.holds_requests() => {
                    lane.refused.fetch_add(1, Ordering::Relaxed);
                    return Err(back);
                }
                // Requests stay in the transport until a thread is free.
                (Offered::TooMany(back), _) => request = back,
            }
            // Another reader may have got the thread that this one saw, so all is looked at again.
            self.queue.wait_for_thread(|| {
                self.queue.has_idle() || lane.wants.may_ask(missing(lane)) || may_borrow(lane)
            });
        }
    }

    /// The body of a thread that makes upcalls.
    fn work(&self, lane: &Arc<Lane>, role: Role) {
        let worker = Worker::new();
        let mut scratch = Scratch::default();
        let mut call = None;
        let mut comes = matches!(role, Role::Dynamic(_));
        // Else what comes before its first wait is its beginning.
        let mut begun = comes;
        // The message of the last request.
        let mut served = None;
        loop {
            if std::mem::replace(&mut begun, true) {
                lane.work_begins();
            }
            match call.take() {
                None => {
                    let asked_for = std::mem::take(&mut comes).then_some(Taker::Promised);
                    if let Some(request) = asked_for.and_then(|taker| self.queue.take(taker)) {
                        served = request.serve(&mut scratch);
                    }
                }
                Some(Call::Own) => {
                    if let Some(request) = self.queue.take(Taker::Called) {
                        served = request.serve(&mut scratch);
                    }
                }
                // It may have been raised for nothing.
                Some(Call::Look) => lane.settings.threads.adopt(),
                Some(Call::Lent(rank)) => {
                    let above = neighbours(lane).and_then(|all| all.above.get(rank)?.upgrade());
                    if let Some(above) = above
                        && let Some(queue) = above.strategy().queue()
                        && let Some(request) = queue.take(Taker::Called)
                    {
                        serve_borrowed(&above, queue, request, &mut scratch);
                    }
                    lane.settings.threads.adopt();
                }
            }
            if work_above(lane, &mut scratch) {
                lane.settings.threads.adopt();
                continue;
            }
            let next = self.queue.next(&worker, served.take());
            if let Next::Serve(request) = next {
                served = request.serve(&mut scratch);
                continue;
            }
            lane.work_ends();
            if let Next::End = next {
                return;
            }
            // A request above may have found no thread just before this one was to be had.
            if is_wanted_above(lane) && self.queue.leave(&worker) {
                continue;
            }
            call = worker.wait(lane.linger(role));
            if call.is_none() {
                if self.queue.leave(&worker) {
                    return;
                }
                // Called at the last moment.
                call = worker.wait(None);
            }
        }
    }
}

impl ServingStrategy for HalfSync {
    fn enqueue(
        &self,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError> {
        let spare = &mut scratch.spare;
        let mut message = spare.take().or_else(|| self.queue.spare()).unwrap_or_default();
        let orders = self.queue.orders();
        match connection.detach_request(input, header, &mut message, orders)? {
            Some(urgency) => {
                let request = QueuedRequest::new(connection, message, urgency);
                if let Err(refused) = self.queue(&connection.lane, request, Room::Limited, spare) {
                    refused.refuse();
                }
            }
            None => *spare = Some(message),
        }
        Ok(())
    }

    fn resume(&self, lane: &Arc<Lane>, request: QueuedRequest) {
        // There is always room for it: it was counted where it was held.
        if let Err(refused) = self.queue(lane, request, Room::Unlimited, &mut None) {
            refused.refuse();
        }
    }

    fn run(&self, lane: &Arc<Lane>, role: Role) {
        match (role, &lane.events) {
            (Role::Reader, Some(events)) => lane.run_event_loop(events, role),
            _ => self.work(lane, role),
        }
    }

    fn still_wants_thread(&self) -> bool {
        self.queue.wants_promised()
    }

    fn thread_not_started(&self) {
        self.queue.withdraw();
    }

    fn end(&self) {
        self.queue.end();
    }

    fn has_reader(&self) -> bool {
        true
    }

    fn queue(&self) -> Option<&RequestQueue> {
        Some(&self.queue)
    }
}

/// How many threads the lane may have more.
fn missing(lane: &Lane) -> u32 {
    let there = lane.threads.load(Ordering::Acquire);
    u32::try_from(lane.settings.max_threads().saturating_sub(there)).unwrap_or(u32::MAX)
}

fn neighbours(lane: &Lane) -> Option<&Neighbours> {
    lane.neighbours.get()
}

fn may_borrow(lane: &Lane) -> bool {
    let Some(neighbours) = neighbours(lane) else { return false };
    let mut below = neighbours.below.iter().filter_map(Weak::upgrade);
    below.any(|lane| lane.strategy().queue().is_some_and(RequestQueue::has_idle))
}

/// A thread of a lower lane that waits, with the priority of this one, and this one's rank.
fn borrow(lane: &Lane) -> Option<(Arc<Worker>, usize)> {
    let neighbours = neighbours(lane)?;
    let mut below = neighbours.below.iter().filter_map(Weak::upgrade);
    let worker = below.find_map(|lane| lane.strategy().queue()?.lend())?;
    // Before it runs, or threads of the lanes between could keep it from running.
    lane.settings.threads.raise(worker.thread);
    Some((worker, neighbours.above.len()))
}

/// Serves a request of a higher lane for which there was no thread, the highest first. Whether there was
/// one.
fn work_above(lane: &Lane, scratch: &mut Scratch) -> bool {
    let Some(neighbours) = neighbours(lane) else { return false };
    for above in neighbours.above.iter().filter_map(Weak::upgrade) {
        if let Some(queue) = above.strategy().queue()
            && let Some(request) = queue.take(Taker::Free)
        {
            serve_borrowed(&above, queue, request, scratch);
            return true;
        }
    }
    false
}

/// Serves a request of `lane` on a thread of another one.
fn serve_borrowed(
    lane: &Lane,
    queue: &RequestQueue,
    request: QueuedRequest,
    scratch: &mut Scratch,
) {
    lane.borrowed.fetch_add(1, Ordering::Relaxed);
    lane.work_begins();
    lane.settings.threads.adopt();
    let _calling = lane.calls();
    if let Some(message) = request.serve(scratch) {
        queue.give_back(message);
    }
    lane.work_ends();
}

/// Whether a request of a higher lane waits for a thread. Readers that wait for one look again.
fn is_wanted_above(lane: &Lane) -> bool {
    let Some(neighbours) = neighbours(lane) else { return false };
    let mut is_wanted = false;
    for above in neighbours.above.iter().filter_map(Weak::upgrade) {
        if let Some(queue) = above.strategy().queue() {
            queue.free();
            is_wanted |= queue.has_unassigned();
        }
    }
    is_wanted
}
