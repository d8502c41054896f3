//! The naming service.

use std::sync::Arc;

use zorb::Orb;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::Store;

/// A program with a naming service.
pub fn embedded(orb: &Orb, store: Arc<dyn Store>) -> Result<NamingService, zorb::Error> {
    let names = NamingService::serve_stored(orb, &NamingOptions::default(), store)?;
    // Published as NameService, and an initial reference of this ORB.
    names.publish(orb)?;
    Ok(names)
}
