//! The tables of a naming service in a store.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `naming.contexts` | the context's id, 8 octets, big-endian | empty |
//! | `naming.bindings` | the context's id, id, NUL, kind | an octet for the kind of binding, and the reference or the id of the context |
//! | `naming.leases` | as in `naming.bindings` | when the binding ends, in milliseconds since 1970, 8 octets, little-endian |
//!
//! The root context has the id 0 and no row.

use std::ops::ControlFlow;

use zorb_store::{Batch, Schema, Store, StoreError, StoreErrorKind};

use super::context_id::ContextId;
use super::stored;
use super::tree::{Bound, Change, LeaseChange, MAX_KEY, Tree};

const CONTEXTS: &str = "naming.contexts";
const BINDINGS: &str = "naming.bindings";
const LEASES: &str = "naming.leases";
const SCHEMA: Schema = Schema::new("naming", &[]);

/// Adds a change to a batch.
pub(crate) fn add(batch: Batch, change: &Change) -> Batch {
    let row = |context: ContextId, key: &[u8]| [&context.to_octets()[..], key].concat();
    match change {
        Change::Put { context, key, value, created, lease } => {
            let batch = match created {
                Some(created) => batch.put(CONTEXTS, created.to_octets(), []),
                None => batch,
            };
            let batch = match lease {
                LeaseChange::None => batch,
                LeaseChange::Until(end) => batch.put(LEASES, row(*context, key), end.to_le_bytes()),
                LeaseChange::Over => batch.delete(LEASES, row(*context, key)),
            };
            batch.put(BINDINGS, row(*context, key), &**value)
        }
        Change::Remove { context, key, lease } => {
            let batch = match lease {
                LeaseChange::None => batch,
                _ => batch.delete(LEASES, row(*context, key)),
            };
            batch.delete(BINDINGS, row(*context, key))
        }
        Change::Create { context } => batch.put(CONTEXTS, context.to_octets(), []),
        Change::Destroy { context } => batch.delete(CONTEXTS, context.to_octets()),
    }
}

/// Reads everything, one context after the other. Leases end at `latest_end` at the latest, as the system's time may
/// have been set back.
///
/// # Errors
/// The store fails, or its contents are damaged or of a newer version.
pub(crate) fn load(store: &dyn Store, tree: &mut Tree, latest_end: u64) -> Result<(), StoreError> {
    SCHEMA.open(store)?;
    let mut broken = None;
    store.scan(CONTEXTS, &mut |key, _| match ContextId::from_octets(key) {
        Some(id) => {
            tree.load(id, Vec::new());
            ControlFlow::Continue(())
        }
        None => stop(&mut broken, "a context with a malformed id"),
    })?;
    // The bindings of a context are together.
    let (mut context, mut entries) = (ContextId::ROOT, Vec::new());
    store.scan(BINDINGS, &mut |key, value| match binding(key, value) {
        Some((id, key, bound)) if tree.has(id) => {
            if id != context {
                tree.load(std::mem::replace(&mut context, id), std::mem::take(&mut entries));
            }
            entries.extend(tree.entry(key, bound));
            ControlFlow::Continue(())
        }
        _ => stop(&mut broken, "a malformed binding, or one without its context"),
    })?;
    tree.load(context, entries);
    let mut unused = Batch::new();
    store.scan(LEASES, &mut |row, end| {
        let parts = row.split_first_chunk::<8>().zip(<[u8; 8]>::try_from(end).ok());
        let lease =
            parts.and_then(|((id, key), end)| Some((ContextId::from_octets(id)?, key, end)));
        let Some((id, key, end)) = lease else { return stop(&mut broken, "a malformed lease") };
        if !tree.load_lease(id, key, u64::from_le_bytes(end).min(latest_end)) {
            unused.push(LEASES.into(), row.to_vec(), None);
        }
        ControlFlow::Continue(())
    })?;
    if let Some(what) = broken {
        let error = StoreError::new(StoreErrorKind::Broken, format!("the names contain {what}"));
        return Err(error.with_hint("restore the last dump with `zorb store restore`"));
    }
    if !unused.is_empty() {
        tracing::warn!(count = unused.len(), "forgetting leases without bindings");
        store.commit(unused)?;
    }
    Ok(())
}

fn stop(broken: &mut Option<&'static str>, what: &'static str) -> ControlFlow<()> {
    *broken = Some(what);
    ControlFlow::Break(())
}

/// A row of `naming.bindings`: the context, the key and the value.
fn binding<'r>(row: &'r [u8], value: &'r [u8]) -> Option<(ContextId, &'r [u8], Bound<'r>)> {
    let (id, key) = row.split_first_chunk::<8>()?;
    let text = std::str::from_utf8(key).ok()?;
    let bound = Bound::from_octets(value)?;
    if let Bound::Object(reference) | Bound::Foreign(reference) = bound
        && !stored::is_reference(reference)
    {
        return None;
    }
    let has_one_nul = text.bytes().filter(|octet| *octet == 0).count() == 1;
    (has_one_nul && key.len() <= MAX_KEY).then_some((ContextId::from_octets(id)?, key, bound))
}
