//! The text output of `zorb sched analyze`.

use zorb_sched::{Schedule, Severity};

use crate::screen::{ERROR, GOOD, HEADING, WARNING, paint};

/// The schedule, with colors.
pub(super) fn report(schedule: &Schedule) -> String {
    let text = schedule.to_string();
    let count = text.lines().count();
    // The headings follow the lines of the processors and an empty line. The last lines are one for
    // each anomaly, and the verdict.
    let headings = schedule.utilization.len() + 2;
    let findings = count - 1 - schedule.anomalies.len();
    let line = |(number, line): (usize, &str)| {
        let anomaly = number.checked_sub(findings).and_then(|n| schedule.anomalies.get(n));
        let style = match anomaly.map(zorb_sched::Anomaly::severity) {
            Some(Severity::Warning) => WARNING,
            Some(_) => ERROR,
            None if number == headings => return paint(HEADING, line) + "\n",
            None if number + 1 == count && schedule.is_schedulable() => GOOD,
            None if number + 1 == count => ERROR,
            None => return line.to_owned() + "\n",
        };
        match line.split_once(':') {
            Some((first, rest)) => paint(style, first) + ":" + rest + "\n",
            None => line.to_owned() + "\n",
        }
    };
    text.lines().enumerate().map(line).collect()
}
