//! `zorb sched analyze`: schedulability analysis.

use std::path::{Path, PathBuf};

use clap::Args;
use zorb_sched::{
    Anomaly, FileError, MAX_FILE, PriorityTable, Schedule, Simulation, Strategy, TaskFile, Time,
    Trace, timeline,
};

use super::{json, text};
use crate::failure::{FAILED, Failure, OK, Outcome};
use crate::screen;

/// The maximum number of task instances drawn.
const MAX_INSTANCES: usize = 20_000;

/// The longest drawn time, in multiples of the longest period.
const MAX_PERIODS: u64 = 4;

/// Analyze whether operations meet their deadlines, and assign priorities
///
/// FILE is a task set in TOML: execution times, periods and calls of operations. Exit status: 0 if
/// all deadlines are guaranteed, 1 if not, or if the task set is invalid or empty, 2 if FILE cannot
/// be parsed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  zorb sched analyze flight.toml
  zorb sched analyze flight.toml --strategy muf --json
  zorb sched analyze flight.toml --svg flight.svg --until '80 ms'
  zorb sched analyze flight.toml --write priorities.toml --rust priorities.rs")]
pub(crate) struct AnalyzeArgs {
    /// Task set; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Strategy, instead of the file's: rms, dm, edf, mlf or muf
    #[arg(long, value_name = "NAME")]
    strategy: Option<Strategy>,
    /// JSON output
    #[arg(long)]
    json: bool,
    /// Timeline of all tasks released together, as an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// End of the timeline, such as `80 ms`; by default one hyperperiod, but at most four times the
    /// longest period
    #[arg(long, value_name = "TIME", requires = "svg")]
    until: Option<Time>,
    /// File to write the priorities to as TOML; only if all deadlines are met
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// File to write the priorities to as Rust constants; only if all deadlines are met
    #[arg(long, value_name = "FILE")]
    rust: Option<PathBuf>,
}

pub(super) fn run(args: &AnalyzeArgs) -> Outcome {
    let source = read(&args.file)?;
    let computed = TaskFile::parse(&source).and_then(|mut file| {
        file.system.strategy = args.strategy.unwrap_or(file.system.strategy);
        // The service may start empty, but an analysis of no operations is probably of the wrong
        // file.
        if file.set.is_empty() {
            return Err(Anomaly::NoOperations.into());
        }
        let schedule = Schedule::compute(&file.set, &file.system)?;
        Ok((file, schedule))
    });
    let (file, schedule) = match computed {
        Ok(computed) => computed,
        Err(FileError::Anomaly(anomaly)) => return invalid(args, &anomaly),
        Err(error) => {
            return Err(Failure::new(format!("{}: {error}", args.file.display())).into_usage());
        }
    };
    if let Some(svg) = &args.svg {
        let until = args.until.unwrap_or_else(|| timeline_end(&schedule));
        screen::write(svg, &timeline(&schedule, &simulate(&schedule, until), until))?;
    }
    let schedulable = schedule.is_schedulable();
    let table = PriorityTable::new(&file.set, &schedule);
    if schedulable {
        if let Some(path) = &args.write {
            screen::write(path, &table.to_toml())?;
        }
        if let Some(path) = &args.rust {
            screen::write(path, &table.to_rust())?;
        }
    }
    if args.json {
        screen::print_json(&json::Report::new(&file.set, &schedule, &table))?;
    } else {
        screen::print(&text::report(&schedule))?;
    }
    if !schedulable && (args.write.is_some() || args.rust.is_some()) {
        screen::print_stderr("no priorities written: deadlines may be missed");
    }
    Ok(if schedulable { OK } else { FAILED })
}

/// Reports an invalid task set, which has no schedule.
fn invalid(args: &AnalyzeArgs, anomaly: &Anomaly) -> Outcome {
    if !args.json {
        let file = args.file.display();
        return Err(Failure::new(format!("{file}: {}: {anomaly}", anomaly.name())));
    }
    screen::print_json(&json::Report::invalid(anomaly))?;
    Ok(FAILED)
}

/// Reads a file of limited size.
pub(super) fn read(file: &Path) -> Result<String, Failure> {
    use std::io::Read;
    let failed =
        |error: std::io::Error| Failure::new(format!("{}: {error}", file.display())).into_usage();
    let most = MAX_FILE as u64 + 1;
    let mut text = String::new();
    if screen::is_standard(file) {
        std::io::stdin().lock().take(most).read_to_string(&mut text).map_err(failed)?;
    } else {
        let opened = std::fs::File::open(file).map_err(failed)?;
        opened.take(most).read_to_string(&mut text).map_err(failed)?;
    }
    Ok(text)
}

fn simulate(schedule: &Schedule, until: Time) -> Trace {
    let tasks = schedule.critical_instant();
    let preemptive = schedule.system.preemptive;
    Simulation { tasks: &tasks, preemptive, until, max_instances: MAX_INSTANCES }.run()
}

/// The hyperperiod, unless it is too long to draw.
fn timeline_end(schedule: &Schedule) -> Time {
    let periods = || schedule.tasks.iter().map(|scheduled| scheduled.task.period);
    let deadlines = schedule.tasks.iter().map(|scheduled| scheduled.task.deadline);
    let most = periods().max().unwrap_or_default().times(MAX_PERIODS);
    let multiple = periods().try_fold(Time::from_nanos(1), |multiple, period| {
        let (mut a, mut b) = (multiple.as_nanos(), period.as_nanos());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        period.checked_mul(multiple.as_nanos() / a.max(1)).filter(|multiple| *multiple <= most)
    });
    multiple.unwrap_or(most).max(deadlines.max().unwrap_or_default())
}
