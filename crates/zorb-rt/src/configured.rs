//! Real-time settings of the ORB's options: `RtMapping`, `RtPool` and the others.

use std::sync::Arc;
use std::time::Duration;

use zorb_core::lanes::WeakPool;
use zorb_core::options::Options;
use zorb_core::policy::{
    AdapterPolicies, OnewayQueue, Policies, PrivateConnection, RelativeRequestTimeout, SyncScope,
};
use zorb_core::{Error, Orb, Phase};

use super::orb::RtOrbBuilder;
use super::setting::Settings;
use super::{
    Buffering, Continuous, Denied, Direct, DynamicLifespan, LaneBuilder, Linear, LinearNetwork,
    NativePriority, NetworkPriorityMapping, Priority, PriorityMapping, RtOrb, SchedulingPolicy,
    Strategy, Threadpool, ThreadpoolBuilder, table, words,
};

/// The options' first letters.
const PART: &str = "rt";

/// What the options say, where the program says nothing.
#[derive(Debug, Default)]
pub(crate) struct Configured {
    pub(crate) mapping: Option<Arc<dyn PriorityMapping>>,
    pub(crate) denied: Option<Denied>,
    pub(crate) scheduling: Option<SchedulingPolicy>,
    pub(crate) lock_memory: Option<bool>,
    pub(crate) network: Option<Arc<dyn NetworkPriorityMapping>>,
    pub(crate) max_client_priority: Option<Priority>,
    pub(crate) tell_end_times: Option<bool>,
}

impl Configured {
    /// Takes it out of options whose values have been checked.
    pub(crate) fn of(options: &Options) -> Self {
        let mut configured = Self::default();
        let mut kind = None;
        let (mut lowest, mut highest) = (None, None);
        for (name, value) in options.of_part(PART) {
            let is = |word: &str| value.eq_ignore_ascii_case(word);
            match name {
                "Mapping" => kind = Some(value.to_ascii_lowercase()),
                "LowestPriority" => lowest = value.parse().ok().map(NativePriority),
                "HighestPriority" => highest = value.parse().ok().map(NativePriority),
                "Denied" => {
                    configured.denied =
                        Some(if is("refuse") { Denied::Refuse } else { Denied::Run });
                }
                "Scheduling" => {
                    let policy = if is("rr") {
                        SchedulingPolicy::RoundRobin
                    } else {
                        SchedulingPolicy::Fifo
                    };
                    configured.scheduling = Some(policy);
                }
                "Network" if is("linear") => configured.network = Some(Arc::new(LinearNetwork)),
                "MaxClientPriority" => {
                    configured.max_client_priority =
                        value.parse().ok().and_then(|value| Priority::new(value).ok());
                }
                "EndTimes" => configured.tell_end_times = Some(is("all")),
                "LockMemory" => configured.lock_memory = Some(is("yes")),
                _ => {}
            }
        }
        if kind.is_some() || lowest.is_some() || highest.is_some() {
            configured.mapping = Some(mapping(kind.as_deref(), lowest, highest));
        }
        configured
    }
}

fn mapping(
    kind: Option<&str>,
    lowest: Option<NativePriority>,
    highest: Option<NativePriority>,
) -> Arc<dyn PriorityMapping> {
    let highest = highest.unwrap_or(NativePriority::DEFAULT_MAX);
    match kind {
        Some("direct") => Arc::new(Direct::new(lowest.unwrap_or(NativePriority::SHARED), highest)),
        Some("continuous") => {
            Arc::new(Continuous::new(lowest.unwrap_or(NativePriority(1)), highest))
        }
        _ => Arc::new(Linear::new(lowest.unwrap_or(NativePriority::SHARED), highest)),
    }
}

impl RtOrbBuilder {
    /// Fills in what the program has left open.
    pub(crate) fn or(mut self, configured: Configured) -> Self {
        self.mapping = self.mapping.or(configured.mapping);
        self.denied = self.denied.or(configured.denied);
        self.scheduling = self.scheduling.or(configured.scheduling);
        self.lock_memory = self.lock_memory.or(configured.lock_memory);
        self.network = self.network.or(configured.network);
        self.max_client_priority = self.max_client_priority.or(configured.max_client_priority);
        self.tell_end_times = self.tell_end_times.or(configured.tell_end_times);
        self
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
        let options = self.orb.options().of_part(PART);
        let mut pools = options.iter().filter(|(option, _)| *option == "Pool");
        let description =
            pools.find_map(|(_, value)| value.split_once('=').filter(|(of, _)| *of == name));
        let Some((_, description)) = description else {
            let error = Error::new(Phase::Configure, format!("no thread pool {name:?}"));
            return Err(
                error.hint(format!("describe it with -ORBRtPool \"{name}=1000:2 30000:1\""))
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
pub(crate) fn policies_of_calls(orb: &Orb) -> Result<Policies, Error> {
    let options = orb.options();
    let mut policies = Policies::new();
    for (name, value) in options.of_part(PART) {
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        policies = match name {
            "Bands" if !value.trim().is_empty() => {
                let origin = options.origin("RtBands");
                policies.with(words::bands(value).ok_or_else(|| {
                    Error::new(Phase::Configure, format!("option RtBands = {value:?} ({origin})"))
                        .hint("bands are LOW-HIGH, as in 0-9999,10000-32767")
                })?)
            }
            "Protocols" => {
                let of_calls = words::protocols_of_calls(orb.protocols(), value, policies);
                of_calls.map_err(|error| {
                    let origin = options.origin("RtProtocols");
                    let what = format!("option RtProtocols = {value:?} ({origin})");
                    Error::new(Phase::Configure, what).because(error)
                })?
            }
            "PrivateConnections" if is("yes") => policies.with(PrivateConnection),
            "Oneways" if is("queued") => {
                policies.with(SyncScope::None).with(OnewayQueue::default())
            }
            "RequestTimeout" if value.trim() != "0" => {
                let millis = value.trim().parse().unwrap_or_default();
                policies.with(RelativeRequestTimeout(Duration::from_millis(millis)))
            }
            _ => policies,
        };
    }
    Ok(policies)
}

/// The path of the root adapter.
const ROOT: &str = "/";

/// The policies of adapters that the option `RtAdapter` names.
#[derive(Debug)]
struct Described(Arc<Settings>);

impl AdapterPolicies for Described {
    fn policies(&self, orb: &Orb, path: &str) -> Result<Policies, Error> {
        let options = orb.options().of_part(PART);
        let described = options.iter().filter(|(option, _)| *option == "Adapter");
        let described: Vec<_> = described.filter_map(|(_, value)| value.split_once('=')).collect();
        let of = |name: &str| described.iter().find(|(known, _)| *known == name);
        let others = || if path == ROOT { None } else { of("*") };
        let Some((name, words)) = of(path).or_else(others) else { return Ok(Policies::new()) };
        let rt = RtOrb { orb: orb.clone(), settings: Arc::clone(&self.0) };
        rt.described_policies(words).map_err(|error| {
            let origin = orb.options().origin("RtAdapter");
            let what = format!("option RtAdapter, adapter {path:?}, by {name:?} ({origin})");
            Error::new(Phase::Configure, what).because(error)
        })
    }
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
    if orb.options().of_part(PART).iter().any(|(option, _)| *option == "Adapter") {
        manager.furnish_adapters(Arc::new(Described(Arc::clone(settings))));
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
                    .hint("lanes are PRIORITY:THREADS, as in 1000:2, and settings NAME=VALUE")
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
