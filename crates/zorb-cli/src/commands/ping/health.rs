//! `zorb ping --ready` and `--live`: the answer of a server to a probe.

use zorb::{Health, ObjectRef};

use crate::failure::{FAILED, OK, Outcome};
use crate::screen::{self, GOOD, WARNING, paint, visible};

/// Asks the object once whether its server is ready, or live, and prints the answer, as JSON if that is wanted.
pub(super) fn probe(object: &ObjectRef, ready: bool, json: bool) -> Outcome {
    let health: Health = object.unchecked_narrow();
    let (what, answer) = match ready {
        true => ("ready", health.ready()),
        false => ("live", health.live()),
    };
    let (holds, why_not) = answer.map_err(zorb::Error::from)?;
    if json {
        screen::print_json(&serde_json::json!({ what: holds, "why_not": why_not }))?;
    } else if holds {
        screen::print(&format!("{}\n", paint(GOOD, what)))?;
    } else {
        let not = format!("not {what}");
        screen::print(&format!("{}: {}\n", paint(WARNING, &not), visible(&why_not)))?;
    }
    Ok(if holds { OK } else { FAILED })
}
