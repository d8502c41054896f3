//! Half-sync/half-async: one thread of the lane reads and queues requests, the others make upcalls and
//! reply. Each request changes threads. In return, requests can wait in the queue, and a lane can borrow
//! threads of lower lanes.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use zorb_base::threads::ThreadActivity;
use zorb_giop::{MessageHeader, ProtocolError};
use zorb_types::SystemException;

use super::queue::worker::{Call, Worker};
use super::queue::{Next, Offered, RequestQueue, Room, Taker};
use crate::connection::{ReleasedRequest, ServerConnection};
use crate::input::Input;
use crate::lane::{Lane, OtherLanes, ServingStrategy, ThreadKind};
use crate::message::{RequestMessage, no_message_memory, queue_full};
use crate::queued::QueuedRequest;
use crate::scratch::Scratch;
use crate::settings::Buffering;

/// The strategy half-sync/half-async.
#[derive(Debug)]
pub(crate) struct HalfSync {
    queue: RequestQueue<QueuedRequest>,
}

impl HalfSync {
    /// For a lane of at most `threads` threads. `buffering` limits the requests that wait for one.
    pub(crate) fn new(threads: usize, buffering: Option<Buffering>, by_priority: bool) -> Self {
        Self { queue: RequestQueue::new(threads, buffering, by_priority) }
    }

    /// Queues a request for a thread that makes its upcall: an idle thread of the lane, else a new dynamic
    /// thread, else one borrowed from a lower lane, else the next that becomes free. Refuses it if it may not wait.
    /// `spare` becomes the message for the next request; `reply` is the buffer of a refusal.
    fn queue(
        &self,
        lane: &Lane,
        request: QueuedRequest,
        room: Room,
        spare: &mut Option<Box<RequestMessage>>,
        reply: &mut Vec<u8>,
    ) {
        let needs_other = other_lanes(lane).is_some()
            && !self.queue.has_idle()
            && !lane.thread_requests.may_ask(missing(lane));
        let borrowed = if needs_other { borrow(lane) } else { None };
        let ask = || lane.thread_requests.ask(missing(lane));
        match self.queue.offer(request, room, borrowed.is_some(), spare, ask) {
            Offered::Borrowed => {
                let _ = borrowed.map(|(borrowed, rank)| borrowed.call(Call::Borrowed(rank)));
            }
            Offered::Requested => lane.thread_requests.call(),
            Offered::Assigned(worker) => {
                worker.call(Call::Own);
                // A thread of the lane became idle meanwhile.
                let _ = borrowed.map(|(borrowed, _)| borrowed.call(Call::Check));
            }
            Offered::Waits => {
                // A thread of a lower lane may have become idle since the first attempt.
                let _ = borrow(lane).map(|(borrowed, _)| borrowed.call(Call::Check));
            }
            Offered::Ended(_) => {
                let _ = borrowed.map(|(borrowed, _)| borrowed.call(Call::Check));
            }
            Offered::TooMany(request) => self.refuse(lane, request, &queue_full(), reply),
            Offered::NoMemory(request) => self.refuse(lane, request, &no_message_memory(), reply),
        }
    }

    #[cold]
    fn refuse(
        &self,
        lane: &Lane,
        request: QueuedRequest,
        exception: &SystemException,
        reply: &mut Vec<u8>,
    ) {
        lane.refused.fetch_add(1, Ordering::Relaxed);
        self.queue.give_back(request.refuse(exception, reply));
    }

    /// The body of a thread that makes upcalls.
    fn work(&self, lane: &Arc<Lane>, kind: ThreadKind) {
        let worker = Worker::new();
        let activity = ThreadActivity::of_this_thread();
        let set_idle = |idle| activity.iter().for_each(|activity| activity.set_idle(idle));
        let mut scratch = Scratch::default();
        // The message of the last request.
        let mut served = None;
        // A static thread's startup, until its first wait, is not work.
        if let ThreadKind::Dynamic(_) = kind {
            lane.work_begins();
            let request = self.queue.take(Taker::Requested);
            served = request.and_then(|request| request.serve(&mut scratch));
        }
        loop {
            if serve_higher(lane, &mut scratch) {
                lane.adopt();
                lane.work_begins();
                continue;
            }
            match self.queue.next(&worker, served.take()) {
                Next::Serve(request) => {
                    served = request.serve(&mut scratch);
                    lane.work_begins();
                    continue;
                }
                Next::Wait => lane.work_ends(),
                Next::End => return lane.work_ends(),
            }
            // A request of a higher lane may have looked for a thread just before this one became idle.
            if !is_needed_by_higher(lane) || !self.queue.leave(&worker) {
                set_idle(true);
                let Some(call) = self.wait(lane, kind, &worker, &mut scratch) else { return };
                set_idle(false);
                lane.work_begins();
                served = self.answer(lane, call, &mut scratch);
            } else {
                lane.work_begins();
            }
        }
    }

