//! The tables of a repository in a store.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `imr.servers` | the server's name | its [definition](super::definition) |
//! | `imr.running` | the server's name | its [processes](super::instance) that have registered |
//! | `imr.former` | a number of 8 octets, and the name that it served | a process that [may report its shutdown](super::former) |
//!
//! [`values`](super::values) says how values are encoded.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zorb::CdrError;
use zorb_store::{Batch, Schema, Store, StoreError, StoreErrorKind};

use super::definition::Definition;
use super::former::FormerChange;
use super::instance::Instance;

const SERVERS: &str = "imr.servers";
const RUNNING: &str = "imr.running";
const FORMER: &str = "imr.former";
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

/// Stores a definition.
///
/// # Errors
/// Those of the store.
pub(crate) fn put_definition(
    store: &dyn Store,
    name: &str,
    definition: &Definition,
) -> Result<(), StoreError> {
    let octets = definition.to_octets().map_err(not_text)?;
    store.commit(Batch::new().put(SERVERS, name, octets))
}

/// Removes a server; its processes become former ones.
///
/// # Errors
/// Those of the store.
pub(super) fn remove(
    store: &dyn Store,
    name: &str,
    former: &[FormerChange],
) -> Result<(), StoreError> {
    store.commit(with_former(Batch::new().delete(SERVERS, name).delete(RUNNING, name), former)?)
}

/// Stores the processes of a server, `None` if it has been removed, and what has changed of former ones.
///
/// # Errors
/// Those of the store.
pub(super) fn put_running(
    store: &dyn Store,
    name: &str,
    running: Option<&[Instance]>,
    former: &[FormerChange],
) -> Result<(), StoreError> {
    let batch = match running {
        None if former.is_empty() => return Ok(()),
        None => Batch::new(),
        Some([]) => Batch::new().delete(RUNNING, name),
        Some(running) => {
            Batch::new().put(RUNNING, name, Instance::to_octets(running).map_err(not_text)?)
        }
    };
    store.commit(with_former(batch, former)?)
}

fn with_former(mut batch: Batch, changes: &[FormerChange]) -> Result<Batch, StoreError> {
    for FormerChange { number, name, process } in changes {
        let key = [&number.to_be_bytes(), name.as_bytes()].concat();
        let process = process.as_ref().map(|it| Instance::to_octets(std::slice::from_ref(it)));
        batch.push(FORMER.into(), key, process.transpose().map_err(not_text)?);
    }
    Ok(batch)
}

/// What is stored.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    /// Definitions, and processes that ran, by the names of their servers.
    pub(super) servers: BTreeMap<String, (Definition, Vec<Instance>)>,
    /// Processes that no longer serve these names, and may run.
    pub(super) former: Vec<(String, Instance)>,
    /// The greatest number of one of them.
    pub(super) last_number: u64,
}

/// Reads everything. Deletes processes whose server has been removed, and former ones that have ended.
///
/// # Errors
/// The store fails, or its contents are damaged or of a newer version.
pub(crate) fn load(store: &dyn Store) -> Result<Stored, StoreError> {
    SCHEMA.open(store)?;
    let mut stored = Stored::default();
    let mut broken = None;
    store.scan(SERVERS, &mut |name, value| {
        let name = String::from_utf8(name.to_vec()).ok();
        match (name, Definition::from_octets(value)) {
            (Some(name), Ok(definition)) => {
                stored.servers.insert(name, (definition, Vec::new()));
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
                match stored.servers.get_mut(name) {
                    Some((_, running)) => *running = instances,
                    None => orphans.push(name.to_owned()),
                }
                ControlFlow::Continue(())
            }
            _ => stop(&mut broken, "malformed processes"),
        }
    })?;
    let mut ended = Batch::new();
    store.scan(FORMER, &mut |key, value| {
        let Some((number, name, known)) = former(key, value) else {
            return stop(&mut broken, "a malformed former process");
        };
        stored.last_number = stored.last_number.max(number);
        match known.filter(|process| !process.has_ended()) {
            Some(process) => stored.former.push((name, Instance { number, ..process })),
            None => ended.push(FORMER.into(), key.to_vec(), None),
        }
        ControlFlow::Continue(())
    })?;
    match broken {
        None => {
            if !ended.is_empty() {
                store.commit(ended)?;
            }
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

/// The number and the name in the key of a former process, and the process unless it has ended with the system.
fn former(key: &[u8], value: &[u8]) -> Option<(u64, String, Option<Instance>)> {
    let (number, name) = key.split_first_chunk()?;
    // No number could follow the greatest one.
    let number = Some(u64::from_be_bytes(*number)).filter(|number| *number < u64::MAX)?;
    let name = String::from_utf8(name.to_vec()).ok()?;
    Some((number, name, Instance::from_octets(value)?.pop()))
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
                Ok(stored) => assert!(is_read && stored.servers.contains_key("Shop")),
                Err(error) => {
                    assert!(!is_read && error.to_string().contains("version 1"), "{error}");
                }
            }
        }
    }
}
