//! Priorities, processors, admission, and anomalies.
#![allow(clippy::panic)]

use zorb_sched::{
    Anomaly, Budget, Call, Criticality, Discipline, Importance, PriorityRange, Response, RtInfo,
    Schedule, Severity, Strategy, System, TaskSet, Time,
};

fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// A set of `(name, worst, period)` in milliseconds.
fn set_of(infos: &[(&str, u64, u64)]) -> TaskSet {
    let mut set = TaskSet::new();
    for &(name, worst, period) in infos {
        set.add(RtInfo::new(name, ms(worst)).period(ms(period))).unwrap();
    }
    set
}

/// Queue, subpriority and priority of an operation.
fn place(set: &TaskSet, schedule: &Schedule, name: &str) -> (u32, u32, u8) {
    let handle = set.lookup(name).unwrap();
    let rank = schedule.rank(handle).unwrap();
    (rank.queue, rank.subpriority, schedule.priority(handle).unwrap())
}

fn names(anomalies: &[Anomaly]) -> Vec<&'static str> {
    anomalies.iter().map(Anomaly::name).collect()
}

#[test]
fn every_strategy_has_its_own_order() {
    let info = |name: &str, period, deadline, criticality, importance| {
        let info = RtInfo::new(name, ms(1)).period(ms(period)).deadline(ms(deadline));
        info.criticality(criticality).importance(importance)
    };
    let mut set = TaskSet::new();
    set.add(info("a", 10, 10, Criticality::Low, Importance::Low)).unwrap();
    set.add(info("b", 20, 5, Criticality::High, Importance::Low)).unwrap();
    set.add(info("c", 10, 8, Criticality::High, Importance::High)).unwrap();
    let order = |strategy| {
        let schedule = Schedule::compute(&set, &System::new(strategy)).unwrap();
        let places = ["a", "b", "c"].map(|name| place(&set, &schedule, name));
        (places, schedule.queues.iter().map(|queue| queue.discipline).collect::<Vec<_>>())
    };
    let two = |discipline| vec![discipline, discipline];
    // By period: a and c are equal, and c is more important.
    let rms = [(0, 0, 89), (1, 0, 88), (0, 1, 89)];
    assert_eq!(order(Strategy::Rms), (rms, two(Discipline::Static)));
    let dm = [(2, 0, 87), (0, 0, 89), (1, 0, 88)];
    assert_eq!(order(Strategy::Dm), (dm, vec![Discipline::Static; 3]));
    let one = [(0, 1, 89), (0, 0, 89), (0, 2, 89)];
    assert_eq!(order(Strategy::Edf), (one, vec![Discipline::Deadline]));
    assert_eq!(order(Strategy::Mlf), (one, vec![Discipline::Laxity]));
    let muf = [(1, 0, 88), (0, 0, 89), (0, 1, 89)];
    assert_eq!(order(Strategy::Muf), (muf, two(Discipline::Laxity)));
    for strategy in Strategy::ALL {
        assert_eq!(strategy.name().parse(), Ok(strategy));
    }
}

#[test]
fn operations_called_only_two_way_rank_with_their_most_urgent_caller() {
    let mut set = set_of(&[("slow", 1, 100), ("fast", 1, 10), ("helper", 1, 0), ("deeper", 1, 0)]);
    let [slow, fast, helper, deeper] =
        ["slow", "fast", "helper", "deeper"].map(|name| set.lookup(name).unwrap());
    set.add_call(slow, Call::two_way(helper, 1)).unwrap();
    set.add_call(fast, Call::two_way(helper, 1)).unwrap();
    set.add_call(helper, Call::two_way(deeper, 1)).unwrap();
    let schedule = Schedule::compute(&set, &System::default()).unwrap();
    for name in ["helper", "deeper"] {
        assert_eq!(place(&set, &schedule, name), (0, 0, 89), "{name}");
        let handle = set.lookup(name).unwrap();
        assert!(!schedule.rank(handle).unwrap().dispatched);
        assert_eq!(schedule.processor(handle), None);
    }
    assert_eq!(place(&set, &schedule, "slow"), (1, 0, 88));
}

#[test]
fn priorities_may_run_out() {
    let set = set_of(&[("a", 1, 10), ("b", 1, 20), ("c", 1, 30), ("d", 1, 40)]);
    let priorities = PriorityRange::new(7, 8).unwrap();
    let system = System { priorities, ..System::default() };
    let schedule = Schedule::compute(&set, &system).unwrap();
    let exhausted = Anomaly::PriorityLevelsExhausted { wanted: 4, available: 2 };
    assert_eq!(schedule.anomalies, [exhausted]);
    assert!(schedule.is_schedulable(), "the analysis accounts for sharing");
    assert_eq!(place(&set, &schedule, "a"), (0, 0, 8));
    // The least urgent share one, in their order.
    let shared = ["b", "c", "d"].map(|name| place(&set, &schedule, name));
    assert_eq!(shared, [(1, 2, 7), (1, 1, 7), (1, 0, 7)]);
    let responses: Vec<_> = schedule.tasks.iter().map(|task| task.response).collect();
    assert_eq!(responses[1..], [Response::Within(ms(4)); 3]);
    for (lowest, highest) in [(0, 9), (9, 8), (1, 100)] {
        assert!(PriorityRange::new(lowest, highest).is_err());
    }
}

