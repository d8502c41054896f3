use zorb_giop::MessageBudget;

use super::*;

/// A request.
#[derive(Debug, PartialEq)]
struct NumberedRequest {
    id: usize,
    priority: i16,
}

impl Request for NumberedRequest {
    fn size(&self) -> usize {
        1
    }

    fn priority(&self) -> i16 {
        self.priority
    }

    /// Only requests with small numbers get memory.
    fn begin_wait(&mut self, _: bool) -> bool {
        self.id < 100
    }
}

/// A queue with room for one waiting request.
fn queue() -> RequestQueue<NumberedRequest> {
    RequestQueue::new(1, Some(Buffering { max_requests: 1, max_octets: None }), false)
}

fn request(id: usize) -> NumberedRequest {
    NumberedRequest { id, priority: 0 }
}

fn offer(queue: &RequestQueue<NumberedRequest>, id: usize, may_ask: bool) -> &'static str {
    match queue.offer(request(id), Room::Limited, false, &mut None, || may_ask) {
        Offered::Assigned(_) => "assigned",
        Offered::Borrowed => "borrowed",
        Offered::Requested => "requested",
        Offered::Waits => "waits",
        Offered::TooMany(_) => "too many",
        Offered::NoMemory(_) => "no memory",
        Offered::Ended(_) => "ended",
    }
}

#[test]
fn no_thread_is_asked_for_where_one_waits() {
    let queue = queue();
    assert!(matches!(queue.next(&Worker::new(), None), Next::Wait));
    let offered = queue.offer(request(1), Room::Limited, false, &mut None, || panic!("one waits"));
    assert!(matches!(offered, Offered::Assigned(_)));
    assert_eq!(queue.take(Taker::Called), Some(request(1)));
}

#[test]
fn a_thread_that_was_asked_for_is_not_wanted_when_another_was_free_before() {
    let queue = queue();
    assert_eq!(offer(&queue, 1, true), "requested");
    assert!(queue.needs_requested_thread());
    assert_eq!(queue.next(&Worker::new(), None), Next::Serve(request(1)));
    assert!(!queue.needs_requested_thread());
    // It leaves nothing behind: one request may wait, as before.
    assert_eq!([offer(&queue, 2, false), offer(&queue, 3, false)], ["waits", "too many"]);
}

#[test]
fn a_request_without_memory_does_not_wait() {
    let queue = queue();
    assert_eq!([offer(&queue, 100, false), offer(&queue, 101, true)], ["no memory", "requested"]);
    assert_eq!(offer(&queue, 1, false), "waits");
}

#[test]
fn spare_messages_have_no_large_buffers() {
    let (queue, budget) = (queue(), Arc::new(MessageBudget::new(1 << 20)));
    for octets in [200 << 10, 64 << 10] {
        let mut message = Box::new(RequestMessage::with_capacity(octets));
        assert!(message.octets.charge_whole(&budget));
        queue.give_back(message);
        assert_eq!(budget.used(), 0);
    }
    assert_eq!(queue.spare().map(|it| it.octets.buffer.len()), Some(64 << 10));
}

#[test]
fn a_request_that_a_thread_comes_for_takes_no_room() {
    let queue = queue();
    let offered = [(1, true), (2, false), (3, false)].map(|(it, ask)| offer(&queue, it, ask));
    assert_eq!(offered, ["requested", "waits", "too many"]);
    assert_eq!(queue.take(Taker::Requested), Some(request(1)));
    assert_eq!(offer(&queue, 4, false), "too many");
    assert_eq!(queue.take(Taker::Free), Some(request(2)));
    assert_eq!(offer(&queue, 5, false), "waits");
}

#[test]
fn a_thread_that_cannot_come_leaves_its_request_waiting() {
    let queue = queue();
    assert_eq!(offer(&queue, 1, true), "requested");
    queue.withdraw();
    assert_eq!(offer(&queue, 2, false), "too many");
    assert_eq!(queue.take(Taker::Free), Some(request(1)));
    assert_eq!(queue.take(Taker::Free), None);
}

