//! The real-time side of an ORB.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zorb_core::policy::ClientProtocols;
use zorb_core::{Error, Orb, Phase};
use zorb_os::lock::Lock;
use zorb_types::{CompletionStatus, SystemException, minor};

use super::configured;
use super::setting::Settings;
use super::{
    Denied, Linear, NativePriority, NetworkPriorityMapping, PiMutex, Priority, PriorityBands,
    PriorityMapping, PriorityMappingManager, PriorityModel, PriorityTransform, RtCurrent,
    SchedulingPolicy, ThreadpoolBuilder,
};
use super::{in_time, model, network};

/// The real-time side of an ORB (`RTCORBA::RTORB`). Clones are the same.
#[derive(Clone, Debug)]
#[doc(alias = "RTORB")]
pub struct RtOrb {
    pub(crate) orb: Orb,
    pub(crate) settings: Arc<Settings>,
}

/// Sets an [`RtOrb`] up.
///
/// What the operator says with the [options](super::RtOptions) `RtMapping`, `RtDenied` and so on wins over
/// what is set here, unless the program [forces](Self::force) it.
#[derive(Debug, Default)]
#[must_use]
pub struct RtOrbBuilder {
    pub(crate) mapping: Option<Arc<dyn PriorityMapping>>,
    pub(crate) transform: Option<Arc<dyn PriorityTransform>>,
    /// `Some(None)`: the option says that there is none.
    pub(crate) network: Option<Option<Arc<dyn NetworkPriorityMapping>>>,
    pub(crate) denied: Option<Denied>,
    pub(crate) scheduling: Option<SchedulingPolicy>,
    pub(crate) lock_memory: Option<bool>,
    pub(crate) max_client_priority: Option<Priority>,
    pub(crate) tell_end_times: Option<bool>,
    /// What is set here in spite of the operator.
    pub(crate) forced: Option<Box<Self>>,
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
        let forced = self.forced.take().map(|forced| *forced).unwrap_or_default();
        self.forced = Some(Box::new(set(forced)));
        self
    }

    /// With this mapping. Default: [`Linear`] over the native priorities 0 to 89.
    pub fn mapping(mut self, mapping: impl PriorityMapping) -> Self {
        self.mapping = Some(Arc::new(mapping));
        self
    }

    /// With this transform of the priorities that travel. Default: none.
    pub fn transform(mut self, transform: impl PriorityTransform) -> Self {
        self.transform = Some(Arc::new(transform));
        self
    }

    /// Has connections that serve one priority be in the class of the network that this mapping says:
    /// those to lanes, those to objects whose servers declare their priority, and those that lanes
    /// accept. Default: all are in the class that the ORB's options say.
    pub fn network(mut self, mapping: impl NetworkPriorityMapping) -> Self {
        self.network = Some(Some(Arc::new(mapping)));
        self
    }

    /// What to do where the system forbids to set priorities. Default: [`Denied::Run`].
    pub fn denied(mut self, denied: Denied) -> Self {
        self.denied = Some(denied);
        self
    }

    /// How threads of one priority are scheduled. Default: [`SchedulingPolicy::Fifo`].
    pub fn scheduling(mut self, scheduling: SchedulingPolicy) -> Self {
        self.scheduling = Some(scheduling);
        self
    }

    /// Keeps all memory of the process resident (`mlockall`), and has the threads of pools touch their
    /// stacks before they serve, so that no call waits for a page. Default: no. Where the system forbids
    /// it, that is logged, or attaching fails with `NO_PERMISSION`, as [`denied`](Self::denied) says.
    pub fn lock_memory(mut self, lock: bool) -> Self {
        self.lock_memory = Some(lock);
        self
    }

    /// With clients that have upcalls, and threads that serve their bands, run at no more than this
    /// priority; what they send beyond it counts as it. What the server itself declares, and lanes, are not
    /// limited. Default: the highest that there is.
    pub fn max_client_priority(mut self, most: Priority) -> Self {
        self.max_client_priority = Some(most);
        self
    }

    /// Has all requests of calls that have limits of time tell their servers until when they are of use
    /// (the service context `INVOCATION_POLICIES` of CORBA Messaging, which JacORB's servers read),
    /// not only those to servers whose references ask for it ([`ServeInTime`](super::ServeInTime)).
    /// Default: only those.
    pub fn tell_end_times(mut self, to_all: bool) -> Self {
        self.tell_end_times = Some(to_all);
        self
    }

    /// Makes it the real-time side of `orb`: from now on references are understood that propagate
    /// the client's priority. Those that have been called before stay as they are.
    ///
    /// # Errors
    /// `NO_PERMISSION` where memory is to be locked, may not be, and [`Denied::Refuse`] is set;
    /// `INITIALIZE` for an option that means nothing.
    pub fn attach(self, orb: &Orb) -> Result<RtOrb, SystemException> {
        let set = self.settled(orb.options());
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

impl RtOrb {
    /// Sets one up.
    pub fn builder() -> RtOrbBuilder {
        RtOrbBuilder::default()
    }

    /// The real-time side of `orb`, once it has one: what
    /// [`initial_local`](Orb::initial_local) has under the standard's name `RTORB`.
    #[doc(alias = "resolve_initial_references")]
    pub fn of(orb: &Orb) -> Option<Self> {
        Some(Self { orb: orb.clone(), settings: orb.attached()? })
    }

    /// The priority of the calling thread (the initial reference `RTCurrent`, which
    /// [`initial_local`](Orb::initial_local) has as well).
    #[doc(alias = "RTCurrent")]
    pub fn current(&self) -> RtCurrent {
        RtCurrent::new(&self.settings)
    }

    /// The policy by which upcalls run at their clients' priority (`CLIENT_PROPAGATED`); at
    /// `otherwise` for clients that send none.
    #[doc(alias = "create_priority_model_policy")]
    pub fn client_propagated(&self, otherwise: Priority) -> PriorityModel {
        PriorityModel::client_propagated(otherwise)
    }

    /// The policy by which upcalls run at `priority` (`SERVER_DECLARED`).
    #[doc(alias = "create_priority_model_policy")]
    pub fn server_declared(&self, priority: Priority) -> PriorityModel {
        PriorityModel::server_declared(priority)
    }

    /// Begins to set up a pool of threads, which this name is for messages and in its threads' names.
    #[doc(alias = "create_threadpool")]
    pub fn threadpool(&self, name: &str) -> ThreadpoolBuilder<'_> {
        ThreadpoolBuilder::new(self, name)
    }

    /// A lock whose holder inherits the priority of those that wait for it (`create_mutex`).
    pub fn create_mutex(&self) -> PiMutex {
        PiMutex::new()
    }

    /// The native priority of a CORBA priority on this machine.
    ///
    /// # Errors
    /// `DATA_CONVERSION` (OMG 2) when it has none.
    pub fn to_native(&self, priority: Priority) -> Result<NativePriority, SystemException> {
        self.settings.to_native(priority)
    }

    /// How often the system has forbidden to set a thread's priority, since this ORB began.
    pub fn denials(&self) -> u64 {
        self.settings.denials.load(Ordering::Relaxed)
    }

    /// What the system does not let this process do, found out by trying on a thread of its own; `None`
    /// when it may set every priority that the mapping makes.
    pub fn denial(&self) -> Option<String> {
        let mapping = &self.settings.mapping;
        // The highest that it makes, which need not be that of the highest of CORBA's.
        let mut known = (1..=NativePriority::MAX.0).rev().map(NativePriority);
        let highest = known.find(|native| mapping.to_corba(*native).is_some());
        let highest = highest.or_else(|| mapping.to_native(Priority::MAX));
        let native = highest.unwrap_or(NativePriority::MAX);
        let level = u8::try_from(native.0).unwrap_or_default().max(1);
        let tried = std::thread::spawn(move || {
            zorb_os::priority::set(zorb_os::priority::Schedule::Fifo(level))
        });
        match tried.join() {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(format!(
                "threads cannot be given the priority SCHED_FIFO {level}: {error}; the process needs \
                 CAP_SYS_NICE or a limit RLIMIT_RTPRIO of {level}"
            )),
            Err(_) => Some("a thread to try it on ended early".to_owned()),
        }
    }
}
