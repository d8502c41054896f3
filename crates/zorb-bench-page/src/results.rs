//! Parses JSON results of any experiment, including unknown ones.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};
use zorb_bench::histogram::Histogram;
use zorb_bench::timeline::Timeline;

#[cfg(test)]
mod tests;

/// Maximum size of a file in octets; larger ones are skipped.
const LARGEST: u64 = 64 << 20;
/// Maximum number of rows of a file.
const MAX_ROWS: usize = 20_000;

/// The contents of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The file's name.
    pub name: String,
    /// The machine: names and values as in the file.
    pub machine: BTreeMap<String, String>,
    /// One for each peer and workload.
    pub rows: Vec<Measured>,
    /// The experiment's own tables, by name.
    pub tables: Vec<(String, Vec<BTreeMap<String, Cell>>)>,
}

/// A row with its detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The experiment's name.
    pub experiment: String,
    /// The peer's name.
    pub peer: String,
    /// The URL scheme of the transport.
    pub transport: String,
    /// The operation.
    pub operation: String,
    /// Octets of the argument in memory.
    pub payload: u64,
    /// All other values of the row and its detail, by name.
    pub cells: BTreeMap<String, Cell>,
    /// The histogram, if calls were timed individually.
    pub histogram: Option<Histogram>,
    /// The timeline, if there is one.
    pub timeline: Option<Timeline>,
}

/// A value in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, never infinite.
    Number(f64),
    /// Anything else, as text.
    Word(String),
}

/// The results of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folder {
    /// The valid ones, in the order of their names.
    pub runs: Vec<Run>,
    /// The skipped ones: name and reason.
    pub left_out: Vec<(String, String)>,
}

impl Folder {
    /// Reads all files of the folder whose names end in `.json`.
    ///
    /// # Errors
    /// The folder cannot be read. Errors in single files are in `left_out`.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let mut paths = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match text_of(&path).and_then(|text| Run::parse(&name, &text)) {
                Ok(run) => found.runs.push(run),
                Err(reason) => found.left_out.push((name, reason)),
            }
        }
        Ok(found)
    }
}

