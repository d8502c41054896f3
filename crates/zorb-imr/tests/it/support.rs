//! A repository, a client, and servers in processes of their own: this program, run with the test [`the_server`].

use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;
use zorb::codegen;
use zorb::poa::PoaPolicies;
use zorb::{Interface as _, ObjectRef, Orb, Result};
use zorb_imr::command_line;
use zorb_imr::implementation_repository::{ActivationMode, EnvironmentVariable, StartupOptions};
use zorb_imr::server::{ImplementationRepository, ImrOptions, Statistics};
use zorb_imr::server_repository::{Repository, Status};
use zorb_os::process::ProcessId;
use zorb_store::Store;

/// The variable with the names of the adapters that the server has, separated by commas.
const ADAPTERS: &str = "TEST_ADAPTERS";
/// The variable with the file for the reference of the server's first object.
const REFERENCE: &str = "TEST_REFERENCE";
/// The variable that makes the server ignore that it is to end.
const STUBBORN: &str = "TEST_STUBBORN";

/// An object of a server.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Teller(ObjectRef);

codegen::interface!(Teller(ObjectRef), "IDL:zorb.test/Teller:1.0", "Teller", []);

impl Teller {
    pub(crate) fn twice(&self, value: i32) -> Result<i32> {
        codegen::invoke!(self, twice, [i32 => &value], [i32])
    }

    /// The process that serves the object.
    pub(crate) fn process(&self) -> Result<u32> {
        codegen::invoke!(self, process, [], [u32])
    }
}

pub(crate) trait TellerServant: Send + Sync + 'static {
    fn twice(&self, value: i32) -> Result<i32>;
    fn process(&self) -> Result<u32>;
}

codegen::skeleton!(Teller, TellerServant, {
    0 "twice" twice(value: i32 => value) [result: i32],
    1 "process" process() [result: u32],
});

struct Server;

impl TellerServant for Server {
    fn twice(&self, value: i32) -> Result<i32> {
        Ok(value.wrapping_mul(2))
    }

    fn process(&self) -> Result<u32> {
        Ok(std::process::id())
    }
}

#[test]
#[ignore = "the server of the other tests, which a repository starts"]
fn the_server() {
    let Ok(adapters) = std::env::var(ADAPTERS) else { return };
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let mut first: Option<Teller> = None;
    for adapter in adapters.split(',') {
        let policies = PoaPolicies::new().persistent().user_ids();
        let poa = orb.root_poa().create(adapter, policies).unwrap();
        let teller = poa.activate_with_id("one", Server).unwrap();
        first.get_or_insert(teller);
    }
    if let (Ok(file), Some(first)) = (std::env::var(REFERENCE), first) {
        std::fs::write(file, first.to_ior_string()).unwrap();
    }
    match std::env::var(STUBBORN) {
        Ok(_) => {
            orb.serve().unwrap();
            let _signals = zorb_os::signal::TerminationSignal::block();
            loop {
                std::thread::park();
            }
        }
        Err(_) => orb.run().unwrap(),
    }
}

/// What a server of this program is started with.
pub(crate) fn options(adapters: &str) -> StartupOptions {
    let program = std::env::current_exe().unwrap();
    let words =
        [program.to_str().unwrap(), "support::the_server", "--exact", "--include-ignored", "-q"];
    StartupOptions {
        command_line: command_line::join(&words),
        environment: vec![variable(ADAPTERS, adapters)],
        working_directory: String::new(),
        activation: ActivationMode::Normal,
        activator: String::new(),
        start_limit: 3,
    }
}

pub(crate) fn variable(name: &str, value: &str) -> EnvironmentVariable {
    EnvironmentVariable { name: name.to_owned(), value: value.to_owned() }
}

/// The same for a server that writes its reference to a file.
pub(crate) fn writing_to(file: &Path, adapters: &str) -> StartupOptions {
    let mut options = options(adapters);
    options.environment.push(variable(REFERENCE, file.to_str().unwrap()));
    options
}

/// The same for a server that only `SIGKILL` ends.
pub(crate) fn stubborn(adapters: &str) -> StartupOptions {
    let mut options = options(adapters);
    options.environment.push(variable(STUBBORN, "yes"));
    options
}

