//! Task sets in TOML files.

use serde::{Deserialize, de};
use thiserror::Error;

use crate::model::info::{Call, CallKind, Criticality, Handle, Importance, InfoType, RtInfo};
use crate::model::set::TaskSet;
use crate::strategy::{PriorityRange, Strategy};
use crate::system::{MAX_PROCESSORS, System};
use crate::{Anomaly, Time};

/// The maximum size of a file, in octets.
pub const MAX_FILE: usize = 1 << 20;

/// The contents of a task set file: the machine and the operations.
///
/// ```
/// let file = zorb_sched::TaskFile::parse(
///     r#"
///     [system]
///     strategy = "dm"
///
///     [[operation]]
///     name = "sensor"
///     worst = "2 ms"
///     period = "10 ms"
///     calls = [{ operation = "filter", times = 3 }, { operation = "log", way = "one" }]
///
///     [[operation]]
///     name = "filter"
///     worst = "0.5 ms"
///
///     [[operation]]
///     name = "log"
///     worst = "200 us"
///     "#,
/// )?;
/// assert_eq!(file.set.len(), 3);
/// # Ok::<(), zorb_sched::FileError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TaskFile {
    /// The machine and the strategy.
    pub system: System,
    /// The operations.
    pub set: TaskSet,
}

/// Why a file is not valid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// It is larger than [`MAX_FILE`].
    #[error("longer than {MAX_FILE} octets")]
    TooLarge,
    /// It is not a task set file.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, from 1 on.
        line: usize,
        /// The error on that line.
        message: String,
    },
    /// The task set is invalid.
    #[error(transparent)]
    Anomaly(#[from] Anomaly),
}

/// Parses TOML; errors include the line.
pub(crate) fn read<T: de::DeserializeOwned>(text: &str) -> Result<T, FileError> {
    if text.len() > MAX_FILE {
        return Err(FileError::TooLarge);
    }
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.as_bytes().get(..start).unwrap_or_default();
        let line = before.iter().filter(|octet| **octet == b'\n').count() + 1;
        FileError::Syntax { line, message: error.message().to_owned() }
    })
}

impl TaskFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// [`FileError`]: it is too large, not TOML, has unknown keys or wrong values, or the task set
    /// is invalid.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let sections: Sections = read(text)?;
        let system = sections.system.into_system()?;
        let mut set = TaskSet::new();
        let mut calls = Vec::with_capacity(sections.operation.len());
        for mut section in sections.operation {
            calls.push(std::mem::take(&mut section.calls));
            set.add(section.into_info())?;
        }
        for (index, calls) in calls.into_iter().enumerate() {
            let caller = Handle::at(index);
            for call in calls {
                let unknown = || Anomaly::UnknownDependency {
                    operation: set.name(caller).to_owned(),
                    dependency: call.operation.clone(),
                };
                let operation = set.lookup(&call.operation).ok_or_else(unknown)?;
                let kind = call.way;
                set.add_call(caller, Call { operation, times: call.times, kind })?;
            }
        }
        Ok(Self { system, set })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    #[serde(default)]
    system: SystemSection,
    #[serde(default)]
    operation: Vec<OperationSection>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SystemSection {
    strategy: Option<Strategy>,
    processors: Option<u32>,
    priorities: Option<[u8; 2]>,
    preemptive: bool,
    overhead: Time,
}

impl SystemSection {
    fn into_system(self) -> Result<System, FileError> {
        let default = System::default();
        let priorities = match self.priorities {
            Some([lowest, highest]) => PriorityRange::new(lowest, highest)?,
            None => default.priorities,
        };
        let processors = self.processors.unwrap_or(default.processors);
        if !(1..=MAX_PROCESSORS).contains(&processors) {
            return Err(Anomaly::ProcessorCount { processors, limit: MAX_PROCESSORS }.into());
        }
        Ok(System {
            strategy: self.strategy.unwrap_or(default.strategy),
            priorities,
            preemptive: self.preemptive,
            overhead: self.overhead,
            processors,
            ..default
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationSection {
    name: String,
    worst: Time,
    #[serde(default)]
    typical: Time,
    #[serde(default)]
    cached: Time,
    #[serde(default)]
    period: Time,
    #[serde(default)]
    deadline: Time,
    #[serde(default)]
    criticality: Criticality,
    #[serde(default)]
    importance: Importance,
    #[serde(default)]
    quantum: Time,
    #[serde(default)]
    threads: u32,
    #[serde(default, rename = "type")]
    info_type: InfoType,
    #[serde(default)]
    jitter: Time,
    #[serde(default)]
    blocking: Time,
    processor: Option<u32>,
    #[serde(default)]
    calls: Vec<CallSection>,
}

impl OperationSection {
    fn into_info(self) -> RtInfo {
        RtInfo {
            entry_point: self.name,
            worst: self.worst,
            typical: self.typical,
            cached: self.cached,
            period: self.period,
            deadline: self.deadline,
            criticality: self.criticality,
            importance: self.importance,
            quantum: self.quantum,
            threads: self.threads,
            info_type: self.info_type,
            jitter: self.jitter,
            blocking: self.blocking,
            processor: self.processor,
            calls: Vec::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallSection {
    operation: String,
    #[serde(default = "once")]
    times: u32,
    #[serde(default = "two_way")]
    way: CallKind,
}

const fn once() -> u32 {
    1
}

const fn two_way() -> CallKind {
    CallKind::TwoWay
}

#[cfg(test)]
mod tests;
