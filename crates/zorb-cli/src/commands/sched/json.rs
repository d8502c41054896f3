//! The JSON output of `zorb sched analyze`. Times are in nanoseconds.

use serde::Serialize;
use zorb_sched::{
    Anomaly, Discipline, PriorityTable, Response, Schedule, ScheduledTask, TableEntry, TaskSet,
};

#[derive(Serialize)]
pub(super) struct Report {
    schedulable: bool,
    strategy: Option<&'static str>,
    processors: Vec<Processor>,
    queues: Vec<Queue>,
    operations: Vec<TableEntry>,
    tasks: Vec<Task>,
    anomalies: Vec<Finding>,
}

#[derive(Serialize)]
struct Processor {
    processor: usize,
    utilization: f64,
}

#[derive(Serialize)]
struct Queue {
    queue: u32,
    priority: u8,
    dispatching: Discipline,
}

#[derive(Serialize)]
struct Task {
    name: String,
    operation: String,
    processor: u32,
    queue: u32,
    priority: u8,
    subpriority: u32,
    times: u64,
    worst_ns: u64,
    period_ns: u64,
    deadline_ns: u64,
    /// `null` if unknown or unbounded.
    response_ns: Option<u64>,
    in_time: bool,
}

#[derive(Serialize)]
struct Finding {
    severity: String,
    name: &'static str,
    description: String,
}

impl Report {
    pub(super) fn new(set: &TaskSet, schedule: &Schedule, table: &PriorityTable) -> Self {
        let processor = |(processor, utilization): (usize, &zorb_sched::Utilization)| Processor {
            processor,
            utilization: utilization.as_f64(),
        };
        let queue = |queue: &zorb_sched::Queue| Queue {
            queue: queue.number,
            priority: queue.priority,
            dispatching: queue.discipline,
        };
        Self {
            schedulable: schedule.is_schedulable(),
            strategy: Some(schedule.system.strategy.name()),
            processors: schedule.utilization.iter().enumerate().map(processor).collect(),
            queues: schedule.queues.iter().map(queue).collect(),
            operations: table.entries().to_vec(),
            tasks: schedule.tasks.iter().map(|scheduled| task(set, scheduled)).collect(),
            anomalies: schedule.anomalies.iter().map(finding).collect(),
        }
    }

    /// The report of an invalid task set.
    pub(super) fn invalid(anomaly: &Anomaly) -> Self {
        Self {
            schedulable: false,
            strategy: None,
            processors: Vec::new(),
            queues: Vec::new(),
            operations: Vec::new(),
            tasks: Vec::new(),
            anomalies: vec![finding(anomaly)],
        }
    }
}

fn task(set: &TaskSet, scheduled: &ScheduledTask) -> Task {
    Task {
        name: scheduled.task.name.clone(),
        operation: set.name(scheduled.task.operation).to_owned(),
        processor: scheduled.processor,
        queue: scheduled.queue,
        priority: scheduled.priority,
        subpriority: scheduled.subpriority,
        times: scheduled.task.times,
        worst_ns: scheduled.task.worst.as_nanos(),
        period_ns: scheduled.task.period.as_nanos(),
        deadline_ns: scheduled.task.deadline.as_nanos(),
        response_ns: match scheduled.response {
            Response::Within(longest) => Some(longest.as_nanos()),
            _ => None,
        },
        in_time: scheduled.is_in_time(),
    }
}

fn finding(anomaly: &Anomaly) -> Finding {
    Finding {
        severity: anomaly.severity().to_string(),
        name: anomaly.name(),
        description: anomaly.to_string(),
    }
}
