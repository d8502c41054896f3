//! Bidirectional GIOP.

use zorb::poa::{Poa, PoaError, PoaPolicies};
use zorb::policy::{BidirectionalPolicy, Policies};
use zorb::{Orb, Result};

/// Offers servers to call the objects of this ORB over its connections.
///
/// # Errors
/// None.
pub fn offer(orb: &Orb) -> Result<()> {
    orb.policy_manager().add(&Policies::new().with(BidirectionalPolicy::Both))?;
    Ok(())
}

/// An adapter whose clients may be called over their connections.
///
/// # Errors
/// There is such an adapter already.
pub fn accept(orb: &Orb) -> std::result::Result<Poa, PoaError> {
    let policies = PoaPolicies::new().with(BidirectionalPolicy::Both);
    let adapter = orb.root_poa().create("observed", policies)?;
    Ok(adapter)
}
