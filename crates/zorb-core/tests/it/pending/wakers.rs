//! Wakers with code of their own.

use std::net::TcpListener;
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread::JoinHandle;
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, read_messages, read_requests, scripted, scripted_for, sharing_orb};
use crate::support::{Echo, builder};
use zorb_core::{Interface as _, Orb, Pending};
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

/// Makes a call when it wakes.
struct Calls {
    echo: Echo,
    got: Sender<Result<i32, SystemException>>,
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        let hasty = self.echo.with_timeout(Duration::from_secs(60));
        self.got.send(hasty.twice(5)).unwrap();
    }
}

#[test]
fn a_waker_may_make_a_call_while_its_thread_receives() {
    let (_orb, echo, served) = scripted(|listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        // One thread receives both replies, and handles the second one after the waker has returned.
        answer(&mut stream, requests);
        let (mut other, _) = listener.accept().unwrap();
        let requests = read_requests(&mut other, 1);
        answer(&mut other, requests);
    });
    let mut first = send_twice(echo.object(), 1);
    let (got, result) = channel();
    let waker = Waker::from(Arc::new(Calls { echo: echo.clone(), got }));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
    assert_eq!(send_twice(echo.object(), 2).wait().unwrap(), 4);
    assert_eq!(result.recv().unwrap(), Ok(10));
    assert_eq!(first.wait().unwrap(), 2);
    served.join().unwrap();
}

/// Sends a call when it wakes.
struct Sends {
    echo: Echo,
    sent: Sender<Pending<i32, SystemException>>,
}

impl Wake for Sends {
    fn wake(self: Arc<Self>) {
        self.sent.send(send_twice(self.echo.object(), 5)).unwrap();
    }
}

/// Receives three requests and answers the first, then the call that its waker makes over another connection, and last the
/// other two.
fn answers_wakers_first(listener: TcpListener) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut requests = read_requests(&mut stream, 1);
    requests.extend(read_requests(&mut stream, 2));
    answer(&mut stream, requests.drain(..1));
    let (mut other, _) = listener.accept().unwrap();
    let from_waker = read_requests(&mut other, 1);
    answer(&mut other, from_waker);
    answer(&mut stream, requests);
}

#[test]
fn a_waker_may_send_a_call_while_its_connection_has_no_room() {
    let one = builder().option("MaxConnectionsPerEndpoint", "1");
    let orb = one.option("MaxCallsPerConnection", "2").build().unwrap();
    let (_orb, echo, served) = scripted_for(orb, answers_wakers_first);
    let mut first = send_twice(echo.object(), 1);
    let (sent, from_waker) = channel();
    let waker = Waker::from(Arc::new(Sends { echo: echo.clone(), sent }));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
    std::thread::scope(|scope| {
        let callers = [10, 20].map(|value| {
            scope.spawn({
                let echo = &echo;
                move || echo.twice(value)
            })
        });
        assert_eq!(from_waker.recv().unwrap().wait(), Ok(10));
        let results = callers.map(|caller| caller.join().unwrap());
        assert_eq!(results, [Ok(20), Ok(40)]);
    });
    assert_eq!(first.wait(), Ok(2));
    served.join().unwrap();
}

/// Drops calls when it wakes.
#[derive(Default)]
struct Drops(Mutex<Vec<Pending<i32, SystemException>>>);

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        self.0.lock().unwrap().clear();
    }
}

#[test]
fn a_waker_may_drop_its_own_call_and_others() {
    let (go, may_go) = channel();
    let (_orb, echo, served) = scripted(move |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 3);
        may_go.recv().unwrap();
        answer(&mut stream, requests[..2].iter().copied());
        let (others, cancelled) = read_messages(&mut stream, 1);
        assert!(others.is_empty());
        assert_eq!(cancelled, [requests[2].0]);
    });
    let [mut first, second, third] = [1, 2, 3].map(|value| send_twice(echo.object(), value));
    let drops = Arc::new(Drops::default());
    let waker = Waker::from(Arc::clone(&drops));
    assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
    drops.0.lock().unwrap().extend([first, third]);
    go.send(()).unwrap();
    assert_eq!(second.wait().unwrap(), 4);
    served.join().unwrap();
    assert!(drops.0.lock().unwrap().is_empty());
}

/// Servers that play the same, for one client.
fn several<const COUNT: usize>(
    orb: &Orb,
    play: fn(TcpListener),
) -> ([Echo; COUNT], [JoinHandle<()>; COUNT]) {
    let servers = [(); COUNT].map(|()| scripted_for(orb.clone(), play));
    let mut echoes = Vec::new();
    let served = servers.map(|(_, echo, served)| {
        echoes.push(echo);
        served
    });
    (echoes.try_into().unwrap(), served)
}