#[test]
fn the_more_urgent_come_first_and_the_others_in_their_order() {
    let queue = RequestQueue::new(1, Some(Buffering { max_requests: 0, max_octets: None }), true);
    for (id, priority) in [5, 20, -1, 30, 20, 5].into_iter().enumerate() {
        let request = NumberedRequest { id, priority };
        let offered = queue.offer(request, Room::Limited, false, &mut None, || false);
        assert!(matches!(offered, Offered::Waits));
    }
    let order: Vec<_> = std::iter::from_fn(|| queue.take(Taker::Free)).map(|it| it.id).collect();
    assert_eq!(order, [3, 1, 4, 0, 5, 2]);
}

#[test]
fn without_buffering_connections_limit_the_requests_that_wait() {
    let queue = RequestQueue::new(1, None, false);
    assert_eq!([1, 2, 3].map(|id| offer(&queue, id, false)), ["waits"; 3]);
    let order: Vec<_> = std::iter::from_fn(|| queue.take(Taker::Free)).map(|it| it.id).collect();
    assert_eq!(order, [1, 2, 3]);
}

/// The number of concurrent requests depends on timing, so no request may be the first to allocate a buffer.
#[test]
fn buffers_for_all_threads_and_their_reader_are_there_from_the_beginning() {
    let buffer = |queue: &RequestQueue<NumberedRequest>| Some(queue.spare()?.octets.buffer.len());
    let buffers = |queue: &RequestQueue<NumberedRequest>| {
        std::iter::from_fn(|| buffer(queue)).filter(|octets| *octets == SPARE_CAPACITY).count()
    };
    assert_eq!(buffers(&RequestQueue::new(3, None, false)), 5 + UNBUFFERED_SPARES);
    assert_eq!(buffers(&RequestQueue::new(4096, None, true)), 4098 + UNBUFFERED_SPARES);
    for (max_requests, max_octets, waiting) in [
        (3, None, 3),
        (0, None, SPARES),
        // As many as the limit in octets permits, of the smallest requests.
        (1000, Some(100 * LEAST_REQUEST + 1), 100),
        (0, Some(100 * LEAST_REQUEST + 1), 100),
        // No more buffers than that, beyond a number that is always there.
        (2000, Some(1500 * SPARE_CAPACITY), 1500),
        (2000, Some(SPARE_CAPACITY * LEAST_REQUEST), SPARES),
    ] {
        let limit = Buffering { max_requests, max_octets };
        assert_eq!(buffers(&RequestQueue::new(3, Some(limit), true)), 5 + waiting, "{limit:?}");
    }
}

/// What a burst has allocated is there for the next one.
#[test]
fn all_messages_of_a_burst_are_retained() {
    let limit = Buffering { max_requests: 0, max_octets: Some(10 * SPARE_CAPACITY) };
    let queue = RequestQueue::<NumberedRequest>::new(1, Some(limit), false);
    let all: Vec<_> = std::iter::from_fn(|| queue.spare()).collect();
    let (count, more) = (all.len(), 10);
    all.into_iter().for_each(|message| queue.give_back(message));
    (0..more).for_each(|_| {
        queue.give_back(Box::new(RequestMessage::with_capacity(SPARE_CAPACITY)));
    });
    assert_eq!(std::iter::from_fn(|| queue.spare()).count(), count + more);
}

#[test]
fn a_reader_gets_the_message_of_a_request_that_has_been_served() {
    let queue = RequestQueue::<NumberedRequest>::new(1, None, false);
    while queue.spare().is_some() {}
    let served = Box::new(RequestMessage::with_capacity(7));
    assert!(matches!(queue.next(&Worker::new(), Some(served)), Next::Wait));
    let mut spare = None;
    let offered = queue.offer(request(1), Room::Limited, false, &mut spare, || false);
    assert!(matches!(offered, Offered::Assigned(_)));
    assert_eq!(spare.map(|message| message.octets.buffer.len()), Some(7));
}
