//! The implementation repository.

use std::sync::Arc;

use zorb::Orb;
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_store::Store;

/// A program with an implementation repository.
pub fn embedded(orb: &Orb, store: Arc<dyn Store>) -> Result<ImplementationRepository, zorb::Error> {
    let servers = ImplementationRepository::serve_stored(orb, &ImrOptions::default(), store)?;
    // Published as ImplRepoService, and an initial reference of this ORB.
    servers.publish(orb)?;
    Ok(servers)
}
