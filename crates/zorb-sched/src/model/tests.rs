//! Operations, calls, and their expansion to tasks.

use crate::{
    Anomaly, Call, Handle, InfoType, MAX_TASKS, RtInfo, Severity, Task, TaskSet, Time, expand,
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

fn named<'t>(tasks: &'t [Task], name: &str) -> &'t Task {
    tasks.iter().find(|task| task.name == name).unwrap_or_else(|| panic!("{name} in {tasks:?}"))
}

#[test]
fn two_way_calls_are_part_of_the_caller() {
    let mut set = set_of(&[("a", 1, 10), ("b", 2, 0), ("c", 3, 0)]);
    let [a, b, c] = ["a", "b", "c"].map(|name| set.lookup(name).unwrap());
    set.add_call(a, Call::two_way(b, 2)).unwrap();
    set.add_call(b, Call::two_way(c, 3)).unwrap();
    set.add_call(a, Call::two_way(c, 1)).unwrap();
    let tasks = expand(&set).unwrap();
    assert_eq!(tasks.len(), 1);
    // 1 + 2 * (2 + 3 * 3) + 3
    assert_eq!(tasks[0].worst, ms(26));
    assert_eq!((tasks[0].period, tasks[0].deadline), (ms(10), ms(10)));
}

#[test]
fn one_way_calls_are_tasks_at_the_callers_rate() {
    let mut set = set_of(&[("slow", 1, 100), ("fast", 1, 10), ("sink", 2, 0), ("log", 1, 0)]);
    let [slow, fast, sink, log] = ["slow", "fast", "sink", "log"].map(|n| set.lookup(n).unwrap());
    set.add_call(slow, Call::one_way(sink, 1)).unwrap();
    set.add_call(fast, Call::one_way(sink, 3)).unwrap();
    set.add_call(sink, Call::one_way(log, 2)).unwrap();
    let tasks = expand(&set).unwrap();
    assert_eq!(tasks.len(), 6);
    let from_fast = named(&tasks, "sink <- fast");
    assert_eq!((from_fast.times, from_fast.worst, from_fast.period), (3, ms(6), ms(10)));
    assert_eq!(
        from_fast.after.iter().map(|id| &*tasks[id.index()].name).collect::<Vec<_>>(),
        ["fast"]
    );
    let from_slow = named(&tasks, "sink <- slow");
    assert_eq!((from_slow.times, from_slow.worst, from_slow.period), (1, ms(2), ms(100)));
    assert_eq!(named(&tasks, "log <- fast").times, 6);
    assert_eq!(named(&tasks, "log <- slow").times, 2);
    for (index, task) in tasks.iter().enumerate() {
        assert!(task.after.iter().all(|id| id.index() < index), "{}", task.name);
    }
}

#[test]
fn one_way_calls_of_two_way_callees_count_as_often() {
    let mut set = set_of(&[("a", 1, 10), ("b", 1, 0), ("c", 1, 0)]);
    let [a, b, c] = ["a", "b", "c"].map(|name| set.lookup(name).unwrap());
    set.add_call(a, Call::two_way(b, 4)).unwrap();
    set.add_call(b, Call::one_way(c, 5)).unwrap();
    let tasks = expand(&set).unwrap();
    assert_eq!(named(&tasks, "a").worst, ms(5));
    assert_eq!(named(&tasks, "c <- a").times, 20);
}

#[test]
fn a_conjunction_runs_as_often_as_its_slowest_caller() {
    let mut set = set_of(&[("slow", 1, 100), ("fast", 1, 10)]);
    let mut both = RtInfo::new("both", ms(3));
    both.info_type = InfoType::Conjunction;
    let both = set.add(both).unwrap();
    for name in ["slow", "fast"] {
        set.add_call(set.lookup(name).unwrap(), Call::one_way(both, 1)).unwrap();
    }
    let tasks = expand(&set).unwrap();
    let task = named(&tasks, "both <- slow");
    assert_eq!((tasks.len(), task.period, task.after.len()), (3, ms(100), 2));
    let mut any = set.get(both).unwrap().clone();
    any.info_type = InfoType::Disjunction;
    set.set(both, any).unwrap();
    assert_eq!(expand(&set).unwrap().len(), 4);
}

