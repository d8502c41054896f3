//! A process that may not set priorities or lock memory runs anyway, or reports what it lacks.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::Policies;
use zorb_core::{CollocationStrategy, ObjectRef, Orb, Result, codegen};
use zorb_os::priority::{Schedule, current};
use zorb_rt::{
    Denied, Direct, LaneBuilder, Priority, PriorityBand, PriorityBands, RtCurrent, RtOrb,
};
use zorb_testkit::in_own_process;
use zorb_types::{SystemException, SystemExceptionKind, minor};
use zorb_unix::UiopProtocol;

/// `interface Desk { short priority(); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Desk(ObjectRef);

codegen::interface!(Desk(ObjectRef), "IDL:zorb.test/Desk:1.0", "Desk", []);

impl Desk {
    fn priority(&self) -> Result<i16> {
        codegen::invoke!(self, priority, [], [i16])
    }
}

trait DeskServant: Send + Sync + 'static {
    fn priority(&self) -> Result<i16>;
}

codegen::skeleton!(Desk, DeskServant, {
    0 "priority" priority() [result: i16],
});

struct Clerk(RtCurrent);

impl DeskServant for Clerk {
    fn priority(&self) -> Result<i16> {
        assert_eq!(current().unwrap(), Schedule::Shared, "the system has not let it");
        Ok(self.0.priority()?.value())
    }
}

/// Drops the privileges to set priorities and lock memory, for this thread and those that it starts.
fn drop_privileges() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Rtprio, none).unwrap();
    setrlimit(Resource::Memlock, none).unwrap();
    let mut sets = capabilities(None).unwrap();
    let lost = CapabilitySet::SYS_NICE | CapabilitySet::IPC_LOCK;
    sets.effective -= lost;
    sets.permitted -= lost;
    sets.inheritable -= lost;
    set_capabilities(None, sets).unwrap();
}

fn orb(denied: Denied) -> (Orb, RtOrb) {
    let orb = Orb::builder().without_environment().protocol(Arc::new(UiopProtocol::new()));
    let orb = orb.listen("uiop://").build().unwrap();
    let rt = RtOrb::builder().mapping(Direct::default()).denied(denied).attach(&orb).unwrap();
    (orb, rt)
}

fn number(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

/// An exception and its texts.
fn described(exception: SystemException) -> (SystemExceptionKind, zorb_types::MinorCode, String) {
    (exception.kind, exception.minor, format!("{exception:?}"))
}

/// Objects with each kind of priority, in the same ORB and over a connection.
fn desks(orb: &Orb, rt: &RtOrb) -> Vec<(Desk, i16)> {
    let create = |name: &str, policies: PoaPolicies| {
        let poa = orb.root_poa().create(name, policies).unwrap();
        poa.activate::<_, Desk>(Clerk(rt.current())).unwrap()
    };
    let declared = create("declared", PoaPolicies::new().with(rt.server_declared(number(20))));
    let propagated = create("propagated", PoaPolicies::new().with(rt.client_propagated(number(3))));
    let mut all = vec![(declared, 20), (propagated.clone(), 10)];
    let band = PriorityBand::new(number(0), number(50)).unwrap();
    let bands = Policies::new().with(PriorityBands::new([band]).unwrap());
    all.push((Desk(propagated.0.with_policies(&bands).unwrap()), 10));
    let there = all.iter().map(|(desk, priority)| {
        (Desk(desk.0.with_collocation(CollocationStrategy::Marshalled)), *priority)
    });
    let there: Vec<_> = there.collect();
    all.extend(there);
    all
}

fn runs() {
    let (orb, rt) = orb(Denied::Run);
    let denial = rt.denial().unwrap();
    for word in ["SCHED_FIFO 89", "CAP_SYS_NICE", "RLIMIT_RTPRIO"] {
        assert!(denial.contains(word), "{denial}");
    }
    rt.current().set_priority(number(10)).unwrap();
    assert_eq!(rt.current().priority(), Ok(number(10)));
    assert_eq!(rt.denials(), 1);
    for (desk, priority) in desks(&orb, &rt) {
        assert_eq!(desk.priority(), Ok(priority));
    }
    let lanes = [10, 20].map(|priority| LaneBuilder::new(number(priority), 1));
    let pool = lanes.into_iter().fold(rt.threadpool("lanes"), |pool, lane| pool.lane(lane));
    let pool = pool.create().unwrap();
    let client = self::orb(Denied::Run);
    let policies = PoaPolicies::new().with(rt.client_propagated(number(10))).with(pool.policy());
    let poa = orb.root_poa().create("lanes", policies).unwrap();
    let here: Desk = poa.activate(Clerk(rt.current())).unwrap();
    let there: Desk = client.0.resolve(&here.0.to_ior_string()).unwrap();
    assert_eq!(there.priority(), Ok(10), "it goes to its lane");
    assert!(rt.denials() > 1, "it is counted");
    let mutex = rt.create_mutex();
    let held = mutex.lock().unwrap();
    std::thread::scope(|scope| {
        let waits = || mutex.try_lock(Duration::ZERO).unwrap().is_none();
        assert!(scope.spawn(waits).join().unwrap());
    });
    drop(held);
    RtOrb::builder().lock_memory(true).denied(Denied::Run).attach(&client.0).unwrap();
    orb.shutdown(true).unwrap();
}

fn refuses() {
    let (orb, rt) = orb(Denied::Refuse);
    let denied = minor::no_permission::PRIORITY_DENIED;
    let refused = described(rt.current().set_priority(number(10)).unwrap_err());
    assert_eq!((refused.0, refused.1), (SystemExceptionKind::NoPermission, denied));
    for word in ["SCHED_FIFO 10", "CAP_SYS_NICE", "RLIMIT_RTPRIO", "zorb rt check"] {
        assert!(refused.2.contains(word), "{}", refused.2);
    }
    assert!(rt.current().priority().is_err(), "it has none");
    for (desk, _) in desks(&orb, &rt) {
        let refused = desk.priority().unwrap_err();
        // A thread without a priority calls at 3, which is denied as well.
        assert_eq!((refused.kind, refused.minor), (SystemExceptionKind::NoPermission, denied));
    }
    let lane = LaneBuilder::new(number(10), 1);
    let refused = format!("{:?}", rt.threadpool("lanes").lane(lane).create().unwrap_err());
    assert!(refused.contains("\"lanes\"") && refused.contains("CAP_SYS_NICE"), "{refused}");
    let locked = RtOrb::builder().lock_memory(true).denied(Denied::Refuse).attach(&orb);
    let refused = described(locked.unwrap_err());
    let denied = minor::no_permission::MEMORY_LOCK_DENIED;
    assert_eq!((refused.0, refused.1), (SystemExceptionKind::NoPermission, denied));
    assert!(refused.2.contains("CAP_IPC_LOCK"), "{}", refused.2);
    // Settings that need no privilege are accepted.
    let shared = PoaPolicies::new().with(rt.server_declared(Priority::MIN));
    let poa = orb.root_poa().create("shared", shared).unwrap();
    let desk: Desk = poa.activate(Clerk(rt.current())).unwrap();
    assert_eq!(desk.priority(), Ok(0));
    orb.shutdown(true).unwrap();
}

#[test]
fn without_the_privilege_a_program_runs_or_is_told_what_it_needs() {
    // The process loses its limits.
    in_own_process("denied::without_the_privilege_a_program_runs_or_is_told_what_it_needs", || {
        drop_privileges();
        // A thread without a priority for each.
        for part in [runs, refuses] {
            std::thread::spawn(part).join().unwrap();
        }
    });
}
