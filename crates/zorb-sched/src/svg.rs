//! A timeline of a simulation as SVG.

use std::fmt::{self, Write as _};

use crate::Time;
use crate::schedule::Schedule;
use crate::simulate::Trace;

/// The maximum number of rows.
const MAX_ROWS: usize = 256;
/// The maximum number of other marks.
const MAX_MARKS: usize = 20_000;

const LABELS: f64 = 190.0;
const PLOT: f64 = 960.0;
const ROW: f64 = 34.0;
const BAR: f64 = 16.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 40.0;

/// The timeline of `trace`, a simulation of the schedule's tasks, until `until`: a row for each
/// task with its arrivals, deadlines and slices. Missed deadlines, and execution after them, are
/// red. At most 256 tasks and 20,000 marks are drawn.
#[must_use]
pub fn timeline(schedule: &Schedule, trace: &Trace, until: Time) -> String {
    let drawing = Drawing { schedule, trace, until: until.max(Time::from_nanos(1)) };
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = drawing.write(&mut text);
    text
}

struct Drawing<'a> {
    schedule: &'a Schedule,
    trace: &'a Trace,
    until: Time,
}

impl Drawing<'_> {
    fn rows(&self) -> usize {
        self.schedule.tasks.len().min(MAX_ROWS)
    }

    fn x(&self, at: Time) -> f64 {
        let at = at.min(self.until);
        LABELS + PLOT * (at.as_nanos() as f64 / self.until.as_nanos() as f64)
    }

    /// The base line of a task's bars.
    fn base(row: usize) -> f64 {
        TOP + ROW * (row as f64 + 1.0) - 6.0
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let (width, height) = (LABELS + PLOT + 30.0, TOP + ROW * self.rows() as f64 + BOTTOM);
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">"
        )?;
        out.push_str(STYLE);
        writeln!(out, "<rect width=\"{width}\" height=\"{height}\" class=\"paper\"/>")?;
        let strategy = self.schedule.system.strategy;
        let title = format!("all tasks arrive together, {strategy}, until {}", self.until);
        writeln!(out, "<text x=\"12\" y=\"24\" class=\"title\">{}</text>", escaped(&title))?;
        self.axis(out)?;
        for row in 0..self.rows() {
            self.label(out, row)?;
        }
        self.bars(out)?;
        self.marks(out)?;
        out.push_str("</svg>\n");
        Ok(())
    }

    fn axis(&self, out: &mut String) -> fmt::Result {
        let bottom = TOP + ROW * self.rows() as f64;
        let step = step(self.until);
        for count in 0..=self.until.whole(step) {
            let at = step.times(count);
            let x = self.x(at);
            writeln!(out, "<path class=\"grid\" d=\"M{x:.2} {TOP}V{bottom}\"/>")?;
            let y = bottom + 16.0;
            writeln!(out, "<text x=\"{x:.2}\" y=\"{y}\" text-anchor=\"middle\">{at}</text>")?;
        }
        Ok(())
    }

    fn label(&self, out: &mut String, row: usize) -> fmt::Result {
        let Some(scheduled) = self.schedule.tasks.get(row) else { return Ok(()) };
        let base = Self::base(row);
        let name = &scheduled.task.name;
        let shown = match name.char_indices().nth(26) {
            Some((end, _)) => format!("{}\u{2026}", name.get(..end).unwrap_or_default()),
            None => name.clone(),
        };
        writeln!(out, "<path class=\"base\" d=\"M{LABELS} {base}h{PLOT}\"/>")?;
        let class = if scheduled.is_in_time() { "name" } else { "name late" };
        writeln!(
            out,
            "<text x=\"12\" y=\"{:.1}\" class=\"{class}\"><title>{}: processor {}, priority {}</title>{}</text>",
            base - 4.0,
            escaped(name),
            scheduled.processor,
            scheduled.priority,
            escaped(&shown)
        )
    }

    fn bars(&self, out: &mut String) -> fmt::Result {
        let shown = self.trace.slices.iter().filter(|slice| slice.from < self.until);
        for slice in shown.filter(|slice| slice.task < MAX_ROWS).take(MAX_MARKS) {
            let Some(scheduled) = self.schedule.tasks.get(slice.task) else { continue };
            let (from, to) = (self.x(slice.from), self.x(slice.to));
            let y = Self::base(slice.task) - BAR;
            let colour = slice.processor % 6;
            writeln!(
                out,
                "<rect class=\"p{colour}\" x=\"{from:.2}\" y=\"{y:.1}\" width=\"{:.2}\" height=\"{BAR}\">\
                 <title>{} {}: {} to {}, processor {}</title></rect>",
                (to - from).max(0.3),
                escaped(&scheduled.task.name),
                slice.number + 1,
                slice.from,
                slice.to,
                slice.processor
            )?;
        }
        Ok(())
    }

    /// Arrivals, deadlines and overruns.
    fn marks(&self, out: &mut String) -> fmt::Result {
        let instances = self.trace.instances.iter().filter(|i| i.task < MAX_ROWS);
        for instance in instances.take(MAX_MARKS) {
            let Some(scheduled) = self.schedule.tasks.get(instance.task) else { continue };
            let base = Self::base(instance.task);
            let from_arrival = |after: Time| {
                let at = instance.arrival + i128::from(after.as_nanos());
                u64::try_from(at).map_or(Time::ZERO, Time::from_nanos)
            };
            let (arrival, deadline) =
                (from_arrival(Time::ZERO), from_arrival(scheduled.task.deadline));
            if arrival <= self.until {
                let x = self.x(arrival);
                let top = base - BAR - 6.0;
                writeln!(
                    out,
                    "<path class=\"arrival\" d=\"M{x:.2} {base}V{top:.1}m-3 4l3 -4l3 4\"/>"
                )?;
            }
            let late = instance.finished > deadline;
            if deadline <= self.until {
                let x = self.x(deadline);
                let class = if late { "deadline late" } else { "deadline" };
                writeln!(
                    out,
                    "<path class=\"{class}\" d=\"M{x:.2} {:.1}V{base}m-3 -4l3 4l3 -4\"/>",
                    base - BAR - 6.0
                )?;
            }
            if late && deadline < self.until {
                let (from, to) = (self.x(deadline), self.x(instance.finished));
                writeln!(
                    out,
                    "<rect class=\"overdue\" x=\"{from:.2}\" y=\"{:.1}\" width=\"{:.2}\" height=\"3\">\
                     <title>{} {} ends {} after its deadline</title></rect>",
                    base + 1.0,
                    (to - from).max(1.0),
                    escaped(&scheduled.task.name),
                    instance.number + 1,
                    instance.finished - deadline
                )?;
            }
        }
        Ok(())
    }
}

const STYLE: &str = "<style>\
.paper{fill:#fff}text{fill:#222}.title{font-weight:bold}.late{fill:#b00020}\
.grid{stroke:#ddd;fill:none}.base{stroke:#888;fill:none}\
.arrival{stroke:#222;fill:none}.deadline{stroke:#777;fill:none}.deadline.late{stroke:#b00020;stroke-width:2;fill:none}\
.overdue{fill:#b00020}\
.p0{fill:#3b75af}.p1{fill:#ef8636}.p2{fill:#519e3e}.p3{fill:#8d69b8}.p4{fill:#84584e}.p5{fill:#3f9aa5}\
</style>\n";

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

/// Escapes text between tags.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
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
        assert!(text.contains("a &lt;&amp;&gt; 1 ends 2 ms after its deadline"), "{text}");
        assert_eq!(text.matches("class=\"p0\"").count(), trace.slices.len());
        assert!(text.ends_with("</svg>\n") && !text.contains("NaN"));
        assert_eq!(step(Time::from_millis(120)), Time::from_millis(20));
        assert_eq!(step(Time::MAX).as_nanos(), 2_000_000_000_000_000_000);
    }
}
