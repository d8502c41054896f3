//! Seeded task sets: the simulation must agree with the analysis.
#![allow(clippy::panic)]

use zorb_sched::{
    Budget, Call, CallKind, Criticality, Demand, Discipline, Importance, MAX_TIME, Response,
    RtInfo, Schedule, SimulatedTask, Simulation, Strategy, System, TaskId, TaskSet, Time, Trace,
    deadline_demand,
};

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let place = self.below(of.len() as u64);
        of[usize::try_from(place).unwrap()]
    }
}

/// The optional properties of a task set.
#[derive(Clone, Copy)]
struct Options {
    jitter: bool,
    /// The longest deadline in percent of the period.
    longest_deadline: u64,
}

const PLAIN: Options = Options { jitter: false, longest_deadline: 100 };
const ALL: Options = Options { jitter: true, longest_deadline: 250 };

/// A few operations whose periods have a small common multiple.
fn random_set(numbers: &mut Random, shape: Options) -> TaskSet {
    let mut set = TaskSet::new();
    let count = numbers.between(1, 6);
    for index in 0..count {
        let period = numbers.one(&[4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60]);
        let worst = numbers.between(1, (period * 2 / count).clamp(1, period));
        let most = (period * shape.longest_deadline / 100).max(worst);
        let jitter = if shape.jitter { numbers.below(period) } else { 0 };
        let info = RtInfo::new(format!("task {index}"), Time::from_nanos(worst))
            .period(Time::from_nanos(period))
            .deadline(Time::from_nanos(numbers.between(worst, most)))
            .criticality(numbers.one(&Criticality::ALL))
            .importance(numbers.one(&Importance::ALL))
            .jitter(Time::from_nanos(jitter));
        set.add(info).unwrap();
    }
    set
}

fn simulate(tasks: &[SimulatedTask], preemptive: bool, until: u64) -> Trace {
    let until = Time::from_nanos(until);
    let trace = Simulation { tasks, preemptive, until, max_instances: 100_000 }.run();
    assert!(!trace.cut);
    trace
}

/// Tasks with arrivals other than the critical instant.
fn shuffled(numbers: &mut Random, schedule: &Schedule) -> Vec<SimulatedTask> {
    let mut tasks = schedule.critical_instant();
    for task in &mut tasks {
        task.offset = Time::from_nanos(numbers.below(task.period.as_nanos()));
        if numbers.below(2) == 0 {
            task.jitter = Time::ZERO;
        }
    }
    tasks
}

#[test]
fn no_instance_exceeds_its_response_time() {
    let mut numbers = Random(0x5a6f_7262_0001);
    let (mut bounded, mut reached) = (0_u32, 0_u32);
    for round in 0..150 {
        let set = random_set(&mut numbers, if round % 2 == 0 { PLAIN } else { ALL });
        for strategy in Strategy::ALL {
            for preemptive in [false, true] {
                let system = System::new(strategy).preemptive(preemptive);
                let schedule = Schedule::compute(&set, &system).unwrap();
                let critical = schedule.critical_instant();
                let runs = [
                    critical,
                    shuffled(&mut numbers, &schedule),
                    shuffled(&mut numbers, &schedule),
                ];
                for tasks in runs {
                    let trace = simulate(&tasks, preemptive, 240);
                    let longest = trace.responses(tasks.len());
                    for (scheduled, longest) in schedule.tasks.iter().zip(longest) {
                        let Response::Within(bound) = scheduled.response else {
                            continue;
                        };
                        bounded += 1;
                        reached += u32::from(longest == Some(bound));
                        assert!(
                            longest <= Some(bound),
                            "{strategy}, {preemptive}: {} took {longest:?}, not {bound}\n{set:?}",
                            scheduled.task.name
                        );
                    }
                }
            }
        }
    }
    assert!(bounded > 5_000 && reached > bounded / 4, "{reached} of {bounded}");
}

