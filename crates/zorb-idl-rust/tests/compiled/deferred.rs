//! Servants that answer later, with generated traits: remote calls and collocated ones.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

use zorb_core::Result;
use zorb_core::poa::{AsyncServant, DeferredServant, Response, Task, Upcall};

use super::calls::{orb, seen_from};
use crate::deferred::shop::account::WithdrawError;
// The name without `_` is that of the servants of another interface.
use crate::deferred::shop::AccountDeferredServant_ as AccountDeferredServant;
use crate::deferred::shop::{
    Account, AccountAsyncServant, Closed, Named, NamedAsyncServant, NamedDeferredServant,
};

/// An answer that a servant leaves to another thread.
type Later = Box<dyn FnOnce() + Send>;

/// Answers on another thread.
struct Teller(Mutex<Sender<Later>>);

impl Teller {
    fn later(&self, answer: impl FnOnce() + Send + 'static) {
        self.0.lock().expect("it is free").send(Box::new(answer)).expect("a thread");
    }
}

impl NamedDeferredServant for Teller {
    fn name(&self, response: Response<String>) {
        self.later(move || response.send(Ok("savings".to_owned())));
    }
}

impl AccountDeferredServant for Teller {
    fn owner(&self, response: Response<String>) {
        self.later(move || response.send(Ok("Ada".to_owned())));
    }

    fn set_owner(&self, value: &str, response: Response<()>) {
        assert_eq!(value, "Grace");
        self.later(move || response.send(Ok(())));
    }

    fn withdraw(
        &self,
        amount: i64,
        response: &str,
        response_: Response<(i64, i32), WithdrawError>,
    ) {
        let why = response.to_owned();
        self.later(move || match amount {
            0 => response_.raise(Closed { why }),
            _ => response_.send(Ok((amount, 7))),
        });
    }

    fn masked(&self, mask: &[u8], other: Option<&Account>, response: Response<Vec<u8>>) {
        assert!(other.is_some());
        let mask = mask.to_vec();
        self.later(move || response.send(Ok(mask)));
    }

    fn note(&self, text: &str) {
        assert_eq!(text, "hello");
        self.later(|| {});
    }

    fn close(&self, upcall: &Upcall<'_>, response: Response<()>) {
        assert_eq!(upcall.operation(), "close");
        self.later(move || response.send(Ok(())));
    }
}

/// The same with asynchronous methods.
struct Asynchronous;

/// Lets another task run first.
async fn later() {
    let mut waits = true;
    std::future::poll_fn(|context| {
        context.waker().wake_by_ref();
        if std::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

impl NamedAsyncServant for Asynchronous {
    async fn name(self: Arc<Self>) -> Result<String> {
        later().await;
        Ok("savings".to_owned())
    }
}

impl AccountAsyncServant for Asynchronous {
    async fn owner(self: Arc<Self>) -> Result<String> {
        later().await;
        Ok("Ada".to_owned())
    }

    async fn set_owner(self: Arc<Self>, value: String) -> Result<()> {
        assert_eq!(value, "Grace");
        Ok(())
    }

    async fn withdraw(
        self: Arc<Self>,
        amount: i64,
        response: String,
    ) -> Result<(i64, i32), WithdrawError> {
        later().await;
        if amount == 0 { Err(Closed { why: response })? } else { Ok((amount, 7)) }
    }

    async fn masked(self: Arc<Self>, mask: Vec<u8>, other: Option<Account>) -> Result<Vec<u8>> {
        assert!(other.is_some());
        Ok(mask)
    }

    async fn note(self: Arc<Self>, text: String) {
        assert_eq!(text, "hello");
    }

    async fn close(self: Arc<Self>) -> Result<()> {
        Ok(())
    }
}

/// Runs tasks on a thread, each to its end.
fn executor() -> impl Fn(Task) + Send + Sync + 'static {
    let (sender, tasks) = channel::<Task>();
    thread::spawn(move || {
        for mut task in tasks {
            while task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {}
        }
    });
    let sender = Mutex::new(sender);
    move |task| sender.lock().expect("it is free").send(task).expect("a thread")
}

fn answers(laters: Receiver<Later>) {
    thread::spawn(move || laters.into_iter().for_each(|later| later()));
}

fn check(account: &Account) {
    assert_eq!(Named::from(account.clone()).name().as_deref(), Ok("savings"));
    assert_eq!(account.name().as_deref(), Ok("savings"));
    assert_eq!(account.owner().as_deref(), Ok("Ada"));
    assert_eq!(account.set_owner("Grace"), Ok(()));
    assert_eq!(account.withdraw(5, "why"), Ok((5, 7)));
    let closed = Closed { why: "why".to_owned() };
    assert_eq!(account.withdraw(0, "why"), Err(WithdrawError::Closed(closed)));
    assert_eq!(account.masked(&[1, 2], Some(account)), Ok(vec![1, 2]));
    account.note("hello").expect("it is sent");
    assert_eq!(account.close(), Ok(()));
}

#[test]
fn deferred_and_asynchronous_servants_serve_inherited_and_own_operations() {
    let (orb, client) = (orb(), orb());
    let (sender, laters) = channel();
    answers(laters);
    let poa = orb.root_poa();
    let deferred: Account =
        poa.activate(DeferredServant::new(Teller(Mutex::new(sender)))).expect("active");
    let asynchronous: Account =
        poa.activate(AsyncServant::new(Asynchronous, executor())).expect("active");
    for account in [&deferred, &asynchronous] {
        check(account);
        check(&seen_from(&client, account));
    }
}
