//! The scheduling service.

use zorb::Orb;
use zorb_sched::{Strategy, System, TaskSet};
use zorb_sched_service::SchedulerService;
use zorb_sched_service::rtec_scheduler::Scheduler;

/// A program with a scheduling service.
///
/// # Errors
/// The ORB does not serve any more.
pub fn embedded(orb: &Orb) -> Result<Scheduler, zorb::Error> {
    let service = SchedulerService::new(TaskSet::new(), System::new(Strategy::Rms));
    let scheduler = service.serve(&orb.root_poa())?;
    orb.publish("ScheduleService", &scheduler)?;
    Ok(scheduler)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_find_it_by_its_key() {
        let orb =
            Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
        embedded(&orb).unwrap();
        orb.serve().unwrap();
        let client = Orb::builder().without_environment().build().unwrap();
        let address = orb.endpoints().remove(0).replace("iiop://", "");
        let url = format!("corbaloc::{address}/ScheduleService");
        let scheduler: Scheduler = client.resolve(&url).unwrap();
        let sensor = scheduler.create("sensor").unwrap();
        assert_eq!(scheduler.lookup("sensor").unwrap(), sensor);
        client.shutdown(true).unwrap();
        orb.shutdown(true).unwrap();
    }
}
