//! An implementation repository, for programs that embed it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use zorb::poa::PoaPolicies;
use zorb::{Interface as _, Orb, SystemException};
use zorb_store::{Store, StoreError};

use super::access::WriteCheck;
use super::administration::Administration;
use super::iterators::Iterators;
use super::listing::Listing;
use super::options::ImrOptions;
use super::servers::Servers;
use super::tables;
use crate::KEY;
use crate::server_repository::{Repository, ServerState, StatusList};

/// The name of the adapter of the repository's object.
const ADAPTER: &str = "ImplementationRepository";

/// An implementation repository: starts servers, and forwards their clients to them.
///
/// ```
/// use zorb::Orb;
/// use zorb_imr::server::{ImplementationRepository, ImrOptions};
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0").build()?;
/// let servers = ImplementationRepository::serve(&orb, &ImrOptions::default())?;
/// servers.publish(&orb)?;
/// orb.serve()?;
/// assert_eq!(servers.statistics().servers, 0);
/// # orb.shutdown(true)?;
/// # Ok::<(), zorb::Error>(())
/// ```
///
/// It forwards requests that reach the ORB and that are for no object of the ORB. References to objects of servers contain
/// the ORB's endpoints: these must be the same in the next run. The repository ends with the ORB; its servers do not.
///
/// Whoever may change servers can run any program as the user of this process: see
/// [`set_write_check`](Self::set_write_check).
#[derive(Clone)]
pub struct ImplementationRepository {
    servers: Arc<Servers>,
    reference: Repository,
    write_check: Arc<OnceLock<Box<WriteCheck>>>,
}

/// Numbers of an implementation repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The servers, running or not.
    pub servers: usize,
    /// Their processes that have registered.
    pub running: usize,
    /// The processes that have been started, and have not registered.
    pub starting: usize,
    /// The processes that have been started since the repository has begun.
    pub starts: u64,
    /// How many of these starts have failed.
    pub failures: u64,
    /// The requests that wait for a server.
    pub waiting: usize,
    /// The requests that have been forwarded.
    pub forwards: u64,
}

impl ImplementationRepository {
    /// Serves a repository in memory: it forgets its servers when it ends.
    ///
    /// # Errors
    /// `INITIALIZE` if no endpoint can be opened; the ORB has a repository already; there is no thread.
    pub fn serve(orb: &Orb, options: &ImrOptions) -> Result<Self, zorb::Error> {
        Self::serve_servers(orb, options, None)
    }

    /// Serves the repository of a store. It knows the servers, and those of their processes that still run, of earlier
    /// runs. Each change is committed before its reply.
    ///
    /// # Errors
    /// Those of [`serve`](Self::serve); the store fails, or its contents are damaged or of a newer version.
    pub fn serve_stored(
        orb: &Orb,
        options: &ImrOptions,
        store: Arc<dyn Store>,
    ) -> Result<Self, zorb::Error> {
        Self::serve_servers(orb, options, Some(store))
    }

    /// Reads the servers of a store as [`serve_stored`](Self::serve_stored) does. Returns how many there are.
    ///
    /// # Errors
    /// The store fails, or its contents are damaged or of a newer version.
    pub fn check_store(store: &dyn Store) -> Result<usize, StoreError> {
        Ok(tables::load(store)?.servers.len())
    }

    fn serve_servers(
        orb: &Orb,
        options: &ImrOptions,
        store: Option<Arc<dyn Store>>,
    ) -> Result<Self, zorb::Error> {
        let servers = Servers::load(orb, options, store).map_err(not_loaded)?;
        if !orb.set_forwarder(Arc::clone(&servers) as _) {
            let what = "the ORB forwards requests already";
            return Err(zorb::Error::new(zorb::Phase::Application, what));
        }
        let write_check = Arc::new(OnceLock::new());
        let listing =
            Listing { servers: Arc::clone(&servers), write_check: Arc::clone(&write_check) };
        let iterators = Iterators::new(orb, listing.clone(), options)?;
        let servant = Administration { servers: Arc::clone(&servers), listing, iterators };
        let policies = PoaPolicies::new().persistent().user_ids();
        let poa = orb.root_poa().create(ADAPTER, policies)?;
        let reference: Repository = poa.activate_with_id("root", servant)?;
        // It is set once.
        let _ = servers.repository.set(reference.to_ior_string());
        start_thread("imr-monitor", &servers, Servers::run_monitor)?;
        start_thread("imr-check", &servers, Servers::run_checks)?;
        Ok(Self { servers, reference, write_check })
    }

