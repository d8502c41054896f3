//! Anomalies of a task set or its schedule.

use std::fmt;

use thiserror::Error;

use crate::Time;

/// The severity of an [`Anomaly`] (`Anomaly_Severity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Noteworthy; deadlines are met.
    Warning,
    /// A deadline may be missed, or the analysis is inconclusive.
    Error,
    /// The task set is invalid, so there is no schedule.
    Fatal,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        })
    }
}

/// An anomaly of a task set, or a result of its analysis.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anomaly {
    /// There are no operations to analyze.
    #[error("there are no operations to schedule")]
    NoOperations,
    /// Two operations have the same name.
    #[error("two operations are named {operation}")]
    DuplicateName {
        /// The name.
        operation: String,
    },
    /// There is no operation with this handle.
    #[error("unknown operation {handle}")]
    UnknownHandle {
        /// The handle.
        handle: u32,
    },
    /// An operation calls an operation that does not exist.
    #[error("{operation} calls {dependency}, which does not exist")]
    UnknownDependency {
        /// The caller.
        operation: String,
        /// The callee.
        dependency: String,
    },
    /// The calls form a cycle.
    #[error("the calls form a cycle: {}", circle(operations))]
    Cycle {
        /// The names of the operations in the order of calls; the last calls the first.
        operations: Vec<String>,
    },
    /// An operation has threads of its own but no period.
    #[error("{operation} has threads of its own but no period")]
    ThreadSpecification {
        /// The operation.
        operation: String,
    },
    /// An operation never runs: it has no period and no caller.
    #[error("{operation} never runs: it has no period and no caller")]
    UnresolvedDependencies {
        /// The operation.
        operation: String,
    },
    /// A time exceeds the supported range.
    #[error("the time `{which}` of {operation} is longer than {}", crate::MAX_TIME)]
    TimeOutOfRange {
        /// The operation.
        operation: String,
        /// Which time.
        which: &'static str,
    },
    /// There are too many operations.
    #[error("there are more than {limit} operations")]
    TooManyOperations {
        /// The maximum.
        limit: usize,
    },
    /// There are too many tasks: pairs of an operation and the periodic operation that its calls
    /// originate from.
    #[error("the operations expand to more than {limit} tasks")]
    TooManyTasks {
        /// The maximum.
        limit: usize,
    },
    /// With the calls of an operation, there are too many calls.
    #[error("with those of {operation}, there are more than {limit} calls")]
    TooManyCalls {
        /// The operation.
        operation: String,
        /// The maximum.
        limit: usize,
    },
    /// The number of processors is out of range.
    #[error("{processors} processors are out of the range 1 to {limit}")]
    ProcessorCount {
        /// The number of processors.
        processors: u32,
        /// The maximum.
        limit: u32,
    },
    /// An operation is bound to a processor that does not exist.
    #[error(
        "{operation} is bound to processor {processor}, but there are only {processors}, numbered from 0"
    )]
    UnknownProcessor {
        /// The operation.
        operation: String,
        /// The processor.
        processor: u32,
        /// The number of processors.
        processors: u32,
    },
    /// An operation called only two-way runs on its caller's processor, not on its own.
    #[error("{operation} is called only two-way, so it runs on the processors of its callers")]
    ProcessorIgnored {
        /// The operation.
        operation: String,
    },
    /// Some priorities in the range do not exist.
    #[error("priorities {lowest} to {highest} are out of the range 1 to 99")]
    PriorityRange {
        /// The lowest.
        lowest: u8,
        /// The highest.
        highest: u8,
    },
    /// The strategy needs more priorities than there are; the least urgent tasks share the lowest.
    #[error(
        "{wanted} priorities are needed but {available} are available: the least urgent tasks share one"
    )]
    PriorityLevelsExhausted {
        /// The number needed.
        wanted: usize,
        /// The number available.
        available: usize,
    },
    /// The tasks of a processor overload it.
    #[error("processor {processor} has a utilization of {}.{} %", permille / 10, permille % 10)]
    UtilizationExceeded {
        /// The processor.
        processor: u32,
        /// The utilization in thousandths, rounded up.
        permille: u64,
    },
    /// An operation does not fit on any processor; it is placed on the one with the most capacity
    /// left.
    #[error("{operation} does not fit on any processor")]
    NoProcessorFits {
        /// The operation.
        operation: String,
    },
    /// A task may finish after its deadline.
    #[error("{task} has {} and a deadline of {deadline}", bound(response.as_ref()))]
    DeadlineMiss {
        /// The task.
        task: String,
        /// Its deadline, relative to its arrival.
        deadline: Time,
        /// Its worst-case response time; `None` if it is unbounded or unknown.
        response: Option<Time>,
    },
    /// At some time, more work is due than there was time for.
    #[error(
        "{demand} of work for processor {processor} is due {at} after the simultaneous arrival of all tasks"
    )]
    DemandExceeded {
        /// The processor.
        processor: u32,
        /// The time since the simultaneous arrival of all tasks.
        at: Time,
        /// The work due by then.
        demand: Time,
    },
    /// The analysis would take too long; the rest is unknown.
    #[error("the analysis was aborted: {what}")]
    TooMuchWork {
        /// The analysis that was aborted.
        what: String,
    },
}

impl Anomaly {
    /// The severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Self::PriorityLevelsExhausted { .. } | Self::ProcessorIgnored { .. } => {
                Severity::Warning
            }
            Self::NoProcessorFits { .. }
            | Self::UtilizationExceeded { .. }
            | Self::DeadlineMiss { .. }
            | Self::DemandExceeded { .. }
            | Self::TooMuchWork { .. } => Severity::Error,
            _ => Severity::Fatal,
        }
    }

    /// The name; it never changes between versions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoOperations => "no_operations",
            Self::DuplicateName { .. } => "duplicate_name",
            Self::UnknownHandle { .. } => "unknown_handle",
            Self::UnknownDependency { .. } => "unknown_dependency",
            Self::Cycle { .. } => "cycle",
            Self::ThreadSpecification { .. } => "thread_specification",
            Self::UnresolvedDependencies { .. } => "unresolved_dependencies",
            Self::TimeOutOfRange { .. } => "time_out_of_range",
            Self::TooManyOperations { .. } => "too_many_operations",
            Self::TooManyTasks { .. } => "too_many_tasks",
            Self::TooManyCalls { .. } => "too_many_calls",
            Self::ProcessorCount { .. } => "processor_count",
            Self::UnknownProcessor { .. } => "unknown_processor",
            Self::ProcessorIgnored { .. } => "processor_ignored",
            Self::PriorityRange { .. } => "priority_range",
            Self::PriorityLevelsExhausted { .. } => "priority_levels_exhausted",
            Self::UtilizationExceeded { .. } => "utilization_exceeded",
            Self::NoProcessorFits { .. } => "no_processor_fits",
            Self::DeadlineMiss { .. } => "deadline_miss",
            Self::DemandExceeded { .. } => "demand_exceeded",
            Self::TooMuchWork { .. } => "too_much_work",
        }
    }
}

/// The operations of a cycle, the first one also at the end.
fn circle(operations: &[String]) -> String {
    let names = operations.iter().chain(operations.first());
    names.map(String::as_str).collect::<Vec<_>>().join(" -> ")
}

fn bound(response: Option<&Time>) -> String {
    match response {
        Some(response) => format!("a response time of up to {response}"),
        None => "an unbounded response time".to_owned(),
    }
}
