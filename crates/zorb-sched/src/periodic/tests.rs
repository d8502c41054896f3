//! Upcalls with a simulated clock, and with the machine's.

use std::cell::RefCell;
use std::sync::Mutex;
use std::sync::mpsc::channel;

use super::clock::VirtualClock;
use super::counts::{Finding, UpcallCounts, UpcallEvent};
use super::releases::{Activation, Releases};
use super::task::{Backlog, PeriodicTask, UpcallScheduling};
use super::upcalls::{UpcallError, Upcalls, admit};
use crate::system::System;
use crate::{Strategy, Time};

const fn ms(millis: u64) -> Time {
    Time::from_millis(millis)
}

/// Runs `task` from time zero until `end`; upcall `n` uses the n-th entry of `work` as processor
/// time, or none. Returns the activations, the reports and the statistics.
fn run(
    task: &PeriodicTask,
    clock: &VirtualClock,
    work: &[Time],
) -> (Vec<Activation>, Vec<Finding>, UpcallCounts) {
    let (mut seen, findings) = (Vec::new(), RefCell::new(Vec::new()));
    let upcall = |activation: &Activation| {
        clock.work(work.get(seen.len()).copied().unwrap_or_default());
        seen.push(*activation);
    };
    let on_event = |event: &UpcallEvent<'_>| {
        assert_eq!(event.task, task.name);
        assert!(event.activation.release <= event.began && event.began <= event.ended);
        findings.borrow_mut().push(event.finding);
    };
    let counts = task.run_on(clock, Time::ZERO, upcall, on_event);
    (seen, findings.into_inner(), counts)
}

fn releases(seen: &[Activation]) -> Vec<u64> {
    seen.iter().map(|activation| activation.release.as_nanos() / 1_000_000).collect()
}

#[test]
fn upcalls_come_in_every_period_from_the_phase_on() {
    let task = PeriodicTask::new("sample", ms(10)).phase(ms(3)).deadline(ms(4)).budget(ms(2));
    let (seen, findings, counts) = run(&task, &VirtualClock::until(ms(43)), &[ms(2); 9]);
    assert_eq!(releases(&seen), [3, 13, 23, 33], "nothing is released at the end");
    assert_eq!(seen[2], Activation { number: 2, release: ms(23), deadline: ms(27), skipped: 0 });
    assert_eq!(findings, []);
    let expected = UpcallCounts {
        upcalls: 4,
        longest_response: ms(2),
        most_used: ms(2),
        ..UpcallCounts::default()
    };
    assert_eq!(counts, expected);
}

#[test]
fn releases_do_not_drift_with_late_wakes_and_long_upcalls() {
    // Each wait is 700 us too long, and each upcall takes most of the period.
    let clock = VirtualClock::until(ms(10_001)).waking_late(|_| Time::from_micros(700));
    let task = PeriodicTask::new("long", ms(10)).phase(ms(1)).budget(ms(9));
    let (seen, findings, counts) = run(&task, &clock, &[ms(9); 1000]);
    assert_eq!(seen.len(), 1000);
    assert!(seen.iter().all(|a| a.release == ms(1) + ms(10).times(a.number) && a.skipped == 0));
    assert_eq!(findings, []);
    assert_eq!(counts.latest_start, Time::from_micros(700));
    assert_eq!(counts.mean_lateness(), Time::from_micros(700));
    assert_eq!(counts.longest_response, Time::from_micros(9_700));
}

#[test]
fn missed_deadlines_are_reported_with_their_lateness() {
    let task = PeriodicTask::new("late", ms(10)).deadline(ms(5));
    let work = [ms(5), Time::from_nanos(5_000_001), ms(1), ms(9)];
    let (_, findings, counts) = run(&task, &VirtualClock::until(ms(50)), &work);
    let missed = |by| Finding::DeadlineMissed { by };
    assert_eq!(findings, [missed(Time::from_nanos(1)), missed(ms(4))]);
    assert_eq!((counts.upcalls, counts.missed, counts.overruns), (5, 2, 0));
    assert_eq!(counts.most_used, Time::ZERO, "not measured without a budget");
}

