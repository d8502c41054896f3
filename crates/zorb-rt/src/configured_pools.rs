//! Thread pools of the option `RtPool`.

use std::time::Duration;

use zorb_core::lanes::WeakPool;
use zorb_core::{Error, Phase};

use super::configuration::options_of;
use super::{
    Buffering, DynamicLifespan, LaneBuilder, Priority, RtOrb, Strategy, Threadpool,
    ThreadpoolBuilder, table,
};

impl RtOrb {
    /// The pool that the option `RtPool` describes under `name`, in the syntax of [`ThreadpoolBuilder::settings`]. It is
    /// created on first use, here or by an adapter of the option `RtAdapter`, and again after it was destroyed.
    ///
    /// # Errors
    /// There is no such pool, its description is invalid, or [`ThreadpoolBuilder::create`] fails.
    pub fn configured_threadpool(&self, name: &str) -> Result<Threadpool, Error> {
        let options = options_of(self.orb.options());
        let described = options.rt_pool.iter().find(|(known, _)| known == name);
        let Some((_, description)) = described else {
            let error = Error::new(Phase::Configure, format!("no thread pool {name:?}"));
            return Err(
                error.with_hint(format!("describe it with -ORBRtPool \"{name}=1000:2 30000:1\""))
            );
        };
        // Locked while a pool is created, so that concurrent callers get the same one.
        let mut pools = self.settings.pools.lock();
        if let Some(pool) = pools.get(name).and_then(WeakPool::upgrade) {
            return Ok(Threadpool::of(pool));
        }
        let pool = self.threadpool(name).settings(description)?.create()?;
        pools.insert(name.to_owned(), pool.downgrade());
        Ok(pool)
    }
}

impl ThreadpoolBuilder<'_> {
    /// Configures the pool from a text in the syntax of the option `RtPool`:
    ///
    /// | Setting | Meaning |
    /// |---|---|
    /// | `PRIORITY:STATIC`, `PRIORITY:STATIC+DYNAMIC` | a lane with static and dynamic threads |
    /// | `any:STATIC`, `any:STATIC+DYNAMIC` | a pool without lanes |
    /// | one of these, followed by `@0,2` | threads bound to these processors |
    /// | `listen=URL` | an endpoint of the preceding lane; may be repeated |
    /// | `stack=OCTETS` | the stack size of the threads |
    /// | `strategy=leader-followers`, `half-sync`, `thread-per-connection`, `single-thread` | the serving strategy |
    /// | `buffering=REQUESTS`, `REQUESTS/OCTETS` | the limits of requests that wait for a thread |
    /// | `borrowing` | lanes borrow threads of lanes with lower priorities |
    /// | `by-priority`, `by-arrival` | the order of requests that wait for a thread |
    /// | `lifespan=idle/MS`, `fixed/MS`, `infinite` | the lifespan of dynamic threads |
    /// | `connections=COUNT` | the maximum number of connections of each lane |
    /// | `table=FILE` | the lanes of a priority table ([`lanes_from_table`](Self::lanes_from_table)) |
    ///
    /// # Errors
    /// A setting is invalid, or a table cannot be read.
    pub fn settings(mut self, text: &str) -> Result<Self, Error> {
        let mut lanes: Vec<(Option<Priority>, LaneBuilder)> = Vec::new();
        let pool = self.name().to_owned();
        let mut lifespan = DynamicLifespan::default();
        for setting in text.split_whitespace() {
            let invalid = || {
                let what = format!("thread pool {pool:?}: invalid setting {setting:?}");
                Error::new(Phase::Configure, what)
                    .with_hint("lanes are PRIORITY:THREADS, as in 1000:2, and settings NAME=VALUE")
            };
            let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
            match name {
                "listen" => {
                    let (priority, lane) = lanes.pop().ok_or_else(invalid)?;
                    lanes.push((priority, LaneBuilder::listen(lane, value)));
                }
                "stack" => self = self.stack_size(value.parse().map_err(|_| invalid())?),
                "strategy" => self = self.strategy(strategy(value).ok_or_else(invalid)?),
                "buffering" => self = self.buffering(buffering(value).ok_or_else(invalid)?),
                "borrowing" if value.is_empty() => self = self.borrowing(true),
                "by-priority" if value.is_empty() => self = self.by_priority(true),
                "by-arrival" if value.is_empty() => self = self.by_priority(false),
                "lifespan" => lifespan = self::lifespan(value).ok_or_else(invalid)?,
                "connections" => {
                    self = self.max_connections(value.parse().map_err(|_| invalid())?);
                }
                "table" => self = self.lanes_from_table(&table::read(value)?)?,
                _ => {
                    let new = lane(setting).ok_or_else(invalid)?;
                    // A pool either has lanes or has none.
                    if lanes.iter().any(|(known, _)| known.is_none() || new.0.is_none()) {
                        return Err(invalid());
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

/// `PRIORITY:STATIC+DYNAMIC@PROCESSORS`, of which the last two may be omitted.
fn lane(setting: &str) -> Option<(Option<Priority>, LaneBuilder)> {
    let (priority, rest) = setting.split_once(':')?;
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

fn strategy(setting: &str) -> Option<Strategy> {
    Some(match setting {
        "leader-followers" => Strategy::LeaderFollowers,
        "half-sync" => Strategy::HalfSync,
        "thread-per-connection" => Strategy::ThreadPerConnection,
        "single-thread" => Strategy::SingleThread,
        _ => return None,
    })
}

/// `REQUESTS/OCTETS`, of which the latter may be omitted.
fn buffering(setting: &str) -> Option<Buffering> {
    let (requests, octets) = setting.split_once('/').map_or((setting, None), |(a, b)| (a, Some(b)));
    let max_octets = match octets {
        None => None,
        Some(octets) => Some(octets.parse().ok()?),
    };
    Some(Buffering { max_requests: requests.parse().ok()?, max_octets })
}

fn lifespan(setting: &str) -> Option<DynamicLifespan> {
    let (kind, millis) = setting.split_once('/').unwrap_or((setting, ""));
    let time = || millis.parse().ok().map(Duration::from_millis);
    Some(match kind {
        "idle" => DynamicLifespan::Idle(time()?),
        "fixed" => DynamicLifespan::Fixed(time()?),
        "infinite" if millis.is_empty() => DynamicLifespan::Infinite,
        _ => return None,
    })
}
