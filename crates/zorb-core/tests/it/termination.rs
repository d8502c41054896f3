//! Servers that end: signals, and upcalls that are running then.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::raise;
use zorb_core::poa::{
    AnyServant, Etherealization, ObjectId, Poa, PoaError, PoaPolicies, ServantActivator,
    ServantManagerError,
};
use zorb_core::{Health, Interface, Orb};
use zorb_testkit::{Log, end_of_own_process, exhaust_descriptors, in_own_process};
use zorb_types::{SystemException, SystemExceptionKind, minor};

use crate::support::{Acting, Echo, EchoServant, Servant, builder, client, until};

/// A server with a grace time, and one call of it that waits for the note 1.
struct Serving {
    orb: Orb,
    servant: Arc<Servant>,
    _client: Orb,
    there: Echo,
}

impl Serving {
    fn new(grace: Duration) -> Self {
        let orb = builder().listen("iiop://127.0.0.3:0").shutdown_grace(grace).build().unwrap();
        let servant = Arc::new(Servant::default());
        let here: Echo = orb.root_poa().activate_shared(&servant).unwrap();
        let (client, there) = client(&here);
        Self { orb, servant, _client: client, there }
    }

    fn await_call(&self) {
        until(|| self.servant.waiting.load(Ordering::SeqCst));
    }

    fn await_shutdown(&self) {
        let create = || self.orb.root_poa().create("another", PoaPolicies::new());
        until(|| matches!(create(), Err(PoaError::System(_))));
    }
}

/// Whether there is a thread with this name.
fn has_thread(name: &str) -> bool {
    let mut threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let named = |path| std::fs::read_to_string(path).is_ok_and(|comm| comm.trim() == name);
    threads.any(|thread| named(thread.path().join("comm")))
}

/// Waits for a thread with this name.
fn await_thread(name: &str) {
    until(|| has_thread(name));
}

#[test]
fn a_shutdown_names_the_upcalls_that_outlast_its_grace_time() {
    let server = Serving::new(Duration::from_millis(1));
    std::thread::scope(|scope| {
        let call = scope.spawn(|| server.there.wait_for(1));
        server.await_call();
        let log = Log::default();
        let ended = log.of(|| server.orb.shutdown(true));
        server.servant.note(1);
        let error = ended.unwrap_err();
        let exception = zorb_types::SystemException::from(error);
        assert_eq!(exception.kind, SystemExceptionKind::Timeout);
        assert_eq!(exception.minor, minor::timeout::SHUTDOWN);
        let lines = log.lines();
        let stuck = lines.iter().find(|line| line.field("operation") == Some("\"wait_for\""));
        let stuck = stuck.unwrap_or_else(|| panic!("{lines:?}"));
        assert_eq!(stuck.level, tracing::Level::ERROR);
        assert!(stuck.field("thread").unwrap().starts_with("\"zorb"), "{stuck:?}");
        let _ = call.join().unwrap();
    });
}

#[test]
fn the_error_of_a_shutdown_names_the_upcalls_that_run_and_their_threads() {
    let server = Serving::new(Duration::from_millis(1));
    let (_other, there) = client(&server.there);
    std::thread::scope(|scope| {
        let calls = [&server.there, &there].map(|there| {
            let call = scope.spawn(|| there.wait_for(1));
            until(|| server.servant.waiting.swap(false, Ordering::SeqCst));
            call
        });
        let error = server.orb.shutdown(true).unwrap_err().to_string();
        server.servant.note(1);
        for number in [1, 2] {
            let named = format!("wait_for on the thread zorb-serve-{number}");
            assert!(error.contains(&named), "{error}");
        }
        calls.into_iter().for_each(|call| drop(call.join().unwrap()));
    });
}

#[test]
fn a_signal_ends_a_server_after_the_upcalls_that_are_running() {
    let name = "termination::a_signal_ends_a_server_after_the_upcalls_that_are_running";
    in_own_process(name, || {
        let server = Serving::new(Duration::from_secs(60));
        std::thread::scope(|scope| {
            let call = scope.spawn(|| server.there.wait_for(1));
            scope.spawn(|| {
                server.await_call();
                await_thread("zorb-signals");
                raise(SIGTERM).unwrap();
                server.await_shutdown();
                server.servant.note(1);
            });
            server.orb.run_until_signal().unwrap();
            call.join().unwrap().unwrap();
        });
    });
}

/// Runs an ORB until the process gets `signal`.
fn run_until(signal: i32) {
    // A thread that has been joined may not have gone yet.
    until(|| !has_thread("zorb-signals"));
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            await_thread("zorb-signals");
            raise(signal).unwrap();
        });
        orb.run_until_signal().unwrap();
    });
}

#[test]
fn each_orb_of_a_process_ends_orderly_and_the_next_signal_ends_the_process() {
    let name =
        "termination::each_orb_of_a_process_ends_orderly_and_the_next_signal_ends_the_process";
    let output = end_of_own_process(name, || {
        run_until(SIGTERM);
        run_until(SIGINT);
        run_until(SIGTERM);
        eprintln!("all have ended");
        raise(SIGINT).unwrap();
        eprintln!("ignored");
    });
    let Some(output) = output else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("all have ended"), "{errors}");
    assert_eq!(output.status.signal(), Some(SIGINT), "{errors}");
}

