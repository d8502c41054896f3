//! The naming service.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use zorb::Orb;
use zorb_naming::server::{NamingOptions, NamingService};
use zorb_store::{FileStore, FileStoreOptions};

/// A program with a naming service that stores its state in a folder.
///
/// # Errors
/// The store cannot be opened or read, or the ORB does not serve any more.
pub fn embedded(orb: &Orb, folder: &Path) -> Result<NamingService, Box<dyn Error>> {
    let store = Arc::new(FileStore::open(folder, &FileStoreOptions::new())?);
    let names = NamingService::serve_stored(orb, &NamingOptions::default(), store)?;
    // Published as NameService, and an initial reference of this ORB.
    names.publish(orb)?;
    Ok(names)
}
