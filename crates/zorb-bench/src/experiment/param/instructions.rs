//! The instructions that the engines need to marshal and demarshal each type, counted by callgrind.

use std::path::Path;
use std::process::Command;

use crate::error::{Error, Result};
use crate::harness::Setup;
use crate::param::{DIRECTIONS, ENGINES, MARK, types};
use crate::report::{Instructions, TextTable};

/// The tool.
const VALGRIND: &str = "valgrind";
/// How often each value is marshalled.
const TIMES: u32 = 200;

/// Counts; `None` where valgrind is not installed.
pub(super) fn count(setup: &Setup) -> Result<Option<Vec<Instructions>>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("counts");
    let mut command = Command::new(VALGRIND);
    command
        .args(["-q", "--tool=callgrind", &format!("--dump-before={MARK}")])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(&setup.own_program)
        .args([&setup.own_word, "param", "marshal", &TIMES.to_string()]);
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        output => output?,
    };
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(format!("{VALGRIND}: {}: {}", output.status, reason.trim())));
    }
    let empty = phase(&file, 0)?;
    let mut number = 0;
    let mut next = || -> Result<u64> {
        number += 1;
        Ok(phase(&file, number)?.saturating_sub(empty) / u64::from(TIMES))
    };
    let mut counts = Vec::new();
    for value in types() {
        for direction in DIRECTIONS {
            let (compiled, interpretive) = (next()?, next()?);
            counts.push(Instructions { value, direction, compiled, interpretive });
        }
    }
    Ok(Some(counts))
}

/// All instructions of the phase of this number.
fn phase(file: &Path, number: usize) -> Result<u64> {
    // Counts are written at every mark, and phases have two.
    let path = format!("{}.{}", file.display(), 2 * number + 2);
    let text = std::fs::read_to_string(path)
        .map_err(|_| Error::new("callgrind did not find the functions of this program"))?;
    total(&text).ok_or_else(|| Error::new("callgrind wrote no counts"))
}

/// All instructions of a profile.
fn total(text: &str) -> Option<u64> {
    let totals = text.lines().find_map(|line| line.strip_prefix("totals: "))?;
    totals.split_whitespace().next()?.parse().ok()
}

/// The counts as a table.
pub(super) fn table(counts: &[Instructions]) -> TextTable {
    let engines = ENGINES.map(|engine| format!("{engine} instructions"));
    let columns = ["type".to_owned(), "direction".to_owned()].into_iter().chain(engines);
    let mut table = TextTable::new(columns.chain(["ratio".to_owned()]));
    for Instructions { value, direction, compiled, interpretive } in counts {
        table.row([
            (*value).to_owned(),
            (*direction).to_owned(),
            compiled.to_string(),
            interpretive.to_string(),
            format!("{:.2}", *interpretive as f64 / (*compiled).max(1) as f64),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_found_in_profiles() {
        assert_eq!(total("version: 1\nevents: Ir\n\nfn=main\n1 5\ntotals: 125\n"), Some(125));
        assert_eq!(total("events: Ir\n"), None);
    }
}
