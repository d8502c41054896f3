use std::sync::Mutex;

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

    fn resume(self: Box<Self>, pass: ResumePass) {
        self.note("resumed");
        self.outcomes.passes.lock().unwrap().push(pass);
    }

    fn discard(self: Box<Self>) {
        self.note("discarded");
    }
}

/// A manager that holds requests of up to 30 octets for this long, and its beginning.
fn holding(time: Option<Duration>) -> (PoaManager, Outcomes, Instant) {
    let limits = HoldLimits { requests: 10, octets: 30, time };
    let manager = PoaManager::new(ManagerState::Holding, limits);
    (manager, Outcomes::default(), Instant::now())
}

impl Outcomes {
    fn request(&self, number: u32) -> Box<Numbered> {
        Box::new(Numbered { number, outcomes: self.clone() })
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
    let (manager, outcomes, begin) = holding(Some(LIMIT));
    for (number, at) in [(1, 0), (2, 10), (3, 20)] {
        let since = begin + seconds(at);
        let held = manager.hold(outcomes.request(number), Arrival::New, since);
        assert_eq!(held.ok(), Some(Some(since + LIMIT)));
    }
    let full = manager.hold(outcomes.request(4), Arrival::New, begin + seconds(30));
    assert!(full.is_err(), "30 octets are held");
    assert_eq!(manager.discard_expired(begin + seconds(59)), Some(begin + LIMIT));
    assert!(outcomes.taken().is_empty());
    assert_eq!(manager.discard_expired(begin + seconds(70)), Some(begin + seconds(80)));
    assert_eq!(outcomes.taken(), ["1 discarded", "2 discarded"]);
    assert_eq!(manager.held_requests(), 1);
    let held = manager.hold(outcomes.request(5), Arrival::New, begin + seconds(70));
    assert!(held.is_ok(), "there is room again");
    manager.activate().unwrap();
    assert_eq!(outcomes.taken(), ["3 resumed", "5 resumed"]);
    assert_eq!(manager.discard_expired(begin + seconds(200)), None);
}

#[test]
fn a_request_that_is_held_anew_keeps_its_time_and_its_place() {
    let (manager, outcomes, begin) = holding(Some(LIMIT));
    for (number, at) in [(1, 0), (2, 10)] {
        let held = manager.hold(outcomes.request(number), Arrival::New, begin + seconds(at));
        assert!(held.is_ok());
    }
    manager.activate().unwrap();
    manager.hold_requests().unwrap();
    let passes = std::mem::take(&mut *outcomes.passes.lock().unwrap());
    assert_eq!(outcomes.taken(), ["1 resumed", "2 resumed"]);
    // The threads that serve them are not in step.
    for (pass, number) in passes.iter().zip([1, 2]).rev() {
        let held = manager.hold(outcomes.request(number), Arrival::Resumed, pass.since());
        assert!(held.is_ok());
    }
    drop(passes);
    assert_eq!(manager.discard_expired(begin + LIMIT), Some(begin + seconds(70)));
    assert_eq!(outcomes.taken(), ["1 discarded"]);
    manager.activate().unwrap();
    assert_eq!(outcomes.taken(), ["2 resumed"]);
    outcomes.passes.lock().unwrap().clear();
    assert!(manager.admit(Arrival::New).is_ok());
}

#[test]
fn without_a_limit_requests_are_held_for_ever() {
    let (manager, outcomes, begin) = holding(None);
    let held = manager.hold(outcomes.request(1), Arrival::New, begin);
    assert_eq!(held.ok(), Some(None));
    assert_eq!(manager.discard_expired(begin + seconds(1_000_000)), None);
    assert_eq!((manager.held_requests(), outcomes.taken().len()), (1, 0));
}

#[test]
fn a_caller_inside_the_process_waits_no_longer() {
    let (manager, _, begin) = holding(Some(Duration::ZERO));
    assert_eq!(manager.wait_while_holding(begin, None), Err(discarded()));
    assert_eq!(manager.held_requests(), 0);
    manager.activate().unwrap();
    assert_eq!(manager.wait_while_holding(begin, None), Ok(()));
}

#[test]
fn a_caller_inside_the_process_waits_no_longer_than_its_deadline() {
    for limit in [Some(LIMIT), Some(Duration::MAX), None] {
        let (manager, _, begin) = holding(limit);
        let error = manager.wait_while_holding(begin, Some(begin)).unwrap_err();
        assert_eq!(error.kind, SystemExceptionKind::Timeout);
        assert_eq!(
            (error.minor, error.completed),
            (minor::timeout::REQUEST_EXPIRED, CompletionStatus::No)
        );
        assert_eq!(manager.held_requests(), 0);
    }
}
