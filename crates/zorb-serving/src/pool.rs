//! A pool of threads: the handle that programs have.

mod core;

pub(crate) use core::{PoolCore, Pools, default_lane};

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use zorb_base::policy::ThreadpoolPolicy;
use zorb_poa::ConnectionSetup;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::lane::Lane;
use crate::lane::core::pool_of_thread;
use crate::lane::steady_state::LaneViolations;
use crate::settings::{LaneCounts, Strategy};

/// A pool of threads in lanes (`RTCORBA::ThreadpoolId`). Clones are the same pool, which lives until it
/// is [destroyed](Self::destroy) or its ORB ends.
#[derive(Clone)]
pub struct Pool(Arc<PoolCore>);

/// A weak reference to a pool.
#[derive(Clone)]
pub struct WeakPool(Weak<PoolCore>);

impl fmt::Debug for WeakPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakPool").field(&self.upgrade()).finish()
    }
}

impl WeakPool {
    /// The pool, unless it has ended.
    pub fn upgrade(&self) -> Option<Pool> {
        self.0.upgrade().map(Pool).filter(|pool| !pool.is_destroyed())
    }
}

impl Pool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its number, unique in the process.
    pub fn number(&self) -> usize {
        self.0.number
    }

    /// The policy that assigns an object adapter to this pool (`create_threadpool_policy`).
    #[doc(alias = "create_threadpool_policy")]
    pub fn policy(&self) -> ThreadpoolPolicy {
        ThreadpoolPolicy::new(u32::try_from(self.0.number).unwrap_or(u32::MAX))
    }

    /// Its serving strategy.
    pub fn strategy(&self) -> Strategy {
        self.0.strategy
    }

    /// The priorities of its lanes, in the order of its settings.
    pub fn priorities(&self) -> Vec<Option<i16>> {
        self.0.lanes.iter().map(|lane| lane.settings.priority).collect()
    }

    /// The endpoints of its lanes as references contain them, in the order of its settings.
    pub fn endpoints(&self) -> Vec<Vec<String>> {
        let of = |lane: &Arc<Lane>| {
            let published =
                lane.listeners.iter().flat_map(|listener| listener.acceptor.published());
            published.map(ToString::to_string).collect()
        };
        self.0.lanes.iter().map(of).collect()
    }

    /// The counters of its lanes, in the order of its settings.
    pub fn counts(&self) -> Vec<LaneCounts> {
        self.0.lanes.iter().map(|lane| lane.counts()).collect()
    }

    /// The violations of its lanes since pools were frozen (`Orb::freeze_pools`), in the order of its
    /// settings.
    pub fn violations(&self) -> Vec<LaneViolations> {
        self.0.violations().collect()
    }

    /// Destroys it (`destroy_threadpool`): closes its endpoints, lets running requests finish, and waits for
    /// its threads. The ORB then removes the pool and no longer counts its violations; [`violations`](Self::violations)
    /// still returns them. A second call has no effect.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` while it serves an adapter, or if the calling thread belongs to it.
    #[doc(alias = "destroy_threadpool")]
    pub fn destroy(&self) -> Result<(), SystemException> {
        let refused = |minor| Err(SystemException::bad_inv_order(minor, CompletionStatus::No));
        if !self.0.adapters.is_empty() {
            return refused(minor::bad_inv_order::POOL_IN_USE);
        }
        if pool_of_thread() == self.0.number {
            return refused(minor::bad_inv_order::WOULD_DEADLOCK);
        }
        if !self.0.adapters.close_if_empty() {
            return refused(minor::bad_inv_order::POOL_IN_USE);
        }
        self.0.stop();
        self.0.threads.join();
        self.0.lanes.iter().for_each(|lane| lane.close_calls());
        if let Some(pools) = self.0.pools.upgrade() {
            pools.remove(&self.0);
        }
        Ok(())
    }

    /// A weak handle; the ORB owns the pool until it ends.
    pub fn downgrade(&self) -> WeakPool {
        WeakPool(Arc::downgrade(&self.0))
    }

    /// Whether it has ended, or is ending.
    pub fn is_destroyed(&self) -> bool {
        self.0.ended.load(Ordering::Acquire)
    }

    pub(crate) fn from_core(core: Arc<PoolCore>) -> Self {
        Self(core)
    }

    /// Its state.
    pub fn core(&self) -> &Arc<PoolCore> {
        &self.0
    }
}

impl PartialEq for Pool {
    fn eq(&self, other: &Self) -> bool {
        self.0.number == other.0.number
    }
}

impl Eq for Pool {}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("name", &self.0.name)
            .field("strategy", &self.0.strategy)
            .field("priorities", &self.priorities())
            .finish_non_exhaustive()
    }
}

/// An adapter's use of its pool.
pub struct PoolUse(Pool, usize);

impl fmt::Debug for PoolUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolUse").field("pool", &self.0).finish_non_exhaustive()
    }
}

impl PoolUse {
    /// Registers an adapter with `pool` until dropped; `None` if the pool has ended.
    pub fn of(pool: Pool) -> Option<Self> {
        let number = pool.0.adapters.add()?;
        let used = Self(pool, number);
        (!used.0.is_destroyed()).then_some(used)
    }

    /// The number of the pool.
    pub fn number(&self) -> usize {
        self.0.number()
    }

    /// Sets the adapter's setup of connections.
    pub fn set_up_by(&self, setup: Option<Arc<ConnectionSetup>>) {
        self.0.0.adapters.set_up_by(self.1, setup);
    }
}

impl Drop for PoolUse {
    fn drop(&mut self) {
        self.0.0.adapters.remove(self.1);
    }
}
