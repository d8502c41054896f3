//! Priorities of threads, upcalls and locks.

use std::time::Duration;

use zorb::Orb;
use zorb::poa::{Poa, PoaPolicies};
use zorb_rt::{Denied, LaneBuilder, Linear, PiMutex, Priority, RtOrb, Threadpool};

/// Attaches the real-time side.
pub fn attach(orb: &Orb) -> Result<RtOrb, zorb::Error> {
    let rt = RtOrb::builder().mapping(Linear::default()).denied(Denied::Run).attach(orb)?;
    if let Some(denial) = rt.denial() {
        eprintln!("{denial}");
    }
    Ok(rt)
}

/// Makes the calling thread an urgent one.
pub fn urgent(rt: &RtOrb) -> Result<(), zorb::Error> {
    rt.current().set_priority(Priority::new(20_000)?)?;
    Ok(())
}

/// Adapters of both models.
pub fn adapters(orb: &Orb, rt: &RtOrb) -> Result<(Poa, Poa), zorb::Error> {
    let propagated = PoaPolicies::new().with(rt.client_propagated(Priority::new(1000)?));
    let by_client = orb.root_poa().create("by client", propagated)?;

    let declared = PoaPolicies::new().with(rt.server_declared(Priority::new(30_000)?));
    let by_server = orb.root_poa().create("by server", declared)?;
    Ok((by_client, by_server))
}

/// An adapter that is served by a pool with two lanes.
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

/// A pool that whoever runs the program describes.
pub fn configured(orb: &Orb) -> Result<Threadpool, zorb::Error> {
    let rt = RtOrb::builder().attach(orb)?;
    let pool = rt.configured_threadpool("control")?;
    Ok(pool)
}

/// Counts what lanes are not to do.
pub fn frozen(rt: &RtOrb) -> Result<(), zorb::Error> {
    rt.freeze()?;
    // ... calls come and go ...
    for lane in rt.violations().iter().filter(|lane| lane.total() > 0) {
        eprintln!("{lane}");
    }
    Ok(())
}

/// Takes a lock twice, one after the other.
pub fn locked(mutex: &PiMutex) -> std::io::Result<bool> {
    let held = mutex.lock()?;
    // what only one thread may do at a time
    drop(held);
    let soon = mutex.try_lock(Duration::from_millis(1))?.is_some();
    Ok(soon)
}

#[cfg(test)]
mod tests {
    use zorb_rt::PriorityModel;

    use super::*;

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
        let (poa, pool) = controlled(&orb, &rt).unwrap();
        let threads: Vec<_> = pool.counts().iter().map(|lane| lane.threads).collect();
        assert_eq!(threads, [2, 1]);
        frozen(&rt).unwrap();
        let words = ["-ORBRtPool", "control=1000:2 30000:1+1 stack=262144"].map(str::to_owned);
        let other = Orb::builder().without_environment().arguments(words).build().unwrap();
        assert_eq!(configured(&other).unwrap().counts().len(), 2);
        assert!(rt.violations().iter().all(|lane| lane.total() == 0));
        poa.destroy();
        pool.destroy().unwrap();
    }
}
