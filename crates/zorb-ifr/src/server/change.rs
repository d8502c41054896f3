//! Changes of definitions: `destroy`, `move`, and setters of attributes.

mod attributes;

use std::collections::HashSet;
use std::sync::Arc;

use zorb::dynamic::repository::{EntryId, RenamedIds, Repository, mentions};
use zorb::{CompletionStatus, ObjectRef, Ref, SystemException, TypeCode, minor};
use zorb_core::{Served, ServerCall};

use super::budget::of_text;
use super::call::{argument, bad_param, done};
use super::shared::{MAX_TYPES, Shared, Target, definition_id, entry_id_of, type_id};
use super::{check, kind};
use crate::corba::DefinitionKind;

/// Serves a request that changes a definition or type; `None` for unknown operations.
pub(super) fn serve(
    shared: &Arc<Shared>,
    target: &Target,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    Some(match (target, operation) {
        (Target::Definition(id), "destroy") => destroy(shared, id, call),
        (Target::Definition(id), "move") => relocate(shared, id, call),
        (Target::Definition(id), "_set_id") => set_id(shared, id, call),
        (Target::Definition(id), _) => {
            return attributes::serve(shared, id, operation.strip_prefix("_set_")?, call);
        }
        (Target::Type(type_code), "destroy") => destroy_type(shared, type_code, call),
        (Target::Type(_), _) => {
            let minor = minor::no_implement::UNSUPPORTED_OPERATION;
            Err(SystemException::no_implement(minor, CompletionStatus::No))
        }
    })
}

fn bad_order(minor: zorb::MinorCode) -> SystemException {
    SystemException::bad_inv_order(minor, CompletionStatus::No)
}

fn destroy(shared: &Arc<Shared>, id: &str, call: &mut ServerCall<'_>) -> Served {
    let remove = |definitions: &mut Repository, renamed: &RenamedIds| {
        let entry_id = entry_id_of(definitions, renamed, id)?;
        if entry_id == Repository::ROOT {
            return Err(bad_order(minor::bad_inv_order::INDESTRUCTIBLE));
        }
        let entry_ids = definitions.within(entry_id);
        if !definitions.users(&entry_ids).is_empty() {
            return Err(bad_order(minor::bad_inv_order::DEPENDENCY));
        }
        let ids: Vec<String> = entry_ids.iter().map(|at| definitions[*at].id.clone()).collect();
        definitions.remove(entry_id);
        // A valuetype may have lost a state member.
        definitions.refresh_types()?;
        Ok(ids)
    };
    shared.change(remove, |_, removed| {
        shared.forget(removed);
        Ok(())
    })?;
    done(call)
}

/// Destroys the object of an anonymous type that nothing uses any more.
fn destroy_type(shared: &Arc<Shared>, type_code: &TypeCode, call: &mut ServerCall<'_>) -> Served {
    if kind::of_type(type_code) == DefinitionKind::DkPrimitive {
        return Err(bad_order(minor::bad_inv_order::INDESTRUCTIBLE));
    }
    let text = zorb::dynamic::json::type_name(type_code);
    let definitions = shared.read();
    let types = definitions.entries().flat_map(|(_, entry)| entry.types());
    let has = |mut at: TypeCode| {
        loop {
            if zorb::dynamic::json::type_name(&at) == text {
                return true;
            }
            match at.id().is_empty().then(|| at.content_type()) {
                Some(Ok(element)) => at = element,
                _ => return false,
            }
        }
    };
    if types.into_iter().any(has) {
        return Err(bad_order(minor::bad_inv_order::DEPENDENCY));
    }
    let mut types = shared.lock_types();
    if types.remove(&text).is_some() {
        shared.budget.remove_text(&text);
        // Types in the list are active.
        let _ = shared.poa.deactivate(&type_id(&text));
    }
    drop(types);
    done(call)
}

