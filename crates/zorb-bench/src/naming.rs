//! Zorb's naming service beside omniNames: `zorb bench naming`.

mod calls;
mod plan;
mod report;
mod service;
mod size;

use std::time::Duration;

use zorb::Orb;
use zorb::giop::Ior;
use zorb_naming::cos_naming::NamingContext;
use zorb_os::thread;

use crate::harness::Watch;
use crate::processor::pin;
use crate::{Error, Result};
use calls::{Clients, Operation, reference};
pub use plan::NamingPlan;
pub use report::{NamingLimit, NamingReport, NamingRow};
use service::Service;

/// A row: an operation, the number of clients, and what Zorb promises before its reply.
const ROWS: [(Operation, usize, &str); 6] = [
    (Operation::Resolve, 1, "os"),
    (Operation::Resolve, 32, "os"),
    (Operation::List, 1, "os"),
    (Operation::List, 32, "os"),
    (Operation::Bind, 1, "os"),
    (Operation::Bind, 32, "grouped"),
];

/// Measures both services, interleaved, and then Zorb's with many names.
///
/// # Errors
/// omniNames is not installed; a service does not start, or an operation fails; the observer stopped the measurement.
pub fn run(plan: &NamingPlan, watch: &mut dyn Watch) -> Result<NamingReport> {
    let own = thread::affinity()?;
    let mut report = NamingReport::new(plan.pin, plan.quick);
    let compared = compare(plan, &own, &mut report, watch);
    thread::set_affinity(&own)?;
    compared?;
    report.limits = size::run(plan, watch)?;
    report.finish();
    Ok(report)
}

/// Both services, in turns. Processes and threads inherit the processors of the thread that starts them.
fn compare(
    plan: &NamingPlan,
    own: &[usize],
    report: &mut NamingReport,
    watch: &mut dyn Watch,
) -> Result<()> {
    let (rounds, block) = match plan.quick {
        true => (3, Duration::from_millis(100)),
        false => (9, Duration::from_secs(1)),
    };
    let [client, server] = plan.pin.choose(own)?;
    watch.begin(ROWS.len() * rounds + size::blocks(plan));
    for durability in ["os", "grouped"] {
        server.map(pin).transpose()?;
        // Neither has what clients have bound before.
        let omni = Service::omninames()?;
        let zorb = Service::zorb(&plan.program, Some(durability))?;
        client.map(pin).transpose()?;
        // The same in both, so that their replies, and what the clients do with them, are.
        let bound = bound(&zorb)?;
        for (operation, clients, _) in ROWS.into_iter().filter(|row| row.2 == durability) {
            let what = format!("{} by {clients}", operation.name());
            let measured = || -> Result<(Clients, Clients)> {
                Ok((
                    Clients::new(&zorb.url, clients, &bound)?,
                    Clients::new(&omni.url, clients, &bound)?,
                ))
            };
            let (ours, theirs) = measured().map_err(|error| error.during(&what))?;
            let mut row = NamingRow::new(operation.name(), clients, durability);
            for round in 0..rounds {
                if watch.wants_to_stop() {
                    return Err(Error::Stopped);
                }
                // Neither is always first.
                let (first, second) =
                    if round % 2 == 0 { (&ours, &theirs) } else { (&theirs, &ours) };
                let one = first.calls_per_second(operation, block);
                let other = second.calls_per_second(operation, block);
                let (one, other) = (
                    one.map_err(|error| error.during(&what))?,
                    other.map_err(|error| error.during(&what))?,
                );
                let (zorb, omninames) = if round % 2 == 0 { (one, other) } else { (other, one) };
                row.add(zorb, omninames);
                watch.block(&what);
            }
            report.rows.push(row);
        }
    }
    Ok(())
}

/// A reference of the kind that servers bind.
fn bound(service: &Service) -> Result<Ior> {
    let orb = Orb::builder().without_environment().build()?;
    let root: NamingContext = orb.resolve(&service.url)?;
    let reference = reference(&root);
    orb.shutdown(true)?;
    Ok(reference)
}
