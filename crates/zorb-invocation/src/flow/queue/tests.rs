//! Tests of what a queue releases, and when.

use super::*;

fn of(max_calls: usize, max_octets: usize) -> FlowLimits {
    FlowLimits { max_calls, max_octets, ..FlowLimits::default() }
}

/// The items that can be removed without waiting: one, and those that are released with it.
fn released(queue: &FlowQueue<char>) -> Option<String> {
    let state = queue.state();
    if state.waiting.is_empty() || !queue.is_released(&state) {
        return None;
    }
    drop(state);
    let (first, _) = queue.next(None)?;
    let others = std::iter::from_fn(|| queue.next_released()).map(|(item, _)| item);
    Some(std::iter::once(first).chain(others).collect())
}

fn buffering(constraint: BufferingConstraint) -> FlowQueue<char> {
    FlowQueue::new(of(4, 100)).buffering(Some(constraint))
}

#[test]
fn buffered_items_are_released_together_when_the_constraint_is_met() {
    let constraint = BufferingConstraint::default();
    let by_calls = buffering(constraint.calls(3));
    let by_octets = buffering(constraint.octets(30));
    for queue in [by_calls, by_octets] {
        for round in 0..2 {
            assert!(queue.try_put(10, None, 'a').is_ok() && queue.try_put(10, None, 'b').is_ok());
            assert_eq!(released(&queue), None, "{round}");
            assert!(queue.try_put(10, None, 'c').is_ok());
            assert_eq!(released(&queue).as_deref(), Some("abc"));
        }
    }
}

#[test]
fn buffered_items_are_released_by_age_by_flushing_and_by_a_full_queue() {
    let constraint = BufferingConstraint::default();
    let aging = buffering(constraint.age(Duration::from_millis(1)));
    assert!(aging.try_put(1, None, 'a').is_ok());
    assert_eq!(aging.next(None).map(|(item, _)| item), Some('a'), "when it is old enough");
    let endless = buffering(constraint.age(Duration::from_secs(3600)));
    assert!(endless.try_put(1, None, 'a').is_ok());
    assert_eq!(released(&endless), None);
    let full = buffering(constraint);
    for item in "abc".chars() {
        assert!(full.try_put(1, None, item).is_ok());
    }
    assert_eq!(released(&full), None);
    assert!(full.try_put(1, None, 'd').is_ok());
    assert_eq!(released(&full).as_deref(), Some("abcd"), "there is no room for another");
    assert!(full.try_put(49, None, 'e').is_ok());
    assert_eq!(released(&full), None);
    assert_eq!(full.try_put(60, None, 'f'), Err('f'));
    assert_eq!(released(&full).as_deref(), Some("e"), "there is no room for this one");
    let flushed = buffering(constraint);
    assert!(flushed.try_put(1, None, 'a').is_ok());
    std::thread::scope(|scope| {
        let flushing = scope.spawn(|| flushed.wait_until_done(Duration::from_secs(3600)));
        assert_eq!(flushed.next(None).map(|(item, _)| item), Some('a'));
        flushed.end();
        assert!(flushed.next(None).is_none());
        assert!(flushing.join().unwrap());
    });
}

#[test]
fn a_caller_that_waits_for_room_releases_what_is_buffered() {
    let queue = buffering(BufferingConstraint::default());
    assert!(queue.try_put(40, None, 'a').is_ok());
    let limit = Duration::from_secs(60);
    let end = Instant::now().checked_add(limit);
    std::thread::scope(|scope| {
        // The other thread gets the lock when this one waits.
        let state = queue.state();
        let waiting = scope.spawn(|| {
            let room = queue.wait_for_room(70, WhenFull::Wait(limit), end);
            // Stops the other thread's wait.
            queue.end();
            room
        });
        drop(queue.wait_for_release(state));
        assert_eq!(queue.next(None).map(|(item, _)| item), Some('a'));
        assert!(waiting.join().unwrap().is_ok());
    });
}

#[test]
fn flushing_releases_what_is_buffered_even_if_it_does_not_wait() {
    let queue = buffering(BufferingConstraint::default());
    assert!(queue.try_put(1, None, 'a').is_ok() && queue.try_put(1, None, 'b').is_ok());
    assert!(!queue.wait_until_done(Duration::ZERO));
    assert!(queue.try_put(1, None, 'c').is_ok());
    assert_eq!(released(&queue).as_deref(), Some("ab"));
    assert_eq!(released(&queue), None);
    queue.release();
    assert_eq!(released(&queue).as_deref(), Some("c"));
}

#[test]
fn buffered_items_are_released_before_the_earliest_deadline() {
    let queue = buffering(BufferingConstraint::default());
    let in_time = |time| Instant::now().checked_add(time);
    let (late, soon) = (in_time(Duration::from_secs(3600)), in_time(Duration::from_millis(1)));
    assert!(queue.try_put(1, late, 'a').is_ok());
    assert_eq!(released(&queue), None);
    assert!(queue.try_put(1, soon, 'b').is_ok());
    assert!(queue.try_put(1, None, 'c').is_ok());
    let half = queue.state().held_until.unwrap();
    assert!(half < soon.unwrap() || soon.unwrap() <= Instant::now());
    assert_eq!(queue.next(None).map(|(item, _)| item), Some('a'));
    assert_eq!(queue.next_released().map(|(item, _)| item), Some('b'));
    assert_eq!(queue.next_released().map(|(item, _)| item), Some('c'));
    // Those that follow are held for longer.
    assert!(queue.try_put(1, late, 'd').is_ok());
    assert_eq!(released(&queue), None);
}

#[test]
fn queued_calls_are_sent_before_the_end() {
    let queue = FlowQueue::new(of(2, 100));
    assert!(queue.try_put(1, None, 'a').is_ok() && queue.try_put(1, None, 'b').is_ok());
    assert_eq!(queue.try_put(1, None, 'c'), Err('c'));
    assert!(queue.wait_for_room(1, WhenFull::Refuse, None).is_err());
    queue.end();
    assert!(!queue.is_at_rest() && !queue.wait_until_done(Duration::ZERO));
    let taken: Vec<_> = std::iter::from_fn(|| queue.next(None)).map(|(item, _)| item).collect();
    assert_eq!(taken, ['a', 'b']);
    assert!(queue.is_at_rest() && queue.wait_until_done(Duration::ZERO));
    assert_eq!(queue.counts(), FlowCounts { refused: 1, ..FlowCounts::default() });
}
