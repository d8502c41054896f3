//! Servants with asynchronous methods, on an executor of 30 lines.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::*;
use zorb_core::poa::{AsyncServant, Task};

/// An executor: a queue of tasks that are ready, and a thread that runs them.
struct Executor(Sender<Arc<Spawned>>);

struct Spawned {
    task: Mutex<Option<Task>>,
    ready: Sender<Arc<Self>>,
}

impl Wake for Spawned {
    fn wake(self: Arc<Self>) {
        // When the executor has ended, the task is dropped.
        let _ = self.ready.send(Arc::clone(&self));
    }
}

impl Executor {
    fn start() -> Self {
        let (sender, ready) = channel::<Arc<Spawned>>();
        thread::spawn(move || {
            for spawned in ready {
                let waker = Waker::from(Arc::clone(&spawned));
                let mut task = spawned.task.lock().unwrap();
                let Some(running) = task.as_mut() else { continue };
                let poll = std::panic::AssertUnwindSafe(|| {
                    running.as_mut().poll(&mut Context::from_waker(&waker))
                });
                if !matches!(std::panic::catch_unwind(poll), Ok(Poll::Pending)) {
                    *task = None;
                }
            }
        });
        Self(sender)
    }

    fn spawn(&self, task: Task) {
        let task = Mutex::new(Some(task));
        Arc::new(Spawned { task, ready: self.0.clone() }).wake();
    }
}

/// A value that a future waits for.
#[derive(Default)]
struct Event(Mutex<(Option<i32>, Vec<Waker>)>);

impl Event {
    fn set(&self, value: i32) {
        let mut state = self.0.lock().unwrap();
        state.0 = Some(value);
        state.1.drain(..).for_each(Waker::wake);
    }

    async fn value(&self) -> i32 {
        std::future::poll_fn(|context| {
            let mut state = self.0.lock().unwrap();
            match state.0 {
                Some(value) => Poll::Ready(value),
                None => {
                    state.1.push(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

/// A servant whose methods wait for an event.
#[derive(Default)]
struct Waits {
    event: Event,
    waiting: AtomicUsize,
}

impl Waits {
    async fn value(&self) -> i32 {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.event.value().await
    }
}

impl AsyncEcho for Waits {
    async fn twice(self: Arc<Self>, value: i32) -> Result<i32> {
        Ok(self.value().await + 2 * value)
    }

    async fn repeat(self: Arc<Self>, text: String, times: i32) -> Result<String, RepeatError> {
        let _ = self.value().await;
        match usize::try_from(times) {
            Ok(times) => Ok(text.repeat(times)),
            Err(_) => Err(Refused { why: text })?,
        }
    }

    async fn mirror(self: Arc<Self>, data: Vec<u8>) -> Result<Vec<u8>> {
        Ok(data)
    }

    async fn note(self: Arc<Self>, value: i32) {
        pin!(async {}).await;
        self.event.set(value);
    }

    async fn panic_now(self: Arc<Self>) -> Result<()> {
        panic!("as asked")
    }
}

#[test]
fn asynchronous_methods_run_on_the_executor_of_the_program() {
    for strategy in STRATEGIES {
        let scene = Scene::new(strategy);
        let executor = Executor::start();
        let poa = scene.orb.root_poa().create("async", scene.policies.clone()).unwrap();
        let waits = Arc::new(Waits::default());
        let servant = AsyncServant::shared(Arc::clone(&waits), move |task| executor.spawn(task));
        let here: Echo = poa.activate(servant).unwrap();
        let (_client, there) = client(&here);
        thread::scope(|scope| {
            let calls: Vec<_> =
                [&here, &there].into_iter().map(|late| call(scope, late, 1)).collect();
            let refused = [&here, &there].map(|late| scope.spawn(|| late.repeat("no", -1)));
            until(|| waits.waiting.load(Ordering::SeqCst) == 4);
            // Neither the lane nor the executor is blocked.
            assert_eq!(there.mirror(&[1, 2]), Ok(vec![1, 2]));
            there.note(40).unwrap();
            for call in calls {
                assert_eq!(call.join().unwrap(), Ok(42));
            }
            for call in refused {
                let expected = Refused { why: "no".to_owned() };
                assert_eq!(call.join().unwrap(), Err(RepeatError::Refused(expected)));
            }
        });
        let exception = there.panic_now().unwrap_err();
        assert_eq!(exception.kind, SystemExceptionKind::Unknown);
        let last = there.repeat("ab", 2);
        assert_eq!(last, Ok("abab".to_owned()));
    }
}

#[test]
fn a_task_that_the_executor_drops_is_transient() {
    let scene = Scene::new(None);
    let servant = AsyncServant::new(Waits::default(), drop);
    let here: Echo = scene.orb.root_poa().activate(servant).unwrap();
    let (_client, there) = client(&here);
    for late in [&here, &there] {
        let exception = late.twice(1).unwrap_err();
        assert_eq!(exception.minor, minor::transient::REPLY_DROPPED);
    }
}

#[test]
fn a_one_way_request_runs_until_its_method_has_ended() {
    let scene = Scene::new(None);
    let tasks = Arc::<Mutex<Vec<Task>>>::default();
    let kept = Arc::clone(&tasks);
    let servant = AsyncServant::new(Waits::default(), move |task| kept.lock().unwrap().push(task));
    let poa = scene.orb.root_poa().create("one way", scene.policies.clone()).unwrap();
    let here: Echo = poa.activate(servant).unwrap();
    let (_client, there) = client(&here);
    there.note(1).unwrap();
    until(|| tasks.lock().unwrap().len() == 1);
    poa.deactivate(&poa.id_of(&here).unwrap()).unwrap();
    // The servant, which is not dropped before its last request has ended, has the other one.
    assert_eq!(Arc::strong_count(&tasks), 2);
    let mut task = tasks.lock().unwrap().pop().unwrap();
    assert!(task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    assert_eq!(Arc::strong_count(&tasks), 1);
}
