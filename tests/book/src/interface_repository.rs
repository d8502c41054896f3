//! The interface repository.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use zorb::Orb;
use zorb_ifr::{InterfaceRepository, State};
use zorb_store::{FileStore, FileStoreOptions};

/// A program with an interface repository that stores its definitions in a folder.
///
/// # Errors
/// The store cannot be opened or read, or the ORB does not serve any more.
pub fn embedded(orb: &Orb, folder: &Path) -> Result<InterfaceRepository, Box<dyn Error>> {
    let state = State::stored(Arc::new(FileStore::open(folder, &FileStoreOptions::new())?));
    let definitions = state.load()?.unwrap_or_default();
    let served = InterfaceRepository::serve_writable(&orb.root_poa(), definitions, Some(state))?;
    orb.publish("InterfaceRepository", &served.reference()?)?;
    Ok(served)
}

#[cfg(test)]
mod tests {
    use zorb_ifr::corba;

    use super::*;

    #[test]
    fn definitions_survive_the_program() {
        let folder = tempfile::tempdir().unwrap();
        for is_there in [false, true] {
            let orb =
                Orb::builder().without_environment().listen("iiop://127.0.0.1:0").build().unwrap();
            embedded(&orb, folder.path()).unwrap();
            orb.serve().unwrap();
            let client = Orb::builder().without_environment().build().unwrap();
            let address = orb.endpoints().remove(0).replace("iiop://", "");
            let url = format!("corbaloc::{address}/InterfaceRepository");
            let repository: corba::Repository = client.resolve(&url).unwrap();
            let id = "IDL:Bank:1.0".to_owned();
            assert_eq!(repository.lookup_id(&id).unwrap().is_some(), is_there);
            if !is_there {
                repository.create_module(&id, "Bank", "1.0").unwrap();
            }
            client.shutdown(true).unwrap();
            orb.shutdown(true).unwrap();
        }
    }
}
