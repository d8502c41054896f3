//! The tables of a naming service in a store.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `naming.contexts` | the context's id, 8 octets, big-endian | empty |
//! | `naming.bindings` | the context's id, id, NUL, kind | an octet for the kind of binding, and the reference or the id of the context |
//!
//! The root context has the id 0 and no row.

use std::collections::HashMap;
use std::ops::ControlFlow;

use zorb_store::{Batch, Schema, Store, StoreError, StoreErrorKind};

use super::context_id::ContextId;
use super::stored;
use super::tree::{Bound, Change, Entry, Tree};

const CONTEXTS: &str = "naming.contexts";
const BINDINGS: &str = "naming.bindings";
const SCHEMA: Schema = Schema::new("naming", &[]);

/// Adds a change to a batch.
pub(crate) fn add(batch: Batch, change: &Change) -> Batch {
    let row = |context: ContextId, key: &[u8]| [&context.to_octets()[..], key].concat();
    match change {
        Change::Put { context, entry, created } => {
            let batch = match created {
                Some(created) => batch.put(CONTEXTS, created.to_octets(), []),
                None => batch,
            };
            batch.put(BINDINGS, row(*context, entry.key()), entry.bound().to_octets())
        }
        Change::Remove { context, key } => batch.delete(BINDINGS, row(*context, key)),
        Change::Create { context } => batch.put(CONTEXTS, context.to_octets(), []),
        Change::Destroy { context } => batch.delete(CONTEXTS, context.to_octets()),
    }
}

/// Reads everything.
///
/// # Errors
/// The store fails, or its contents are damaged or of a newer version.
pub(crate) fn load(store: &dyn Store, tree: &mut Tree) -> Result<(), StoreError> {
    SCHEMA.open(store)?;
    let mut contexts: HashMap<ContextId, Vec<Entry>> = HashMap::new();
    contexts.insert(ContextId::ROOT, Vec::new());
    let mut broken = None;
    store.scan(CONTEXTS, &mut |key, _| match ContextId::from_octets(key) {
        Some(id) => {
            contexts.insert(id, Vec::new());
            ControlFlow::Continue(())
        }
        None => stop(&mut broken, "a context with a malformed id"),
    })?;
    store.scan(BINDINGS, &mut |key, value| {
        let entry = entry(key, value);
        match entry.and_then(|(id, entry)| Some((contexts.get_mut(&id)?, entry))) {
            Some((entries, entry)) => {
                entries.push(entry);
                ControlFlow::Continue(())
            }
            None => stop(&mut broken, "a malformed binding, or one without its context"),
        }
    })?;
    if let Some(what) = broken {
        let error = StoreError::new(StoreErrorKind::Broken, format!("the names contain {what}"));
        return Err(error.hint("restore the last dump with `zorb store restore`"));
    }
    for (id, entries) in contexts {
        tree.load(id, entries);
    }
    Ok(())
}

fn stop(broken: &mut Option<&'static str>, what: &'static str) -> ControlFlow<()> {
    *broken = Some(what);
    ControlFlow::Break(())
}

/// A row of `naming.bindings`.
fn entry(row: &[u8], value: &[u8]) -> Option<(ContextId, Entry)> {
    let (id, key) = row.split_first_chunk::<8>()?;
    let text = std::str::from_utf8(key).ok()?;
    let bound = Bound::from_octets(value)?;
    if let Bound::Object(reference) | Bound::Foreign(reference) = bound {
        stored::decode(reference)?;
    }
    let has_one_nul = text.bytes().filter(|octet| *octet == 0).count() == 1;
    Some((ContextId::from_octets(id)?, Entry::new(key, bound).filter(|_| has_one_nul)?))
}
