//! A timeline of a simulation as SVG.

use askama::Template;

use crate::Time;
use crate::schedule::{Schedule, ScheduledTask};
use crate::simulate::{Instance, Slice, Trace};

/// The maximum number of rows.
const MAX_ROWS: usize = 256;
/// The maximum number of other marks.
const MAX_MARKS: usize = 20_000;

/// Coordinates, also used by the template.
const LEFT: f64 = 190.0;
const WIDTH: f64 = 960.0;
const TOP: f64 = 44.0;
const ROW: f64 = 34.0;

/// The timeline of `trace`, a simulation of the schedule's tasks, until `until`: a row for each
/// task with its arrivals, deadlines and slices. Missed deadlines, and execution after them, are
/// red. At most 256 tasks and 20,000 marks are drawn.
#[must_use]
pub fn timeline(schedule: &Schedule, trace: &Trace, until: Time) -> String {
    let until = until.max(Time::from_nanos(1));
    let row = |(index, scheduled)| Row { scheduled, base: TOP + ROW * (index as f64 + 1.0) - 6.0 };
    let rows: Vec<Row<'_>> = schedule.tasks.iter().take(MAX_ROWS).enumerate().map(row).collect();
    let step = step(until);
    let ticks = (0..=until.whole(step)).map(|count| step.times(count));
    let slices = trace.slices.iter().filter(|slice| slice.from < until);
    let slices = slices.filter_map(|slice| Some(Bar::new(rows.get(slice.task)?, slice, until)));
    let instances = trace.instances.iter();
    let instances = instances.filter_map(|one| Some(Marks::new(rows.get(one.task)?, one, until)));
    let picture = Timeline {
        title: format!("all tasks arrive together, {}, until {until}", schedule.system.strategy),
        bottom: TOP + ROW * rows.len() as f64,
        ticks: ticks.map(|at| (x(at, until), at)).collect(),
        slices: slices.take(MAX_MARKS).collect(),
        instances: instances.take(MAX_MARKS).collect(),
        rows: &rows,
    };
    let invisible = |character: char| character.is_control() && character != '\n';
    picture.to_string().replace(invisible, "\u{fffd}")
}

/// The data of the template.
#[derive(Template)]
#[template(path = "timeline.svg", escape = "html")]
struct Timeline<'a> {
    title: String,
    bottom: f64,
    ticks: Vec<(f64, Time)>,
    rows: &'a [Row<'a>],
    slices: Vec<Bar<'a>>,
    instances: Vec<Marks<'a>>,
}

/// A task with the base line of its bars.
struct Row<'a> {
    scheduled: &'a ScheduledTask,
    base: f64,
}

impl Row<'_> {
    /// The name, cut if it is long.
    fn label(&self) -> String {
        let name = &self.scheduled.task.name;
        match name.char_indices().nth(26) {
            Some((end, _)) => format!("{}\u{2026}", name.get(..end).unwrap_or_default()),
            None => name.clone(),
        }
    }
}

/// The bar of a slice.
struct Bar<'a> {
    row: &'a Row<'a>,
    slice: &'a Slice,
    x: f64,
    width: f64,
}

impl<'a> Bar<'a> {
    fn new(row: &'a Row<'a>, slice: &'a Slice, until: Time) -> Self {
        let (from, to) = (x(slice.from, until), x(slice.to, until));
        Self { row, slice, x: from, width: (to - from).max(0.3) }
    }
}

/// The arrival and the deadline of an instance, as far as they are shown.
struct Marks<'a> {
    row: &'a Row<'a>,
    instance: &'a Instance,
    arrival: Option<f64>,
    deadline: Option<f64>,
    /// How long after its deadline it ends.
    late: Option<Time>,
    /// The width of what is executed after the deadline.
    overdue: f64,
}

impl<'a> Marks<'a> {
    fn new(row: &'a Row<'a>, instance: &'a Instance, until: Time) -> Self {
        let after_arrival = |time: Time| {
            let at = instance.arrival + i128::from(time.as_nanos());
            u64::try_from(at).map_or(Time::ZERO, Time::from_nanos)
        };
        let shown = |at: Time| (at <= until).then(|| x(at, until));
        let deadline = after_arrival(row.scheduled.task.deadline);
        let late = instance.finished > deadline;
        Self {
            row,
            instance,
            arrival: shown(after_arrival(Time::ZERO)),
            deadline: shown(deadline),
            late: late.then(|| instance.finished - deadline),
            overdue: (x(instance.finished, until) - x(deadline, until)).max(1.0),
        }
    }
}

/// The horizontal position of a time.
fn x(at: Time, until: Time) -> f64 {
    LEFT + WIDTH * (at.min(until).as_nanos() as f64 / until.as_nanos() as f64)
}

/// The distance of the ticks: 1, 2 or 5 times a power of ten, so that there are at most ten.
fn step(until: Time) -> Time {
    let least = until.as_nanos().div_ceil(10).max(1);
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            if power.saturating_mul(factor) >= least {
                return Time::from_nanos(power.saturating_mul(factor));
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RtInfo, Simulation, System, TaskSet};

    #[test]
    fn every_task_has_a_row_and_misses_are_red() {
        let mut set = TaskSet::new();
        for (name, worst, period) in [("a <&>", 12, 50), ("b", 10, 40), ("c", 10, 30)] {
            let info =
                RtInfo::new(name, Time::from_millis(worst)).period(Time::from_millis(period));
            set.add(info).unwrap();
        }
        let schedule = Schedule::compute(&set, &System::default()).unwrap();
        let tasks = schedule.critical_instant();
        let until = Time::from_millis(120);
        let trace =
            Simulation { tasks: &tasks, preemptive: false, until, max_instances: 1000 }.run();
        let text = timeline(&schedule, &trace, until);
        assert_eq!(text.matches("class=\"base\"").count(), 3);
        assert_eq!(text.matches("class=\"name late\"").count(), 1);
        assert!(text.contains("a &#60;&#38;&#62; 1 ends 2 ms after its deadline"), "{text}");
        assert_eq!(text.matches("class=\"p0\"").count(), trace.slices.len());
        assert!(text.ends_with("</svg>\n") && !text.contains("NaN"));
        assert_eq!(step(Time::from_millis(120)), Time::from_millis(20));
        assert_eq!(step(Time::MAX).as_nanos(), 2_000_000_000_000_000_000);
    }
}
