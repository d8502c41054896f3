//! Lanes for the priorities of a schedulability analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;

use toml::de::{DeInteger, DeTable, DeValue};
use zorb_core::{Error, Phase};

use super::{LaneBuilder, NativePriority, ThreadpoolBuilder};

/// The maximum size of a table file in octets.
const MAX_FILE: u64 = 1 << 20;

impl ThreadpoolBuilder<'_> {
    /// Adds a lane for each priority of a table that `zorb sched analyze --write` has written. As the analysis assumes,
    /// the lane has one thread per processor on which operations of that priority run, bound to these processors. The
    /// table contains native priorities, which the mapping converts. Operations that run in their callers' threads have
    /// no lane.
    ///
    /// # Errors
    /// The text is not such a table, or the mapping has no CORBA priority for a native one.
    pub fn lanes_from_table(mut self, toml: &str) -> Result<Self, Error> {
        let failed = |why: &str| {
            Error::new(Phase::Configure, "the table of priorities").with_source(why.to_owned())
        };
        let table = DeTable::parse(toml).map_err(|error| failed(error.message()))?;
        let operations = table.get_ref().get("operation").map(|value| value.get_ref());
        let Some(DeValue::Array(operations)) = operations else {
            return Err(failed("no operations"));
        };
        let mut lanes = BTreeMap::<i16, BTreeSet<usize>>::new();
        for operation in operations.iter() {
            let operation = operation
                .get_ref()
                .as_table()
                .ok_or_else(|| failed("an operation is not a table"))?;
            let number = |key: &str| match operation.get(key).map(|value| value.get_ref()) {
                Some(DeValue::Integer(number)) => whole(number),
                _ => None,
            };
            let Some(priority) = number("priority").and_then(|number| i16::try_from(number).ok())
            else {
                return Err(failed("an operation has no priority"));
            };
            if let Some(processor) = number("processor") {
                let processor = usize::try_from(processor).unwrap_or(usize::MAX);
                lanes.entry(priority).or_default().insert(processor);
            }
        }
        for (native, processors) in lanes {
            let priority = self.to_corba(NativePriority(native)).ok_or_else(|| {
                failed(&format!("no CORBA priority for the native priority {native}"))
            })?;
            self = self.lane(LaneBuilder::new(priority, processors.len()).processors(processors));
        }
        Ok(self)
    }
}

fn whole(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// Reads a table file.
pub(crate) fn read(path: &str) -> Result<String, Error> {
    let failed = |error| Error::new(Phase::Configure, path.to_owned()).with_source(error);
    let mut text = String::new();
    File::open(path).map_err(failed)?.take(MAX_FILE).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}
