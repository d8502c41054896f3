//! Real-time settings of the ORB's options: `RtMapping`, `RtPool` and the others.

use std::sync::Arc;
use std::time::Duration;

use zorb_core::lanes::WeakPool;
use zorb_core::options::{Options, Origin};
use zorb_core::policy::{Policies, PrivateConnection, RelativeRequestTimeout, SyncScope};
use zorb_core::{Error, OnewayQueue, Orb, Phase};

use super::orb::RtOrbBuilder;
use super::setting::Settings;
use super::{
    Buffering, Continuous, Direct, DynamicLifespan, LaneBuilder, Linear, LinearNetwork,
    NativePriority, NetworkPriorityMapping, Priority, PriorityMapping, RtEndTimes, RtMapping,
    RtNetwork, RtOneways, RtOptions, RtOrb, Strategy, Threadpool, ThreadpoolBuilder, table, words,
};

/// The options of a real-time ORB; the defaults where the ORB was not built with them.
fn options_of(options: &Options) -> RtOptions {
    options.get().cloned().unwrap_or_default()
}

fn mapping(options: &RtOptions) -> Arc<dyn PriorityMapping> {
    let (lowest, highest) = (options.rt_lowest_priority, options.rt_highest_priority);
    match options.rt_mapping {
        RtMapping::Linear => Arc::new(Linear::new(lowest, highest)),
        RtMapping::Direct => Arc::new(Direct::new(lowest, highest)),
        RtMapping::Continuous => Arc::new(Continuous::new(lowest.max(NativePriority(1)), highest)),
    }
}

impl RtOrbBuilder {
    /// What the options say whose values come from such an origin.
    fn of(options: &Options, counts: impl Fn(&Origin) -> bool) -> Self {
        let rt = options_of(options);
        let set = |names: &[&str]| names.iter().any(|name| counts(&options.origin(name)));
        let maps = set(&["RtMapping", "RtLowestPriority", "RtHighestPriority"]);
        let network: Option<Arc<dyn NetworkPriorityMapping>> = match rt.rt_network {
            RtNetwork::Linear => Some(Arc::new(LinearNetwork)),
            RtNetwork::None => None,
        };
        Self {
            mapping: maps.then(|| mapping(&rt)),
            network: set(&["RtNetwork"]).then_some(network),
            denied: set(&["RtDenied"]).then_some(rt.rt_denied),
            scheduling: set(&["RtScheduling"]).then_some(rt.rt_scheduling),
            lock_memory: set(&["RtLockMemory"]).then_some(rt.rt_lock_memory),
            max_client_priority: set(&["RtMaxClientPriority"]).then_some(rt.rt_max_client_priority),
            tell_end_times: set(&["RtEndTimes"]).then_some(rt.rt_end_times == RtEndTimes::All),
            ..Self::default()
        }
    }

    /// The settings in force: those that this builder forces, then what the operator says and what the
    /// ORB's builder forces, then this builder's others, then what the ORB's builder says.
    pub(crate) fn settled(mut self, options: &Options) -> Self {
        let forced = self.forced.take().map(|forced| *forced).unwrap_or_default();
        let binding = Self::of(options, Origin::is_binding);
        self.log_overridden(&binding, options);
        forced.or(binding).or(self).or(Self::of(options, |_| true))
    }

    /// Fills in what is not set.
    fn or(mut self, weaker: Self) -> Self {
        self.mapping = self.mapping.or(weaker.mapping);
        self.transform = self.transform.or(weaker.transform);
        self.denied = self.denied.or(weaker.denied);
        self.scheduling = self.scheduling.or(weaker.scheduling);
        self.lock_memory = self.lock_memory.or(weaker.lock_memory);
        self.network = self.network.or(weaker.network);
        self.max_client_priority = self.max_client_priority.or(weaker.max_client_priority);
        self.tell_end_times = self.tell_end_times.or(weaker.tell_end_times);
        self
    }

    fn log_overridden(&self, by: &Self, options: &Options) {
        for (name, is_overridden) in [
            ("RtMapping", self.mapping.is_some() && by.mapping.is_some()),
            ("RtNetwork", self.network.is_some() && by.network.is_some()),
            ("RtDenied", self.denied.is_some() && by.denied.is_some()),
            ("RtScheduling", self.scheduling.is_some() && by.scheduling.is_some()),
            ("RtLockMemory", self.lock_memory.is_some() && by.lock_memory.is_some()),
            (
                "RtMaxClientPriority",
                self.max_client_priority.is_some() && by.max_client_priority.is_some(),
            ),
            ("RtEndTimes", self.tell_end_times.is_some() && by.tell_end_times.is_some()),
        ] {
            if is_overridden {
                tracing::info!("option {name}: {} overrides the program", options.origin(name));
            }
        }
    }
}

