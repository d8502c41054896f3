//! Periodic upcalls with rate-monotonic priorities: three tasks that use 60 % of a processor, beside
//! threads that saturate it.

mod record;
mod stolen_time;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use zorb_os::clock::MonotonicTime;
use zorb_os::priority::{self, Schedule};
use zorb_os::thread;
use zorb_sched::{Activation, PeriodicTask, Strategy, System, UpcallCounts, Upcalls};

use super::finding::{Finding, rounded};
use super::quiet::{Disturbed, Quiet};
use super::switches::Switches;
use super::times::Times;
use super::work;
use crate::error::{Error, Result};
use record::{Late, Report, Starts, StolenTimes};
use stolen_time::{StolenTime, Window};

/// A task: its name, period and budget in microseconds, and the part of the budget that it uses.
struct Task {
    name: &'static str,
    period_us: u64,
    budget_us: u64,
    work_us: u32,
}

/// 2 kHz, 100 Hz and 10 Hz: budgets of 0.6 of a processor.
const TASKS: [Task; 3] = [
    Task { name: "sample", period_us: 500, budget_us: 100, work_us: 70 },
    Task { name: "steer", period_us: 10_000, budget_us: 2_000, work_us: 1_500 },
    Task { name: "show", period_us: 100_000, budget_us: 20_000, work_us: 15_000 },
];
/// Number of busy threads without priority.
const HOGS: usize = 2;
/// Higher than all measured priorities.
const CONTROL: u8 = 95;

/// The results of a task.
#[derive(Debug)]
struct Served {
    counts: UpcallCounts,
    late: Late,
    starts: Times,
    /// Those of its thread.
    switches: Switches,
}

/// Runs the tasks for a time, and without priorities for a tenth of it.
pub(super) fn run(time: Duration) -> Result<Finding> {
    let mut finding = Finding::default();
    let served = tasks(time, true)?;
    finding.measure("seconds", time.as_secs_f64());
    for (task, served) in TASKS.iter().zip(&served) {
        report(&mut finding, task.name, "priorities", served);
        let made = served.counts.upcalls.max(1) as f64;
        let waits = served.switches.waits as f64 / made;
        let expected = (time.as_micros() as u64 / task.period_us).saturating_sub(2);
        finding.check(
            &format!("{}: upcalls", task.name),
            &format!("at least {expected}"),
            served.counts.upcalls + served.counts.skipped,
            served.counts.upcalls + served.counts.skipped >= expected,
        );
        let missed = served.late.own();
        finding.check(
            &format!("{}: missed, except those that the machine delayed", task.name),
            "0",
            missed,
            missed == 0,
        );
        finding.check(
            &format!("{}: voluntary context switches per upcall", task.name),
            "at most 1",
            rounded(waits),
            waits <= 1.005,
        );
    }
    let served = tasks(time / 10, false)?;
    for (task, served) in TASKS.iter().zip(&served) {
        report(&mut finding, task.name, "no priorities", served);
    }
    let missed: u64 = served.iter().map(|served| served.late.own()).sum();
    finding.control(
        "without priorities: missed, except those that the machine delayed",
        "1 or more",
        missed,
        missed > 0,
    );
    Ok(finding)
}

fn report(finding: &mut Finding, task: &str, config: &str, served: &Served) {
    let Served { counts, late, starts, switches } = served;
    let name = |part: &str| super::finding::named(&format!("{task} {config} {part}"));
    finding.times(&format!("{task}, {config}"), "start", starts);
    finding.measure(&name("upcalls"), counts.upcalls);
    finding.measure(&name("missed"), late.all);
    finding.measure(&name("missed_because_threads_could_not_start"), late.begun_late);
    finding.measure(&name("missed_because_loops_were_interrupted"), late.held_up);
    finding.measure(&name("missed_longest_own_us"), rounded(late.longest_own as f64 / 1000.0));
    finding.measure(&name("skipped"), counts.skipped);
    finding.measure(&name("overruns"), counts.overruns);
    finding.measure(&name("longest_response_us"), counts.longest_response.as_nanos() / 1000);
    let made = counts.upcalls.max(1) as f64;
    finding.measure(&name("waits_an_upcall"), rounded(switches.waits as f64 / made));
    let interruptions = rounded(switches.interruptions as f64 / made);
    finding.measure(&name("interruptions_an_upcall"), interruptions);
}

