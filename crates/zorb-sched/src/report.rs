//! A schedule as text.

use std::cmp::Reverse;
use std::fmt;

use crate::analysis::utilization::rate_monotonic_bound;
use crate::schedule::{Response, Schedule, ScheduledTask};
use crate::strategy::Strategy;

const HEADINGS: [&str; 9] =
    ["task", "cpu", "queue", "priority", "worst", "period", "deadline", "response", ""];

/// The strategy, the processors, a table of the tasks, the anomalies, and on the last line whether
/// all deadlines are met.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "strategy     {}", strategy(self))?;
        for (processor, utilization) in self.utilization.iter().enumerate() {
            let permille = utilization.permille();
            let share = format!("{}.{} %", permille / 10, permille % 10);
            write!(f, "processor {processor}  utilization {share}")?;
            if let Some(bound) = bound(self, processor) {
                write!(f, "; up to {:.1} % is schedulable with any periods", bound * 100.0)?;
            }
            writeln!(f)?;
        }
        writeln!(f)?;
        table(self, f)?;
        writeln!(f)?;
        for anomaly in &self.anomalies {
            let text = visible(&anomaly.to_string());
            writeln!(f, "{}: {}: {text}", anomaly.severity(), anomaly.name())?;
        }
        f.write_str(if self.is_schedulable() {
            "schedulable: every deadline is met"
        } else {
            "not schedulable: deadlines may be missed, or the analysis is inconclusive"
        })
    }
}

/// The bound of Liu and Layland, where it applies: for independent tasks whose deadlines are at
/// least their periods.
fn bound(schedule: &Schedule, processor: usize) -> Option<f64> {
    let here = || schedule.tasks.iter().filter(|task| task.processor as usize == processor);
    let plain = |scheduled: &ScheduledTask| {
        let task = &scheduled.task;
        let late = task.jitter + task.blocking;
        task.deadline >= task.period && late.is_zero() && task.after.is_empty()
    };
    let holds = schedule.system.strategy == Strategy::Rms && here().all(plain);
    (holds && here().count() > 0).then(|| rate_monotonic_bound(here().count()))
}

/// Text from elsewhere, on one line and without control characters.
fn visible(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

fn strategy(schedule: &Schedule) -> &'static str {
    match (schedule.system.strategy, schedule.system.preemptive) {
        (Strategy::Rms, _) => "rms: the shorter the period, the higher the priority",
        (Strategy::Dm, _) => "dm: the shorter the deadline, the higher the priority",
        (Strategy::Edf, false) => "edf: one queue, the earliest deadline first",
        (Strategy::Edf, true) => "edf: the earliest deadline first, preemptive",
        (Strategy::Mlf, _) => "mlf: one queue, the least laxity first",
        (Strategy::Muf, _) => "muf: a queue for each criticality, the least laxity first",
    }
}

fn row(scheduled: &ScheduledTask) -> [String; 9] {
    [
        visible(&scheduled.task.name),
        scheduled.processor.to_string(),
        scheduled.queue.to_string(),
        scheduled.priority.to_string(),
        scheduled.task.worst.to_string(),
        scheduled.task.period.to_string(),
        scheduled.task.deadline.to_string(),
        match scheduled.response {
            Response::Within(longest) => longest.to_string(),
            Response::InTime => "in time".to_owned(),
            Response::Unbounded => "no bound".to_owned(),
            Response::Unknown => "unknown".to_owned(),
        },
        if scheduled.is_in_time() { "" } else { "late" }.to_owned(),
    ]
}

/// The tasks, by processor and then by urgency.
fn table(schedule: &Schedule, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut tasks: Vec<&ScheduledTask> = schedule.tasks.iter().collect();
    tasks.sort_by_key(|task| (task.processor, task.queue, Reverse(task.subpriority)));
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(tasks.into_iter().map(row));
    let mut widths = [0; 9];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for row in &rows {
        let cells = row.iter().zip(widths).enumerate();
        // Names are left-aligned, numbers right-aligned.
        let line: String = cells
            .map(|(index, (cell, width))| match index {
                0 => format!("{cell:width$}"),
                _ => format!("  {cell:>width$}"),
            })
            .collect();
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
