//! A server with lanes, whose servant causes violations of the steady state on request.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use zorb_cdr::Wire;
use zorb_core::poa::{Poa, PoaPolicies};
use zorb_core::{ObjectRef, Orb, OrbBuilder, Pending, Result, codegen};
use zorb_giop::{GiopLite, ProfileTag};
use zorb_rt::{
    Direct, LaneBuilder, NativePriority, Priority, RtOrb, RtOrbBuilder, Strategy, Threadpool,
};
use zorb_shm::ShmiopProtocol;
use zorb_tcp::IiopProtocol;
use zorb_testkit::require_loopback;
use zorb_transport::Composed;
use zorb_unix::UiopProtocol;

pub(crate) const STRATEGIES: [Strategy; 3] =
    [Strategy::LeaderFollowers, Strategy::HalfSync, Strategy::ThreadPerConnection];

/// `interface Worker { long serve(in long id); void
/// sin(in long how); oneway void leave(in long id); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Worker(pub(crate) ObjectRef);

codegen::interface!(Worker(ObjectRef), "IDL:zorb.test/Worker:1.0", "Worker", []);

impl Worker {
    pub(crate) fn serve(&self, id: i32) -> Result<i32> {
        codegen::invoke!(self, serve, [i32 => &id], [i32])
    }

    pub(crate) fn send_serve(&self, id: i32) -> Pending<i32> {
        self.0.send("serve", |writer| i32::write(&id, writer), i32::read)
    }

    pub(crate) fn sin(&self, how: i32) -> Result<i32> {
        codegen::invoke!(self, sin, [i32 => &how], [i32])
    }

    pub(crate) fn leave(&self, id: i32) -> Result<()> {
        codegen::oneway!(self, leave, [i32 => &id])
    }
}

pub(crate) trait WorkerServant: Send + Sync + 'static {
    fn serve(&self, id: i32) -> Result<i32>;
    fn sin(&self, how: i32) -> Result<i32>;
    fn leave(&self, id: i32);
}

codegen::skeleton!(Worker, WorkerServant, {
    0 "serve" serve(id: i32 => id) [result: i32],
    1 "sin" sin(how: i32 => how) [result: i32],
    2 "leave" leave(id: i32 => id) oneway,
});

/// Requests to the servant.
pub(crate) const NOTHING: i32 = 0;
pub(crate) const ALLOCATE: i32 = 1;
pub(crate) const TOUCH: i32 = 2;
pub(crate) const CALL: i32 = 3;
pub(crate) const ACTIVATE: i32 = 4;
/// Make a pending call, and another call when its reply has come.
pub(crate) const CALL_ON_REPLY: i32 = 5;

pub(crate) const PAGE: usize = 4096;

/// Upcalls that wait for each other, so that two threads have to serve them.
#[derive(Default)]
pub(crate) struct Pairs {
    now: Mutex<Paired>,
    changed: Condvar,
}

#[derive(Default)]
struct Paired {
    is_on: bool,
    /// How many kinds of calls each thread is to serve.
    kinds: usize,
    one_waits: bool,
    pairs: u64,
    /// The threads, and the kinds of calls that each has served.
    served: HashMap<ThreadId, HashSet<&'static str>>,
}

impl Pairs {
    pub(crate) fn begin(&self, kinds: usize) {
        *self.now.lock().unwrap() = Paired { is_on: true, kinds, ..Paired::default() };
    }

    /// Whether each of two threads has served calls of as many kinds as are wanted.
    pub(crate) fn is_over(&self) -> bool {
        let mut now = self.now.lock().unwrap();
        let wanted = now.kinds;
        if now.served.values().filter(|kinds| kinds.len() == wanted).count() >= 2 {
            now.is_on = false;
            self.changed.notify_all();
        }
        !now.is_on
    }

    fn meet(&self, kind: &'static str) {
        let mut now = self.now.lock().unwrap();
        if !now.is_on {
            return;
        }
        now.served.entry(std::thread::current().id()).or_default().insert(kind);
        now.one_waits = !now.one_waits;
        if now.one_waits {
            let before = now.pairs;
            let alone = |now: &mut Paired| now.is_on && now.pairs == before;
            drop(self.changed.wait_while(now, alone).unwrap());
        } else {
            now.pairs += 1;
            self.changed.notify_all();
        }
    }
}

#[derive(Default)]
pub(crate) struct Sinner {
    pub(crate) pairs: Pairs,
    /// Memory without pages until it is written to, and how much of it has been.
    pub(crate) fresh: Mutex<(Vec<u8>, usize)>,
    /// An object that has not been called yet.
    pub(crate) elsewhere: Mutex<Option<Worker>>,
    pub(crate) poa: Mutex<Option<Poa>>,
    /// How often a servant was about to touch memory.
    pub(crate) about_to_touch: AtomicUsize,
    /// The number of one-way calls that have arrived.
    pub(crate) left: AtomicUsize,
}

impl WorkerServant for Sinner {
    fn serve(&self, id: i32) -> Result<i32> {
        self.pairs.meet("serve");
        Ok(id)
    }

