//! Wakers with code of their own.

use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted};
use zorb_core::Pending;
use zorb_types::SystemException;

/// When it is dropped, it lets the server answer and waits for a call.
struct WaitsAtTheEnd {
    go: Sender<()>,
    call: Mutex<Pending<i32, SystemException>>,
    got: Sender<Option<i32>>,
}

impl Wake for WaitsAtTheEnd {
    fn wake(self: Arc<Self>) {}
}

impl Drop for WaitsAtTheEnd {
    fn drop(&mut self) {
        self.go.send(()).unwrap();
        let result = self.call.get_mut().unwrap().wait_timeout(Duration::from_secs(60));
        self.got.send(result.map(Result::unwrap)).unwrap();
    }
}

#[test]
fn a_waker_that_is_dropped_may_wait_for_another_call() {
    let (go, may_go) = channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        may_go.recv().unwrap();
        answer(&mut stream, requests);
    });
    let mut first = send_twice(echo.object(), 1);
    // Its reply follows the one to the first call.
    let call = Mutex::new(send_twice(echo.object(), 2));
    let (got, result) = channel();
    let waker = Waker::from(Arc::new(WaitsAtTheEnd { go, call, got }));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
    // Now only the call has it.
    drop(waker);
    let (tell, told) = channel();
    first.on_reply(move |result| tell.send(result.unwrap()).unwrap());
    assert_eq!(result.recv_timeout(Duration::from_secs(60)).unwrap(), Some(4));
    assert_eq!(told.recv_timeout(Duration::from_secs(60)).unwrap(), 2);
    served.join().unwrap();
}
