//! The thread pools that the option `RtPool` describes.

use std::time::Duration;

use zorb_core::lanes::WeakPool;
use zorb_core::{Error, Phase};

use super::configuration::options_of;
use super::{
    Buffering, DynamicLifespan, LaneBuilder, Priority, RtOrb, Strategy, Threadpool,
    ThreadpoolBuilder, table,
};

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