#[test]
fn a_signal_ends_the_process_if_the_orb_could_not_wait_for_it() {
    let name = "termination::a_signal_ends_the_process_if_the_orb_could_not_wait_for_it";
    let output = end_of_own_process(name, || {
        let orb = builder().build().unwrap();
        let taken = exhaust_descriptors();
        assert!(orb.run_until_signal().is_err());
        drop(taken);
        raise(SIGTERM).unwrap();
        eprintln!("ignored");
    });
    let Some(output) = output else { return };
    assert_eq!(output.status.signal(), Some(SIGTERM), "{output:?}");
}

#[test]
fn a_server_that_drains_is_live_and_serves_new_clients_but_is_not_ready() {
    let name = "termination::a_server_that_drains_is_live_and_serves_new_clients_but_is_not_ready";
    in_own_process(name, || {
        let drain = Duration::from_secs(3600);
        let orb = builder().listen("iiop://127.0.0.1:0").shutdown_drain(drain).build().unwrap();
        let here: Echo = orb.root_poa().activate(Servant::default()).unwrap();
        let health = orb.publish_health("Health", drain).unwrap();
        let prober = builder().build().unwrap();
        let probed: Health = prober.resolve(&health.as_object().to_ior_string()).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                await_thread("zorb-signals");
                until(|| probed.ready() == Ok((true, String::new())));
                raise(SIGTERM).unwrap();
                let draining = Ok((false, "the server is draining".to_owned()));
                until(|| probed.ready() == draining);
                assert_eq!(probed.live(), Ok((true, String::new())));
                let (_client, there) = client(&here);
                assert_eq!(there.twice(2), Ok(4));
                // It need not take its time.
                orb.shutdown(false).unwrap();
            });
            orb.run_until_signal().unwrap();
        });
        probed.ready().unwrap_err();
    });
}

#[test]
fn a_server_shuts_down_after_its_time_to_drain() {
    let name = "termination::a_server_shuts_down_after_its_time_to_drain";
    in_own_process(name, || {
        let builder = builder().listen("iiop://127.0.0.1:0");
        let orb = builder.shutdown_drain(Duration::from_millis(1)).build().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                await_thread("zorb-signals");
                raise(SIGTERM).unwrap();
            });
            orb.run_until_signal().unwrap();
        });
        let error = orb.serve().unwrap_err();
        assert_eq!(SystemException::from(error).minor, minor::bad_inv_order::SHUT_DOWN);
    });
}

#[test]
fn a_second_signal_ends_a_server_that_drains() {
    let name = "termination::a_second_signal_ends_a_server_that_drains";
    let output = end_of_own_process(name, || {
        let drain = Duration::from_secs(3600);
        let orb = builder().listen("iiop://127.0.0.1:0").shutdown_drain(drain).build().unwrap();
        let health = orb.publish_health("Health", drain).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                await_thread("zorb-signals");
                until(|| health.ready() == Ok((true, String::new())));
                raise(SIGTERM).unwrap();
                until(|| health.ready() == Ok((false, "the server is draining".to_owned())));
                raise(SIGINT).unwrap();
                eprintln!("ignored");
            });
            orb.run_until_signal().unwrap();
        });
    });
    let Some(output) = output else { return };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(SIGINT), "{errors}");
    assert!(!errors.contains("ignored"), "{errors}");
}

#[test]
fn an_orbs_id_is_in_the_names_of_its_threads_and_around_what_they_log() {
    let name = "termination::an_orbs_id_is_in_the_names_of_its_threads_and_around_what_they_log";
    in_own_process(name, || {
        let log = Log::of_process();
        let orb = builder().id("front").listen("iiop://127.0.0.1:0").build().unwrap();
        let says = |value| {
            let thread = std::thread::current().name().map(str::to_owned);
            tracing::info!(thread, "in the upcall");
            Ok(value)
        };
        let here: Echo = orb.root_poa().activate(Acting(says)).unwrap();
        let (_client, there) = client(&here);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                await_thread("front-signals");
                there.twice(1).unwrap();
                raise(SIGTERM).unwrap();
            });
            orb.run_until_signal().unwrap();
        });
        let lines = log.lines();
        for message in ["in the upcall", "shutting down"] {
            let line = lines.iter().find(|line| line.message == message);
            let line = line.unwrap_or_else(|| panic!("{lines:?}"));
            assert_eq!(line.field_of_span("orb", "id"), Some("\"front\""), "{line:?}");
            if let Some(thread) = line.field("thread") {
                assert_eq!(thread, "\"front-serve-1\"");
            }
        }
    });
}

/// Incarnates objects as `Servant`s. Etherealizing them takes until the test ends.
struct StuckActivator {
    begun: Mutex<Sender<()>>,
    freed: Mutex<Receiver<()>>,
}