    /// Waits for a call; `None` if the thread has been idle for too long.
    fn wait(
        &self,
        lane: &Lane,
        kind: ThreadKind,
        worker: &Arc<Worker>,
        scratch: &mut Scratch,
    ) -> Option<Call> {
        let limit = lane.linger(kind);
        let call = match scratch.is_large() && !lane.is_frozen() {
            false => worker.wait(limit),
            true => scratch.wait_with_large(limit, &|limit| worker.wait(limit)),
        };
        match call {
            None if self.queue.leave(worker) => None,
            // It was called just before it left.
            None => worker.wait(None),
            call => call,
        }
    }

    /// Does what the thread was called for. Returns the message of a request of its own lane.
    fn answer(
        &self,
        lane: &Lane,
        call: Call,
        scratch: &mut Scratch,
    ) -> Option<Box<RequestMessage>> {
        match call {
            Call::Own => return self.queue.take(Taker::Called)?.serve(scratch),
            // Its priority may have been raised.
            Call::Check => {}
            Call::Borrowed(rank) => {
                let higher = other_lanes(lane).and_then(|all| all.higher.get(rank)?.upgrade());
                if let Some(higher) = higher
                    && let Some(queue) = higher.queue()
                    && let Some(request) = queue.take(Taker::Called)
                {
                    serve_borrowed(&higher, queue, request, scratch);
                }
            }
        }
        lane.adopt();
        None
    }
}

impl ServingStrategy for HalfSync {
    fn enqueue(
        &self,
        lane: &Lane,
        connection: &Arc<ServerConnection>,
        input: &mut Input,
        header: &MessageHeader,
        scratch: &mut Scratch,
    ) -> Result<(), ProtocolError> {
        let mut message = scratch.spare.take().or_else(|| self.queue.spare()).unwrap_or_default();
        let orders = self.queue.orders();
        if !connection.detach_request(input, header, &mut message, orders)? {
            scratch.spare = Some(message);
            return Ok(());
        }
        let mut request = QueuedRequest::new(connection, message);
        if connection.core.adapters().have_serializers() {
            match request.wait_for_permit() {
                Some(other) => request = other,
                None => return Ok(()),
            }
        }
        let Scratch { spare, reply, .. } = scratch;
        self.queue(lane, request, Room::Limited, spare, reply);
        Ok(())
    }

    fn resume(&self, lane: &Arc<Lane>, request: ReleasedRequest) {
        let request = lane.queued(request);
        // There is always room: the manager's limits have counted it.
        self.queue(lane, request, Room::Unlimited, &mut None, &mut Vec::new());
    }

    fn run(&self, lane: &Arc<Lane>, kind: ThreadKind) {
        match (kind, &lane.reactor) {
            (ThreadKind::Reader, Some(reactor)) => lane.handle_events(reactor, kind),
            _ => self.work(lane, kind),
        }
    }

    fn queue(&self) -> Option<&RequestQueue<QueuedRequest>> {
        Some(&self.queue)
    }
}

/// The number of threads that the lane may still start.
fn missing(lane: &Lane) -> u32 {
    let there = lane.threads.load(Ordering::Acquire);
    u32::try_from(lane.settings.max_threads().saturating_sub(there)).unwrap_or(u32::MAX)
}

fn other_lanes(lane: &Lane) -> Option<&OtherLanes> {
    lane.other_lanes.get()
}

/// Borrows an idle thread of a lower lane and raises its priority to this lane's. Also returns this lane's
/// rank.
fn borrow(lane: &Lane) -> Option<(Arc<Worker>, usize)> {
    let other_lanes = other_lanes(lane)?;
    let mut lower = other_lanes.lower.iter().filter_map(Weak::upgrade);
    let worker = lower.find_map(|lane| lane.queue()?.take_idle())?;
    // Before it runs: threads of lanes in between could preempt it.
    lane.raise(worker.thread);
    Some((worker, other_lanes.higher.len()))
}

/// Serves a request of a higher lane that no thread has been called for, the highest lane first. Returns
/// whether there was one.
fn serve_higher(lane: &Lane, scratch: &mut Scratch) -> bool {
    let Some(other_lanes) = other_lanes(lane) else { return false };
    for higher in other_lanes.higher.iter().filter_map(Weak::upgrade) {
        if let Some(queue) = higher.queue()
            && let Some(request) = queue.take(Taker::Free)
        {
            serve_borrowed(&higher, queue, request, scratch);
            return true;
        }
    }
    false
}

/// Serves a request of `lane` on a thread of another one.
fn serve_borrowed(
    lane: &Lane,
    queue: &RequestQueue<QueuedRequest>,
    request: QueuedRequest,
    scratch: &mut Scratch,
) {
    lane.borrowed.fetch_add(1, Ordering::Relaxed);
    lane.work_begins();
    lane.adopt();
    let _calling = lane.calls();
    if let Some(message) = request.serve(scratch) {
        queue.give_back(message);
    }
    lane.work_ends();
}

/// Whether a request of a higher lane waits for a thread.
fn is_needed_by_higher(lane: &Lane) -> bool {
    let Some(other_lanes) = other_lanes(lane) else { return false };
    let mut higher = other_lanes.higher.iter().filter_map(Weak::upgrade);
    higher.any(|lane| lane.queue().is_some_and(RequestQueue::has_unassigned))
}
