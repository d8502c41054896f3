use std::convert::Infallible;
use std::sync::Mutex;
use std::time::Duration;

use zorb_types::SystemExceptionKind;

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

/// The outcomes of requests, in order.
#[derive(Clone, Default)]
struct Outcomes {
    log: Arc<Mutex<Vec<String>>>,
    passes: Arc<Mutex<Vec<ResumePass>>>,
}

struct Numbered {
    number: u32,
    peer: usize,
    outcomes: Outcomes,
}

impl Numbered {
    fn note(&self, outcome: &str) {
        self.outcomes.log.lock().unwrap().push(format!("{} {outcome}", self.number));
    }
}

impl Holdable for Numbered {
    fn size(&self) -> usize {
        10
    }

    fn peer(&self) -> usize {
        self.peer
    }

    fn is_unlimited(&self) -> bool {
        self.number >= 100
    }

    fn awaited_by(&self) -> Option<(usize, ServedRequest)> {
        self.number.is_multiple_of(2).then(|| (self.peer, ServedRequest::default()))
    }

    fn resume(self: Box<Self>, pass: ResumePass) {
        self.note("resumed");
        self.outcomes.passes.lock().unwrap().push(pass);
    }

    fn serve(self: Box<Self>, pass: ResumePass) {
        self.note("served");
        self.outcomes.passes.lock().unwrap().push(pass);
    }

    fn discard(self: Box<Self>) {
        self.note("discarded");
    }
}

/// A closed queue of requests of up to 30 octets, which may wait this long, and its beginning.
fn holding(time: Option<Duration>) -> (HoldQueue, Outcomes, Instant) {
    let limits = HoldLimits { requests: 10, octets: 30, time, counts: Arc::default() };
    (HoldQueue::new(Gate::Closed, limits), Outcomes::default(), Instant::now())
}

fn set(queue: &HoldQueue, gate: Gate) {
    let Ok(()) = queue.set_gate(|| Ok::<_, Infallible>(gate));
}

impl Outcomes {
    fn request(&self, number: u32) -> Box<Numbered> {
        self.request_of(number as usize, number)
    }