fn text_of(path: &Path) -> Result<String, String> {
    let failed = |error: io::Error| error.to_string();
    // A pipe of that name would be waited for.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut octets = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut octets))
        .map_err(failed)?;
    if octets.len() as u64 > LARGEST {
        return Err(format!("it has more than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(octets).map_err(|_| "it is no text in UTF-8".to_owned())
}

impl Run {
    /// Parses the output of `--json`.
    ///
    /// # Errors
    /// Why the text is not a valid result.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let value =
            serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
        Self::of_value(name, &value)
    }

    /// Whether the machine was busy with other work: the load at the start exceeds the processors.
    #[must_use]
    pub fn was_busy(&self) -> bool {
        let number = |name: &str| self.machine.get(name)?.parse::<f64>().ok();
        number("load").zip(number("cores")).is_some_and(|(load, cores)| load > cores)
    }

    /// A report as a run with a name.
    ///
    /// # Errors
    /// Never for the reports of `zorb-bench`.
    pub fn of_report(name: &str, report: &impl Serialize) -> Result<Self, String> {
        let value = serde_json::to_value(report).map_err(|error| error.to_string())?;
        Self::of_value(name, &value)
    }

    fn of_value(name: &str, value: &Value) -> Result<Self, String> {
        let foreign = || "it is no result of `zorb bench`: it has no `rows`".to_owned();
        let parts = value.as_object().ok_or_else(foreign)?;
        let rows = parts.get("rows").and_then(Value::as_array).ok_or_else(foreign)?;
        if rows.len() > MAX_ROWS {
            return Err(format!("it has more than {MAX_ROWS} rows"));
        }
        let none = Vec::new();
        let details = match parts.get("details") {
            None | Some(Value::Null) => &none,
            Some(details) => details.as_array().ok_or("its `details` are no list")?,
        };
        if !details.is_empty() && details.len() != rows.len() {
            return Err(format!("it has {} details for {} rows", details.len(), rows.len()));
        }
        let details = details.iter().map(Some).chain(std::iter::repeat(None));
        let rows = rows.iter().zip(details).enumerate().map(|(index, (row, detail))| {
            measured(row, detail).map_err(|reason| format!("row {}: {reason}", index + 1))
        });
        let rows = rows.collect::<Result<Vec<_>, _>>()?;
        let machine = parts.get("machine").and_then(Value::as_object);
        let machine = machine.into_iter().flatten();
        let run = Self {
            name: name.to_owned(),
            machine: machine.filter_map(|(key, value)| Some((key.clone(), word(value)?))).collect(),
            rows,
            tables: tables(parts),
        };
        if run.rows.is_empty() && run.tables.is_empty() {
            return Err("it has no rows".to_owned());
        }
        Ok(run)
    }
}

/// Parses a row. `zorb demo` writes neither experiment nor peer, because there is one of each.
fn measured(row: &Value, detail: Option<&Value>) -> Result<Measured, String> {
    let row = row.as_object().ok_or("it is no object")?;
    let text = |key: &str, default: &str| match row.get(key) {
        None => Ok(default.to_owned()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` is no text")),
    };
    if !row.contains_key("operation") {
        return Err("it has no `operation`".to_owned());
    }
    let mut measured = Measured {
        experiment: text("experiment", "demo")?,
        peer: text("peer", "zorb")?,
        transport: text("transport", "")?,
        operation: text("operation", "")?,
        payload: match row.get("payload") {
            None | Some(Value::Null) => 0,
            Some(payload) => payload.as_u64().ok_or("`payload` is no number of octets")?,
        },
        ..Measured::default()
    };
    let own = ["experiment", "peer", "transport", "operation", "payload"];
    measured.cells = cells(row, &own);
    if let Some(detail) = detail {
        let detail = detail.as_object().ok_or("its detail is no object")?;
        measured.cells.append(&mut cells(detail, &["histogram", "course"]));
        if let Some(histogram) = detail.get("histogram").and_then(Value::as_str) {
            let histogram = Histogram::parse(histogram);
            let histogram = histogram.map_err(|reason| format!("its histogram: {reason}"))?;
            measured.histogram = Some(histogram).filter(|histogram| histogram.total() > 0);
        }
        if let Some(course) = detail.get("course").and_then(Value::as_str) {
            let timeline = Timeline::parse(course);
            measured.timeline = Some(timeline.map_err(|reason| format!("its course: {reason}"))?);
        }
    }
    Ok(measured)
}

impl Measured {
    /// The number of this name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.cells.get(name)? {
            Cell::Number(number) => Some(*number),
            Cell::Word(_) => None,
        }
    }
}

/// The values of an object that are neither null nor compound.
fn cells(object: &Map<String, Value>, without: &[&str]) -> BTreeMap<String, Cell> {
    let others = object.iter().filter(|(key, _)| !without.contains(&key.as_str()));
    let cells = others.filter_map(|(key, value)| {
        let cell = match value.as_f64() {
            Some(number) if number.is_finite() => Cell::Number(number),
            _ => Cell::Word(word(value)?),
        };
        Some((key.clone(), cell))
    });
    cells.collect()
}

/// A scalar value as text.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The lists of objects besides rows and details.
fn tables(parts: &Map<String, Value>) -> Vec<(String, Vec<BTreeMap<String, Cell>>)> {
    let others =
        parts.iter().filter(|(name, _)| name.as_str() != "rows" && name.as_str() != "details");
    let tables = others.filter_map(|(name, value)| {
        let objects = value.as_array()?.iter().take(MAX_ROWS).map(Value::as_object);
        let rows: Vec<_> =
            objects.map(|object| Some(cells(object?, &[]))).collect::<Option<_>>()?;
        (!rows.is_empty()).then(|| (name.clone(), rows))
    });
    tables.collect()
}
