//! The service, called over a connection.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zorb::{CompletionStatus, MinorCode, Orb, SystemException, SystemExceptionKind};
use zorb_sched::{Call, RtInfo, Strategy, System, TaskSet, Time};
use zorb_sched_service::SchedulerService;
use zorb_sched_service::rtec_base::{DependencyEnabledTypeT, DependencyTypeT};
use zorb_sched_service::rtec_scheduler::{
    AnomalySeverity, CriticalityT, DispatchingTypeT, ImportanceT, InfoTypeT, RtInfoEnableStatePair,
    RtInfoEnabledTypeT, Scheduler, scheduler,
};
use zorb_testkit::HostileClients;

const MS: u64 = 10_000;

/// A client's reference to a service with these operations.
fn serve(set: TaskSet, strategy: Strategy) -> (Orb, Orb, Scheduler) {
    serve_with(set, strategy, &[])
}

/// The same in a server with these options.
fn serve_with(set: TaskSet, strategy: Strategy, options: &[(&str, &str)]) -> (Orb, Orb, Scheduler) {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    let builder = options.iter().fold(builder, |it, (name, value)| it.option(name, *value));
    let server = builder.build().unwrap();
    let service = SchedulerService::new(set, System::new(strategy));
    let served = service.serve(&server.root_poa()).unwrap();
    server.publish("ScheduleService", &served).unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let reference = client.resolve(&zorb::Interface::to_ior_string(&served)).unwrap();
    (server, client, reference)
}

/// Adds an operation; times are in units of 100 ns.
fn add(scheduler: &Scheduler, name: &str, worst: u64, period: u64, kind: InfoTypeT) -> i32 {
    let handle = scheduler.create(name).unwrap();
    let (high, low) = (CriticalityT::HighCriticality, ImportanceT::LowImportance);
    let period = i32::try_from(period).unwrap();
    scheduler.set(handle, high, worst, worst, 0, period, low, 0, 0, kind).unwrap();
    handle
}