#[test]
fn a_budget_is_of_processor_time_and_waiting_uses_none() {
    let task = PeriodicTask::new("waits", ms(10)).budget(ms(2));
    let clock = VirtualClock::until(ms(20));
    let findings = RefCell::new(Vec::new());
    let upcall = |activation: &Activation| {
        clock.wait(ms(6));
        clock.work(ms(2 + activation.number));
    };
    let counts = task.run_on(&clock, Time::ZERO, upcall, |event| {
        assert_eq!(event.used, ms(3));
        findings.borrow_mut().push(event.finding);
    });
    assert_eq!(*findings.borrow(), [Finding::BudgetOverrun { by: ms(1) }]);
    assert_eq!((counts.overruns, counts.missed, counts.most_used), (1, 0, ms(3)));
}

#[test]
fn overrun_periods_are_skipped_without_drift() {
    let task = PeriodicTask::new("overload", ms(10));
    // Until 35: of 10, 20 and 30 the last is run, late; until 49, and 40 is run late as well.
    let (seen, findings, counts) =
        run(&task, &VirtualClock::until(ms(70)), &[ms(35), ms(14), ms(11)]);
    assert_eq!(releases(&seen), [0, 30, 40, 60]);
    assert_eq!(seen.iter().map(|a| a.number).collect::<Vec<_>>(), [0, 3, 4, 6]);
    let missed = |by| Finding::DeadlineMissed { by };
    assert_eq!(
        findings,
        [
            missed(ms(25)),
            Finding::Skipped { releases: 2 },
            missed(ms(9)),
            missed(ms(10)),
            Finding::Skipped { releases: 1 },
        ]
    );
    assert_eq!((counts.upcalls, counts.skipped, counts.missed), (4, 3, 3));
    assert_eq!(counts.latest_start, ms(9));
}

#[test]
fn a_backlog_can_be_run() {
    let task = PeriodicTask::new("counts", ms(10)).backlog(Backlog::Run);
    let (seen, _, counts) = run(&task, &VirtualClock::until(ms(60)), &[ms(35)]);
    assert_eq!(releases(&seen), [0, 10, 20, 30, 40, 50]);
    assert_eq!((counts.upcalls, counts.skipped), (6, 0));
    assert_eq!(counts.missed, 3, "0, 10 and 20; 30 is done in time");
    assert_eq!(counts.latest_start, ms(25));
}

#[test]
fn a_panic_ends_one_upcall() {
    let task = PeriodicTask::new("panics", ms(10));
    let clock = VirtualClock::until(ms(30));
    let upcall = |activation: &Activation| assert_ne!(activation.number, 1);
    let counts = task.run_on(&clock, Time::ZERO, upcall, |_| ());
    assert_eq!((counts.upcalls, counts.panicked), (3, 1));
}

#[test]
fn releases_are_found_after_any_delay() {
    let task = PeriodicTask::new("rare", Time::from_nanos(3)).phase(Time::from_nanos(5));
    let mut all = Releases::new(&task, Time::from_nanos(100));
    assert_eq!(all.take(Time::from_nanos(104)), None);
    assert_eq!(all.take(Time::from_nanos(105)).map(|a| (a.number, a.skipped)), Some((0, 0)));
    assert_eq!(all.next(), Time::from_nanos(108));
    let far = Time::from_nanos(105 + 3_000_000_000 + 2);
    let found = all.take(far).map(|a| (a.number, a.skipped, a.release));
    assert_eq!(found, Some((1_000_000_000, 999_999_999, Time::from_nanos(3_000_000_105))));
    // The end of the clock must not cause a panic.
    assert!(all.take(Time::MAX).is_some());
    assert!(all.next() > far);
}

fn set() -> Vec<PeriodicTask> {
    vec![
        PeriodicTask::new("slow", ms(40)).budget(ms(10)),
        PeriodicTask::new("fast", ms(5)).budget(ms(1)),
        PeriodicTask::new("middle", ms(10)).budget(ms(3)).deadline(ms(6)),
    ]
}

fn admitted(tasks: &mut [PeriodicTask], system: &System) -> Result<(), UpcallError> {
    admit(&mut tasks.iter_mut().collect::<Vec<_>>(), system)
}

#[test]
fn an_admitted_set_has_the_priorities_of_its_strategy() {
    let mut tasks = set();
    admitted(&mut tasks, &System::new(Strategy::Rms)).unwrap();
    let scheduling: Vec<_> = tasks.iter().map(|task| task.scheduling).collect();
    let fifo = UpcallScheduling::Fifo;
    assert_eq!(scheduling, [fifo(87), fifo(89), fifo(88)]);
    assert!(tasks.iter().all(|task| task.processor.is_none()));

    let mut tasks = set();
    admitted(&mut tasks, &System::new(Strategy::Edf).preemptive(true)).unwrap();
    assert!(tasks.iter().all(|task| task.scheduling == UpcallScheduling::Deadline));

    let mut tasks = set();
    tasks.push(PeriodicTask::new("more", ms(20)).budget(ms(12)));
    admitted(&mut tasks, &System::new(Strategy::Rms).processors(2)).unwrap();
    assert!(tasks.iter().all(|task| task.processor.is_some_and(|number| number < 2)));
}