impl RtOrb {
    /// The pool that the option `RtPool` describes under `name`, with the form that
    /// [`ThreadpoolBuilder::described`] has. It is made when it is first asked for, here or by an
    /// adapter that the option `RtAdapter` has be served by it, and again when it has been destroyed.
    ///
    /// # Errors
    /// When there is none of that name; what is wrong with its description; those of
    /// [`ThreadpoolBuilder::create`].
    pub fn configured_threadpool(&self, name: &str) -> Result<Threadpool, Error> {
        let options = options_of(self.orb.options());
        let described = options.rt_pool.iter().find(|(known, _)| known == name);
        let Some((_, description)) = described else {
            let error = Error::new(Phase::Configure, format!("no thread pool {name:?}"));
            return Err(
                error.with_hint(format!("describe it with -ORBRtPool \"{name}=1000:2 30000:1\""))
            );
        };
        // Held for as long as it takes to make one, so that two who ask at the same time have the same.
        let mut pools = self.settings.pools.lock();
        if let Some(pool) = pools.get(name).and_then(WeakPool::upgrade) {
            return Ok(Threadpool::of(pool));
        }
        let pool = self.threadpool(name).described(description)?.create()?;
        pools.insert(name.to_owned(), pool.downgrade());
        Ok(pool)
    }
}

/// What the options say of calls, as policies of the ORB.
fn policies_of_calls(orb: &Orb) -> Result<Policies, Error> {
    let options = options_of(orb.options());
    let wrong = |name: &str, value: &str| {
        let origin = orb.options().origin(name);
        Error::new(Phase::Configure, format!("option {name} = {value:?} ({origin})"))
    };
    let mut policies = Policies::new();
    let bands = options.rt_bands.trim();
    if !bands.is_empty() {
        policies = policies.with(words::bands(bands).ok_or_else(|| {
            wrong("RtBands", bands).with_hint("bands are LOW-HIGH, as in 0-9999,10000-32767")
        })?);
    }
    policies = words::protocols_of_calls(orb.protocols(), &options.rt_protocols, policies)
        .map_err(|error| wrong("RtProtocols", &options.rt_protocols).with_source(error))?;
    if options.rt_private_connections {
        policies = policies.with(PrivateConnection);
    }
    if options.rt_oneways == RtOneways::Queued {
        policies = policies.with(SyncScope::None).with(OnewayQueue::default());
    }
    if let Some(timeout) = options.rt_request_timeout {
        policies = policies.with(RelativeRequestTimeout(timeout));
    }
    Ok(policies)
}

/// The path of the root adapter.
const ROOT: &str = "/";

/// The policies that the option `RtAdapter` gives to the adapter at `path`.
fn policies_of_adapter(orb: &Orb, settings: &Arc<Settings>, path: &str) -> Result<Policies, Error> {
    let options = options_of(orb.options());
    let of = |name: &str| options.rt_adapter.iter().find(|(known, _)| known == name);
    let others = || if path == ROOT { None } else { of("*") };
    let Some((name, words)) = of(path).or_else(others) else { return Ok(Policies::new()) };
    let rt = RtOrb { orb: orb.clone(), settings: Arc::clone(settings) };
    rt.described_policies(words).map_err(|error| {
        let origin = orb.options().origin("RtAdapter");
        let what = format!("option RtAdapter, adapter {path:?}, by {name:?} ({origin})");
        Error::new(Phase::Configure, what).with_source(error)
    })
}

/// Has calls and adapters of `orb` be as its options say, where the program says nothing.
pub(crate) fn apply(orb: &Orb, settings: &Arc<Settings>) -> Result<(), Error> {
    let manager = orb.policy_manager();
    let (own, mut added) = (manager.policy_overrides(), Policies::new());
    for policy in &policies_of_calls(orb)? {
        if own.policy(policy.policy_type()).is_none() {
            added.put(policy.clone());
        }
    }
    if !added.is_empty() {
        manager.add(&added)?;
    }
    if !options_of(orb.options()).rt_adapter.is_empty() {
        let settings = Arc::clone(settings);
        orb.set_adapter_policies(move |orb, path| policies_of_adapter(orb, &settings, path));
    }
    Ok(())
}

