//! Servers that end: signals, and upcalls that are running then.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use signal_hook::consts::SIGTERM;
use signal_hook::low_level::raise;
use zorb_core::Orb;
use zorb_core::poa::{PoaError, PoaPolicies};
use zorb_testkit::{Log, in_own_process};
use zorb_types::{SystemExceptionKind, minor};

use crate::support::{Echo, EchoServant, Servant, builder, client, until};

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

/// Waits for a thread with this name.
fn await_thread(name: &str) {
    let runs = || {
        let mut threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let named = |path| std::fs::read_to_string(path).is_ok_and(|comm| comm.trim() == name);
        threads.any(|thread| named(thread.path().join("comm")))
    };
    until(runs);
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
