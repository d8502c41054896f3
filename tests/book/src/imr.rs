//! The implementation repository.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use zorb::Orb;
use zorb_imr::server::{ImplementationRepository, ImrOptions};
use zorb_store::{FileStore, FileStoreOptions};

/// A program with an implementation repository that stores its state in a folder.
///
/// # Errors
/// The store cannot be opened or read, or the ORB does not serve any more.
pub fn embedded(orb: &Orb, folder: &Path) -> Result<ImplementationRepository, Box<dyn Error>> {
    let store = Arc::new(FileStore::open(folder, &FileStoreOptions::new())?);
    let servers = ImplementationRepository::serve_stored(orb, &ImrOptions::default(), store)?;
    // Published as ImplRepoService, and an initial reference of this ORB.
    servers.publish(orb)?;
    Ok(servers)
}
