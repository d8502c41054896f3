//! Three periodic tasks, admitted by rate monotonic analysis; one of them calls an operation of an object. Prints their
//! start latencies, response times and missed deadlines at the end.
//!
//! ```text
//! upcalls [--millis N] [--deadline]
//! ```
//!
//! With `--deadline` they are scheduled by `SCHED_DEADLINE` instead of `SCHED_FIFO`.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use zorb::Orb;
use zorb_sched::{Activation, PeriodicTask, Strategy, System, Upcalls};

zorb::include_idl!("flight");

use flight::{Control, ControlServant};

/// Maximum number of events to print: without privileges there may be thousands.
const MAX_PRINTED_EVENTS: u64 = 20;

/// Keeps the processor busy.
fn compute(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Counts its steps.
struct Rudders {
    steps: Arc<AtomicU64>,
}

impl ControlServant for Rudders {
    fn step(&self, _number: u64) -> zorb::Result<()> {
        compute(Duration::from_millis(1));
        self.steps.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// The context switches of a task's thread: voluntary and involuntary.
fn switches(thread: &str) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let number = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|rest| rest.trim().parse().ok()).unwrap_or(0)
    };
    (number("voluntary_ctxt_switches:"), number("nonvoluntary_ctxt_switches:"))
}

/// Makes the first upcall send its thread id.
fn reporting_thread(
    sender: &std::sync::mpsc::Sender<(&'static str, String)>,
    name: &'static str,
    mut upcall: impl FnMut(&Activation) + Send + 'static,
) -> impl FnMut(&Activation) + Send + 'static {
    let mut sender = Some(sender.clone());
    move |activation| {
        if let Some(sender) = sender.take() {
            let thread = std::fs::read_link("/proc/thread-self").unwrap_or_default();
            // The program waits for this message.
            let _ = sender.send((name, thread.to_string_lossy().into_owned()));
        }
        upcall(activation);
    }
}

fn run(time: Duration, by_deadline: bool) -> Result<(), Box<dyn Error>> {
    let orb = Orb::builder().without_environment().build()?;
    let steps = Arc::new(AtomicU64::new(0));
    let control: Control = orb.root_poa().activate(Rudders { steps: Arc::clone(&steps) })?;

    let system = match by_deadline {
        true => System::new(Strategy::Edf).preemptive(true),
        false => System::new(Strategy::Rms),
    };
    let (us, ms) = (Duration::from_micros, Duration::from_millis);
    let events = AtomicU64::new(0);
    let (sender, receiver) = std::sync::mpsc::channel();
    let sample = reporting_thread(&sender, "sample", move |_| compute(us(30)));
    let steer = reporting_thread(&sender, "steer", move |activation| {
        if let Err(error) = control.step(activation.number) {
            eprintln!("{error}");
        }
    });
    let show = reporting_thread(&sender, "show", move |_| compute(ms(12)));
    let upcalls = Upcalls::new()
        .task(PeriodicTask::new("sample", us(500)).budget(us(100)), sample)
        .task(PeriodicTask::new("steer", ms(10)).budget(ms(2)).deadline(ms(8)), steer)
        .task(PeriodicTask::new("show", ms(100)).budget(ms(20)), show)
        .admission(system)
        .on_event(move |event| {
            let number = event.activation.number;
            match events.fetch_add(1, Ordering::Relaxed) {
                0..MAX_PRINTED_EVENTS => eprintln!("{} {number}: {}", event.task, event.finding),
                MAX_PRINTED_EVENTS => eprintln!("further events are only counted in the table"),
                _ => {}
            }
        })
        .start()?;
    if let Some(denial) = upcalls.denial() {
        eprintln!("{denial}");
    }
    let threads: Vec<(&str, String)> = receiver.iter().take(3).collect();
    let count = |name: &str| upcalls.counts(name).unwrap_or_default();
    let before: Vec<_> = threads.iter().map(|(name, at)| (count(name), switches(at))).collect();
    std::thread::sleep(time);
    let after: Vec<_> = threads.iter().map(|(name, at)| (count(name), switches(at))).collect();

    println!(
        "{:8} {:>8} {:>7} {:>8} {:>8} {:>12} {:>12} {:>12} {:>21}",
        "task",
        "upcalls",
        "missed",
        "overruns",
        "skipped",
        "mean start",
        "latest start",
        "longest",
        "switches vol., invol."
    );
    for (((name, _), before), after) in threads.iter().zip(before).zip(after) {
        let (counts, (waits, pauses)) = after;
        let (counts_before, (waits_before, pauses_before)) = before;
        let made = (counts.upcalls - counts_before.upcalls).max(1) as f64;
        println!(
            "{name:8} {:8} {:7} {:8} {:8} {:>12} {:>12} {:>12} {:>13.3} {:>7.3}",
            counts.upcalls,
            counts.missed,
            counts.overruns,
            counts.skipped,
            micros(counts.mean_lateness()),
            micros(counts.latest_start),
            micros(counts.longest_response),
            (waits - waits_before) as f64 / made,
            (pauses - pauses_before) as f64 / made,
        );
    }
    upcalls.stop();
    println!("the object was called {} times", steps.load(Ordering::Relaxed));
    orb.shutdown(true)?;
    Ok(())
}

fn micros(time: zorb_sched::Time) -> String {
    format!("{:.1} us", time.as_nanos() as f64 / 1e3)
}

fn usage() -> ExitCode {
    eprintln!("upcalls [--millis N] [--deadline]");
    ExitCode::from(2)
}

fn main() -> ExitCode {
    let (mut time, mut by_deadline) = (Duration::from_secs(10), false);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--deadline" => by_deadline = true,
            "--millis" => match words.next().and_then(|number| number.parse().ok()) {
                Some(millis) => time = Duration::from_millis(millis),
                None => return usage(),
            },
            _ => return usage(),
        }
    }
    match run(time, by_deadline) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
