//! What gets the results of calls: functions on the reader, and tasks.

use std::future::Future;
use std::panic::panic_any;
use std::pin::pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted};
use crate::support::{Echo, PanicsToo, builder, client, server};
use zorb_core::Orb;

#[test]
fn functions_get_results_on_the_reader_and_may_make_calls() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let (tell, told) = mpsc::channel();
    for value in 0..10 {
        let (tell, there) = (tell.clone(), there.clone());
        send_twice(there.clone().object(), value).on_reply(move |result| {
            let again = there.twice(result.unwrap()).unwrap();
            let pending = send_twice(there.object(), again);
            pending.on_reply(move |last| tell.send(last.unwrap()).unwrap());
        });
    }
    drop(tell);
    let mut results: Vec<i32> = told.iter().collect();
    results.sort_unstable();
    assert_eq!(results, (0..10).map(|value| value * 8).collect::<Vec<_>>());
}

#[test]
fn a_function_that_panics_harms_no_other_call() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    send_twice(there.object(), 1).on_reply(|_| panic!("on purpose"));
    assert_eq!(send_twice(there.object(), 2).wait().unwrap(), 4);
    send_twice(there.object(), 1).on_reply(|_| panic_any(PanicsToo));
    assert_eq!(send_twice(there.object(), 2).wait().unwrap(), 4);
}

#[test]
fn a_task_whose_waker_panics_harms_no_other_call() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic_any(PanicsToo)
        }
    }
    let (release, released) = mpsc::channel::<()>();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        released.recv().unwrap();
        answer(&mut stream, requests);
    });
    let mut first = Box::pin(send_twice(echo.object(), 1));
    let second = send_twice(echo.object(), 2);
    let waker = Waker::from(Arc::new(Panics));
    assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    release.send(()).unwrap();
    assert_eq!(second.wait().unwrap(), 4);
    served.join().unwrap();
}

/// Runs a future on this thread: an executor.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn calls_can_be_awaited() {
    let (_server, echo) = server();
    let (_client, there) = client(&echo);
    let sum = block_on(async {
        let pending: Vec<_> = (0..100).map(|value| send_twice(there.object(), value)).collect();
        let mut sum = 0;
        for call in pending {
            sum += call.await.unwrap();
        }
        sum
    });
    assert_eq!(sum, 9_900);
}

#[test]
fn an_orb_may_be_dropped_where_its_replies_are_received() {
    for calls in ["1", "8"] {
        let (_server, echo) = server();
        let client = || {
            let orb = builder().option("MaxCallsPerConnection", calls).build().unwrap();
            let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
            (orb, there)
        };
        let (orb, there) = client();
        let (tell, told) = mpsc::channel();
        send_twice(&there.object().clone(), 1).on_reply(move |result| {
            drop((orb, there));
            tell.send(result).unwrap();
        });
        assert_eq!(told.recv_timeout(LIMIT).unwrap(), Ok(2));
        let (orb, there) = client();
        let object = there.object().clone();
        let (tell, told) = mpsc::channel();
        let drops = Drops { orb: Mutex::new(Some((orb, there))), tell: Mutex::new(tell) };
        let mut first = Box::pin(send_twice(&object, 1));
        if first.as_mut().poll(&mut Context::from_waker(&Arc::new(drops).into())).is_pending() {
            // The thread that waits may receive the first reply, too. After the ORB's end, there may be none.
            let ended = std::thread::spawn(move || send_twice(&object, 2).wait());
            told.recv_timeout(LIMIT).unwrap();
            ended.join().unwrap().unwrap_or(4);
        }
    }
}

/// How long a test waits for something before it fails.
const LIMIT: Duration = Duration::from_secs(60);

/// Drops an ORB when it wakes.
struct Drops {
    orb: Mutex<Option<(Orb, Echo)>>,
    tell: Mutex<mpsc::Sender<()>>,
}

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        drop(self.orb.lock().unwrap().take());
        self.tell.lock().unwrap().send(()).unwrap();
    }
}