/// ImrOptions for tests: a server that has not started in a minute never will, on any machine.
pub(crate) fn settings(folder: &Path) -> ImrOptions {
    let long = std::time::Duration::from_secs(240);
    ImrOptions {
        imr_server_logs: folder.join("logs").to_str().unwrap().to_owned(),
        imr_start_timeout: long,
        imr_starts_per_minute: 10_000,
        imr_stop_grace: long,
        ..ImrOptions::default()
    }
}

/// An ORB that is not told anything by the environment, whose held requests do not expire in a test.
pub(crate) fn orb() -> zorb::OrbBuilder {
    let builder = Orb::builder().without_environment();
    builder.option("MaxHeldTime", "600000").option("MaxHeldRequests", "64")
}

/// A repository and a client. Its servers are ended when it is dropped.
pub(crate) struct World {
    pub(crate) server: Orb,
    pub(crate) client: Orb,
    pub(crate) service: ImplementationRepository,
    pub(crate) repository: Repository,
    pub(crate) folder: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        Self::with(folder, &settings, None, "iiop://127.0.0.1:0")
    }

    pub(crate) fn with(
        folder: TempDir,
        settings: &ImrOptions,
        store: Option<Arc<dyn Store>>,
        listen: &str,
    ) -> Self {
        let server = orb().listen(listen).build().unwrap();
        let service = match store {
            Some(store) => ImplementationRepository::serve_stored(&server, settings, store),
            None => ImplementationRepository::serve(&server, settings),
        };
        let service = service.unwrap();
        let text = service.publish(&server).unwrap().to_ior_string();
        server.serve().unwrap();
        let client = orb().build().unwrap();
        let repository = client.resolve(&text).unwrap();
        Self { server, client, service, repository, folder }
    }

    pub(crate) fn add(&self, name: &str, options: &StartupOptions) {
        self.repository.add_or_update_server(name, options).unwrap();
    }

    /// The object of a server's adapter, at the repository's address, for a new client.
    pub(crate) fn teller(&self, adapter: &str) -> Teller {
        let url = format!("corbaloc::1.2@{}/{}", self.address(), key(adapter));
        self.client.string_to_object(&url).unwrap().unwrap().unchecked_narrow()
    }

    /// The address of the repository.
    pub(crate) fn address(&self) -> String {
        let endpoint = self.server.endpoints().remove(0);
        endpoint.trim_start_matches("iiop://").to_owned()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        self.service.statistics()
    }

    pub(crate) fn status(&self, name: &str) -> Status {
        let all = self.repository.status("", 1000).unwrap();
        all.into_iter().find(|status| status.server == name).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let all = self.repository.status("", 1000).unwrap_or_default();
        for process in all.iter().flat_map(|status| &status.running) {
            kill(process.process);
        }
        let _ = self.client.shutdown(true);
        let _ = self.server.shutdown(true);
    }
}

/// The escaped object key of a server's object.
pub(crate) fn key(adapter: &str) -> String {
    let length = u16::try_from(adapter.len() + 1).unwrap().to_be_bytes();
    let key = [b"Z\x02", &length[..], adapter.as_bytes(), b"\0one"].concat();
    zorb::giop::Escaped(&key).to_string()
}

/// Kills a server as a crash does.
pub(crate) fn kill(process: u32) {
    if let Some(process) = ProcessId::of(process) {
        let _ = process.signal_group(zorb_os::signal::Signal::KILL.number());
    }
}

/// Whether a process runs.
pub(crate) fn runs(process: u32) -> bool {
    ProcessId::of(process).is_some()
}

/// Calls until there is an answer; other exceptions than those that say to try again are failures.
pub(crate) fn until_answered<T>(call: impl Fn() -> Result<T>) -> T {
    use zorb::SystemExceptionKind::{CommFailure, Transient};
    loop {
        match call() {
            Ok(answer) => return answer,
            Err(error) => assert!(matches!(error.kind, CommFailure | Transient), "{error:?}"),
        }
    }
}
