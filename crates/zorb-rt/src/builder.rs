//! Attaching the real-time side to an ORB.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use zorb_core::policy::ClientProtocols;
use zorb_core::{Error, Orb, Phase};
use zorb_os::lock::Lock;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::configuration::Configuration;
use super::setting::Settings;
use super::{
    Denied, Linear, NetworkPriorityMapping, Priority, PriorityBands, PriorityMapping,
    PriorityMappingManager, PriorityTransform, RtCurrent, RtOrb, SchedulingPolicy, configured,
    in_time, model, network,
};

impl RtOrb {
    /// Sets one up.
    pub fn builder() -> RtOrbBuilder {
        RtOrbBuilder::default()
    }
}

/// Sets an [`RtOrb`] up.
///
/// What the operator says with the [options](super::RtOptions) `RtMapping`, `RtDenied` and so on wins over
/// what is set here, unless the program [forces](Self::force) it.
#[derive(Debug, Default)]
#[must_use]
pub struct RtOrbBuilder {
    /// What the program sets.
    configuration: Configuration,
    /// What it sets in spite of the operator.
    forced: Configuration,
}

impl RtOrbBuilder {
    /// Forces what `set` sets: it wins over what the operator says.
    ///
    /// ```
    /// use zorb_rt::{Denied, RtOrb};
    ///
    /// let builder = RtOrb::builder().force(|rt| rt.denied(Denied::Refuse).lock_memory(true));
    /// ```
    pub fn force(mut self, set: impl FnOnce(Self) -> Self) -> Self {
        let forced = set(Self { configuration: self.forced, ..Self::default() });
        self.forced = forced.configuration;
        self
    }

    /// With this mapping. Default: [`Linear`] over the native priorities 0 to 89.
    pub fn mapping(mut self, mapping: impl PriorityMapping) -> Self {
        self.configuration.mapping = Some(Arc::new(mapping));
        self
    }

    /// With this transform of the priorities that travel. Default: none.
    pub fn transform(mut self, transform: impl PriorityTransform) -> Self {
        self.configuration.transform = Some(Arc::new(transform));
        self
    }

    /// Has connections that serve one priority be in the class of the network that this mapping says:
    /// those to lanes, those to objects whose servers declare their priority, and those that lanes
    /// accept. Default: all are in the class that the ORB's options say.
    pub fn network(mut self, mapping: impl NetworkPriorityMapping) -> Self {
        self.configuration.network = Some(Some(Arc::new(mapping)));
        self
    }

    /// What to do where the system forbids to set priorities. Default: [`Denied::Run`].
    pub fn denied(mut self, denied: Denied) -> Self {
        self.configuration.denied = Some(denied);
        self
    }

    /// How threads of one priority are scheduled. Default: [`SchedulingPolicy::Fifo`].
    pub fn scheduling(mut self, scheduling: SchedulingPolicy) -> Self {
        self.configuration.scheduling = Some(scheduling);
        self
    }

    /// Keeps all memory of the process resident (`mlockall`), and has the threads of pools touch their
    /// stacks before they serve, so that no call waits for a page. Default: no. Where the system forbids
    /// it, that is logged, or attaching fails with `NO_PERMISSION`, as [`denied`](Self::denied) says.
    pub fn lock_memory(mut self, lock: bool) -> Self {
        self.configuration.lock_memory = Some(lock);
        self
    }

    /// With clients that have upcalls, and threads that serve their bands, run at no more than this
    /// priority; what they send beyond it counts as it. What the server itself declares, and lanes, are not
    /// limited. Default: the highest that there is.
    pub fn max_client_priority(mut self, most: Priority) -> Self {
        self.configuration.max_client_priority = Some(most);
        self
    }

    /// Has all requests of calls that have limits of time tell their servers until when they are of use
    /// (the service context `INVOCATION_POLICIES` of CORBA Messaging, which JacORB's servers read),
    /// not only those to servers whose references ask for it ([`ServeInTime`](super::ServeInTime)).
    /// Default: only those.
    pub fn tell_end_times(mut self, to_all: bool) -> Self {
        self.configuration.tell_end_times = Some(to_all);
        self
    }

    /// Makes it the real-time side of `orb`: from now on references are understood that propagate
    /// the client's priority. Those that have been called before stay as they are.
    ///
    /// # Errors
    /// `NO_PERMISSION` where memory is to be locked, may not be, and [`Denied::Refuse`] is set;
    /// `INITIALIZE` for an option that means nothing.
    pub fn attach(self, orb: &Orb) -> Result<RtOrb, SystemException> {
        let set = self.configuration.effective(self.forced, orb.options());
        let (denied, lock) = (set.denied.unwrap_or_default(), set.lock_memory.unwrap_or_default());
        if lock && let Err(error) = zorb_os::process::lock_memory() {
            let needs =
                "the process needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK; see `zorb rt check`";
            tracing::warn!(%error, "memory cannot be locked: {needs}");
            if denied == Denied::Refuse {
                let minor = minor::no_permission::MEMORY_LOCK_DENIED;
                let exception = SystemException::no_permission(minor, CompletionStatus::No);
                let failure = Error::new(Phase::Configure, "memory cannot be locked");
                return Err(failure.with_source(error).with_hint(needs).into_exception(exception));
            }
        }
        let settings = Arc::new(Settings {
            mapping: set.mapping.unwrap_or_else(|| Arc::new(Linear::default())),
            transform: set.transform,
            denied,
            scheduling: set.scheduling.unwrap_or_default(),
            most: set.max_client_priority.unwrap_or(Priority::MAX),
            prefault: lock,
            denials: AtomicU64::new(0),
            mutexes: Lock::default(),
            pools: Lock::default(),
        });
        orb.set_network_priorities(&network::priorities(set.network.flatten()));
        orb.attach(Arc::clone(&settings));
        register_locals(orb, &settings);
        let of_threads = Arc::clone(&settings);
        orb.set_thread_priorities(settings.most.value(), move |priority| {
            of_threads.try_give(priority);
        });
        in_time::add_interceptors(orb, set.tell_end_times.unwrap_or_default());
        model::add_interceptors(orb, &settings);
        orb.policy_manager().register_policy::<PriorityBands>();
        orb.policy_manager().register_policy::<ClientProtocols>();
        configured::apply(orb, &settings).map_err(|error| {
            let code = minor::initialize::BAD_OPTION;
            error.into_exception(SystemException::initialize(code, CompletionStatus::No))
        })?;
        Ok(RtOrb { orb: orb.clone(), settings })
    }
}

/// Has the standard's names lead to the real-time side.
fn register_locals(orb: &Orb, settings: &Arc<Settings>) {
    let [of_orb, of_current, of_mapping] = [(); 3].map(|()| Arc::clone(settings));
    let made = move |orb: &Orb| RtOrb { orb: orb.clone(), settings: Arc::clone(&of_orb) };
    let registered = [
        orb.register_initial_local("RTORB", made),
        orb.register_initial_local("RTCurrent", move |_| RtCurrent::new(&of_current)),
        orb.register_initial_local("PriorityMappingManager", move |_| {
            PriorityMappingManager::new(&of_mapping.mapping)
        }),
    ];
    for error in registered.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "a program has an object of its own under that name");
    }
}
