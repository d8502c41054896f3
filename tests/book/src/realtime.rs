//! Priorities of threads, upcalls and locks.

use std::time::Duration;

use zorb::poa::{Poa, PoaPolicies};
use zorb::policy::{Policies, PrivateConnection, SyncScope};
use zorb::rt::{
    BufferingConstraint, Denied, FlowLimits, InvocationPriority, LaneBuilder, Linear,
    LinearNetwork, LogQueue, ObjectQos, OutputQueue, PiMutex, Priority, PriorityBand,
    PriorityBands, PriorityMappingManager, Qos, QosClass, RtCurrent, RtOrb, Threadpool, WhenFull,
    expand,
};
use zorb::{ObjectRef, OnewayQueue, Orb};
use zorb_cdr::{CdrResult, CdrWriter};

/// Attaches the real-time side to an ORB.
pub fn attach(orb: &Orb) -> Result<RtOrb, zorb::Error> {
    let rt = RtOrb::builder().mapping(Linear::default()).denied(Denied::Run).attach(orb)?;
    if let Some(denial) = rt.denial() {
        eprintln!("{denial}");
    }
    Ok(rt)
}

/// Resolves the standard's initial references.
pub fn resolve(orb: &Orb) -> Result<(RtOrb, RtCurrent, PriorityMappingManager), zorb::Error> {
    let rt: RtOrb = orb.initial_local("RTORB")?;
    let current: RtCurrent = orb.initial_local("RTCurrent")?;
    let mappings: PriorityMappingManager = orb.initial_local("PriorityMappingManager")?;
    Ok((rt, current, mappings))
}

/// Raises the calling thread's priority.
pub fn urgent(rt: &RtOrb) -> Result<(), zorb::Error> {
    rt.current().set_priority(Priority::new(20_000)?)?;
    Ok(())
}

/// A reference with its own invocation priority.
pub fn called_at(valve: &ObjectRef) -> Result<ObjectRef, zorb::Error> {
    let at = Policies::new().with(InvocationPriority::new(Priority::new(30_000)?));
    let valve = valve.with_policies(&at)?;
    Ok(valve)
}

/// POAs with both priority models.
pub fn adapters(orb: &Orb, rt: &RtOrb) -> Result<(Poa, Poa), zorb::Error> {
    let propagated = PoaPolicies::new().with(rt.client_propagated(Priority::new(1000)?));
    let by_client = orb.root_poa().create("by client", propagated)?;

    let declared = PoaPolicies::new().with(rt.server_declared(Priority::new(30_000)?));
    let by_server = orb.root_poa().create("by server", declared)?;
    Ok((by_client, by_server))
}

/// A POA with a thread pool of two lanes.
pub fn controlled(orb: &Orb, rt: &RtOrb) -> Result<(Poa, Threadpool), zorb::Error> {
    let pool = rt
        .threadpool("control")
        .lane(LaneBuilder::new(Priority::new(1000)?, 2))
        .lane(LaneBuilder::new(Priority::new(30_000)?, 1).dynamic_threads(1))
        .stack_size(256 << 10)
        .create()?;
    let model = rt.client_propagated(Priority::new(1000)?);
    let policies = PoaPolicies::new().with(model).with(pool.policy());
    let poa = orb.root_poa().create("controlled", policies)?;
    Ok((poa, pool))
}

/// A reference with a connection per priority band.
pub fn banded(valve: &ObjectRef) -> Result<ObjectRef, zorb::Error> {
    let band = |low, high| PriorityBand::new(Priority::new(low)?, Priority::new(high)?);
    let bands = PriorityBands::new([band(0, 9_999)?, band(10_000, 32_767)?])?;
    let valve = valve.with_policies(&Policies::new().with(bands))?;
    Ok(valve)
}

/// A thread pool from the configuration.
pub fn configured(orb: &Orb) -> Result<Threadpool, zorb::Error> {
    let rt = RtOrb::builder().attach(orb)?;
    let pool = rt.configured_threadpool("control")?;
    Ok(pool)
}

/// Counts steady-state violations of lanes.
pub fn frozen(rt: &RtOrb) -> Result<(), zorb::Error> {
    rt.freeze()?;
    // ... calls in steady state ...
    for lane in rt.violations().iter().filter(|lane| lane.total() > 0) {
        eprintln!("{lane}");
    }
    Ok(())
}

/// A log that never blocks a lane.
pub fn logged(serve: impl FnOnce()) -> std::io::Result<LogQueue> {
    let log = LogQueue::builder().lines(1024).write_to(std::io::stderr())?;
    let lines = log.clone();
    tracing_subscriber::fmt().with_writer(move || lines.line()).init();

    serve();
    if !log.flush(Duration::from_secs(1)) {
        eprintln!("log lines were dropped: {:?}", log.counts());
    }
    Ok(log)
}

/// Maps connections to network classes.
pub fn in_network(orb: &Orb) -> Result<RtOrb, zorb::Error> {
    let rt = RtOrb::builder().network(LinearNetwork).attach(orb)?;
    Ok(rt)
}

