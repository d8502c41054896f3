//! Queues whose thread the test blocks, so that they fill deterministically.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use zorb_testkit::until;

use super::*;

/// A queue whose thread is in a call that ends when the sender is used or dropped.
fn held(builder: OutputQueueBuilder) -> (OutputQueue, Sender<()>, Receiver<FlowEvent>) {
    let (tell, events) = channel();
    let tell = Mutex::new(tell);
    let queue = builder.on_event(move |event| {
        // The test may have dropped the receiver.
        let _ = tell.lock().unwrap().send(event.clone());
    });
    let queue = queue.start().unwrap();
    let (release, released) = channel::<()>();
    let (begin, begun) = channel();
    let first = move || {
        begin.send(()).unwrap();
        let _ = released.recv();
        Ok(())
    };
    queue.send(0, first).unwrap();
    begun.recv().unwrap();
    (queue, release, events)
}

#[test]
fn a_full_queue_rejects_calls_and_reports_watermarks() {
    let (queue, release, events) =
        held(OutputQueue::builder("full").max_calls(4).watermarks(100, 0));
    let done = Arc::new(Mutex::new(Vec::new()));
    let outcomes: Vec<bool> = (0..6)
        .map(|number| {
            let done = Arc::clone(&done);
            let call = move || {
                done.lock().unwrap().push(number);
                Ok(())
            };
            queue.send(10, call).is_ok()
        })
        .collect();
    assert_eq!(outcomes, [true, true, true, true, false, false]);
    assert_eq!(queue.waiting(), (4, 40));
    assert_eq!(events.try_iter().collect::<Vec<_>>(), [FlowEvent::High { calls: 4, octets: 40 }]);
    let refused = queue.send(1, || Ok(())).unwrap_err();
    assert_eq!(refused.kind, zorb_types::SystemExceptionKind::Transient);
    assert_eq!(refused.completed, CompletionStatus::No);
    let counts = queue.counts();
    assert_eq!([counts.sent, counts.lost, counts.refused], [0, 0, 3]);
    drop(release);
    assert_eq!(events.recv().unwrap(), FlowEvent::Low { calls: 0, octets: 0 });
    drop(queue);
    assert_eq!(*done.lock().unwrap(), [0, 1, 2, 3], "in their order");
}

#[test]
fn properties_set_the_limits_of_a_queue() {
    let mut properties = ConnectionProperties::default();
    properties.queued_calls = Some(2);
    properties.queued_octets = Some(100);
    let builder = || OutputQueue::builder("within").within(&properties);
    let (queue, _release, _events) = held(builder());
    let outcomes = [1, 1, 1].map(|octets| queue.send(octets, || Ok(())).is_ok());
    assert_eq!(outcomes, [true, true, false], "two calls");
    let (queue, _release, _events) = held(builder());
    let [taken, refused] = [99, 2].map(|octets| queue.send(octets, || Ok(())));
    assert_eq!(taken, Ok(()));
    let refused = refused.unwrap_err();
    let no_room = (refused.kind, refused.minor, refused.completed);
    let transient = zorb_types::SystemExceptionKind::Transient;
    let expected = (transient, minor::transient::REQUEST_DISCARDED, CompletionStatus::No);
    assert_eq!(no_room, expected, "a hundred octets");
    // Limits that they do not set are unchanged.
    let (queue, _release, _events) =
        held(OutputQueue::builder("within").max_calls(1).within(&ConnectionProperties::default()));
    let outcomes = [1, 1].map(|octets| queue.send(octets, || Ok(())).is_ok());
    assert_eq!(outcomes, [true, false]);
}

#[test]
fn a_queue_survives_a_panic_in_its_event_handler() {
    let queue = OutputQueue::builder("panics").on_event(|_| panic!("on purpose")).start().unwrap();
    let lost = SystemException::transient(minor::transient::QUEUE_FULL, CompletionStatus::No);
    queue.send(1, move || Err(lost)).unwrap();
    let (tell, told) = channel();
    queue
        .send(1, move || {
            tell.send(()).unwrap();
            Ok(())
        })
        .unwrap();
    told.recv_timeout(Duration::from_secs(60)).unwrap();
}

#[test]
fn a_caller_waits_for_room_if_configured() {
    let hour = WhenFull::Wait(Duration::from_secs(3600));
    let (queue, release, _events) =
        held(OutputQueue::builder("waits").max_calls(1).when_full(hour));
    queue.send(1, || Ok(())).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| queue.send(1, || Ok(())));
        until(|| queue.blocked() > 0);
        assert_eq!(queue.waiting(), (1, 1));
        drop(release);
        waits.join().unwrap().unwrap();
    });
    // A caller with a time limit of zero is rejected.
    let none = WhenFull::Wait(Duration::ZERO);
    let (queue, _release, _events) =
        held(OutputQueue::builder("waits").max_calls(1).when_full(none));
    queue.send(1, || Ok(())).unwrap();
    assert!(queue.send(1, || Ok(())).is_err());
}

#[test]
fn failed_calls_are_reported_and_later_ones_are_sent() {
    let (queue, release, events) = held(OutputQueue::builder("fails"));
    let lost =
        SystemException::comm_failure(minor::comm_failure::SEND_FAILED, CompletionStatus::No);
    let raised = lost.clone();
    queue.send(1, move || Err(raised)).unwrap();
    queue.send(1, || panic!("it does")).unwrap();
    let (tell, after) = channel();
    queue
        .send(1, move || {
            tell.send(()).unwrap();
            Ok(())
        })
        .unwrap();
    drop(release);
    after.recv().unwrap();
    assert_eq!(events.recv().unwrap(), FlowEvent::Lost(lost));
    let FlowEvent::Lost(panicked) = events.recv().unwrap() else { panic!("it is another event") };
    assert_eq!(panicked.kind, zorb_types::SystemExceptionKind::Internal);
    let shared = Arc::clone(&queue.shared);
    drop(queue);
    let counts = shared.queue.counts();
    assert_eq!([counts.sent, counts.lost, counts.refused], [2, 2, 0]);
}