#[test]
fn misses_are_reported_with_the_task_and_the_time() {
    // The set A of Burns and Wellings.
    let set = set_of(&[("a", 12, 50), ("b", 10, 40), ("c", 10, 30)]);
    let schedule = Schedule::compute(&set, &System::default()).unwrap();
    assert!(!schedule.is_schedulable());
    let missed = "a has a response time of up to 52 ms and a deadline of 50 ms";
    assert_eq!(schedule.anomalies.iter().map(ToString::to_string).collect::<Vec<_>>(), [missed]);
    assert_eq!(schedule.anomalies[0].severity(), Severity::Error);
    let edf = Schedule::compute(&set, &System::new(Strategy::Edf).preemptive(true)).unwrap();
    assert!(edf.is_schedulable(), "{:?}", edf.anomalies);

    let set = set_of(&[("a", 6, 10), ("b", 6, 12)]);
    let schedule = Schedule::compute(&set, &System::default()).unwrap();
    assert_eq!(names(&schedule.anomalies), ["utilization_exceeded", "deadline_miss"]);
    assert_eq!(schedule.anomalies[0].to_string(), "processor 0 has a utilization of 110.0 %");
    assert_eq!(schedule.tasks[1].response, Response::Unbounded);
}

#[test]
fn processors_are_filled_one_after_the_other() {
    let set = set_of(&[("a", 6, 10), ("b", 5, 10), ("c", 4, 10), ("d", 3, 10)]);
    let system = System::default().processors(2);
    let schedule = Schedule::compute(&set, &system).unwrap();
    assert!(schedule.is_schedulable(), "{:?}", schedule.anomalies);
    let on = |name: &str| schedule.processor(set.lookup(name).unwrap());
    assert_eq!(["a", "b", "c", "d"].map(on), [0, 1, 0, 1].map(Some));
    assert_eq!(schedule.utilization.iter().map(|u| u.permille()).collect::<Vec<_>>(), [1000, 800]);

    let mut pinned = set_of(&[("a", 6, 10), ("b", 5, 10)]);
    pinned.add(RtInfo::new("here", ms(5)).period(ms(10)).processor(0)).unwrap();
    let schedule = Schedule::compute(&pinned, &system).unwrap();
    let on = |name: &str| schedule.processor(pinned.lookup(name).unwrap());
    assert_eq!(["here", "a", "b"].map(on), [0, 1, 0].map(Some));

    let crowded = set_of(&[("a", 6, 10), ("b", 6, 10), ("c", 6, 10)]);
    let schedule = Schedule::compute(&crowded, &system).unwrap();
    assert_eq!(
        names(&schedule.anomalies)[..2],
        ["no_processor_fits", "utilization_exceeded"],
        "{:?}",
        schedule.anomalies
    );

    pinned.add(RtInfo::new("there", ms(1)).period(ms(10)).processor(2)).unwrap();
    let error = Schedule::compute(&pinned, &system).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is bound to processor 2, but there are only 2, numbered from 0"
    );
}

#[test]
fn a_processor_of_a_two_way_callee_is_ignored() {
    let mut set = set_of(&[("a", 1, 10)]);
    let helper = set.add(RtInfo::new("helper", ms(1)).processor(1)).unwrap();
    set.add_call(set.lookup("a").unwrap(), Call::two_way(helper, 1)).unwrap();
    let schedule = Schedule::compute(&set, &System::default().processors(2)).unwrap();
    assert_eq!(names(&schedule.anomalies), ["processor_ignored"]);
    assert!(schedule.is_schedulable());
}

#[test]
fn one_way_calls_inherit_the_response_time_of_their_callers() {
    let mut set = set_of(&[("sensor", 2, 10), ("filter", 3, 0)]);
    let [sensor, filter] = ["sensor", "filter"].map(|name| set.lookup(name).unwrap());
    set.add_call(sensor, Call::one_way(filter, 1)).unwrap();
    // One priority: the filter waits for at most the sensor's next execution.
    let schedule = Schedule::compute(&set, &System::default()).unwrap();
    let from = &schedule.tasks[1];
    assert_eq!(from.task.name, "filter <- sensor");
    assert!(from.is_in_time(), "{:?}", from.response);
    // On processors of their own: 2, and 3 after that.
    let apart = |set: &mut TaskSet, handle, processor| {
        let info = set.get(handle).unwrap().clone().processor(processor);
        set.set(handle, info).unwrap();
    };
    apart(&mut set, sensor, 0);
    apart(&mut set, filter, 1);
    let schedule = Schedule::compute(&set, &System::default().processors(2)).unwrap();
    let responses: Vec<_> = schedule.tasks.iter().map(|task| task.response).collect();
    assert_eq!(responses, [Response::Within(ms(2)), Response::Within(ms(5))]);
}