#[test]
fn at_fixed_priorities_the_critical_instant_is_the_worst() {
    let mut numbers = Random(0x5a6f_7262_0002);
    let mut compared = 0;
    for round in 0..700 {
        let set = random_set(&mut numbers, if round % 2 == 0 { PLAIN } else { ALL });
        let schedule = Schedule::compute(&set, &System::new(Strategy::Dm)).unwrap();
        if schedule.queues.len() < set.len() {
            // Loads of one queue are assumed to wait for each other, whatever their order.
            continue;
        }
        let tasks = schedule.critical_instant();
        // Past the longest busy period, which is at most two hyperperiods.
        let longest = simulate(&tasks, false, 480).responses(tasks.len());
        for (scheduled, longest) in schedule.tasks.iter().zip(longest) {
            if let Response::Within(bound) = scheduled.response {
                assert_eq!(longest, Some(bound), "{} of {set:?}", scheduled.task.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn preemptive_edf_meets_deadlines_exactly_if_the_demand_test_passes() {
    let mut numbers = Random(0x5a6f_7262_0003);
    let (mut met, mut missed) = (0, 0);
    for round in 0..700 {
        let set = random_set(&mut numbers, if round % 2 == 0 { PLAIN } else { ALL });
        let schedule =
            Schedule::compute(&set, &System::new(Strategy::Edf).preemptive(true)).unwrap();
        let loads: Vec<_> = schedule.tasks.iter().map(|t| t.task.load(0)).collect();
        let demand = deadline_demand(&loads, true, &mut Budget::default()).unwrap();
        assert_eq!(schedule.is_schedulable(), demand == Demand::Met, "{demand:?} of {set:?}");
        let tasks = schedule.critical_instant();
        let trace = simulate(&tasks, true, 480);
        let late = trace.instances.iter().any(|i| i.response() > tasks[i.task].deadline);
        if demand == Demand::Overload {
            continue;
        }
        assert_eq!(late, demand != Demand::Met, "{demand:?} of {set:?}");
        met += u32::from(!late);
        missed += u32::from(late);
    }
    assert!(met > 50 && missed > 50, "{met} met, {missed} missed");
}

#[test]
fn non_preemptive_demand_and_response_times_agree() {
    let mut numbers = Random(0x5a6f_7262_0004);
    let (mut met, mut missed) = (0, 0);
    for round in 0..700 {
        let set = random_set(
            &mut numbers,
            Options { jitter: false, ..if round % 2 == 0 { PLAIN } else { ALL } },
        );
        let schedule = Schedule::compute(&set, &System::new(Strategy::Edf)).unwrap();
        let loads: Vec<_> = schedule.tasks.iter().map(|t| t.task.load(0)).collect();
        let demand = deadline_demand(&loads, false, &mut Budget::default()).unwrap();
        assert_eq!(schedule.is_schedulable(), demand == Demand::Met, "{demand:?} of {set:?}");
        met += u32::from(demand == Demand::Met);
        missed += u32::from(demand != Demand::Met);
    }
    assert!(met > 50 && missed > 50, "{met} met, {missed} missed");
}

/// Periodic operations with calls, which may be nested.
fn random_calls(numbers: &mut Random) -> TaskSet {
    let mut set = random_set(numbers, PLAIN);
    let callers = set.len();
    for index in 0..numbers.between(1, 4) {
        let info = RtInfo::new(format!("called {index}"), Time::from_nanos(numbers.between(0, 2)));
        let called = set.add(info).unwrap();
        for (caller, _) in set.clone().iter().take(callers + usize::try_from(index).unwrap()) {
            let times = u32::try_from(numbers.below(3)).unwrap();
            let kind = numbers.one(&[CallKind::OneWay, CallKind::TwoWay]);
            if times > 0 {
                set.add_call(caller, Call { operation: called, times, kind }).unwrap();
            }
        }
    }
    set
}

#[test]
fn calls_across_processors_do_not_exceed_their_response_times() {
    let mut numbers = Random(0x5a6f_7262_0005);
    let (mut bounded, mut apart) = (0, 0);
    for _ in 0..100 {
        let set = random_calls(&mut numbers);
        for strategy in Strategy::ALL {
            // An operation that nothing calls is rejected.
            let Ok(schedule) = Schedule::compute(&set, &System::new(strategy).processors(3)) else {
                break;
            };
            for tasks in [schedule.critical_instant(), shuffled(&mut numbers, &schedule)] {
                let trace = simulate(&tasks, false, 240);
                for (scheduled, longest) in schedule.tasks.iter().zip(trace.responses(tasks.len()))
                {
                    let Response::Within(bound) = scheduled.response else { continue };
                    assert!(
                        longest <= Some(bound),
                        "{strategy}: {} took {longest:?}, not {bound}\n{set:?}",
                        scheduled.task.name
                    );
                    let from = scheduled.task.after.first();
                    let other =
                        |id: &TaskId| schedule.tasks[id.index()].processor != scheduled.processor;
                    bounded += 1;
                    apart += u32::from(from.is_some_and(other));
                }
            }
        }
    }
    assert!(bounded > 500 && apart > 50, "{bounded}, {apart} of them from another processor");
}

/// The tasks that miss a deadline when all use their worst-case execution times.
fn late_tasks(set: &TaskSet, strategy: Strategy) -> Vec<String> {
    let schedule = Schedule::compute(set, &System::new(strategy)).unwrap();
    let tasks = schedule.critical_instant();
    let trace = simulate(&tasks, false, 100_000);
    let mut late: Vec<usize> = trace
        .instances
        .iter()
        .filter(|instance| instance.response() > tasks[instance.task].deadline)
        .map(|instance| instance.task)
        .collect();
    late.sort_unstable();
    late.dedup();
    late.into_iter().map(|place| schedule.tasks[place].task.name.clone()).collect()
}

#[test]
fn under_overload_only_maximum_urgency_meets_critical_deadlines() {
    let info = |name: &str, worst, period, criticality| {
        let info = RtInfo::new(name, Time::from_nanos(worst)).period(Time::from_nanos(period));
        info.criticality(criticality)
    };
    let mut set = TaskSet::new();
    // 130 % in total; the critical operations are slower than the others.
    for info in [
        info("display", 20, 100, Criticality::Low),
        info("log", 80, 200, Criticality::VeryLow),
        info("brakes", 60, 300, Criticality::High),
        info("steering", 200, 400, Criticality::High),
    ] {
        set.add(info).unwrap();
    }
    assert_eq!(late_tasks(&set, Strategy::Muf), ["display", "log"]);
    for other in [Strategy::Rms, Strategy::Edf, Strategy::Mlf] {
        let late = late_tasks(&set, other);
        assert!(
            late.iter().any(|name| name == "brakes" || name == "steering"),
            "{other}: {late:?}"
        );
    }
    let schedule = Schedule::compute(&set, &System::new(Strategy::Muf)).unwrap();
    let in_time: Vec<&str> =
        schedule.tasks.iter().filter(|t| t.is_in_time()).map(|t| t.task.name.as_str()).collect();
    assert_eq!(in_time, ["brakes", "steering"]);
}

#[test]
fn a_simulation_ends_at_its_maximum_of_instances() {
    let task = SimulatedTask {
        worst: Time::from_nanos(1),
        period: Time::from_nanos(1),
        deadline: Time::from_nanos(1),
        processor: 0,
        level: 0,
        discipline: Discipline::Static,
        subpriority: 0,
        offset: Time::ZERO,
        jitter: Time::ZERO,
        after: Vec::new(),
    };
    // Far more arrivals than could be simulated.
    let trace =
        Simulation { tasks: &[task], preemptive: true, until: MAX_TIME, max_instances: 10 }.run();
    assert_eq!((trace.instances.len(), trace.cut), (10, true));
}