/// Runs all tasks for a while.
fn tasks(time: Duration, with_priorities: bool) -> Result<Vec<Served>> {
    work::calibrate();
    let processor = *thread::affinity()?.last().ok_or_else(|| Error::new("no processor"))?;
    let number = u32::try_from(processor).unwrap_or_default();
    let stop = AtomicBool::new(false);
    let quiet = Quiet::watch(&[processor])?;
    let starts: Vec<Arc<Starts>> = TASKS.iter().map(|task| Arc::new(task.starts(time))).collect();
    let (tell, told) = channel();
    let misses = Arc::new(Mutex::new(Vec::with_capacity(1 << 16)));
    let mut upcalls = Upcalls::new();
    for (task, starts) in TASKS.iter().zip(&starts) {
        let mut tell = Some(tell.clone());
        let (starts, work_us, name) = (Arc::clone(starts), task.work_us, task.name);
        let upcall = move |activation: &Activation| {
            starts.note(activation);
            if let Some(tell) = tell.take() {
                report_thread(&tell, name);
            }
            let begun = MonotonicTime::now();
            work::busy(work_us);
            starts.looped(activation, begun);
        };
        let ms = Duration::from_micros;
        let periodic = PeriodicTask::new(name, ms(task.period_us)).budget(ms(task.budget_us));
        upcalls = upcalls.task(periodic.processor(number), upcall);
    }
    drop(tell);
    let noted = Arc::clone(&misses);
    let upcalls = upcalls.on_event(move |event| {
        let activation = event.activation;
        let deadline = activation.deadline - activation.release;
        let (releases, period) = match event.finding {
            zorb_sched::Finding::DeadlineMissed { .. } => (1, zorb_sched::Time::ZERO),
            // Skipped releases were missed, too.
            zorb_sched::Finding::Skipped { releases } => (releases, deadline),
            _ => return,
        };
        let at = |time: zorb_sched::Time| MonotonicTime::from_nanos(time.as_nanos());
        let from = at(activation.release - period.times(releases));
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < noted.capacity() {
            let (task, deadline) = (event.task.to_owned(), deadline.as_nanos());
            noted.push(Report { task, releases, from, ended: at(event.ended), deadline });
        }
    });
    let upcalls = match with_priorities {
        true => {
            let system = System::new(Strategy::Rms).processors(number + 1);
            upcalls.admission(system).need_privilege()
        }
        false => upcalls,
    };
    let failed = |error: zorb_sched::UpcallError| Error::new(error.to_string());
    std::thread::scope(|scope| {
        for _ in 0..HOGS {
            scope.spawn(|| {
                let _ = thread::set_affinity(&[processor]);
                while !stop.load(Ordering::Relaxed) {
                    work::busy(100);
                }
            });
        }
        let running = upcalls.start().map_err(failed);
        let watched = running.and_then(|running| {
            let control = scope.spawn(|| control(&stop, &starts, processor));
            let threads: Vec<(&str, u32)> = told.iter().take(TASKS.len()).collect();
            let changes = || threads.iter().map(|(name, thread)| (*name, Switches::of(*thread)));
            let before: Vec<_> = changes().collect();
            std::thread::sleep(time);
            let after: Vec<_> = changes().collect();
            let counts = running.stop();
            stop.store(true, Ordering::Relaxed);
            let windows = control.join().map_err(|_| Error::new("the control thread panicked"))?;
            Ok((before, after, counts, windows))
        });
        stop.store(true, Ordering::Relaxed);
        let (before, after, counts, windows) = watched?;
        let stolen_times = stolen_times(&windows, &starts, with_priorities);
        let [fastest, ..] = &TASKS;
        let slack = Duration::from_micros(fastest.period_us - fastest.budget_us);
        let kept = windows.into_iter().filter(|(due, woke)| woke.duration_since(*due) > slack);
        let elsewhere = quiet.disturbed().and(Disturbed::of(kept.collect()));
        let misses = misses.lock().unwrap_or_else(PoisonError::into_inner);
        let served =
            TASKS.iter().zip(&starts).zip(counts).map(|((task, starts), (name, counts))| {
                let reports = misses.iter().filter(|report| report.task == name);
                let switches = |all: &[(&str, Switches)]| {
                    let own = all.iter().find(|(of, _)| *of == name);
                    own.map(|(_, switches)| *switches).unwrap_or_default()
                };
                Served {
                    counts,
                    late: stolen_times.judge(reports),
                    starts: Times::of(&starts.samples(task.period_us), &elsewhere),
                    switches: switches(&after).since(switches(&before)),
                }
            });
        Ok(served.collect())
    })
}

impl Task {
    fn starts(&self, time: Duration) -> Starts {
        let all = time.as_micros() as u64 / self.period_us + 1000;
        Starts::of(all)
    }
}

/// The stolen times. The loop of the fastest task shows them only if it has its priority, so that no
/// other thread can interrupt it.
fn stolen_times(begins: &[Window], starts: &[Arc<Starts>], with_priorities: bool) -> StolenTimes {
    let mut both = begins.to_vec();
    if let Some((task, starts)) = TASKS.iter().zip(starts).next().filter(|_| with_priorities) {
        both.extend(starts.held_up(task.period_us, task.work_us));
    }
    StolenTimes { begins: StolenTime::of(begins.to_vec()), both: StolenTime::of(both) }
}

/// Times in which no thread could start: a thread of the highest priority wakes at the releases of the
/// fastest task, and records its delays.
fn control(stop: &AtomicBool, starts: &[Arc<Starts>], processor: usize) -> Vec<Window> {
    let mut windows = Vec::with_capacity(1 << 16);
    let [task, ..] = &TASKS;
    let Some(starts) = starts.first() else { return windows };
    // Without permission, it also detects its own delays.
    let _ = thread::set_affinity(&[processor]);
    let _ = priority::set(Schedule::Fifo(CONTROL));
    while starts.first.load(Ordering::Acquire) == 0 && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let period = Duration::from_micros(task.period_us);
    let mut due = MonotonicTime::from_nanos(starts.first.load(Ordering::Acquire));
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(due.time_left());
        let now = MonotonicTime::now();
        let late = now.duration_since(due);
        if StolenTime::counts(late) && windows.len() < windows.capacity() {
            windows.push((due, now));
        }
        // Skips the releases in between.
        let passed = u32::try_from(late.as_nanos() / period.as_nanos()).unwrap_or(u32::MAX);
        due = due + period * (passed + 1);
    }
    windows
}

fn report_thread(sender: &Sender<(&'static str, u32)>, name: &'static str) {
    // The experiment waits for this message.
    let _ = sender.send((name, thread::id()));
}