/// Expands QoS classes to settings.
pub fn classes(
    object: ObjectRef,
    rt: &RtOrb,
) -> Result<(ObjectRef, ObjectRef, Threadpool, PoaPolicies), zorb::Error> {
    let control = Qos::new(QosClass::LowLatencyTransaction)
        .rate(100)
        .size(64)
        .deadline(Duration::from_millis(2));
    let upload = Qos::new(QosClass::BulkData).size(1 << 20);

    // Clients: per call, operation, or object.
    let urgent = object.for_call(&expand(&control).policies())?;
    let by_operation = ObjectQos::new(upload).operation("stop", control);
    let stop = by_operation.reference(&object, "stop")?;

    // Servers: a lane per class.
    let pool = rt.threadpool("classes");
    let pool = pool.lane(expand(&upload).lane()).lane(expand(&control).lane()).create()?;
    let policies = expand(&control).adapter_policies(rt).with(pool.policy());
    Ok((urgent, stop, pool, policies))
}

/// The argument of a call.
#[derive(Debug)]
pub struct Picture(pub Vec<u8>);

impl Picture {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn arguments(&self) -> impl Fn(&mut CdrWriter<'_>) -> CdrResult<()> {
        |writer| writer.write_octets(&self.0)
    }
}

/// Sends one-way calls through a queue.
pub fn shown(display: ObjectRef, picture: Picture) -> Result<OutputQueue, zorb::Error> {
    let private = Policies::new().with(PrivateConnection);
    let display = display.with_policies(&private)?;
    let queue = OutputQueue::builder("display")
        .max_calls(64)
        .watermarks(75, 25)
        .when_full(WhenFull::Refuse)
        .on_event(|event| eprintln!("{event:?}"))
        .start()?;
    queue.send(picture.len(), move || display.invoke_oneway("show", picture.arguments()))?;
    Ok(queue)
}

/// A reference whose one-way calls are queued by the ORB.
pub fn queued(display: &ObjectRef) -> Result<(ObjectRef, OnewayQueue), zorb::Error> {
    let limits = FlowLimits::default().max_calls(64);
    let queue = OnewayQueue::new(limits).on_event(|event| eprintln!("{event:?}"));
    let policies = Policies::new().with(SyncScope::None).with(queue.clone());
    let display = display.with_policies(&policies)?;
    Ok((display, queue))
}

/// A queue that sends calls together.
pub fn together(queue: OnewayQueue) -> OnewayQueue {
    let together = BufferingConstraint::default().calls(32).age(Duration::from_millis(5));
    queue.buffering(together)
}

/// Acquires a lock twice.
pub fn locked(mutex: &PiMutex) -> std::io::Result<bool> {
    let guard = mutex.lock()?;
    // critical section
    drop(guard);
    let locked = mutex.try_lock(Duration::from_millis(1))?.is_some();
    Ok(locked)
}

#[cfg(test)]
mod tests {
    use zorb::rt::PriorityModel;

    use super::*;

    #[test]
    fn a_log_is_written_to_its_end() {
        let log = logged(|| tracing::info!("serving")).unwrap();
        // The tests beside it log as well.
        assert!(log.counts().written >= 1);
        assert_eq!((log.counts().dropped, log.counts().failed), (0, 0));
    }

    #[test]
    fn threads_adapters_and_locks_have_priorities() {
        let orb = Orb::builder().without_environment().build().unwrap();
        let rt = attach(&orb).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                urgent(&rt).unwrap();
                assert_eq!(rt.current().priority().unwrap().value(), 20_000);
            });
        });
        let (by_client, by_server) = adapters(&orb, &rt).unwrap();
        let model = |poa: &Poa| poa.policies().others.value::<PriorityModel>().cloned().unwrap();
        assert!(model(&by_client).is_client_propagated());
        assert_eq!(model(&by_server).server_priority().value(), 30_000);
        assert!(locked(&rt.create_mutex()).unwrap());
        in_network(&orb).unwrap();
        let object = orb.string_to_object("corbaloc:iiop:127.0.0.1:1/door").unwrap().unwrap();
        let called = called_at(&object).unwrap().client_policy::<InvocationPriority>();
        assert_eq!(called.unwrap().priority().value(), 30_000);
        let (_, stop, classes, policies) = classes(object, &rt).unwrap();
        assert!(policies.others.value::<zorb::rt::ThreadpoolPolicy>().is_some());
        let limit = stop.client_policy::<zorb::policy::RelativeRoundtripTimeout>();
        assert_eq!(limit.unwrap().0, Duration::from_millis(2));
        assert_eq!(classes.counts().len(), 2);
        let nobody = orb.string_to_object("corbaloc:iiop:127.0.0.1:1/screen").unwrap().unwrap();
        let queue = shown(nobody, Picture(vec![0; 8])).unwrap();
        while queue.counts().lost == 0 {
            std::thread::yield_now();
        }
        let (poa, pool) = controlled(&orb, &rt).unwrap();
        let threads: Vec<_> = pool.counts().iter().map(|lane| lane.threads).collect();
        assert_eq!(threads, [2, 1]);
        frozen(&rt).unwrap();
        let mut words = vec!["-ORBRtPool", "control=1000:2 30000:1+1 stack=262144"];
        let other = Orb::builder().without_environment().arguments(&mut words).build().unwrap();
        assert_eq!(configured(&other).unwrap().counts().len(), 2);
        assert!(rt.violations().iter().all(|lane| lane.total() == 0));
        poa.destroy();
        pool.destroy().unwrap();
    }
}
