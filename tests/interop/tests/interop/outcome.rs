//! The outcome of a check, and its text form in the output of a peer's client.

use crate::known;
use crate::peers::Absent;

/// A check and what became of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// "pairing/group/check".
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
}

#[derive(Debug)]
pub(crate) enum Verdict {
    Passed,
    Failed(String),
    /// Failed as documented, for this reason.
    Known(String),
    /// Not run, for this reason.
    Ignored(String),
}

impl From<Absent> for Verdict {
    fn from(absent: Absent) -> Self {
        match absent {
            Absent::Missing(what) => Self::Ignored(what),
            Absent::Broken(what) => Self::Failed(what),
        }
    }
}

impl Outcome {
    pub(crate) fn new(pairing: &str, check: &str, verdict: Verdict) -> Self {
        Self { name: format!("{pairing}/{check}"), verdict }
    }

    /// Of a check that passed or failed, held against the table of known faults.
    pub(crate) fn judged(pairing: &str, check: &str, result: Result<(), String>) -> Self {
        let verdict = match (known::find(pairing, check), result) {
            (None, Ok(())) => Verdict::Passed,
            (None, Err(failure)) => Verdict::Failed(failure),
            (Some(known), Err(failure)) if failure.contains(known.symptom) => {
                Verdict::Known(known.reason.into())
            }
            (Some(known), Err(failure)) => Verdict::Failed(format!(
                "known to fail, but with {:?}, not with: {failure}",
                known.symptom
            )),
            (Some(known), Ok(())) => {
                Verdict::Failed(format!("passed, but is listed in known.rs: {}", known.reason))
            }
        };
        Self::new(pairing, check, verdict)
    }
}

/// The outcomes that a peer's client printed; other lines, its totals, are for [`totals`].
pub(crate) fn printed(pairing: &str, lines: &[String]) -> Vec<Outcome> {
    lines.iter().filter_map(|line| outcome(pairing, line)).collect()
}

fn outcome(pairing: &str, line: &str) -> Option<Outcome> {
    let (verdict, rest) = line.split_once(' ')?;
    let (name, reason) = rest.split_once(": ").unwrap_or((rest, ""));
    // "known" with the peer's own list: the client has made sure that it fails.
    match verdict {
        "ok" => Some(Outcome::judged(pairing, rest, Ok(()))),
        "FAIL" => Some(Outcome::judged(pairing, name, Err(reason.into()))),
        "known" => Some(Outcome::new(pairing, name, Verdict::Known(reason.into()))),
        "skip" => Some(Outcome::new(pairing, name, Verdict::Ignored(reason.into()))),
        _ => None,
    }
}

/// How many checks passed and failed by the client's last line, "N passed, M failed".
pub(crate) fn totals(lines: &[String]) -> Option<(usize, usize)> {
    let (passed, failed) = lines.last()?.split_once(" passed, ")?;
    Some((passed.parse().ok()?, failed.strip_suffix(" failed")?.parse().ok()?))
}