impl ThreadpoolBuilder<'_> {
    /// What the pool is like in words, as in the option `RtPool`:
    ///
    /// | Word | Meaning |
    /// |---|---|
    /// | `PRIORITY:STATIC`, `PRIORITY:STATIC+DYNAMIC` | a lane with so many threads |
    /// | `any:STATIC`, `any:STATIC+DYNAMIC` | a pool without lanes |
    /// | either of them with `@0,2` behind it | threads that stay on these processors |
    /// | `listen=URL` | where the lane before it listens; may be repeated |
    /// | `stack=OCTETS` | the threads' stacks |
    /// | `strategy=leader-followers`, `half-sync`, `thread-per-connection` | who does the work |
    /// | `buffering=REQUESTS`, `REQUESTS/OCTETS` | requests that wait for a thread |
    /// | `borrowing` | lanes borrow threads of lower ones |
    /// | `by-priority`, `by-arrival` | in which order requests are served that wait for a thread |
    /// | `lifespan=idle/MS`, `fixed/MS`, `infinite` | how long dynamic threads live |
    /// | `connections=COUNT` | the most connections of each lane |
    /// | `table=FILE` | the lanes of a priority table ([`lanes_of_table`](Self::lanes_of_table)) |
    ///
    /// # Errors
    /// A word that is none of them; a table that cannot be read.
    pub fn described(mut self, words: &str) -> Result<Self, Error> {
        let mut lanes: Vec<(Option<Priority>, LaneBuilder)> = Vec::new();
        let pool = self.name().to_owned();
        let mut lifespan = DynamicLifespan::default();
        for word in words.split_whitespace() {
            let wrong = || {
                let what = format!("thread pool {pool:?}: the word {word:?}");
                Error::new(Phase::Configure, what)
                    .with_hint("lanes are PRIORITY:THREADS, as in 1000:2, and settings NAME=VALUE")
            };
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match name {
                "listen" => {
                    let (priority, lane) = lanes.pop().ok_or_else(wrong)?;
                    lanes.push((priority, LaneBuilder::listen(lane, value)));
                }
                "stack" => self = self.stack_size(value.parse().map_err(|_| wrong())?),
                "strategy" => self = self.strategy(strategy(value).ok_or_else(wrong)?),
                "buffering" => self = self.buffering(buffering(value).ok_or_else(wrong)?),
                "borrowing" if value.is_empty() => self = self.borrowing(true),
                "by-priority" if value.is_empty() => self = self.by_priority(true),
                "by-arrival" if value.is_empty() => self = self.by_priority(false),
                "lifespan" => lifespan = self::lifespan(value).ok_or_else(wrong)?,
                "connections" => {
                    self = self.max_connections(value.parse().map_err(|_| wrong())?);
                }
                "table" => self = self.lanes_of_table(&table::read(value)?)?,
                _ => {
                    let new = lane(word).ok_or_else(wrong)?;
                    // A pool has lanes, or it has none.
                    if lanes.iter().any(|(known, _)| known.is_none() || new.0.is_none()) {
                        return Err(wrong());
                    }
                    lanes.push(new);
                }
            }
        }
        for (priority, lane) in lanes {
            let lane = lane.lifespan(lifespan);
            self = match priority {
                Some(_) => self.lane(lane),
                None => self.without_lanes(lane),
            };
        }
        Ok(self)
    }
}

/// `PRIORITY:STATIC+DYNAMIC@PROCESSORS`, the last two of which may be left out.
fn lane(word: &str) -> Option<(Option<Priority>, LaneBuilder)> {
    let (priority, rest) = word.split_once(':')?;
    let priority = match priority {
        "any" => None,
        number => Some(Priority::new(number.parse().ok()?).ok()?),
    };
    let (threads, processors) = rest.split_once('@').map_or((rest, None), |(a, b)| (a, Some(b)));
    let (fixed, dynamic) = threads.split_once('+').unwrap_or((threads, "0"));
    let lane = LaneBuilder::new(priority.unwrap_or(Priority::MIN), fixed.parse().ok()?)
        .dynamic_threads(dynamic.parse().ok()?);
    let Some(processors) = processors else { return Some((priority, lane)) };
    let processors: Option<Vec<usize>> =
        processors.split(',').map(|number| number.parse().ok()).collect();
    Some((priority, lane.processors(processors?)))
}

fn strategy(word: &str) -> Option<Strategy> {
    Some(match word {
        "leader-followers" => Strategy::LeaderFollowers,
        "half-sync" => Strategy::HalfSync,
        "thread-per-connection" => Strategy::ThreadPerConnection,
        _ => return None,
    })
}

/// `REQUESTS/OCTETS`, the latter of which may be left out.
fn buffering(word: &str) -> Option<Buffering> {
    let (requests, octets) = word.split_once('/').map_or((word, None), |(a, b)| (a, Some(b)));
    let max_octets = match octets {
        None => None,
        Some(octets) => Some(octets.parse().ok()?),
    };
    Some(Buffering { max_requests: requests.parse().ok()?, max_octets })
}

fn lifespan(word: &str) -> Option<DynamicLifespan> {
    let (kind, millis) = word.split_once('/').unwrap_or((word, ""));
    let time = || millis.parse().ok().map(Duration::from_millis);
    Some(match kind {
        "idle" => DynamicLifespan::Idle(time()?),
        "fixed" => DynamicLifespan::Fixed(time()?),
        "infinite" if millis.is_empty() => DynamicLifespan::Infinite,
        _ => return None,
    })
}