impl ServantActivator for StuckActivator {
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        Ok(AnyServant::of::<Echo, _>(Arc::new(Servant::default())))
    }

    fn etherealize(&self, _: &Poa, _: &ObjectId, _: AnyServant, _: Etherealization) {
        let _ = self.begun.lock().unwrap().send(());
        let _ = self.freed.lock().unwrap().recv();
    }
}

fn assert_times_out(ended: Result<(), zorb_core::Error>) {
    let exception = SystemException::from(ended.unwrap_err());
    assert_eq!(exception.kind, SystemExceptionKind::Timeout);
    assert_eq!(exception.minor, minor::timeout::SHUTDOWN);
}

/// The names of the threads that `log` reports as serving `operation`.
fn stuck_in(log: &Log, operation: &str) -> Vec<String> {
    let operation = format!("{operation:?}");
    let lines = log.lines();
    let stuck = lines.iter().filter(|line| line.field("operation") == Some(&operation));
    stuck.map(|line| line.field("thread").unwrap().trim_matches('"').to_owned()).collect()
}

#[test]
fn a_shutdown_does_not_wait_for_ever_until_objects_have_been_etherealized() {
    let (begun, has_begun) = channel();
    let (free, freed) = channel();
    let orb = builder().shutdown_grace(Duration::from_millis(500)).build().unwrap();
    let poa = orb.root_poa().create("stuck", PoaPolicies::new().user_ids().servant_manager());
    let poa = poa.unwrap();
    let activator = StuckActivator { begun: Mutex::new(begun), freed: Mutex::new(freed) };
    poa.set_servant_activator(activator).unwrap();
    let object: Echo = poa.create_reference_with_id("one").unwrap();
    object.twice(1).unwrap();
    let log = Log::default();
    assert_times_out(log.of(|| orb.shutdown(true)));
    has_begun.recv().unwrap();
    assert_eq!(stuck_in(&log, "POA::destroy"), ["zorb-shutdown"]);
    drop(free);
}

/// Shuts an ORB down during a collocated call of an object in an adapter with these policies.
fn shut_down_during_a_collocated_call(policies: PoaPolicies) {
    let orb = builder().shutdown_grace(Duration::from_millis(1)).build().unwrap();
    let poa = orb.root_poa().create("own", policies.user_ids().multiple_ids()).unwrap();
    let servant = Arc::new(Servant::default());
    let any = AnyServant::of::<Echo, _>(Arc::clone(&servant));
    if poa.set_servant(any.clone()).is_err() {
        let any = Mutex::new(Some(any));
        poa.set_servant_activator(Incarnating(any)).unwrap();
    }
    let object: Echo = poa.create_reference_with_id("one").unwrap();
    std::thread::scope(|scope| {
        let caller = std::thread::Builder::new().name("caller".to_owned());
        let call = caller.spawn_scoped(scope, || object.wait_for(1)).unwrap();
        until(|| servant.waiting.load(Ordering::SeqCst));
        let log = Log::default();
        let ended = log.of(|| orb.shutdown(true));
        servant.note(1);
        assert_times_out(ended);
        assert_eq!(stuck_in(&log, "wait_for"), ["caller"]);
        call.join().unwrap().unwrap();
    });
}

/// Incarnates one object.
struct Incarnating(Mutex<Option<AnyServant>>);

impl ServantActivator for Incarnating {
    fn incarnate(&self, _: &Poa, _: &ObjectId) -> Result<AnyServant, ServantManagerError> {
        Ok(self.0.lock().unwrap().take().unwrap())
    }
}

#[test]
fn a_shutdown_waits_for_collocated_calls_of_default_servants_and_names_them() {
    shut_down_during_a_collocated_call(PoaPolicies::new().default_servant());
}

#[test]
fn a_shutdown_waits_for_a_collocated_call_that_incarnates_and_names_it() {
    shut_down_during_a_collocated_call(PoaPolicies::new().servant_manager());
}

#[test]
fn a_shutdown_names_an_upcall_of_the_main_thread() {
    let orb = builder().listen("iiop://127.0.0.1:0").shutdown_grace(Duration::from_millis(1));
    let orb = orb.build().unwrap();
    let poa = orb.root_poa().create("main", PoaPolicies::new().main_thread()).unwrap();
    let servant = Arc::new(Servant::default());
    let here: Echo = poa.activate_shared(&servant).unwrap();
    let (_client, there) = client(&here);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.wait_for(1));
        let main = std::thread::Builder::new().name("main loop".to_owned());
        let main = main.spawn_scoped(scope, || orb.run()).unwrap();
        until(|| servant.waiting.load(Ordering::SeqCst));
        let log = Log::default();
        let ended = log.of(|| orb.shutdown(true));
        servant.note(1);
        assert_times_out(ended);
        assert_eq!(stuck_in(&log, "wait_for"), ["main loop"]);
        let (_, _) = (call.join().unwrap(), main.join().unwrap());
    });
}