fn relocate(shared: &Arc<Shared>, id: &str, call: &mut ServerCall<'_>) -> Served {
    let container = argument::<Ref<ObjectRef>>(call)?;
    let name = argument::<String>(call)?;
    let version = argument::<String>(call)?;
    let relocate = |definitions: &mut Repository, renamed: &RenamedIds| {
        let entry_id = entry_id_of(definitions, renamed, id)?;
        if entry_id == Repository::ROOT {
            return Err(bad_param(minor::bad_param::BAD_CONTAINER));
        }
        let container = shared
            .definition_of(definitions, renamed, container.as_ref())
            .filter(|container| !definitions.within(entry_id).contains(container))
            .ok_or_else(|| bad_param(minor::bad_param::BAD_CONTAINER))?;
        check::may_contain(definitions, container, check::creator(&definitions[entry_id]))?;
        check::name(definitions, container, &name, Some(entry_id))?;
        definitions.set_version(entry_id, &version);
        definitions.set_name(entry_id, &name)?;
        definitions.relocate(entry_id, container);
        // The state of a valuetype consists of the members defined inside it.
        Ok(definitions.refresh_types()?)
    };
    shared.change(relocate, |_, ()| Ok(()))?;
    done(call)
}

fn set_id(shared: &Arc<Shared>, id: &str, call: &mut ServerCall<'_>) -> Served {
    let new = argument::<String>(call)?;
    let rename = |definitions: &mut Repository, renamed: &RenamedIds| {
        let entry_id = entry_id_of(definitions, renamed, id)?;
        check::id(&new)?;
        if entry_id == Repository::ROOT {
            return Err(bad_param(minor::bad_param::BAD_CONTAINER));
        }
        let old = definitions[entry_id].id.clone();
        match definitions.lookup_id(&new) {
            Some(other) if other != entry_id => {
                return Err(bad_param(minor::bad_param::ID_EXISTS));
            }
            Some(_) => return Ok(old),
            None => {}
        }
        if renamed.len() >= MAX_TYPES {
            let minor = minor::no_resources::QUEUE_FULL;
            return Err(SystemException::no_resources(minor, CompletionStatus::No));
        }
        shared.budget.check(of_text(&old))?;
        definitions.set_id(entry_id, &new)?;
        Ok(old)
    };
    shared.change(rename, |definitions, old| match *old == new {
        true => Ok(()),
        false => shared.rename(definitions, old, &new),
    })?;
    done(call)
}

impl Shared {
    /// The definition that a reference denotes.
    fn definition_of(
        &self,
        definitions: &Repository,
        renamed: &RenamedIds,
        reference: Option<&ObjectRef>,
    ) -> Option<EntryId> {
        let id = self.poa.id_of(reference?).ok()?;
        let id = std::str::from_utf8(id.as_bytes()).ok()?.strip_prefix('D')?;
        entry_id_of(definitions, renamed, id).ok()
    }

    /// Deactivates the objects of destroyed definitions, and of types that contain them.
    fn forget(&self, ids: &[String]) {
        let ids: HashSet<&str> = ids.iter().map(|id| &**id).collect();
        for id in &ids {
            // Its object may already be deactivated.
            let _ = self.poa.deactivate(&definition_id(id));
        }
        self.lock_renamed().retain(|old, new| {
            let stays = !ids.contains(&**new);
            if !stays {
                self.budget.remove_text(old);
                let _ = self.poa.deactivate(&definition_id(old));
            }
            stays
        });
        self.lock_types().retain(|text, type_code| {
            let stays = !mentions(type_code, &ids);
            if !stays {
                self.budget.remove_text(text);
                let _ = self.poa.deactivate(&type_id(text));
            }
            stays
        });
    }

    /// Activates the object of a definition under its new id. References with the old id stay valid
    /// until the server ends.
    fn rename(
        self: &Arc<Self>,
        definitions: &Repository,
        old: &str,
        new: &str,
    ) -> Result<(), SystemException> {
        let mut renamed = self.lock_renamed();
        // An id that is used again denotes the new definition.
        if renamed.remove(new).is_some() {
            self.budget.remove_text(new);
        }
        for known in renamed.values_mut() {
            if known == old {
                new.clone_into(known);
            }
        }
        if renamed.insert(old.to_owned(), new.to_owned()).is_none() {
            self.budget.add_text(old);
        }
        drop(renamed);
        let entry_id = definitions.lookup_id(new);
        if let Some(entry) = entry_id.and_then(|entry_id| definitions.get(entry_id)) {
            self.activate_definition(entry)?;
        }
        Ok(())
    }
}
