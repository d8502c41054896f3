//! How threads of lanes are set up before they serve: names, priorities, processors, stacks, memory.

use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use zorb_arq::ArqProtocol;
use zorb_core::poa::PoaPolicies;
use zorb_core::{ObjectRef, Orb, OrbBuilder, Result, codegen};
use zorb_rt::{Direct, LaneBuilder, NativePriority, Priority, RtOrb, RtOrbBuilder, Threadpool};
use zorb_testkit::in_own_process;
use zorb_tls::{Pem, Settings, SsliopProtocol};
use zorb_unix::UiopProtocol;

/// `interface Diver { long dive(in long pages); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Diver(ObjectRef);

codegen::interface!(Diver(ObjectRef), "IDL:zorb.test/Diver:1.0", "Diver", []);

impl Diver {
    fn dive(&self, pages: i32) -> Result<i32> {
        codegen::invoke!(self, dive, [i32 => &pages], [i32])
    }
}

trait DiverServant: Send + Sync + 'static {
    fn dive(&self, pages: i32) -> Result<i32>;
}

codegen::skeleton!(Diver, DiverServant, {
    0 "dive" dive(pages: i32 => pages) [result: i32],
});

struct Deep;

impl DiverServant for Deep {
    fn dive(&self, pages: i32) -> Result<i32> {
        Ok(deep(pages))
    }
}

/// Uses a little more than `pages` pages of the stack.
#[inline(never)]
fn deep(pages: i32) -> i32 {
    let page = std::hint::black_box([1_u8; 4096]);
    if pages <= 1 {
        return i32::from(page[7]);
    }
    deep(pages - 1) + i32::from(std::hint::black_box(&page)[9])
}

/// The recursion depth of a call; each level uses at least a page of the stack.
const PAGES: i32 = 32;
/// `SCHED_FIFO`.
const FIFO: u32 = 1;
const STACK: usize = 1 << 20;

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

fn builder() -> OrbBuilder {
    let builder = Orb::builder().without_environment().protocol(Arc::new(UiopProtocol::new()));
    let builder = builder.protocol(Arc::new(ArqProtocol::new()));
    let authority = crate::certificates::Authority::new("authority");
    let own = authority.server();
    let tls = Settings::new().certificate(Pem::text(own.certificate), Pem::text(own.key));
    let tls = tls.roots(Pem::text(authority.certificate()));
    let tls = SsliopProtocol::new(tls.build().unwrap()).unwrap();
    let builder = builder.protocol(Arc::new(tls));
    builder.round_trip_timeout(Duration::from_secs(300))
}

fn settings() -> RtOrbBuilder {
    RtOrb::builder().mapping(Direct::new(NativePriority::SHARED, NativePriority(40)))
}

/// Threads of this process: names and ids.
fn threads(beginning: &str) -> Vec<(String, u32)> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let ids = tasks.flatten();
    let ids = ids.map(|task| task.file_name().to_str().unwrap().parse::<u32>().unwrap());
    let named = ids.filter_map(|id| {
        let name = std::fs::read_to_string(format!("/proc/self/task/{id}/comm")).ok()?;
        Some((name.trim_end().to_owned(), id))
    });
    let mut named: Vec<_> = named.filter(|(name, _)| name.starts_with(beginning)).collect();
    named.sort();
    named
}

/// The real-time priority and the policy of a thread, read from the system; `None` if it has ended.
fn schedule(thread: u32) -> Option<(u32, u32)> {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_ascii_whitespace().collect();
    Some((fields[37].parse().unwrap(), fields[38].parse().unwrap()))
}

/// A line of a thread's status; `None` if it has ended.
fn status(thread: u32, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap();
    Some(line.trim_start_matches(':').trim().to_owned())
}

/// The first of the processors that this process may use.
fn processor() -> usize {
    zorb_os::thread::affinity().unwrap()[0]
}

/// Whether a thread is bound to that processor, and only there because it is bound.
fn is_bound(thread: u32) -> Option<bool> {
    let allowed = status(thread, "Cpus_allowed_list")?;
    Some(allowed == processor().to_string() && !single_processor())
}

fn pool(rt: &RtOrb, name: &str) -> Threadpool {
    let low = LaneBuilder::new(number(10), 2);
    let high = LaneBuilder::new(number(20), 1).processors([processor()]);
    rt.threadpool(name).lane(low).lane(high).stack_size(STACK).create().unwrap()
}

/// An object that is served by the pool, and a client of it.
fn diver(orb: &Orb, rt: &RtOrb, pool: &Threadpool) -> (Diver, Orb) {
    let model = rt.client_propagated(number(20));
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = orb.root_poa().create(&format!("pool {}", pool.id()), policies).unwrap();
    let diver: Diver = poa.activate(Deep).unwrap();
    let client = builder().build().unwrap();
    let _rt = settings().attach(&client).unwrap();
    (client.resolve(&diver.0.to_ior_string()).unwrap(), client)
}

