//! Attaches the real-time side to an ORB.

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
    model, network,
};

impl RtOrb {
    /// A builder with the defaults.
    pub fn builder() -> RtOrbBuilder {
        RtOrbBuilder::default()
    }
}

/// Configures an [`RtOrb`] and attaches it to an ORB.
///
/// The operator's values of the [options](super::RtOptions), such as `RtMapping` and `RtDenied`, take precedence over
/// the program's, unless the program [forces](Self::force) its own.
#[derive(Debug, Default)]
#[must_use]
pub struct RtOrbBuilder {
    /// Values of the program.
    configuration: Configuration,
    /// Values that the program forces.
    forced: Configuration,
}

impl RtOrbBuilder {
    /// Forces the values that `set` sets: they take precedence over the operator's.
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

    /// The priority mapping. Default: [`Linear`] over the native priorities 0 to 89.
    pub fn mapping(mut self, mapping: impl PriorityMapping) -> Self {
        self.configuration.mapping = Some(Arc::new(mapping));
        self
    }

    /// The transform of priorities in requests. Default: none.
    pub fn transform(mut self, transform: impl PriorityTransform) -> Self {
        self.configuration.transform = Some(Arc::new(transform));
        self
    }

    /// The mapping of priorities to network classes, for connections that serve one priority: those to lanes, those to
    /// objects with server-declared priorities, and those that lanes accept. Default: all have the class of the ORB's
    /// options.
    pub fn network(mut self, mapping: impl NetworkPriorityMapping) -> Self {
        self.configuration.network = Some(Some(Arc::new(mapping)));
        self
    }

    /// What happens if the system does not permit priorities to be set. Default: [`Denied::Run`].
    pub fn denied(mut self, denied: Denied) -> Self {
        self.configuration.denied = Some(denied);
        self
    }

    /// How threads of the same priority are scheduled. Default: [`SchedulingPolicy::Fifo`].
    pub fn scheduling(mut self, scheduling: SchedulingPolicy) -> Self {
        self.configuration.scheduling = Some(scheduling);
        self
    }

    /// Locks all memory of the process (`mlockall`) and prefaults the stacks of pool threads, so that no
    /// call waits for a page. Default: no. If the system does not permit it, that is logged, or attaching
    /// fails with `NO_PERMISSION`, as set by [`denied`](Self::denied).
    pub fn lock_memory(mut self, lock: bool) -> Self {
        self.configuration.lock_memory = Some(lock);
        self
    }

    /// Limits the priority that clients can cause, of upcalls and of threads that serve their priority
    /// bands; higher ones are reduced to it. Server-declared priorities and lanes are not limited. Default:
    /// the highest priority.
    pub fn max_client_priority(mut self, max: Priority) -> Self {
        self.configuration.max_client_priority = Some(max);
        self
    }

    /// Attaches the real-time side to `orb`, which then applies the real-time policies in references. References that
    /// have been called already do not change.
    ///
    /// # Errors
    /// `NO_PERMISSION` if memory cannot be locked and [`Denied::Refuse`] is set; `INITIALIZE` for an invalid
    /// option.
    pub fn attach(self, orb: &Orb) -> Result<RtOrb, SystemException> {
        let set = self.configuration.effective(self.forced, orb.options());
        let (denied, lock) = (set.denied.unwrap_or_default(), set.lock_memory.unwrap_or_default());
        if lock && let Err(error) = zorb_os::process::lock_memory() {
            let needs =
                "the process needs CAP_IPC_LOCK or a larger RLIMIT_MEMLOCK; see `zorb rt check`";
            tracing::warn!(%error, "cannot lock memory: {needs}");
            if denied == Denied::Refuse {
                let minor = minor::no_permission::MEMORY_LOCK_DENIED;
                let exception = SystemException::no_permission(minor, CompletionStatus::No);
                let failure = Error::new(Phase::Configure, "cannot lock memory");
                return Err(failure.with_source(error).with_hint(needs).into_exception(exception));
            }
        }
        let settings = Arc::new(Settings {
            mapping: set.mapping.unwrap_or_else(|| Arc::new(Linear::default())),
            transform: set.transform,
            denied,
            scheduling: set.scheduling.unwrap_or_default(),
            max_client_priority: set.max_client_priority.unwrap_or(Priority::MAX),
            prefault: lock,
            denials: AtomicU64::new(0),
            mutexes: Lock::default(),
            pools: Lock::default(),
        });
        orb.set_network_priorities(&network::priorities(set.network.flatten()));
        orb.attach(Arc::clone(&settings));
        register_locals(orb, &settings);
        let of_threads = Arc::clone(&settings);
        orb.set_thread_priorities(settings.max_client_priority.value(), move |priority| {
            of_threads.try_set_priority(priority);
        });
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

/// Registers the standard's initial references.
fn register_locals(orb: &Orb, settings: &Arc<Settings>) {
    let [of_orb, of_current, of_mapping] = [(); 3].map(|()| Arc::clone(settings));
    let rt_orb = move |orb: &Orb| RtOrb { orb: orb.clone(), settings: Arc::clone(&of_orb) };
    let registered = [
        orb.register_initial_local("RTORB", rt_orb),
        orb.register_initial_local("RTCurrent", move |_| RtCurrent::new(&of_current)),
        orb.register_initial_local("PriorityMappingManager", move |_| {
            PriorityMappingManager::new(&of_mapping.mapping)
        }),
    ];
    for error in registered.into_iter().filter_map(Result::err) {
        tracing::warn!(%error, "the program has registered another object with this name");
    }
}
