//! What gets the results of calls: functions on the reader, and tasks.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use super::send_twice;
use crate::sharing::{answer, read_requests, scripted};
use crate::support::{client, server};

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
}

#[test]
fn a_task_whose_waker_panics_harms_no_other_call() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("on purpose")
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