#[test]
fn tasks_that_may_miss_deadlines_are_not_started() {
    let mut tasks = set();
    tasks.push(PeriodicTask::new("more", ms(20)).budget(ms(12)));
    let refused = admitted(&mut tasks, &System::new(Strategy::Rms)).unwrap_err();
    let UpcallError::NotSchedulable(anomalies) = &refused else { panic!("{refused}") };
    assert!(anomalies.iter().any(|anomaly| anomaly.name() == "utilization_exceeded"));
    assert!(refused.to_string().starts_with("deadlines may be missed: "), "{refused}");

    for strategy in [Strategy::Mlf, Strategy::Muf, Strategy::Edf] {
        let refused = admitted(&mut set(), &System::new(strategy)).unwrap_err();
        assert!(matches!(refused, UpcallError::Strategy(which) if which == strategy));
    }
    let mut unknown = [PeriodicTask::new("unknown", ms(10))];
    let refused = admitted(&mut unknown, &System::new(Strategy::Rms)).unwrap_err();
    assert!(matches!(&refused, UpcallError::Task { task, .. } if task == "unknown"), "{refused}");
}

#[test]
fn invalid_tasks_are_not_started() {
    for (task, why) in [
        (PeriodicTask::new("none", Time::ZERO), "period"),
        (PeriodicTask::new("long", ms(1)).phase(Time::MAX), "too long"),
        (PeriodicTask::new("free", ms(1)).scheduling(UpcallScheduling::Deadline), "budget"),
        (PeriodicTask::new("high", ms(1)).scheduling(UpcallScheduling::Fifo(100)), "1 to 99"),
        (PeriodicTask::new("low", ms(1)).scheduling(UpcallScheduling::Fifo(0)), "1 to 99"),
    ] {
        let refused = Upcalls::new().task(task, |_| panic!("it runs")).start().unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[test]
fn upcalls_run_on_threads_until_they_are_stopped() {
    let schedules =
        [UpcallScheduling::Shared, UpcallScheduling::Fifo(5), UpcallScheduling::Deadline];
    for scheduling in schedules {
        let (tell, told) = channel();
        let task = PeriodicTask::new("machine", ms(2)).budget(ms(1)).scheduling(scheduling);
        let upcall = move |activation: &Activation| {
            // The receiver is gone while the last upcalls run.
            let _ = tell.send(*activation);
        };
        let started = Upcalls::new().task(task, upcall).start();
        let running = match started {
            // When other tasks use all the bandwidth.
            Err(UpcallError::NoResources { .. }) => continue,
            started => started.unwrap(),
        };
        let first = told.recv().unwrap();
        let mut last = first;
        while last.number < 5 {
            let next = told.recv().unwrap();
            assert!(next.number > last.number);
            last = next;
        }
        assert_eq!(last.release, first.release + ms(2).times(last.number - first.number));
        assert!(running.counts("machine").is_some() && running.counts("other").is_none());
        let counts = running.stop();
        assert!(counts[0].1.upcalls + counts[0].1.skipped > 5);
        // The thread has ended, and dropped the upcall's end of the channel.
        assert!(told.iter().count() < 1_000_000);
    }
}

#[test]
fn an_upcall_may_stop_all() {
    let slot = std::sync::Arc::new(Mutex::new(None));
    let (tell, told) = channel();
    let (own, done) = (std::sync::Arc::clone(&slot), tell);
    let running = Upcalls::new()
        .task(PeriodicTask::new("ends", ms(1)), move |_| {
            if let Some(running) = own.lock().unwrap().take() {
                drop::<super::upcalls::RunningUpcalls>(running);
                done.send(()).unwrap();
            }
        })
        .start()
        .unwrap();
    *slot.lock().unwrap() = Some(running);
    told.recv().unwrap();
    assert!(told.recv().is_err(), "its thread has ended");
}

#[test]
fn one_release_is_one() {
    let said = [1, 2].map(|releases| super::counts::Finding::Skipped { releases }.to_string());
    assert_eq!(said, ["1 release skipped", "2 releases skipped"]);
}