/// The page faults of the high lane in the first call that uses much of the stack.
fn faults_of_a_dive(orb: &Orb, rt: &RtOrb, pool: &Threadpool) -> u64 {
    let (diver, client) = diver(orb, rt, pool);
    assert_eq!(diver.dive(1), Ok(1));
    rt.freeze().unwrap();
    assert_eq!(diver.dive(PAGES), Ok(PAGES));
    client.shutdown(true).unwrap();
    pool.violations()[1].page_faults
}

#[test]
fn threads_are_ready_before_they_serve() {
    // Memory is locked for the whole process.
    in_own_process("startup::threads_are_ready_before_they_serve", || {
        let orb = builder().listen("uiop://").build().unwrap();
        orb.serve().unwrap();
        let rt = settings().attach(&orb).unwrap();
        let permitted = rt.denial().is_none();
        let plain = pool(&rt, "plain");
        let found = threads("plain-");
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["plain-10", "plain-10", "plain-20"]);
        for (name, thread) in &found {
            let level: u32 = name.rsplit('-').next().unwrap().parse().unwrap();
            let expected = if permitted { (level, FIFO) } else { (0, 0) };
            assert_eq!(schedule(*thread), Some(expected), "{name}");
            assert_eq!(is_bound(*thread), Some(level == 20 && !single_processor()), "{name}");
        }
        // Accepting threads have the lane's settings; the ORB's own is one of them.
        let (low, high) = if permitted { ((10, FIFO), (20, FIFO)) } else { ((0, 0), (0, 0)) };
        become_such("zorb-accept", &[((0, 0), false), (low, false), (high, true)]);
        let grows = LaneBuilder::new(number(20), 1).dynamic_threads(1).processors([processor()]);
        let growing = rt.threadpool("growing").lane(grows).create().unwrap();
        become_such("zorb-spawner", &[(high, true)]);
        growing.destroy().unwrap();
        // So do the threads of transports.
        let over =
            LaneBuilder::new(number(20), 1).processors([processor()]).listen("rudp://127.0.0.1:0");
        let over = rt.threadpool("over").lane(over).create().unwrap();
        for name in ["zorb-arq-in", "zorb-arq-time"] {
            become_such(name, &[(high, true)]);
        }
        let (wet, client) = diver(&orb, &rt, &over);
        assert_eq!(wet.dive(1), Ok(1));
        client.shutdown(true).unwrap();
        // So do the threads of connections with handshakes; this client is silent.
        let secret = LaneBuilder::new(number(20), 1)
            .processors([processor()])
            .listen("ssliop://127.0.0.1:0");
        let secret = rt.threadpool("secret").lane(secret).create().unwrap();
        let place = secret.endpoints()[0][0].trim_start_matches("ssliop://").to_owned();
        let mute = TcpStream::connect(place).unwrap();
        become_such("secret-", &[(high, true), (high, true)]);
        drop(mute);
        let untouched = faults_of_a_dive(&orb, &rt, &plain);
        assert!(untouched > 0, "the control: a stack that was not touched is not there");

        let ready_orb = builder().listen("uiop://").build().unwrap();
        let ready_rt = settings().lock_memory(true).attach(&ready_orb).unwrap();
        let ready = pool(&ready_rt, "ready");
        let locked = status(std::process::id(), "VmLck").unwrap();
        let is_locked = !locked.starts_with("0 ");
        let faults = faults_of_a_dive(&ready_orb, &ready_rt, &ready);
        // Without the lock, code and data may be paged out; the stack has been touched anyway.
        assert!(
            faults == 0 || !is_locked && faults < untouched,
            "{faults} of {untouched}, {locked}"
        );
        orb.shutdown(true).unwrap();
        ready_orb.shutdown(true).unwrap();
    });
}

/// The policy and priority of a thread, and whether it is bound to a processor.
type Setting = ((u32, u32), bool);

/// Waits until the threads with a name have these settings.
fn become_such(name: &str, expected: &[Setting]) {
    let end = Instant::now() + Duration::from_secs(60);
    // With a single processor, no thread is bound.
    let mut expected = expected.to_vec();
    expected.iter_mut().for_each(|(_, is_bound)| *is_bound &= !single_processor());
    expected.sort_unstable();
    loop {
        let setting = |(_, id)| Some((schedule(id)?, is_bound(id)?));
        let mut found: Vec<Setting> = threads(name).into_iter().filter_map(setting).collect();
        found.sort_unstable();
        if found == expected {
            return;
        }
        assert!(Instant::now() < end, "{name}: {found:?}");
        std::thread::yield_now();
    }
}

fn single_processor() -> bool {
    std::thread::available_parallelism().is_ok_and(|count| count.get() == 1)
}
