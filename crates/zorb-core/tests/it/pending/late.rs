//! Calls whose time is over before the connection has taken their request, or while nobody receives for it.

use std::io::IoSlice;
use std::pin::pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted_for};
use crate::support::builder;
use zorb_core::{Orb, Pending};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Watch, Watched};
use zorb_types::SystemExceptionKind;

/// Stops who sends while it is closed.
#[derive(Clone, Debug, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn set_closed(&self, is_closed: bool) {
        *self.0.0.lock().unwrap() = is_closed;
        self.0.1.notify_all();
    }
}

impl Watch for Gate {
    fn sends(&self, _: &[IoSlice<'_>]) {
        let (is_closed, changed) = &*self.0;
        drop(changed.wait_while(is_closed.lock().unwrap(), |is_closed| *is_closed).unwrap());
    }
}

#[test]
fn a_call_that_is_late_before_it_has_been_sent_ends() {
    let gate = Gate::default();
    let streams = gate.clone();
    let tcp = Watched::new(Arc::new(IiopProtocol::new()), move |_| streams.clone());
    let orb = builder().protocol(Arc::new(tcp)).build().unwrap();
    let (orb, echo, served) = scripted_for(orb, |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let first = read_requests(&mut stream, 1);
        answer(&mut stream, first);
        // It answers no other.
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    assert_eq!(send_twice(echo.object(), 1).wait(), Ok(2));
    let hasty = echo.object().with_timeout(Duration::from_millis(20));
    let slow = send_twice(&echo.object().with_timeout(Duration::from_millis(200)), 2);
    gate.set_closed(true);
    let mut late = std::thread::scope(|scope| {
        let sender = scope.spawn(|| send_twice(&hasty, 3));
        // The reader finds the hasty call late before this one.
        assert_eq!(slow.wait().unwrap_err().kind, SystemExceptionKind::Timeout);
        gate.set_closed(false);
        sender.join().unwrap()
    });
    let ended = late.wait_timeout(Duration::from_secs(60)).expect("a call that has ended");
    assert_eq!(ended.unwrap_err().kind, SystemExceptionKind::Timeout);
    orb.shutdown(true).unwrap();
    served.join().unwrap();
}

/// Makes a call that gets no reply while a function of the program keeps the thread that receives, and waits for it.
fn late_while_busy(orb: Orb, limit: Option<Duration>, keep: fn(Pending<i32>, Sender<()>, Blocks)) {
    let (go, may_go) = channel();
    let (orb, echo, served) = scripted_for(orb, move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let first = read_requests(&mut stream, 1);
        may_go.recv().unwrap();
        answer(&mut stream, first);
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    let (begun, has_begun) = channel();
    let (release, released) = channel();
    keep(send_twice(echo.object(), 1), begun, Mutex::new(released));
    go.send(()).unwrap();
    has_begun.recv().unwrap();
    let object = limit.map_or_else(|| echo.object().clone(), |it| echo.object().with_timeout(it));
    let late = send_twice(&object, 2);
    let (tell, told) = channel();
    let waits = std::thread::spawn(move || tell.send(late.wait()));
    let ended = told.recv_timeout(Duration::from_secs(60)).unwrap();
    assert_eq!(ended.unwrap_err().kind, SystemExceptionKind::Timeout);
    drop(release);
    waits.join().unwrap().unwrap();
    orb.shutdown(true).unwrap();
    served.join().unwrap();
}

/// Blocks until its sender is dropped.
type Blocks = Mutex<Receiver<()>>;

/// A function on the reader.
fn keep_reader(call: Pending<i32>, begun: Sender<()>, blocks: Blocks) {
    call.on_reply(move |_| {
        begun.send(()).unwrap();
        let _ = blocks.lock().unwrap().recv();
    });
}

/// A waker on a thread that receives.
fn keep_leader(mut call: Pending<i32>, begun: Sender<()>, blocks: Blocks) {
    struct Waits(Sender<()>, Blocks);
    impl Wake for Waits {
        fn wake(self: Arc<Self>) {
            self.0.send(()).unwrap();
            let _ = self.1.lock().unwrap().recv();
        }
    }
    let waker = Waker::from(Arc::new(Waits(begun, blocks)));
    assert!(pin!(&mut call).poll(&mut Context::from_waker(&waker)).is_pending());
    // It receives its own reply, and tells the task.
    std::thread::spawn(move || call.wait());
}

#[test]
fn a_call_ends_on_time_while_a_function_keeps_the_thread_that_receives() {
    const LIMIT: Duration = Duration::from_millis(50);
    for calls in ["1", "8"] {
        for keep in [keep_reader, keep_leader] {
            let orb = || builder().option("MaxCallsPerConnection", calls);
            late_while_busy(orb().build().unwrap(), Some(LIMIT), keep);
            late_while_busy(orb().max_reply_wait(LIMIT).build().unwrap(), None, keep);
        }
    }
}
