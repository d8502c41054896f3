//! A server whose upcalls record their priorities and can be stopped, and its clients.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use zorb_core::poa::{Poa, PoaPolicies};
use zorb_core::{ObjectRef, Orb, Result, codegen};
use zorb_giop::{GiopLite, ProfileTag};
use zorb_os::priority::Schedule;
use zorb_rt::{
    Direct, LaneBuilder, NativePriority, Priority, PriorityMapping, PriorityModel, RtCurrent,
    RtOrb, Strategy, Threadpool, ThreadpoolBuilder,
};
use zorb_shm::ShmiopProtocol;
use zorb_short::Short;
use zorb_tcp::IiopProtocol;
use zorb_testkit::require_loopback;
pub(crate) use zorb_testkit::until;
use zorb_transport::{Composed, Protocol};
use zorb_unix::UiopProtocol;

/// An interface with replies of any size.
///
/// ```idl
/// interface Desk {
///     long serve(in long id);
///     oneway void leave(in long id);
///     sequence<octet> fill(in long id, in long octets);
/// };
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Desk(pub(crate) ObjectRef);

codegen::interface!(Desk(ObjectRef), "IDL:zorb.test/Desk:1.0", "Desk", []);

impl Desk {
    pub(crate) fn serve(&self, id: i32) -> Result<i32> {
        codegen::invoke!(self, serve, [i32 => &id], [i32])
    }

    pub(crate) fn leave(&self, id: i32) -> Result<()> {
        codegen::oneway!(self, leave, [i32 => &id])
    }
}

pub(crate) trait DeskServant: Send + Sync + 'static {
    fn serve(&self, id: i32) -> Result<i32>;
    fn leave(&self, id: i32);
    fn fill(&self, id: i32, octets: i32) -> Result<Vec<u8>>;
}

codegen::skeleton!(Desk, DeskServant, {
    0 "serve" serve(id: i32 => id) [result: i32],
    1 "leave" leave(id: i32 => id) oneway,
    2 "fill" fill(id: i32 => id, octets: i32 => octets) [result: Vec<u8>],
});

/// An upcall as the servant observed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) id: i32,
    pub(crate) priority: Option<i16>,
    pub(crate) schedule: Schedule,
    pub(crate) thread: u32,
}

#[derive(Debug, Default)]
struct Book {
    started: Vec<Seen>,
    /// Requests whose upcalls wait.
    shut: HashSet<i32>,
}

/// Records which upcalls have started.
pub(crate) struct Clerk {
    current: RtCurrent,
    book: Mutex<Book>,
    changed: Condvar,
}

impl Clerk {
    /// Makes the upcalls of these requests wait until `open`.
    pub(crate) fn shut(&self, ids: &[i32]) {
        self.book.lock().unwrap().shut.extend(ids);
    }

    pub(crate) fn open(&self, id: i32) {
        self.book.lock().unwrap().shut.remove(&id);
        self.changed.notify_all();
    }

    /// Waits until the upcall of a request has started.
    pub(crate) fn wait_for(&self, id: i32) -> Seen {
        let book = self.book.lock().unwrap();
        let has = |book: &mut Book| !book.started.iter().any(|seen| seen.id == id);
        let (book, waited) =
            self.changed.wait_timeout_while(book, Duration::from_secs(300), has).unwrap();
        assert!(!waited.timed_out(), "{id} is not served: {:?}", book.started);
        book.started.iter().find(|seen| seen.id == id).unwrap().clone()
    }

    /// The requests in the order in which their upcalls started.
    pub(crate) fn order(&self) -> Vec<i32> {
        self.book.lock().unwrap().started.iter().map(|seen| seen.id).collect()
    }

    pub(crate) fn note(&self, id: i32) {
        let seen = Seen {
            id,
            priority: self.current.priority().ok().map(Priority::value),
            schedule: zorb_os::priority::current().unwrap(),
            thread: zorb_os::thread::id(),
        };
        let mut book = self.book.lock().unwrap();
        book.started.push(seen);
        self.changed.notify_all();
        while book.shut.contains(&id) {
            book = self.changed.wait(book).unwrap();
        }
    }
}

impl DeskServant for Clerk {
    fn serve(&self, id: i32) -> Result<i32> {
        self.note(id);
        Ok(id)
    }

    fn leave(&self, id: i32) {
        self.note(id);
    }

    fn fill(&self, id: i32, octets: i32) -> Result<Vec<u8>> {
        self.note(id);
        Ok(vec![7; octets as usize])
    }
}

pub(crate) struct Side {
    pub(crate) orb: Orb,
    pub(crate) rt: RtOrb,
    pub(crate) clerk: Arc<Clerk>,
    /// Whether the system lets priorities be set.
    pub(crate) permitted: bool,
}

impl Drop for Side {
    /// Ends the ORB, so that the descriptors and threads of one test are free for the next ones.
    fn drop(&mut self) {
        let _ = self.orb.shutdown(false);
    }
}

