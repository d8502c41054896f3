//! A program is told of many pending calls, before they are refused.

use std::sync::mpsc;
use std::time::Duration;

use super::send_twice;
use crate::support::{Acting, Echo, builder};
use zorb_core::flow::{FlowEvent, FlowLimits};

/// More than any machine needs to report an event.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn each_watermark_is_told_once() {
    let (go, wait) = mpsc::channel::<()>();
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let wait = std::sync::Mutex::new(wait);
    let servant = Acting(move |value| {
        let _ = wait.lock().unwrap().recv();
        Ok(value)
    });
    let echo: Echo = server.root_poa().activate(servant).unwrap();
    let orb = builder().build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let (tell, told) = mpsc::channel();
    let tell = move |event: &FlowEvent| tell.send(event.clone()).unwrap();
    let limits = FlowLimits::default().max_calls(8);
    assert!(orb.on_pending_calls(Some(limits), tell.clone()));
    assert!(!orb.on_pending_calls(None, tell), "there is one");
    let mut pending = Vec::new();
    for sent in 1..=8 {
        pending.push(send_twice(there.object(), sent));
        // On this thread.
        match told.try_recv() {
            Ok(FlowEvent::High { calls, .. }) => assert_eq!((calls, sent), (6, 6)),
            other => assert!(other.is_err() && sent != 6, "{sent}: {other:?}"),
        }
    }
    drop(go);
    for (sent, call) in (1..).zip(pending) {
        assert_eq!(call.wait().unwrap(), sent);
    }
    match told.recv_timeout(LONG) {
        Ok(FlowEvent::Low { calls, .. }) => assert!(calls <= 2, "{calls}"),
        other => panic!("{other:?}"),
    }
    orb.shutdown(true).unwrap();
    assert!(told.try_recv().is_err());
    server.shutdown(true).unwrap();
}
