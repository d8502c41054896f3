//! The tables of a repository in a store.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `imr.servers` | the server's name | its [definition](super::definition) |
//! | `imr.running` | the server's name | its [processes](super::instance) that have registered |
//!
//! [`values`](super::values) says how values are encoded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zorb::CdrError;
use zorb_store::{Batch, Schema, Store, StoreError, StoreErrorKind};

use super::definition::Definition;
use super::instance::Instance;

const SERVERS: &str = "imr.servers";
const RUNNING: &str = "imr.running";
const SCHEMA: Schema = Schema::new("imr", &[to_encapsulations]);

/// From version 1, which development versions had for values of another form, too, to version 2.
///
/// # Errors
/// The values are not encapsulations.
fn to_encapsulations(store: &dyn Store, _: &mut Batch) -> Result<(), StoreError> {
    let mut is_other = false;
    store.scan(SERVERS, &mut |_, value| {
        is_other |= Definition::from_octets(value).is_err();
        ControlFlow::Continue(())
    })?;
    store.scan(RUNNING, &mut |_, value| {
        is_other |= Instance::from_octets(value).is_none();
        ControlFlow::Continue(())
    })?;
    if is_other {
        let what = "the schema of imr is version 1, of a development version of Zorb";
        return Err(StoreError::new(StoreErrorKind::Broken, what)
            .with_hint("add the servers again, in a new folder"));
    }
    Ok(())
}

/// Stores a definition; removes the server for `None`.
///
/// # Errors
/// Those of the store.
pub(crate) fn put_definition(
    store: &dyn Store,
    name: &str,
    definition: Option<&Definition>,
) -> Result<(), StoreError> {
    store.commit(match definition {
        Some(definition) => {
            Batch::new().put(SERVERS, name, definition.to_octets().map_err(not_text)?)
        }
        None => Batch::new().delete(SERVERS, name).delete(RUNNING, name),
    })
}

/// Stores the processes of a server.
///
/// # Errors
/// Those of the store.
pub(crate) fn put_running(
    store: &dyn Store,
    name: &str,
    running: &[Instance],
) -> Result<(), StoreError> {
    store.commit(match running {
        [] => Batch::new().delete(RUNNING, name),
        running => Batch::new().put(RUNNING, name, Instance::to_octets(running).map_err(not_text)?),
    })
}

/// What is stored: definitions, and processes that ran, by the names of their servers.
pub(crate) type Stored = BTreeMap<String, (Definition, Vec<Instance>)>;

/// Reads everything. Deletes processes whose server has been removed.
///
/// # Errors
/// The store fails, or its contents are damaged or of a newer version.
pub(crate) fn load(store: &dyn Store) -> Result<Stored, StoreError> {
    SCHEMA.open(store)?;
    let mut stored = Stored::new();
    let mut broken = None;
    store.scan(SERVERS, &mut |name, value| {
        let name = String::from_utf8(name.to_vec()).ok();
        match (name, Definition::from_octets(value)) {
            (Some(name), Ok(definition)) => {
                stored.insert(name, (definition, Vec::new()));
                ControlFlow::Continue(())
            }
            _ => stop(&mut broken, "a malformed definition"),
        }
    })?;
    let mut orphans = Vec::new();
    store.scan(RUNNING, &mut |name, value| {
        let name = std::str::from_utf8(name).ok();
        match (name, Instance::from_octets(value)) {
            (Some(name), Some(instances)) => {
                match stored.get_mut(name) {
                    Some((_, running)) => *running = instances,
                    None => orphans.push(name.to_owned()),
                }
                ControlFlow::Continue(())
            }
            _ => stop(&mut broken, "malformed processes"),
        }
    })?;
    match broken {
        None => {
            for name in orphans {
                tracing::warn!(server = name, "forgetting the processes of an unknown server");
                store.commit(Batch::new().delete(RUNNING, name))?;
            }
            Ok(stored)
        }
        Some(what) => {
            let what = format!("the implementation repository contains {what}");
            let error = StoreError::new(StoreErrorKind::Broken, what);
            Err(error.with_hint("restore the last dump with `zorb store restore`"))
        }
    }
}

#[cold]
fn not_text(error: CdrError) -> StoreError {
    let what = "the implementation repository cannot store this text";
    StoreError::new(StoreErrorKind::Limit, what).with_source(error)
}

fn stop(broken: &mut Option<&'static str>, what: &'static str) -> ControlFlow<()> {
    *broken = Some(what);
    ControlFlow::Break(())
}

#[cfg(test)]
mod tests {
    use zorb_store::MemoryStore;

    use super::*;

    #[test]
    fn the_first_version_is_read_if_it_has_this_form() {
        let definition = Definition::unmanaged().to_octets().unwrap();
        for (value, is_read) in [(definition, true), (b"x".to_vec(), false)] {
            let store = MemoryStore::new();
            let version = Batch::new().put("zorb.schema", "imr", [0, 0, 0, 1]);
            store.commit(version.put(SERVERS, "Shop", value)).unwrap();
            match load(&store) {
                Ok(stored) => assert!(is_read && stored.contains_key("Shop")),
                Err(error) => {
                    assert!(!is_read && error.to_string().contains("version 1"), "{error}");
                }
            }
        }
    }
}