/// Does something when all of some wakers have been woken, and returns when all have done that.
struct Together<F> {
    all: Arc<Barrier>,
    then: F,
}

impl<F: Fn() + Send + Sync + 'static> Wake for Together<F> {
    fn wake(self: Arc<Self>) {
        self.all.wait();
        (self.then)();
        self.all.wait();
    }
}

#[test]
fn wakers_may_make_calls_over_the_connections_for_which_their_threads_receive() {
    const SERVERS: usize = 3;
    let orb = sharing_orb();
    let (echoes, served) = several::<SERVERS>(&orb, |listener| {
        let (mut stream, _) = listener.accept().unwrap();
        let requests = read_requests(&mut stream, 2);
        // The thread that receives the first reply still receives when it wakes the task.
        answer(&mut stream, requests);
        let (mut other, _) = listener.accept().unwrap();
        let requests = read_requests(&mut other, 1);
        answer(&mut other, requests);
    });
    let all = Arc::new(Barrier::new(SERVERS));
    let (got, results) = channel();
    std::thread::scope(|scope| {
        for number in 0..SERVERS {
            let (own, next) = (&echoes[number], echoes[(number + 1) % SERVERS].clone());
            let (all, got) = (Arc::clone(&all), Mutex::new(got.clone()));
            let then = move || {
                let hasty = next.with_timeout(Duration::from_secs(60));
                got.lock().unwrap().send(hasty.twice(5)).unwrap();
            };
            let waker = Waker::from(Arc::new(Together { all, then }));
            scope.spawn(move || {
                let mut first = send_twice(own.object(), 1);
                assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
                assert_eq!(send_twice(own.object(), 2).wait(), Ok(4));
                assert_eq!(first.wait(), Ok(2));
            });
        }
    });
    drop(got);
    assert_eq!(results.iter().filter(|result| *result == Ok(10)).count(), SERVERS);
    served.into_iter().for_each(|served| served.join().unwrap());
}

#[test]
fn wakers_may_send_calls_over_connections_without_room_for_which_their_threads_receive() {
    let orb = builder().option("MaxConnectionsPerEndpoint", "1");
    let orb = orb.option("MaxCallsPerConnection", "2").build().unwrap();
    let (echoes, served) = several::<2>(&orb, answers_wakers_first);
    let all = Arc::new(Barrier::new(2));
    std::thread::scope(|scope| {
        for number in 0..2 {
            let (own, next) = (&echoes[number], echoes[1 - number].clone());
            let (sent, from_waker) = channel();
            let sent = Mutex::new(sent);
            let then = move || sent.lock().unwrap().send(send_twice(next.object(), 5)).unwrap();
            let waker = Waker::from(Arc::new(Together { all: Arc::clone(&all), then }));
            let mut first = send_twice(own.object(), 1);
            assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
            for value in [10, 20] {
                scope.spawn(move || assert_eq!(own.twice(value), Ok(2 * value)));
            }
            scope.spawn(move || {
                let sent = from_waker.recv_timeout(Duration::from_secs(60)).unwrap();
                assert_eq!(sent.wait(), Ok(10));
                assert_eq!(first.wait(), Ok(2));
            });
        }
    });
    served.into_iter().for_each(|served| served.join().unwrap());
}

#[test]
fn a_waker_does_not_wait_for_the_connection_of_another_call() {
    let orb = builder().option("MaxConnectionsPerEndpoint", "1").build().unwrap();
    let (_orb, echo, served) = scripted_for(orb, |listener| {
        // That of pending calls, and that of others.
        let (mut stream, _) = listener.accept().unwrap();
        let pending = read_requests(&mut stream, 2);
        let (mut other, _) = listener.accept().unwrap();
        let waits = read_requests(&mut other, 1);
        answer(&mut stream, pending);
        let (mut third, _) = listener.accept().unwrap();
        let from_waker = read_requests(&mut third, 1);
        answer(&mut third, from_waker);
        answer(&mut other, waits);
    });
    let (got, result) = channel();
    let waker = Waker::from(Arc::new(Calls { echo: echo.clone(), got }));
    let mut first = send_twice(echo.object(), 1);
    assert!(pin!(&mut first).poll(&mut Context::from_waker(&waker)).is_pending());
    let second = send_twice(echo.object(), 2);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| echo.twice(10));
        assert_eq!(second.wait(), Ok(4));
        assert_eq!(result.recv().unwrap(), Ok(10));
        assert_eq!(waits.join().unwrap(), Ok(20));
    });
    assert_eq!(first.wait(), Ok(2));
    served.join().unwrap();
}
