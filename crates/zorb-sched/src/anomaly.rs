//! What is wrong with a system of operations, or remarkable.

use std::fmt;

use crate::Time;

/// How bad an [`Anomaly`] is (`Anomaly_Severity`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; deadlines are met.
    Warning,
    /// A deadline may be missed, or nothing can be said of it.
    Error,
    /// The description makes no sense, so that there is no schedule.
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

/// Something that was found in a description of operations, or in its analysis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anomaly {
    /// There are no operations, so that there is nothing to analyse.
    NoOperations,
    /// Two operations have one name.
    DuplicateName {
        /// The name.
        operation: String,
    },
    /// There is no operation of this number.
    UnknownHandle {
        /// The number.
        handle: u32,
    },
    /// An operation calls one that there is not.
    UnknownDependency {
        /// The caller.
        operation: String,
        /// What it calls.
        dependency: String,
    },
    /// Operations call each other in a circle.
    Cycle {
        /// Their names, in the order of calls; the last calls the first.
        operations: Vec<String>,
    },
    /// An operation has threads of its own and no period at which they run.
    ThreadSpecification {
        /// The operation.
        operation: String,
    },
    /// Nothing makes an operation run: it has no period, and nobody calls it.
    UnresolvedDependencies {
        /// The operation.
        operation: String,
    },
    /// A time is longer than can be analysed.
    TimeOutOfRange {
        /// The operation.
        operation: String,
        /// Which of its times.
        which: &'static str,
    },
    /// There are more operations than can be analysed.
    TooManyOperations {
        /// The most that can.
        most: usize,
    },
    /// There are more tasks than can be analysed: pairs of an operation and the periodic one that
    /// its calls come from.
    TooManyTasks {
        /// The most that can.
        most: usize,
    },
    /// With those of an operation, there are more kinds of calls than can be analysed.
    TooManyCalls {
        /// The operation.
        operation: String,
        /// The most that can.
        most: usize,
    },
    /// There cannot be so many processors, or none.
    ProcessorCount {
        /// How many there are said to be.
        processors: u32,
        /// The most that can be.
        most: u32,
    },
    /// An operation has to run on a processor that there is not.
    UnknownProcessor {
        /// The operation.
        operation: String,
        /// The processor.
        processor: u32,
        /// How many there are.
        processors: u32,
    },
    /// An operation that is only called two-way runs on its caller's processor, not on its own.
    ProcessorIgnored {
        /// The operation.
        operation: String,
    },
    /// Some priorities that are to be given do not exist.
    PriorityRange {
        /// The lowest.
        lowest: u8,
        /// The highest.
        highest: u8,
    },
    /// The strategy wants more priorities than there are; the least urgent share the lowest.
    PriorityLevelsExhausted {
        /// How many it wants.
        wanted: usize,
        /// How many there are.
        available: usize,
    },
    /// The tasks of a processor want more of it than there is.
    UtilizationExceeded {
        /// The processor.
        processor: u32,
        /// What they want of it, in thousandths, rounded up.
        permille: u64,
    },
    /// An operation fits on no processor beside those that are there already; it is put where most
    /// is left.
    NoProcessorFits {
        /// The operation.
        operation: String,
    },
    /// A task may end after its deadline.
    DeadlineMiss {
        /// The task.
        task: String,
        /// Its deadline, after its arrival.
        deadline: Time,
        /// Its longest response time; `None` where there is no bound, or none is known.
        response: Option<Time>,
    },
    /// At some moment, more work is due than there was time for.
    DemandExceeded {
        /// The processor.
        processor: u32,
        /// The moment, after all tasks have arrived together.
        at: Time,
        /// The work that is due until then.
        demand: Time,
    },
    /// The analysis would take too long; nothing is known of the rest.
    TooMuchWork {
        /// What was being looked at.
        what: String,
    },
}

impl Anomaly {
    /// How bad it is.
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

    /// Its name, the same in every version.
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

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOperations => f.write_str("there are no operations, and nothing to schedule"),
            Self::DuplicateName { operation } => write!(f, "two operations are named {operation}"),
            Self::UnknownHandle { handle } => write!(f, "there is no operation {handle}"),
            Self::UnknownDependency { operation, dependency } => {
                write!(f, "{operation} calls {dependency}, which is not there")
            }
            Self::Cycle { operations } => {
                let first = operations.first().map_or("", String::as_str);
                write!(f, "operations call each other in a circle: ")?;
                operations.iter().try_for_each(|name| write!(f, "{name} -> "))?;
                f.write_str(first)
            }
            Self::ThreadSpecification { operation } => {
                write!(f, "{operation} has threads of its own, but no period at which they run")
            }
            Self::UnresolvedDependencies { operation } => {
                write!(f, "nothing makes {operation} run: it has no period, and nobody calls it")
            }
            Self::TimeOutOfRange { operation, which } => {
                write!(f, "the time `{which}` of {operation} is longer than {}", crate::MAX_TIME)
            }
            Self::TooManyOperations { most } => write!(f, "there are more than {most} operations"),
            Self::TooManyTasks { most } => {
                write!(f, "calls make more than {most} tasks of the operations")
            }
            Self::TooManyCalls { operation, most } => {
                write!(f, "with those of {operation}, there are more than {most} kinds of calls")
            }
            Self::ProcessorCount { processors, most } => {
                write!(f, "there cannot be {processors} processors: 1 to {most} can")
            }
            Self::UnknownProcessor { operation, processor, processors } => write!(
                f,
                "{operation} is to run on processor {processor}, and there are {processors} from 0 on"
            ),
            Self::ProcessorIgnored { operation } => write!(
                f,
                "{operation} is only called two-way, so that it runs on the processors of its callers"
            ),
            Self::PriorityRange { lowest, highest } => {
                write!(f, "there are no priorities from {lowest} to {highest}: 1 to 99 exist")
            }
            Self::PriorityLevelsExhausted { wanted, available } => write!(
                f,
                "{wanted} priorities are wanted and {available} are there: the least urgent share one"
            ),
            Self::UtilizationExceeded { processor, permille } => write!(
                f,
                "processor {processor} is asked for {}.{} % of its time",
                permille / 10,
                permille % 10
            ),
            Self::NoProcessorFits { operation } => {
                write!(f, "no processor has room for {operation} beside what it has to do already")
            }
            Self::DeadlineMiss { task, deadline, response: Some(response) } => {
                write!(f, "{task} may take {response}, and has to be done after {deadline}")
            }
            Self::DeadlineMiss { task, deadline, response: None } => {
                write!(f, "{task} has to be done after {deadline}, and may take ever longer")
            }
            Self::DemandExceeded { processor, at, demand } => write!(
                f,
                "{demand} of work for processor {processor} are due {at} after all tasks arrive at once"
            ),
            Self::TooMuchWork { what } => write!(f, "the analysis was given up: {what}"),
        }
    }
}

impl std::error::Error for Anomaly {}
