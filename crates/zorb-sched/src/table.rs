//! Priority tables for run time, indexed by handle.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::file::{FileError, read};
use crate::model::info::Handle;
use crate::model::set::TaskSet;
use crate::schedule::Schedule;
use crate::strategy::Queue;

/// The run-time priority of an operation.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TableEntry {
    /// The operation's name.
    pub name: String,
    /// The priority of its thread, in the system's scheduler.
    pub priority: u8,
    /// The number of its queue.
    pub queue: u32,
    /// The subpriority: the higher comes first among equals in the queue.
    pub subpriority: u32,
    /// Its processor; `None` for an operation that runs in its callers' threads.
    pub processor: Option<u32>,
}

/// The priorities of all operations: the result of a [`Schedule`], stored in a file or compiled
/// into a program.
#[derive(Clone, Debug, Default)]
pub struct PriorityTable {
    queues: Vec<Queue>,
    entries: Vec<TableEntry>,
    names: HashMap<String, Handle>,
}

impl PriorityTable {
    /// The table for a schedule of `set`.
    #[must_use]
    pub fn new(set: &TaskSet, schedule: &Schedule) -> Self {
        let entry = |(handle, info): (Handle, &crate::RtInfo)| {
            let rank = schedule.rank(handle)?;
            Some(TableEntry {
                name: info.entry_point.clone(),
                priority: schedule.priority(handle)?,
                queue: rank.queue,
                subpriority: rank.subpriority,
                processor: schedule.processor(handle),
            })
        };
        Self::of(schedule.queues.clone(), set.iter().filter_map(entry).collect())
    }

    fn of(queues: Vec<Queue>, entries: Vec<TableEntry>) -> Self {
        let named = entries.iter().enumerate();
        let names = named.map(|(index, entry)| (entry.name.clone(), Handle::at(index))).collect();
        Self { queues, entries, names }
    }

    /// Parses the output of [`to_toml`](Self::to_toml).
    ///
    /// # Errors
    /// [`FileError`] for any other text.
    pub fn from_toml(text: &str) -> Result<Self, FileError> {
        let Sections { queue, operation } = read(text)?;
        Ok(Self::of(queue, operation))
    }

    /// The queues; the most urgent is first.
    #[must_use]
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }

    /// The operations, in the order of their handles.
    #[must_use]
    pub fn entries(&self) -> &[TableEntry] {
        &self.entries
    }

    /// The handle of an operation; look it up once.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Handle> {
        self.names.get(name).copied()
    }

    /// The entry of an operation: an array access.
    #[must_use]
    pub fn entry(&self, operation: Handle) -> Option<&TableEntry> {
        self.entries.get(operation.index())
    }

    /// The table as TOML.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let (queue, operation) = (self.queues.clone(), self.entries.clone());
        // Lists of plain values can always be written.
        let sections = toml::to_string(&Sections { queue, operation }).unwrap_or_default();
        format!("# Priorities, as zorb sched analyze has found them.\n\n{sections}")
    }

    /// The table as Rust code: constants and a constant array, to compile into a program with
    /// `include!` or as a module.
    #[must_use]
    pub fn to_rust(&self) -> String {
        let mut text = RUST_HEAD.to_owned();
        let mut taken = HashMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            let name = constant_name(&entry.name, &mut taken);
            let _ = write!(
                text,
                "\n/// The index of {} in [`OPERATIONS`].\npub const {name}: usize = {index};\n",
                one_line(&entry.name)
            );
        }
        let count = self.entries.len();
        let _ = write!(
            text,
            "\n/// All operations.\npub static OPERATIONS: [Operation; {count}] = [\n"
        );
        for entry in &self.entries {
            let _ = writeln!(
                text,
                "    Operation {{ name: {:?}, priority: {}, queue: {}, subpriority: {}, processor: {:?} }},",
                entry.name, entry.priority, entry.queue, entry.subpriority, entry.processor
            );
        }
        text + "];\n"
    }
}

const RUST_HEAD: &str = "\
// Priorities, as zorb sched analyze has found them.

/// The run-time priority of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name.
    pub name: &'static str,
    /// The priority of its thread, in the system's scheduler.
    pub priority: u8,
    /// The number of its queue; 0 is the most urgent.
    pub queue: u32,
    /// The subpriority: the higher comes first among equals in the queue.
    pub subpriority: u32,
    /// Its processor; none if it runs in its callers' threads.
    pub processor: Option<u32>,
}
";

/// Text that cannot end a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A unique name of a constant: words in upper case.
fn constant_name(name: &str, taken: &mut HashMap<String, u32>) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            let begins = character.is_ascii_uppercase() && before.is_ascii_lowercase();
            if (begins || !before.is_ascii_alphanumeric()) && !words.is_empty() {
                words.push('_');
            }
            words.push(character.to_ascii_uppercase());
        }
        before = character;
    }
    if words.is_empty() || words.starts_with(|first: char| first.is_ascii_digit()) {
        words.insert_str(0, "OPERATION_");
    }
    if words == "OPERATIONS" {
        words.push('_');
    }
    loop {
        let count = taken.entry(words.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return words;
        }
        words = format!("{words}_{count}");
    }
}

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    #[serde(default)]
    queue: Vec<Queue>,
    #[serde(default)]
    operation: Vec<TableEntry>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RtInfo, System, Time};

    fn table() -> PriorityTable {
        let mut set = TaskSet::new();
        for (name, period) in [("Imu::sample", 5), ("log \"x\"\n", 10), ("log.x", 20), ("9", 40)] {
            let info = RtInfo::new(name, Time::from_micros(10)).period(Time::from_millis(period));
            set.add(info).unwrap();
        }
        let schedule = Schedule::compute(&set, &System::default()).unwrap();
        PriorityTable::new(&set, &schedule)
    }

    #[test]
    fn toml_is_read_as_it_was_written() {
        let table = table();
        let again = PriorityTable::from_toml(&table.to_toml()).unwrap();
        assert_eq!(again.entries(), table.entries());
        assert_eq!(again.queues(), table.queues());
        let handle = again.lookup("Imu::sample").unwrap();
        assert_eq!(again.entry(handle).unwrap().priority, 89);
        assert_eq!(again.lookup("nobody"), None);
        let wrong = table.to_toml().replace("static", "random");
        assert!(PriorityTable::from_toml(&wrong).is_err());
    }

    #[test]
    fn constants_have_names_of_their_own() {
        let text = table().to_rust();
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("pub const ")?.split(':').next())
            .collect();
        assert_eq!(names, ["IMU_SAMPLE", "LOG_X", "LOG_X_2", "OPERATION_9"]);
        let mut taken = HashMap::new();
        let name = |name: &str, taken: &mut HashMap<String, u32>| constant_name(name, taken);
        for (from, expected) in [
            ("readAll", "READ_ALL"),
            ("", "OPERATION_"),
            ("operations", "OPERATIONS_"),
            ("a--b", "A_B"),
        ] {
            assert_eq!(name(from, &mut taken), expected);
        }
    }
}
