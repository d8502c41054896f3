//! Queues of one-way calls to several servers, one of which does not read.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{Echo, client, server, until_noted};
use zorb_cdr::ByteOrder;
use zorb_core::flow::{FlowEvent, FlowLimits};
use zorb_core::policy::{Policies, SyncScope};
use zorb_core::{Interface, OnewayQueue};
use zorb_giop::{GiopVersion, IiopProfile, Ior};
use zorb_testkit::require_loopback;
use zorb_types::{CompletionStatus, SystemExceptionKind};

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

#[test]
fn a_server_that_does_not_read_costs_its_own_queue_only() {
    let (_server, live) = server();
    let (orb, live) = client(&live);
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
    let queued = Policies::new().with(SyncScope::None).with(queue.clone());
    let stopped = stopped.with_policies(&queued).unwrap();
    let queued = live.with_policies(&queued).unwrap();
    let data = vec![7; 256 << 10];
    let send = || stopped.object().invoke_oneway("show", |writer| writer.write_octets(&data));
    let refused = std::iter::repeat_with(send).find_map(Result::err).unwrap();
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