    /// Sets what permits clients to add, change, start, stop and register servers, and to see their environments, such as
    /// `zorb_service::check_local_writer`: it is called on the thread of their requests. The first call alone has an
    /// effect; without one, all clients may.
    pub fn set_write_check(
        &self,
        check: impl Fn() -> Result<(), SystemException> + Send + Sync + 'static,
    ) {
        let _ = self.write_check.set(Box::new(check));
    }

    /// The repository's object.
    pub fn reference(&self) -> Repository {
        self.reference.clone()
    }

    /// Publishes the repository under the key [`KEY`] and makes it the ORB's initial reference of that name. Returns it.
    ///
    /// # Errors
    /// Those of `Orb::publish` and `Orb::register_initial_reference`.
    pub fn publish(&self, orb: &Orb) -> Result<Repository, zorb::Error> {
        orb.publish(KEY, &self.reference)?;
        orb.register_initial_reference(KEY, &self.reference)?;
        Ok(self.reference())
    }

    /// Lists servers whose names are greater than `after`, ordered by name, and returns whether there are more. The
    /// list contains at most `how_many` servers, never more than 1000 or than the option `ImrListedOctets` permits. It
    /// omits the servers' environments, which may contain passwords.
    pub fn status(&self, after: &str, how_many: u32) -> (StatusList, bool) {
        let (servers, write_check) = (Arc::clone(&self.servers), Arc::clone(&self.write_check));
        let (mut all, has_more) = Listing { servers, write_check }.statuses(after, how_many);
        all.iter_mut().for_each(|status| status.startup.environment.clear());
        (all, has_more)
    }

    /// How many servers are in each state.
    pub fn states(&self) -> [(ServerState, usize); 5] {
        use ServerState::{Failed, Running, Starting, Stopped, Stopping};
        let mut counts = [Stopped, Starting, Running, Stopping, Failed].map(|state| (state, 0));
        let all = self.servers.each(|_, server| server.state());
        for (state, count) in &mut counts {
            *count = all.iter().filter(|it| *it == state).count();
        }
        counts
    }

    /// Numbers of the repository.
    pub fn statistics(&self) -> Statistics {
        let state = self.servers.lock();
        let mut numbers = Statistics {
            servers: state.servers.len(),
            starting: state.starting,
            forwards: state.forwards,
            ..Statistics::default()
        };
        for server in state.servers.values() {
            numbers.running += server.running.len();
            numbers.starts += server.starts;
            numbers.failures += server.failures;
            numbers.waiting += server.waiting.as_ref().map_or(0, zorb::poa::HeldRequests::len);
        }
        numbers
    }
}

/// Starts a thread that ends with the repository.
fn start_thread(name: &str, servers: &Arc<Servers>, run: fn(&Servers)) -> Result<(), zorb::Error> {
    let servers = Arc::clone(servers);
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || run(&servers));
    started.map(drop).map_err(|error| {
        zorb::Error::new(zorb::Phase::Application, "starting a thread").with_source(error)
    })
}

#[cold]
fn not_loaded(error: StoreError) -> zorb::Error {
    let hint = error.hint().map(str::to_owned);
    let what = "cannot read the stored servers";
    let error = zorb::Error::new(zorb::Phase::Application, what).with_source(error);
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

impl fmt::Debug for ImplementationRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ImplementationRepository").field(&self.statistics()).finish()
    }
}