    fn sin(&self, how: i32) -> Result<i32> {
        self.pairs.meet("sin");
        match how {
            ALLOCATE => drop(std::hint::black_box(vec![1_u8; 100])),
            TOUCH => {
                self.about_to_touch.fetch_add(1, Ordering::SeqCst);
                let mut fresh = self.fresh.lock().unwrap();
                let (memory, used) = &mut *fresh;
                memory[*used] = 1;
                *used += PAGE;
            }
            CALL => {
                let elsewhere = self.elsewhere.lock().unwrap();
                elsewhere.as_ref().unwrap().serve(1)?;
            }
            CALL_ON_REPLY => {
                let elsewhere = self.elsewhere.lock().unwrap().clone().unwrap();
                let (tell, told) = channel();
                let pending = elsewhere.send_serve(1);
                pending.on_reply(move |first| {
                    tell.send(first.and_then(|_| elsewhere.serve(2))).unwrap();
                });
                told.recv().unwrap()?;
            }
            ACTIVATE => {
                let poa = self.poa.lock().unwrap();
                let _: Worker = poa.as_ref().unwrap().activate(Sinner::default()).unwrap();
            }
            _ => {}
        }
        Ok(how)
    }

    fn leave(&self, _: i32) {
        self.pairs.meet("leave");
        self.left.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn builder() -> OrbBuilder {
    require_loopback();
    let builder = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let builder = builder.protocol(Arc::new(UiopProtocol::new()));
    let lite = Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP);
    let builder = builder.protocol(Arc::new(lite));
    let lite = Composed::new(&GiopLite, IiopProtocol::new(), ProfileTag::ZORB_LITE_IIOP);
    let builder = builder.protocol(Arc::new(lite));
    // On a busy machine the watchdog would take a call for a slow one and have another thread read on.
    let builder = builder.option("StallTakeover", "3600000");
    builder.protocol(Arc::new(ShmiopProtocol::new())).round_trip_timeout(Duration::from_secs(300))
}

pub(crate) fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

pub(crate) struct Scene {
    pub(crate) server: Orb,
    pub(crate) rt: RtOrb,
    pub(crate) pool: Threadpool,
    pub(crate) sinner: Arc<Sinner>,
    pub(crate) client: Orb,
    pub(crate) client_rt: RtOrb,
    pub(crate) worker: Worker,
}

pub(crate) fn set_up() -> RtOrbBuilder {
    RtOrb::builder().mapping(Direct::new(NativePriority::SHARED, NativePriority(40)))
}

pub(crate) fn rt_of(orb: &Orb) -> RtOrb {
    set_up().attach(orb).unwrap()
}

/// A server at `url` with a low and a high lane, and a client of it.
pub(crate) fn scene(url: &str, strategy: Strategy, high: LaneBuilder) -> Scene {
    scene_of(builder, &[url], strategy, high)
}

/// The same with ORBs from `builder`.
pub(crate) fn scene_of(
    builder: impl Fn() -> OrbBuilder,
    urls: &[&str],
    strategy: Strategy,
    high: LaneBuilder,
) -> Scene {
    scene_in(builder, urls, (strategy, false), high)
}

/// The same with requests that are served by priority, or not.
pub(crate) fn scene_in(
    builder: impl Fn() -> OrbBuilder,
    urls: &[&str],
    (strategy, by_priority): (Strategy, bool),
    high: LaneBuilder,
) -> Scene {
    let server = urls.iter().fold(builder(), |builder, url| builder.listen(*url));
    let server = server.build().unwrap();
    let rt = rt_of(&server);
    let low = LaneBuilder::new(number(10), 2);
    let pool = rt.threadpool("pace").lane(low).lane(high).strategy(strategy);
    let pool = if by_priority { pool.by_priority(true) } else { pool };
    let pool = pool.create().unwrap();
    let model = rt.client_propagated(number(10));
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = server.root_poa().create("workers", policies).unwrap();
    let sinner = Arc::<Sinner>::default();
    *sinner.fresh.lock().unwrap() = (vec![0; 64 << 20], 0);
    let worker: Worker = poa.activate_shared(&sinner).unwrap();
    *sinner.poa.lock().unwrap() = Some(poa);
    let client = builder().build().unwrap();
    let client_rt = rt_of(&client);
    let worker = client.resolve(&worker.0.to_ior_string()).unwrap();
    Scene { server, rt, pool, sinner, client, client_rt, worker }
}

impl Scene {
    /// Runs `work` on a client's thread of this priority.
    pub(crate) fn at<T: Send>(&self, priority: i16, work: impl FnOnce(&Worker) -> T + Send) -> T {
        std::thread::scope(|scope| {
            let running = scope.spawn(|| {
                self.client_rt.current().set_priority(number(priority)).unwrap();
                work(&self.worker)
            });
            running.join().unwrap()
        })
    }

    pub(crate) fn end(self) {
        self.client.shutdown(true).unwrap();
        self.server.shutdown(true).unwrap();
    }
}

pub(crate) fn call_each(worker: &Worker, id: i32) {
    assert_eq!(worker.serve(id), Ok(id));
    worker.leave(id).unwrap();
    assert_eq!(worker.sin(NOTHING), Ok(NOTHING));
}

pub(crate) fn call_many(worker: &Worker) {
    (0..200).for_each(|id| call_each(worker, id));
}
