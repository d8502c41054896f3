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
const SCHEMA: Schema = Schema::new("imr", &[]);

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
            Err(error.hint("restore the last dump with `zorb store restore`"))
        }
    }
}

#[cold]
fn not_text(error: CdrError) -> StoreError {
    let what = "the implementation repository cannot store this text";
    StoreError::new(StoreErrorKind::Limit, what).because(error)
}

fn stop(broken: &mut Option<&'static str>, what: &'static str) -> ControlFlow<()> {
    *broken = Some(what);
    ControlFlow::Break(())
}