    fn request_of(&self, peer: usize, number: u32) -> Box<Numbered> {
        Box::new(Numbered { number, peer, outcomes: self.clone() })
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn requests_are_discarded_after_their_time_in_their_order() {
    let (queue, outcomes, begin) = holding(Some(LIMIT));
    for (number, at) in [(1, 0), (2, 10), (3, 20)] {
        let since = begin + seconds(at);
        let held = queue.hold(outcomes.request(number), Arrival::New, since);
        assert_eq!(held.ok(), Some(Some(since + LIMIT)));
    }
    let full = queue.hold(outcomes.request(4), Arrival::New, begin + seconds(30));
    assert!(full.is_err(), "30 octets are held");
    assert_eq!(queue.discard_expired(begin + seconds(59)), Some(begin + LIMIT));
    assert!(outcomes.taken().is_empty());
    assert_eq!(queue.discard_expired(begin + seconds(70)), Some(begin + seconds(80)));
    assert_eq!(outcomes.taken(), ["1 discarded", "2 discarded"]);
    assert_eq!(queue.len(), 1);
    let counts = Arc::clone(&queue.0.limits.counts);
    assert_eq!((counts.waiting(), counts.refused(), counts.expired()), (1, 1, 2));
    let held = queue.hold(outcomes.request(5), Arrival::New, begin + seconds(70));
    assert!(held.is_ok(), "there is room again");
    set(&queue, Gate::Open);
    assert_eq!(outcomes.taken(), ["3 resumed", "5 resumed"]);
    assert_eq!(queue.discard_expired(begin + seconds(200)), None);
    assert_eq!((counts.waiting(), counts.refused(), counts.expired()), (0, 1, 2));
    set(&queue, Gate::Closed);
    assert!(queue.hold(outcomes.request(6), Arrival::New, begin).is_ok());
    assert_eq!(counts.waiting(), 1);
    outcomes.passes.lock().unwrap().clear();
    drop(queue);
    assert_eq!(counts.waiting(), 0);
}

#[test]
fn withdrawn_requests_leave_room_for_others() {
    let (queue, outcomes, begin) = holding(None);
    let hold = |peer, number| {
        let since = begin + seconds(u64::from(number));
        queue.hold(outcomes.request_of(peer, number), Arrival::New, since).is_ok()
    };
    // The odd ones are one-way. A peer has half of 30 octets, and each request has 10.
    assert!(hold(1, 2) && hold(2, 3) && hold(3, 4) && !hold(1, 6));
    let withdraw = |peer| queue.withdraw(|connection, _| connection == peer);
    [2, 9].into_iter().for_each(withdraw);
    let counts = &queue.0.limits.counts;
    assert_eq!((queue.len(), counts.waiting()), (3, 3));
    withdraw(1);
    assert_eq!((queue.len(), counts.waiting()), (2, 2));
    assert!(hold(1, 6), "its share is free again");
    queue.open();
    withdraw(1);
    assert_eq!(outcomes.taken(), ["3 resumed", "4 resumed", "6 resumed"]);
    assert_eq!((queue.len(), counts.waiting()), (0, 0));
    assert!(!queue.is_open(), "until they have asked again");
    outcomes.passes.lock().unwrap().clear();
    assert!(queue.is_open());
}

#[test]
fn a_queue_whose_last_request_is_withdrawn_is_open_again() {
    let (queue, outcomes, begin) = holding(None);
    set(&queue, Gate::OneAtATime);
    let permit = queue.acquire_permit(Arrival::New).ok().unwrap();
    assert!(queue.hold(outcomes.request(2), Arrival::New, begin).is_ok());
    queue.withdraw(|_, _| true);
    drop(permit);
    assert!(outcomes.taken().is_empty());
    assert!(queue.acquire_permit(Arrival::New).is_ok());
}

#[test]
fn the_next_queue_knows_that_a_forwarder_has_held_a_request() {
    let (managers, outcomes, begin) = holding(None);
    let limits = HoldLimits { requests: 10, octets: 30, time: None, counts: Arc::default() };
    let forwarders = HoldQueue::of_forwarder(limits);
    let last = || outcomes.passes.lock().unwrap().pop().unwrap();
    assert!(managers.hold(outcomes.request(1), Arrival::New, begin).is_ok());
    managers.open();
    let pass = last();
    assert!(!pass.forwarder_held());
    assert!(forwarders.hold(outcomes.request(1), Arrival::Resumed(&pass), begin).is_ok());
    drop(pass);
    forwarders.open();
    let pass = last();
    assert!(pass.forwarder_held());
    managers.close();
    assert!(managers.hold(outcomes.request(1), Arrival::Resumed(&pass), begin).is_ok());
    drop(pass);
    managers.open();
    assert!(last().forwarder_held());
}

#[test]
fn a_request_that_is_held_anew_keeps_its_time_and_its_place() {
    let (queue, outcomes, begin) = holding(Some(LIMIT));
    for (number, at) in [(1, 0), (2, 10)] {
        let held = queue.hold(outcomes.request(number), Arrival::New, begin + seconds(at));
        assert!(held.is_ok());
    }
    set(&queue, Gate::Open);
    set(&queue, Gate::Closed);
    let passes = std::mem::take(&mut *outcomes.passes.lock().unwrap());
    assert_eq!(outcomes.taken(), ["1 resumed", "2 resumed"]);
    // The threads that serve them are not in step.
    for (pass, number) in passes.iter().zip([1, 2]).rev() {
        let held = queue.hold(outcomes.request(number), Arrival::Resumed(pass), pass.since());
        assert!(held.is_ok());
    }
    drop(passes);
    assert_eq!(queue.discard_expired(begin + LIMIT), Some(begin + seconds(70)));
    assert_eq!(outcomes.taken(), ["1 discarded"]);
    set(&queue, Gate::Open);
    assert_eq!(outcomes.taken(), ["2 resumed"]);
    outcomes.passes.lock().unwrap().clear();
    assert!(queue.admit(Arrival::New).is_ok());
}

#[test]
fn without_a_limit_requests_are_held_for_ever() {
    let (queue, outcomes, begin) = holding(None);
    let held = queue.hold(outcomes.request(1), Arrival::New, begin);
    assert_eq!(held.ok(), Some(None));
    assert_eq!(queue.discard_expired(begin + seconds(1_000_000)), None);
    assert_eq!((queue.len(), outcomes.taken().len()), (1, 0));
}

#[test]
fn a_caller_inside_the_process_waits_no_longer() {
    let (queue, _, begin) = holding(Some(Duration::ZERO));
    assert_eq!(queue.wait(begin, None), Err(discarded()));
    assert_eq!(queue.len(), 0);
    set(&queue, Gate::Open);
    assert_eq!(queue.wait(begin, None), Ok(()));
}

#[test]
fn a_caller_inside_the_process_waits_no_longer_than_its_deadline() {
    for limit in [Some(LIMIT), Some(Duration::MAX), None] {
        let (queue, _, begin) = holding(limit);
        let error = queue.wait(begin, Some(begin)).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Timeout);
        assert_eq!(
            (error.minor, error.completed),
            (minor::timeout::REQUEST_EXPIRED, CompletionStatus::No)
        );
        assert_eq!(queue.len(), 0);
    }
}

#[test]
fn a_peer_fills_no_more_than_half_of_a_queue() {
    for (limits, of_peer, all) in [
        (HoldLimits { requests: 5, octets: 1000, time: None, counts: Arc::default() }, 3, 5),
        (HoldLimits { requests: 1000, octets: 50, time: None, counts: Arc::default() }, 2, 5),
    ] {
        let queue = HoldQueue::new(Gate::Closed, limits);
        let outcomes = Outcomes::default();
        let hold = |peer: usize| {
            let request = outcomes.request_of(peer, 0);
            queue.hold(request, Arrival::New, Instant::now()).is_ok()
        };
        assert_eq!((0..9).filter(|_| hold(1)).count(), of_peer, "the stranger's");
        assert_eq!((2..9).filter(|peer| hold(*peer)).count(), all - of_peer, "those of others");
        set(&queue, Gate::Open);
        outcomes.passes.lock().unwrap().clear();
        set(&queue, Gate::Closed);
        assert!(hold(1), "there is room again");
    }
}

#[test]
fn a_request_from_another_queue_has_the_place_of_its_time() {
    let (queue, outcomes, begin) = holding(None);
    let (other, _, _) = holding(None);
    let other_outcomes = Outcomes::default();
    assert!(other.hold(other_outcomes.request(1), Arrival::New, begin).is_ok());
    set(&other, Gate::Open);
    let passes = std::mem::take(&mut *other_outcomes.passes.lock().unwrap());
    for number in [2, 3] {
        let since = begin + seconds(u64::from(number));
        assert!(queue.hold(outcomes.request(number), Arrival::New, since).is_ok());
    }
    let arrival = Arrival::Resumed(&passes[0]);
    assert!(queue.admit(arrival).is_err());
    assert!(queue.hold(outcomes.request(1), arrival, passes[0].since()).is_ok());
    set(&queue, Gate::Open);
    assert_eq!(outcomes.taken(), ["1 resumed", "2 resumed", "3 resumed"]);
    // While requests are resuming, an earlier one passes and a new one does not.
    assert!(queue.admit(Arrival::New).is_err());
    assert!(queue.admit(arrival).is_ok());
    let later = outcomes.passes.lock().unwrap().pop().unwrap();
    assert!(
        other.admit(Arrival::Resumed(&later)).is_err(),
        "behind the one that is resuming there"
    );
    drop(passes);
    assert!(other.admit(Arrival::Resumed(&later)).is_ok());
}

#[test]
fn many_requests_whose_clients_have_gone_are_resumed_one_after_the_other() {
    /// Drops its pass at once.
    struct Gone;
    impl Holdable for Gone {
        fn size(&self) -> usize {
            0
        }

        fn peer(&self) -> usize {
            0
        }

        fn resume(self: Box<Self>, _: ResumePass) {}

        fn serve(self: Box<Self>, _: ResumePass) {}

        fn discard(self: Box<Self>) {}
    }
    let limits = HoldLimits { requests: 1 << 20, octets: 0, time: None, counts: Arc::default() };
    let queue = HoldQueue::new(Gate::Closed, limits);
    for _ in 0..100_000 {
        assert!(queue.hold(Box::new(Gone), Arrival::New, Instant::now()).is_ok());
    }
    set(&queue, Gate::Open);
    assert!(queue.is_empty() && queue.admit(Arrival::New).is_ok());
}

#[test]
fn a_queue_is_not_open_while_its_gate_changes() {
    let (queue, _, _) = holding(None);
    set(&queue, Gate::Open);
    for gate in [Ok(Gate::Open), Err(())] {
        assert!(queue.is_open());
        let changed = queue.set_gate(|| {
            assert!(!queue.is_open());
            gate
        });
        assert_eq!(changed, gate.map(drop));
    }
    assert!(queue.is_open() && queue.admit(Arrival::New).is_ok());
}

#[test]
fn unlimited_requests_have_room_and_do_not_expire() {
    let (queue, outcomes, start) = holding(Some(LIMIT));
    let hold = |number| {
        let held = queue.hold(outcomes.request(number), Arrival::New, start);
        held.map_err(|(request, _)| request.number)
    };
    let expires = Ok(Some(start + LIMIT));
    assert_eq!([100, 1, 2, 3].map(hold), [Ok(None), expires, expires, expires]);
    assert_eq!([4, 101].map(hold), [Err(4), Ok(None)]);
    assert_eq!(queue.discard_expired(start + LIMIT), None);
    assert_eq!(*outcomes.log.lock().unwrap(), ["1 discarded", "2 discarded", "3 discarded"]);
    outcomes.log.lock().unwrap().clear();
    set(&queue, Gate::Open);
    assert_eq!(*outcomes.log.lock().unwrap(), ["100 resumed", "101 resumed"]);
}

#[test]
fn unlimited_requests_leave_room_for_others_and_keep_their_order() {
    let (queue, outcomes, start) = holding(Some(LIMIT));
    for number in 100..200 {
        let since = start + seconds(u64::from(2 * number));
        assert!(queue.hold(outcomes.request_of(0, number), Arrival::New, since).is_ok());
    }
    // Of the same peer.
    let between = start + seconds(2 * 150 + 1);
    let held = queue.hold(outcomes.request_of(0, 1), Arrival::New, between);
    assert_eq!(held.ok(), Some(Some(between + LIMIT)));
    assert_eq!(queue.len(), 101);
    let refused = queue.wait(start, Some(start)).unwrap_err();
    assert_eq!(refused.kind, SystemExceptionKind::Timeout, "there is room for a caller, too");
    assert_eq!(queue.discard_expired(start + seconds(300)), Some(between + LIMIT));
    set(&queue, Gate::Open);
    let numbers = (100..=150).chain([1]).chain(151..200);
    let expected: Vec<_> = numbers.map(|number| format!("{number} resumed")).collect();
    assert_eq!(outcomes.taken(), expected);
}
