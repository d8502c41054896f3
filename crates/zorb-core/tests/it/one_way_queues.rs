//! Queues of one-way calls to several servers, one of which does not read.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::sharing::read_requests;
use crate::support::{Echo, builder, server, until, until_noted};
use tracing::Level;
use zorb_cdr::ByteOrder;
use zorb_core::flow::{BufferingConstraint, FlowEvent, FlowLimits};
use zorb_core::policy::{Policies, RelativeRequestTimeout, SyncScope};
use zorb_core::{Interface, OnewayQueue, Orb};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_testkit::{Log, require_loopback};
use zorb_types::{CompletionStatus, SystemException, SystemExceptionKind};

/// A server that accepts connections and reads nothing from them.
fn stopped() -> (TcpListener, Ior) {
    require_loopback();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        object_key: b"stopped".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(ByteOrder::NATIVE).unwrap()];
    (listener, Ior { type_id: Echo::REPOSITORY_ID.to_owned(), profiles })
}

/// A client that waits for a server that does not read, and its view of `live`.
fn patient_client(live: &Echo) -> (Orb, Echo) {
    let orb = patient_orb();
    let live = orb.resolve(&live.object().to_ior_string()).unwrap();
    (orb, live)
}

fn patient_orb() -> Orb {
    builder().option("SendTimeout", "3600000").build().unwrap()
}

/// Makes calls until one is refused, as the queue is full.
fn fill(stopped: &Echo) -> SystemException {
    let data = vec![7; 256 << 10];
    let send = || stopped.object().invoke_oneway("show", |writer| writer.write_octets(&data));
    std::iter::repeat_with(send).find_map(Result::err).unwrap()
}

/// A queue that holds calls back, and the exceptions of those that are lost.
fn holding(limits: FlowLimits) -> (OnewayQueue, Receiver<SystemException>) {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let queue = OnewayQueue::new(limits).buffering(BufferingConstraint::default());
    let queue = queue.on_event(move |event| {
        if let FlowEvent::Lost(exception) = event {
            tell.lock().unwrap().send(exception.clone()).unwrap();
        }
    });
    (queue, told)
}

fn queued(queue: &OnewayQueue) -> Policies {
    Policies::new().with(SyncScope::None).with(queue.clone())
}

#[test]
fn a_server_that_does_not_read_costs_its_own_queue_only() {
    let (_server, live) = server();
    let (orb, live) = patient_client(&live);
    let (listener, ior) = stopped();
    let stopped: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let highs = Arc::new(AtomicUsize::new(0));
    let high = Arc::clone(&highs);
    // More than the system's buffers take, so that the rest stays in the queue.
    let limits = FlowLimits::default().max_calls(usize::MAX).max_octets(48 << 20);
    let queue = OnewayQueue::new(limits).on_event(move |event| {
        if matches!(event, FlowEvent::High { .. }) {
            high.fetch_add(1, Ordering::SeqCst);
        }
    });
    let stopped = stopped.with_policies(&queued(&queue)).unwrap();
    let queued = live.with_policies(&queued(&queue)).unwrap();
    let refused = fill(&stopped);
    assert_eq!(refused.kind, SystemExceptionKind::Transient);
    assert_eq!(refused.completed, CompletionStatus::No);
    assert_eq!(highs.load(Ordering::SeqCst), 1);
    for value in 1..=20 {
        queued.note(value).unwrap();
        // Other calls to the live server are not delayed either.
        until_noted(&live, value);
    }
    assert_eq!(queue.counts().lost, 0);
    assert!(queue.waiting().0 > 0, "those for the server that does not read");
    assert!(!queue.flush(Duration::ZERO));
    assert_eq!(highs.load(Ordering::SeqCst), 1);
    drop(listener);
    orb.shutdown(true).unwrap();
}

#[test]
fn calls_that_wait_in_a_queue_are_traced() {
    let (_server, live) = server();
    let (_orb, live) = patient_client(&live);
    let (queue, _lost) = holding(FlowLimits::default());
    let held = live.with_policies(&queued(&queue)).unwrap();
    let log = Log::default();
    log.of(|| {
        for value in [1, 2] {
            held.note(value).unwrap();
        }
        // It waits for nothing, and calls with replies do not either.
        assert_eq!(live.twice(4).unwrap(), 8);
    });
    let lines = log.lines();
    let traced = lines.iter().filter(|line| line.message == "a one-way call is queued");
    let fields = traced.map(|line| {
        assert_eq!(line.level, Level::TRACE);
        ["operation", "waiting"].map(|name| line.field(name).unwrap().to_owned())
    });
    assert_eq!(fields.collect::<Vec<_>>(), [["\"note\"", "1"], ["\"note\"", "2"]]);
    assert!(queue.flush(Duration::from_secs(60)));
}

#[test]
fn flushing_begins_to_send_to_all_servers_without_waiting() {
    let (_server, live) = server();
    let (orb, live) = patient_client(&live);
    let (_listener, ior) = stopped();
    let stopped: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let limits = FlowLimits::default().max_calls(usize::MAX).max_octets(48 << 20);
    let (queue, _) = holding(limits);
    fill(&stopped.with_policies(&queued(&queue)).unwrap());
    live.with_policies(&queued(&queue)).unwrap().note(1).unwrap();
    assert!(!queue.flush(Duration::ZERO));
    until_noted(&live, 1);
}

#[test]
fn a_call_is_not_held_back_beyond_its_time() {
    let (_server, live) = server();
    let (_orb, live) = patient_client(&live);
    let (queue, lost) = holding(FlowLimits::default());
    let held = live.with_policies(&queued(&queue)).unwrap();
    held.note(1).unwrap();
    let hasty = Policies::new().with(RelativeRequestTimeout(Duration::from_millis(500)));
    held.with_policies(&hasty).unwrap().note(2).unwrap();
    // On a slow machine it is too late.
    until(|| live.noted().unwrap() == 2 || lost.try_recv().is_ok());
}

#[test]
fn calls_of_a_batch_that_was_not_sent_as_a_whole_may_have_completed() {
    let (listener, ior) = stopped();
    let orb = patient_orb();
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    // The second call is more than the system's buffers take.
    let octets = 40 << 20;
    let (queue, lost) = holding(FlowLimits::default().max_octets(2 * octets));
    let echo = echo.with_policies(&queued(&queue)).unwrap();
    echo.note(1).unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let data = vec![7; octets];
    echo.object().invoke_oneway("show", |writer| writer.write_octets(&data)).unwrap();
    assert_eq!(read_requests(&mut stream, 1).len(), 1);
    drop(stream);
    for _ in 0..2 {
        let exception = lost.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(exception.kind, SystemExceptionKind::CommFailure, "{exception}");
        assert_eq!(exception.completed, CompletionStatus::Maybe);
    }
    assert_eq!(queue.counts().lost, 2);
}

#[test]
fn nothing_is_sent_to_a_server_that_has_hung_up() {
    let (listener, ior) = stopped();
    let orb = patient_orb();
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let (queue, lost) = holding(FlowLimits::default());
    echo.with_policies(&queued(&queue)).unwrap().note(1).unwrap();
    drop(listener.accept().unwrap());
    let exception = lost.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(exception.kind, SystemExceptionKind::CommFailure, "{exception}");
    assert_eq!(exception.completed, CompletionStatus::No);
}