#[test]
fn described_operations_get_priorities() {
    let (server, client, scheduler) = serve(TaskSet::new(), Strategy::Rms);
    let fast = add(&scheduler, "fast", MS, 10 * MS, InfoTypeT::Operation);
    let slow = add(&scheduler, "slow", 5 * MS, 40 * MS, InfoTypeT::Operation);
    let helper = add(&scheduler, "helper", MS, 0, InfoTypeT::Operation);
    let two = DependencyTypeT::TwoWayCall;
    scheduler.add_dependency(slow, helper, 3, two).unwrap();
    assert_eq!(scheduler.lookup("slow").unwrap(), slow);
    assert!(matches!(scheduler.priority(fast), Err(scheduler::PriorityError::NotScheduled(_))));

    let (infos, dependencies, configs, anomalies) = scheduler.compute_scheduling(10, 20).unwrap();
    assert_eq!(anomalies, []);
    let priorities: Vec<_> = infos.iter().map(|i| (i.priority, i.preemption_priority)).collect();
    assert_eq!(priorities, [(20, 0), (19, 1), (19, 1)]);
    assert_eq!((dependencies.len(), dependencies[0].rt_info_depended_on), (1, helper));
    let queues: Vec<_> =
        configs.iter().map(|c| (c.thread_priority, c.timer_periods.clone())).collect();
    assert_eq!(queues, [(20, vec![100_000]), (19, vec![400_000])]);
    assert_eq!(scheduler.priority(fast).unwrap(), (20, 0, 0));
    assert_eq!(scheduler.entry_point_priority("slow").unwrap(), (19, 0, 1));
    let found = scheduler.dispatch_configuration(1).unwrap();
    assert_eq!(found, (19, DispatchingTypeT::StaticDispatching));
    assert_eq!(scheduler.last_scheduled_priority().unwrap(), 1);
    assert_eq!(scheduler.get_config_infos().unwrap(), configs);
    assert_eq!(scheduler.get(slow).unwrap(), infos[1]);
    assert_eq!(scheduler.get_rt_info_set().unwrap(), infos);

    // Every change invalidates the schedule.
    scheduler.remove_dependency(slow, helper, 3, two).unwrap();
    assert!(scheduler.priority(fast).is_err() && scheduler.get_config_infos().is_err());
    let anomalies = scheduler.recompute_scheduling(10, 20).unwrap();
    assert_eq!(anomalies[0].severity, AnomalySeverity::AnomalyFatal);
    assert!(anomalies[0].description.starts_with("unresolved_dependencies: "), "{anomalies:?}");
    assert!(scheduler.priority(fast).is_err(), "an invalid set has no schedule");
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn disabled_operations_use_no_time() {
    let ms = Time::from_millis;
    let mut set = TaskSet::new();
    let sink = set.add(RtInfo::new("sink", ms(6))).unwrap();
    set.add(RtInfo::new("a", ms(6)).period(ms(10)).calls(Call::one_way(sink, 1))).unwrap();
    let (server, client, scheduler) = serve(set, Strategy::Muf);
    let names = |anomalies: Vec<zorb_sched_service::rtec_scheduler::SchedulingAnomaly>| {
        let name = |text: &str| text.split(':').next().unwrap().to_owned();
        anomalies.iter().map(|anomaly| name(&anomaly.description)).collect::<Vec<_>>()
    };
    let all = names(scheduler.recompute_scheduling(1, 99).unwrap());
    assert_eq!(all[0], "utilization_exceeded");
    let (a, sink) = (scheduler.lookup("a").unwrap(), scheduler.lookup("sink").unwrap());
    let off = RtInfoEnableStatePair { handle: sink, enabled: RtInfoEnabledTypeT::RtInfoDisabled };
    scheduler.set_rt_info_enable_state_seq(&[off]).unwrap();
    assert_eq!(names(scheduler.recompute_scheduling(1, 99).unwrap()), [""; 0]);
    scheduler.set_rt_info_enable_state(sink, RtInfoEnabledTypeT::RtInfoNonVolatile).unwrap();
    let mut dependencies = scheduler.get_dependency_set().unwrap();
    dependencies[0].enabled = DependencyEnabledTypeT::DependencyDisabled;
    scheduler.set_dependency_enable_state_seq(&dependencies).unwrap();
    let left = names(scheduler.recompute_scheduling(1, 99).unwrap());
    assert_eq!(left, ["unresolved_dependencies"], "the sink is enabled, and has no caller");
    let one_way = DependencyTypeT::OneWayCall;
    let on = DependencyEnabledTypeT::DependencyEnabled;
    scheduler.set_dependency_enable_state(a, sink, 1, one_way, on).unwrap();
    assert_eq!(names(scheduler.recompute_scheduling(1, 99).unwrap()), all);
    let wrong = scheduler.set_dependency_enable_state(a, sink, 2, one_way, on);
    assert!(wrong.is_err());
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn sequences_are_set_atomically() {
    let (server, client, scheduler) = serve(TaskSet::new(), Strategy::Rms);
    add(&scheduler, "a", MS, 10 * MS, InfoTypeT::Operation);
    add(&scheduler, "b", MS, 20 * MS, InfoTypeT::Operation);
    let mut infos = scheduler.get_rt_info_set().unwrap();
    infos[0].period = 300_000;
    infos[1].handle = 7;
    let unknown = scheduler.set_seq(&infos).unwrap_err();
    assert!(matches!(unknown, scheduler::SetSeqError::UnknownTask(_)));
    assert_eq!(scheduler.get(1).unwrap().period, 100_000);
    infos.pop();
    scheduler.reset_seq(&infos).unwrap();
    assert_eq!(scheduler.get(1).unwrap().period, 300_000);
    assert_eq!(scheduler.get(2).unwrap().period, 200_000);
    scheduler.replace_seq(&infos).unwrap();
    assert_eq!(scheduler.get(2).unwrap().period, 0, "as it was created");
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn invalid_requests_raise_exceptions() {
    let (server, client, scheduler) = serve(TaskSet::new(), Strategy::Rms);
    let a = add(&scheduler, "a", MS, 10 * MS, InfoTypeT::Operation);
    assert!(matches!(scheduler.create("a"), Err(scheduler::CreateError::DuplicateName(_))));
    assert!(matches!(scheduler.lookup("b"), Err(scheduler::LookupError::UnknownTask(_))));
    for unknown in [0, -1, 2, i32::MAX] {
        assert!(matches!(scheduler.get(unknown), Err(scheduler::GetError::UnknownTask(_))));
    }
    let set = |worst, period, threads| {
        let (high, low) = (CriticalityT::HighCriticality, ImportanceT::LowImportance);
        scheduler.set(a, high, worst, 0, 0, period, low, 0, threads, InfoTypeT::Operation)
    };
    for wrong in [set(MS, -1, 0), set(MS, 1, -1), set(u64::MAX, 1, 0)] {
        assert!(matches!(wrong, Err(scheduler::SetError::System(_))), "{wrong:?}");
    }
    let two = DependencyTypeT::TwoWayCall;
    let negative = scheduler.add_dependency(a, a, -1, two);
    assert!(matches!(negative, Err(scheduler::AddDependencyError::System(_))));
    for (low, high) in [(0, 0), (50, 40), (100, 200), (-5, -1)] {
        let refused = scheduler.compute_scheduling(low, high);
        use scheduler::ComputeSchedulingError::InsufficientThreadPriorityLevels;
        assert!(matches!(refused, Err(InsufficientThreadPriorityLevels(_))), "{low} to {high}");
    }
    scheduler.compute_scheduling(0, 200).unwrap();
    assert_eq!(scheduler.priority(a).unwrap().0, 99);
    let level = scheduler.dispatch_configuration(1);
    use scheduler::DispatchConfigurationError::UnknownPriorityLevel;
    assert!(matches!(level, Err(UnknownPriorityLevel(_))));
    // A cycle is reported by name.
    scheduler.add_dependency(a, a, 1, two).unwrap();
    let anomalies = scheduler.recompute_scheduling(1, 9).unwrap();
    assert_eq!(anomalies[0].description, "cycle: the calls form a cycle: a -> a");
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn strangers_keep_no_client_out() {
    let options = [("MaxConnections", "12"), ("MaxConnectionsPerPeer", "12")];
    let (server, client, scheduler) = serve_with(TaskSet::new(), Strategy::Rms, &options);
    let mut clients = HostileClients::at(server.endpoints()[0].trim_start_matches("iiop://"));
    for number in 0..60 {
        (0..5).for_each(|_| clients.another());
        let name = format!("n{number}");
        let handle = add(&scheduler, &name, MS, 1000 * MS, InfoTypeT::Operation);
        assert_eq!(scheduler.lookup(&name).unwrap(), handle);
    }
    assert_eq!(scheduler.get_rt_info_set().unwrap().len(), 60);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn clients_that_the_check_refuses_may_only_read() {
    let server = Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
    let is_refused = Arc::new(AtomicBool::new(false));
    let mut service = SchedulerService::new(TaskSet::new(), System::new(Strategy::Rms));
    let asked = Arc::clone(&is_refused);
    service.set_write_check(move || match asked.load(Ordering::SeqCst) {
        true => Err(SystemException::no_permission(MinorCode::NONE, CompletionStatus::No)),
        false => Ok(()),
    });
    let served = service.serve(&server.root_poa()).unwrap();
    let client = Orb::builder().without_environment().build().unwrap();
    let scheduler: Scheduler = client.resolve(&zorb::Interface::to_ior_string(&served)).unwrap();
    let a = add(&scheduler, "a", MS, 10 * MS, InfoTypeT::Operation);
    let (infos, ..) = scheduler.compute_scheduling(1, 9).unwrap();

    is_refused.store(true, Ordering::SeqCst);
    let (high, low) = (CriticalityT::HighCriticality, ImportanceT::LowImportance);
    let (kind, two) = (InfoTypeT::Operation, DependencyTypeT::TwoWayCall);
    let (on, enabled) =
        (DependencyEnabledTypeT::DependencyEnabled, RtInfoEnabledTypeT::RtInfoEnabled);
    let changes: [Result<(), SystemException>; 14] = [
        scheduler.create("b").map(drop).map_err(Into::into),
        scheduler.set(a, high, MS, 0, 0, 1, low, 0, 0, kind).map_err(Into::into),
        scheduler.reset(a, high, MS, 0, 0, 1, low, 0, 0, kind).map_err(Into::into),
        scheduler.set_seq(&infos).map_err(Into::into),
        scheduler.reset_seq(&infos).map_err(Into::into),
        scheduler.replace_seq(&infos).map_err(Into::into),
        scheduler.add_dependency(a, a, 1, two).map_err(Into::into),
        scheduler.remove_dependency(a, a, 1, two).map_err(Into::into),
        scheduler.set_dependency_enable_state(a, a, 1, two, on).map_err(Into::into),
        scheduler.set_dependency_enable_state_seq(&[]).map_err(Into::into),
        scheduler.set_rt_info_enable_state(a, enabled).map_err(Into::into),
        scheduler.set_rt_info_enable_state_seq(&[]).map_err(Into::into),
        scheduler.compute_scheduling(1, 9).map(drop).map_err(Into::into),
        scheduler.recompute_scheduling(1, 9).map(drop).map_err(Into::into),
    ];
    for (number, change) in changes.iter().enumerate() {
        let kind = change.as_ref().map_err(|exception| exception.kind);
        assert_eq!(kind, Err(SystemExceptionKind::NoPermission), "{number}: {change:?}");
    }
    assert_eq!(scheduler.get_rt_info_set().unwrap(), infos, "the schedule is still there");
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

#[test]
fn names_of_operations_have_a_limit() {
    let (server, client, scheduler) = serve(TaskSet::new(), Strategy::Rms);
    scheduler.create(&"x".repeat(1024)).unwrap();
    let refused: SystemException = scheduler.create(&"x".repeat(1025)).unwrap_err().into();
    assert_eq!(refused.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(scheduler.get_rt_info_set().unwrap().len(), 1);
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
