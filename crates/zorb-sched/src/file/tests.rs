//! Valid and invalid files.

use super::{FileError, MAX_FILE, TaskFile};
use crate::{Anomaly, CallKind, Criticality, Importance, InfoType, Strategy, Time};

#[test]
fn every_key_is_read() {
    let file = TaskFile::parse(
        r#"
        [system]
        strategy = "muf"
        processors = 3
        priorities = [10, 20]
        preemptive = true
        overhead = "5 us"

        [[operation]]
        name = "a"
        worst = "1 ms"
        typical = "0.5 ms"
        cached = "100 us"
        period = "10 ms"
        deadline = "9 ms"
        criticality = "very_high"
        importance = "low"
        quantum = "1 s"
        threads = 2
        type = "disjunction"
        jitter = "7 ns"
        blocking = "8 ns"
        processor = 1
        calls = [{ operation = "b", times = 4, way = "one" }, { operation = "b" }]

        [[operation]]
        name = "b"
        worst = "1 us"
        "#,
    )
    .unwrap();
    let system = file.system;
    assert_eq!((system.strategy, system.processors), (Strategy::Muf, 3));
    assert_eq!((system.priorities.lowest(), system.priorities.highest()), (10, 20));
    assert_eq!((system.preemptive, system.overhead), (true, Time::from_micros(5)));
    let a = file.set.get(file.set.lookup("a").unwrap()).unwrap();
    let times =
        [a.worst, a.typical, a.cached, a.period, a.deadline, a.quantum, a.jitter, a.blocking];
    let nanos = [1_000_000, 500_000, 100_000, 10_000_000, 9_000_000, 1_000_000_000, 7, 8];
    assert_eq!(times.map(Time::as_nanos), nanos);
    assert_eq!((a.criticality, a.importance), (Criticality::VeryHigh, Importance::Low));
    assert_eq!((a.threads, a.info_type, a.processor), (2, InfoType::Disjunction, Some(1)));
    let calls: Vec<_> = a.calls.iter().map(|call| (call.times, call.kind)).collect();
    assert_eq!(calls, [(4, CallKind::OneWay), (1, CallKind::TwoWay)]);
    assert!(TaskFile::parse("").unwrap().set.is_empty());
}

#[test]
fn errors_have_a_line() {
    for (text, line, part) in [
        ("[system]\nstrategy = \"edf\"\nspeed = 3\n", 3, "speed"),
        ("[system]\nstrategy = \"fifo\"\n", 2, "unknown variant `fifo`"),
        ("[[operation]]\nname = \"a\"\nworst = \"1 h\"\n", 3, "\"1 h\" is not a valid time"),
        ("[[operation]]\nname = \"a\"\nworst = 5\n", 3, "expected a string"),
        ("\n[[operation]]\nname = \"a\"\n", 2, "worst"),
        ("[[operation]]\nname = \"a\"\nworst = \"1 ms\"\nthreads = -1\n", 4, "-1"),
        ("[system]\nprocessors = 4294967296\n", 2, "4294967296"),
        ("[system\n", 1, ""),
    ] {
        match TaskFile::parse(text) {
            Err(FileError::Syntax { line: found, message }) => {
                assert_eq!(found, line, "{text}: {message}");
                assert!(message.contains(part), "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let unknown =
        "[[operation]]\nname = \"a\"\nworst = \"1 ms\"\ncalls = [{ operation = \"b\" }]\n";
    let anomaly = TaskFile::parse(unknown).unwrap_err();
    assert_eq!(anomaly.to_string(), "a calls b, which does not exist");
    let twice = "[[operation]]\nname = \"a\"\nworst = \"1 ms\"\n".repeat(2);
    let duplicate = Anomaly::DuplicateName { operation: "a".to_owned() };
    assert_eq!(TaskFile::parse(&twice).unwrap_err(), FileError::Anomaly(duplicate));
    assert_eq!(TaskFile::parse(&" ".repeat(MAX_FILE + 1)).unwrap_err(), FileError::TooLarge);
    let range = TaskFile::parse("[system]\npriorities = [0, 5]\n").unwrap_err();
    assert!(matches!(range, FileError::Anomaly(Anomaly::PriorityRange { .. })));
}

#[test]
fn invalid_processor_counts_are_rejected() {
    for (count, good) in [(0, false), (1, true), (1024, true), (1025, false), (u32::MAX, false)] {
        let file = TaskFile::parse(&format!("[system]\nprocessors = {count}"));
        let wanted = match good {
            true => Ok(count),
            false => {
                Err(FileError::Anomaly(Anomaly::ProcessorCount { processors: count, limit: 1024 }))
            }
        };
        assert_eq!(file.map(|file| file.system.processors), wanted);
    }
}
