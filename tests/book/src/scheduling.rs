//! Priorities from an analysis.

use std::error::Error;
use std::time::Duration;

use zorb::poa::PoaPolicies;
use zorb::rt::{Priority, RtOrb, Threadpool};
use zorb_sched::{
    Activation, PeriodicTask, RunningUpcalls, UpcallCounts, UpcallError, UpcallEvent, Upcalls,
    VirtualClock,
};
use zorb_sched::{Call, PriorityTable, RtInfo, Schedule, Strategy, System, TaskSet, Time};
use zorb_sched::{Dispatcher, DispatcherOptions, Handle, Urgency};

/// Stands for a stub generated from IDL.
#[derive(Clone, Debug)]
pub struct Control(std::sync::mpsc::Sender<Time>);

impl Control {
    fn step(&self, release: Time) {
        // The test has received enough calls.
        let _ = self.0.send(release);
    }
}

/// A POA's policies from a priority table.
pub fn policies(rt: &RtOrb, text: &str) -> Result<PoaPolicies, Box<dyn Error>> {
    let table = PriorityTable::from_toml(text)?;
    let step = table.lookup("Control::step").ok_or("no such operation")?;
    // Once, at startup. Afterwards:
    let entry = table.entry(step).ok_or("no such operation")?;
    let priority = Priority::new(entry.priority.into())?;
    let policies = PoaPolicies::new().with(rt.server_declared(priority));
    Ok(policies)
}

/// A pool with the lanes of a priority table.
pub fn lanes(rt: &RtOrb, text: &str) -> Result<Threadpool, zorb::Error> {
    let pool = rt.threadpool("flight").lanes_from_table(text)?.create()?;
    Ok(pool)
}

/// Dispatches an operation once, and periodically.
pub fn dispatched(
    schedule: &Schedule,
    operation: Handle,
    run: impl Fn(&'static str) + Send + Sync + 'static,
) -> Result<Dispatcher<&'static str>, Box<dyn Error>> {
    let dispatcher = Dispatcher::start(&schedule.queues, &DispatcherOptions::default(), run)?;
    if let Some(denial) = dispatcher.denial() {
        eprintln!("{denial}");
    }
    let rank = schedule.rank(operation).ok_or("no such operation")?;
    let urgency = |deadline| Urgency {
        deadline,
        execution: Time::from_millis(2),
        subpriority: rank.subpriority,
    };
    // Once, due in 8 ms:
    dispatcher.dispatch(rank.queue, urgency(dispatcher.now() + Time::from_millis(8)), "once")?;
    // Every 10 ms, due 8 ms after each arrival:
    let period = Duration::from_millis(10);
    dispatcher.every(period, rank.queue, urgency(Time::from_millis(8)), |_| "again")?;
    Ok(dispatcher)
}

/// Calls an operation periodically if all deadlines can be met.
pub fn periodic(
    control: Control,
    tell: impl Fn(&UpcallEvent<'_>) + Send + Sync + 'static,
) -> Result<RunningUpcalls, UpcallError> {
    let ms = Time::from_millis;
    let step = PeriodicTask::new("step", ms(10)).budget(ms(2)).deadline(ms(8));
    let show = PeriodicTask::new("show", ms(40)).budget(ms(9)).phase(ms(1));
    let upcalls = Upcalls::new()
        .task(step, move |activation| control.step(activation.release))
        .task(show, |activation| println!("{} skipped", activation.skipped))
        .admission(System::new(Strategy::Rms))
        .on_event(tell)
        .start()?;
    if let Some(denial) = upcalls.denial() {
        eprintln!("{denial}");
    }
    Ok(upcalls)
}

/// Runs a periodic task on a virtual clock.
pub fn rehearsed() -> UpcallCounts {
    let ms = Time::from_millis;
    let clock = VirtualClock::until(ms(50));
    let task = PeriodicTask::new("step", ms(10)).budget(ms(2)).deadline(ms(8));
    // The second overruns, so the third is skipped.
    let upcall = |activation: &Activation| match activation.number {
        1 => clock.work(ms(20)),
        _ => clock.work(ms(1)),
    };
    task.run_on(&clock, Time::ZERO, upcall, |event| println!("{}", event.finding))
}

/// Analyzes a task set, and tests whether another operation fits.
pub fn admission() -> Result<(), zorb_sched::Anomaly> {
    let ms = Time::from_millis;
    let mut set = TaskSet::new();
    let filter = set.add(RtInfo::new("filter", ms(1)))?;
    set.add(RtInfo::new("sensor", ms(2)).period(ms(10)).calls(Call::two_way(filter, 3)))?;
    let system = System::new(Strategy::Rms);
    let schedule = Schedule::compute(&set, &system)?;
    assert!(schedule.is_schedulable());

    let refused = Schedule::admit(&set, &system, RtInfo::new("display", ms(30)).period(ms(40)));
    let anomalies = refused.err().unwrap_or_default();
    assert_eq!(anomalies[0].name(), "utilization_exceeded");
    Ok(())
}

#[cfg(test)]
mod tests {
    use zorb::Orb;
    use zorb::rt::{Direct, PriorityModel};
    use zorb_sched::TaskFile;

    use super::*;

    #[test]
    fn a_table_gives_an_adapter_its_priority() {
        let file = TaskFile::parse(include_str!("../../../docs/examples/flight.toml")).unwrap();
        let schedule = Schedule::compute(&file.set, &file.system).unwrap();
        let text = PriorityTable::new(&file.set, &schedule).to_toml();
        let orb = Orb::builder().without_environment().build().unwrap();
        let rt = RtOrb::builder().mapping(Direct::default()).attach(&orb).unwrap();
        let policies = policies(&rt, &text).unwrap();
        let model = policies.others.value::<PriorityModel>().unwrap();
        assert_eq!(model.server_priority().value(), 79);
        assert_eq!(rt.to_native(model.server_priority()).unwrap().0, 79);
        let lanes = lanes(&rt, &text).unwrap().violations();
        let priorities: Vec<_> = lanes.iter().filter_map(|lane| lane.priority).collect();
        assert_eq!(priorities, [78, 79, 80]);
    }

    #[test]
    fn work_is_dispatched_once_and_again() {
        let file = TaskFile::parse(include_str!("../../../docs/examples/flight.toml")).unwrap();
        let schedule = Schedule::compute(&file.set, &file.system).unwrap();
        let step = file.set.lookup("Control::step").unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let run = move |work| tell.send(work).unwrap();
        let dispatcher = dispatched(&schedule, step, run).unwrap();
        assert_eq!(told.iter().take(3).collect::<Vec<_>>(), ["once", "again", "again"]);
        dispatcher.stop();
    }

    #[test]
    fn upcalls_come_in_every_period() {
        let (tell, told) = std::sync::mpsc::channel();
        let upcalls = periodic(Control(tell), |_| ()).unwrap();
        let (first, second) = (told.recv().unwrap(), told.recv().unwrap());
        assert_eq!((second - first).as_nanos() % 10_000_000, 0);
        assert_eq!(upcalls.stop().len(), 2);
    }

    #[test]
    fn an_unschedulable_set_is_detected() {
        let counts = rehearsed();
        assert_eq!((counts.upcalls, counts.overruns, counts.missed), (4, 1, 1));
        assert_eq!(counts.skipped, 1);
    }

    #[test]
    fn an_overloaded_set_is_not_admitted() {
        admission().unwrap();
    }
}
