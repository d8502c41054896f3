//! Calls whose time is over before the connection has taken their request.

use std::io::IoSlice;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted_for};
use crate::support::builder;
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