pub(crate) fn side_with(options: &[(&str, &str)]) -> Side {
    side_at(&["iiop://127.0.0.1:0"], options)
}

/// An ORB that listens at these URLs.
pub(crate) fn side_at(urls: &[&str], options: &[(&str, &str)]) -> Side {
    side_of(urls, options, Direct::new(NativePriority::SHARED, NativePriority(40)))
}

/// An ORB that listens by this protocol, at `url`.
pub(crate) fn side_by(protocol: Arc<dyn Protocol>, url: &str, options: &[(&str, &str)]) -> Side {
    let orb = Orb::builder().without_environment().protocol(protocol).listen(url);
    let orb = orb.round_trip_timeout(Duration::from_secs(300));
    let orb = options.iter().fold(orb, |orb, (name, value)| orb.option(name, *value));
    attached(orb.build().unwrap(), Direct::new(NativePriority::SHARED, NativePriority(40)))
}

/// An ORB with this mapping.
pub(crate) fn side_mapped(mapping: impl PriorityMapping) -> Side {
    side_of(&["iiop://127.0.0.1:0"], &[], mapping)
}

fn side_of(urls: &[&str], options: &[(&str, &str)], mapping: impl PriorityMapping) -> Side {
    require_loopback();
    let orb = Orb::builder().without_environment().protocol(Arc::new(IiopProtocol::new()));
    let orb = orb.protocol(Arc::new(UiopProtocol::new())).protocol(Arc::new(ShmiopProtocol::new()));
    let lite = Composed::new(&GiopLite, UiopProtocol::new(), ProfileTag::ZORB_LITE_UIOP);
    let orb = orb.protocol(Arc::new(lite));
    let short = Composed::new(&Short, UiopProtocol::new(), ProfileTag::ZORB_SHORT_UIOP);
    let orb = orb.protocol(Arc::new(short));
    let orb = orb.round_trip_timeout(Duration::from_secs(300));
    let orb = urls.iter().fold(orb, |orb, url| orb.listen(*url));
    let orb = options.iter().fold(orb, |orb, (name, value)| orb.option(name, *value));
    attached(orb.build().unwrap(), mapping)
}

fn attached(orb: Orb, mapping: impl PriorityMapping) -> Side {
    let rt = RtOrb::builder().mapping(mapping).attach(&orb).unwrap();
    let permitted = rt.denial().is_none();
    let clerk =
        Clerk { current: rt.current(), book: Mutex::default(), changed: Condvar::default() };
    Side { orb, rt, clerk: Arc::new(clerk), permitted }
}

/// An ORB whose CORBA priorities are native ones, up to 40.
pub(crate) fn side() -> Side {
    side_with(&[])
}

pub(crate) fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

/// A lane with so many threads, as far as the strategy permits that.
pub(crate) fn lane_of(strategy: Strategy, priority: i16, threads: usize) -> LaneBuilder {
    lane(priority, if strategy == Strategy::SingleThread { 1 } else { threads })
}

pub(crate) fn lane(priority: i16, threads: usize) -> LaneBuilder {
    LaneBuilder::new(number(priority), threads)
}

impl Side {
    pub(crate) fn pool(&self) -> ThreadpoolBuilder<'_> {
        self.rt.threadpool("test")
    }

    pub(crate) fn poa(&self, pool: &Threadpool, model: PriorityModel) -> Poa {
        self.poa_named(&format!("served by {}", pool.id()), pool, model)
    }

    pub(crate) fn poa_named(&self, name: &str, pool: &Threadpool, model: PriorityModel) -> Poa {
        let policies = PoaPolicies::new().multiple_ids().with(model).with(pool.policy());
        self.orb.root_poa().create(name, policies).unwrap()
    }

    /// The same desk through another reference.
    pub(crate) fn desk_again(&self, desk: &Desk, client: &Self) -> Desk {
        client.orb.resolve(&desk.0.to_ior_string()).unwrap()
    }

    /// A desk with client-propagated priorities, as a reference of `client`.
    pub(crate) fn desk(&self, pool: &Threadpool, otherwise: i16, client: &Side) -> Desk {
        let poa = self.poa(pool, self.rt.client_propagated(number(otherwise)));
        let desk: Desk = poa.activate_shared(&self.clerk).unwrap();
        client.orb.resolve(&desk.0.to_ior_string()).unwrap()
    }

    /// How a thread of `priority` is scheduled here.
    pub(crate) fn at(&self, priority: i16) -> Schedule {
        match priority {
            _ if !self.permitted => Schedule::Shared,
            0 => Schedule::Shared,
            level => Schedule::Fifo(level as u8),
        }
    }

    /// Makes a call on a thread of its own, of a priority.
    pub(crate) fn call(&self, desk: &Desk, priority: i16, id: i32) -> JoinHandle<Result<i32>> {
        let (rt, desk) = (self.rt.clone(), desk.clone());
        std::thread::spawn(move || {
            rt.current().set_priority(number(priority)).unwrap();
            desk.serve(id)
        })
    }
}