#[test]
fn threads_are_tasks_each() {
    let mut set = TaskSet::new();
    let mut info = RtInfo::new("poll", ms(1)).period(ms(10));
    info.threads = 3;
    set.add(info.clone()).unwrap();
    let names: Vec<_> = expand(&set).unwrap().into_iter().map(|task| task.name).collect();
    assert_eq!(names, ["poll #1", "poll #2", "poll #3"]);
    info.period = Time::ZERO;
    set.set(set.lookup("poll").unwrap(), info).unwrap();
    assert_eq!(expand(&set), Err(Anomaly::ThreadSpecification { operation: "poll".to_owned() }));
}

#[test]
fn cycles_are_rejected_by_name() {
    let mut set = set_of(&[("start", 1, 10), ("a", 1, 0), ("b", 1, 0), ("c", 1, 0)]);
    let [start, a, b, c] = ["start", "a", "b", "c"].map(|name| set.lookup(name).unwrap());
    for (from, to) in [(start, a), (a, b), (b, c), (c, a)] {
        set.add_call(from, Call::one_way(to, 1)).unwrap();
    }
    let anomaly = expand(&set).unwrap_err();
    assert_eq!(anomaly.to_string(), "the calls form a cycle: a -> b -> c -> a");
    assert_eq!((anomaly.severity(), anomaly.name()), (Severity::Fatal, "cycle"));
    let mut own = set_of(&[("self", 1, 10)]);
    let handle = own.lookup("self").unwrap();
    own.add_call(handle, Call::two_way(handle, 1)).unwrap();
    assert_eq!(expand(&own), Err(Anomaly::Cycle { operations: vec!["self".to_owned()] }));
}

#[test]
fn invalid_operations_are_rejected_by_name() {
    let mut set = set_of(&[("idle", 1, 0)]);
    assert_eq!(expand(&set), Err(Anomaly::UnresolvedDependencies { operation: "idle".to_owned() }));
    let again = set.add(RtInfo::new("idle", ms(1)));
    assert_eq!(again, Err(Anomaly::DuplicateName { operation: "idle".to_owned() }));
    let long = set.add(RtInfo::new("long", Time::MAX));
    assert!(matches!(long, Err(Anomaly::TimeOutOfRange { which: "worst", .. })));
    let idle = set.lookup("idle").unwrap();
    let nobody = Handle(7);
    assert_eq!(
        set.add_call(idle, Call::two_way(nobody, 1)),
        Err(Anomaly::UnknownHandle { handle: 7 })
    );
    set.add(RtInfo::new("caller", ms(1)).period(ms(5)).calls(Call::two_way(nobody, 1))).unwrap();
    let anomaly = expand(&set).unwrap_err();
    assert_eq!(anomaly.to_string(), "caller calls operation 7, which does not exist");
    assert_eq!(set.handle(0), None);
    assert_eq!(set.handle(3), None);
}

#[test]
fn multiplying_calls_are_limited() {
    let mut set = set_of(&[("root", 1, 10)]);
    let mut last = set.lookup("root").unwrap();
    for level in 0..8 {
        let next = set.add(RtInfo::new(format!("level {level}"), ms(1))).unwrap();
        set.add_call(last, Call::two_way(next, u32::MAX)).unwrap();
        last = next;
    }
    assert!(matches!(expand(&set), Err(Anomaly::TimeOutOfRange { .. })));

    // Every periodic operation's calls reach the same two operations.
    let mut set = TaskSet::new();
    let sinks =
        ["x", "y", "z", "w", "v"].map(|n| set.add(RtInfo::new(n, Time::from_nanos(1))).unwrap());
    for index in 0..1000 {
        let info = RtInfo::new(format!("source {index}"), ms(1)).period(ms(10));
        let info = sinks.iter().fold(info, |info, sink| info.calls(Call::one_way(*sink, 1)));
        set.add(info).unwrap();
    }
    assert_eq!(expand(&set), Err(Anomaly::TooManyTasks { limit: MAX_TASKS }));
}

#[test]
fn a_remote_dependant_without_callers_uses_no_time() {
    let mut set = set_of(&[("a", 1, 10)]);
    let mut remote = RtInfo::new("remote", ms(5));
    remote.info_type = InfoType::RemoteDependant;
    set.add(remote).unwrap();
    assert_eq!(expand(&set).unwrap().len(), 1);
}
