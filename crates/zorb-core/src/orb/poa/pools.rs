//! The thread pools that serve object adapters.

use zorb_base::policy::{Policies, PriorityModel, ThreadpoolPolicy, may_be_served_in_lane};
use zorb_poa::PoaError;
use zorb_serving::{Pool, PoolUse};

use crate::orb::inner::OrbInner;

/// The thread pool to which policies assign an object adapter.
pub(super) fn named_pool(orb: &OrbInner, policies: &Policies) -> Result<Option<Pool>, PoaError> {
    let Some(policy) = policies.value::<ThreadpoolPolicy>() else { return Ok(None) };
    let unknown = PoaError::invalid_policy("the thread pool does not exist");
    orb.server.pool(policy.threadpool()).ok_or(unknown).map(Some)
}

/// Registers an adapter as a user of the pool that its policies name.
pub(super) fn pool_of(orb: &OrbInner, policies: &Policies) -> Result<Option<PoolUse>, PoaError> {
    let Some(pool) = named_pool(orb, policies)? else { return Ok(None) };
    check_lanes(&pool, policies)?;
    let destroyed = PoaError::invalid_policy("the thread pool has been destroyed");
    PoolUse::of(pool).ok_or(destroyed).map(Some)
}

/// Rejects policies of an object that no lane of the pool would serve.
pub(super) fn check_lanes(pool: &Pool, policies: &Policies) -> Result<(), PoaError> {
    let lanes = pool.priorities();
    let needed = policies.value().map(|model: &PriorityModel| model.server_priority().value());
    let serves = |priority| may_be_served_in_lane(policies, priority);
    let has = |priority| lanes.iter().any(|lane| lane.is_none_or(|lane| lane == priority));
    if lanes.iter().any(|lane| lane.is_none_or(serves)) && needed.is_none_or(has) {
        return Ok(());
    }
    Err(PoaError::invalid_policy("no lane of the thread pool has this priority"))
}
