//! Task sets of the scheduling service, and tables of priorities.

use zorb_sched::{Budget, PriorityTable, Schedule, Simulation, TaskFile, Time, timeline};

use super::{AllocationBound, Target};

/// Text read as a task set, analyzed, simulated and drawn, and as a table of priorities. A table survives a round trip,
/// and the simulation meets every deadline that the analysis guarantees.
///
/// A few octets may request thousands of threads or processors, which the constant allows for.
pub const TARGET: Target = Target {
    name: "schedule",
    run,
    allocation: AllocationBound { per_octet: 4096, constant: 32 << 20 },
    words: &[
        b"[system]\n",
        b"strategy = \"edf\"\n",
        b"strategy = \"muf\"\n",
        b"strategy = \"mlf\"\n",
        b"preemptive = true\n",
        b"processors = 2\n",
        b"priorities = [1, 2]\n",
        b"[[operation]]\n",
        b"name = \"a\"\n",
        b"worst = \"1 ms\"\n",
        b"period = \"3 ms\"\n",
        b"deadline = \"2 ms\"\n",
        b"jitter = \"1 ms\"\n",
        b"blocking = \"1 ms\"\n",
        b"threads = 3\n",
        b"processor = 1\n",
        b"calls = [{ operation = \"b\", times = 2, way = \"one\" }]\n",
        b"type = \"conjunction\"\n",
        b"1000000 s",
        b"1 ns",
        b"4294967295",
        b"\"",
        b"\n",
    ],
};

fn run(octets: &[u8]) {
    let text = String::from_utf8_lossy(octets);
    match PriorityTable::from_toml(&text) {
        Ok(table) => again(&table),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut file = match TaskFile::parse(&text) {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    file.system.budget = Budget::new(20_000);
    let schedule = match Schedule::compute(&file.set, &file.system) {
        Ok(schedule) => schedule,
        Err(anomaly) => {
            assert!(!anomaly.to_string().is_empty() && !anomaly.name().is_empty());
            return;
        }
    };
    assert!(schedule.anomalies.iter().all(|anomaly| !anomaly.to_string().is_empty()));
    again(&PriorityTable::new(&file.set, &schedule));
    let tasks = schedule.critical_instant();
    let longest = tasks.iter().map(|task| task.period + task.deadline).max();
    let until = longest.unwrap_or_default().min(Time::from_millis(100));
    let trace = Simulation {
        tasks: &tasks,
        preemptive: schedule.system.preemptive,
        until,
        max_instances: 200,
    }
    .run();
    if schedule.is_schedulable() {
        for instance in &trace.instances {
            assert!(instance.response() <= tasks[instance.task].deadline, "{instance:?}");
        }
    }
    assert!(timeline(&schedule, &trace, until).ends_with("</svg>\n"));
}

fn again(table: &PriorityTable) {
    let read = PriorityTable::from_toml(&table.to_toml()).expect("a written table");
    assert_eq!(read.entries(), table.entries());
    assert_eq!(read.queues(), table.queues());
    assert!(table.to_rust().ends_with("];\n"));
}