#[test]
fn successors_of_unbounded_tasks_are_unbounded() {
    let mut set = set_of(&[("hog", 9, 10), ("source", 3, 20), ("sink", 1, 0), ("other", 1, 50)]);
    let [source, sink, other] = ["source", "sink", "other"].map(|name| set.lookup(name).unwrap());
    set.add_call(source, Call::one_way(sink, 1)).unwrap();
    for (handle, processor) in [(sink, 1), (other, 1)] {
        let info = set.get(handle).unwrap().clone().processor(processor);
        set.set(handle, info).unwrap();
    }
    let pinned = |set: &mut TaskSet, name: &str| {
        let handle = set.lookup(name).unwrap();
        let info = set.get(handle).unwrap().clone().processor(0);
        set.set(handle, info).unwrap();
    };
    pinned(&mut set, "hog");
    pinned(&mut set, "source");
    let schedule = Schedule::compute(&set, &System::default().processors(2)).unwrap();
    let of = |name: &str| schedule.tasks.iter().find(|t| t.task.name == name).unwrap().response;
    assert_eq!(of("hog"), Response::Within(ms(9)));
    for name in ["source", "sink <- source", "other"] {
        assert_eq!(of(name), Response::Unbounded, "{name}");
    }
}

#[test]
fn overhead_counts_each_time() {
    let mut set = set_of(&[("a", 1, 10), ("sink", 1, 0)]);
    let [a, sink] = ["a", "sink"].map(|name| set.lookup(name).unwrap());
    set.add_call(a, Call::one_way(sink, 3)).unwrap();
    let overhead = Time::from_micros(100);
    let system = System { overhead, ..System::default() };
    let schedule = Schedule::compute(&set, &system).unwrap();
    let worst: Vec<_> = schedule.tasks.iter().map(|task| task.task.worst).collect();
    assert_eq!(worst, [Time::from_micros(1_100), Time::from_micros(3_300)]);
}

#[test]
fn operations_are_admitted_or_rejected_with_the_reason() {
    let set = set_of(&[("a", 3, 10), ("b", 3, 15)]);
    let system = System::default();
    let fits = RtInfo::new("c", ms(4)).period(ms(30));
    let schedule = Schedule::admit(&set, &system, fits).unwrap();
    assert_eq!(schedule.tasks.len(), 3);
    let late = RtInfo::new("c", ms(4)).period(ms(30)).deadline(ms(9));
    let refused = Schedule::admit(&set, &system, late).unwrap_err();
    assert_eq!(names(&refused), ["deadline_miss"]);
    let large = RtInfo::new("c", ms(20)).period(ms(30));
    let refused = Schedule::admit(&set, &system, large).unwrap_err();
    assert_eq!(refused[0].name(), "utilization_exceeded");
    let again = Schedule::admit(&set, &system, RtInfo::new("a", ms(1))).unwrap_err();
    assert_eq!(names(&again), ["duplicate_name"]);
    assert_eq!(set.len(), 2);
}

#[test]
fn the_analysis_is_bounded() {
    // Almost full utilization, and periods without a common divisor: the busy period is long.
    let mut set = TaskSet::new();
    for (index, period) in [9_999_991, 9_999_973, 9_999_971, 9_999_943].into_iter().enumerate() {
        let info = RtInfo::new(format!("task {index}"), Time::from_nanos(period / 4));
        set.add(info.period(Time::from_nanos(period)).blocking(ms(1))).unwrap();
    }
    for strategy in [Strategy::Rms, Strategy::Edf, Strategy::Mlf] {
        let system = System { budget: Budget::new(10_000), ..System::new(strategy) };
        let schedule = Schedule::compute(&set, &system).unwrap();
        assert!(names(&schedule.anomalies).contains(&"too_much_work"), "{:?}", schedule.anomalies);
        assert!(!schedule.is_schedulable());
    }
    // Testing deadlines is less work than computing response times.
    let mut set = TaskSet::new();
    for index in 1..=40_u64 {
        let info = RtInfo::new(format!("task {index}"), Time::from_nanos(2_000 * index));
        set.add(info.period(Time::from_nanos(100_000 * index + 1))).unwrap();
    }
    let system = System { budget: Budget::new(30_000), ..System::new(Strategy::Edf) };
    let schedule = Schedule::compute(&set, &system.preemptive(true)).unwrap();
    assert!(schedule.is_schedulable(), "{:?}", schedule.anomalies);
    assert_eq!(schedule.tasks[0].response, Response::InTime);
}
