//! Dispatches requests to the objects of a repository.

use std::borrow::Cow;

use zorb::poa::ObjectId;
use zorb::{CompletionStatus, ObjectRef, ServedBy, SystemException, minor};
use zorb_core::{Served, ServerCall};

use super::call::reply;
use super::shared::{Object, Target, entry_id_of};
use super::view::View;
use super::{change, create, definition, kind, types};
use crate::corba::DefinitionKind;

impl ServedBy<Object> for ObjectRef {
    fn dispatch(servant: &Object, call: &mut ServerCall<'_>) -> Served {
        servant.serve(call)
    }

    fn type_id<'s>(servant: &'s Object, _: &ObjectId) -> Cow<'s, str> {
        kind::type_ids(servant.kind).first().copied().unwrap_or_default().into()
    }

    fn is_a(servant: &Object, _: &ObjectId, type_id: &str) -> bool {
        kind::type_ids(servant.kind).contains(&type_id)
    }
}

impl Object {
    fn serve(&self, call: &mut ServerCall<'_>) -> Served {
        let operation = call.operation_name().to_owned();
        if operation == "_get_def_kind" {
            return reply::<DefinitionKind>(call, &self.kind);
        }
        let definitions = self.shared.read();
        let view = View { shared: &self.shared, repository: &definitions };
        let served = match &self.target {
            Target::Definition(id) => {
                let entry_id = entry_id_of(&definitions, &self.shared.lock_renamed(), id)?;
                definition::serve(view, entry_id, &operation, call)
            }
            Target::Type(type_code) => {
                let renamed = self.shared.lock_renamed();
                let type_code = self.shared.as_defined(&definitions, &renamed, type_code.clone());
                drop(renamed);
                types::serve(view, &type_code, &operation, call)
            }
        };
        drop(definitions);
        match served {
            Some(served) => served,
            None if !changes(&operation) => call.unknown_operation(),
            None if !self.shared.writable => {
                let minor = minor::no_permission::REFUSED;
                Err(SystemException::no_permission(minor, CompletionStatus::No))
            }
            None => {
                self.shared.check_writer()?;
                self.change(&operation, call)
            }
        }
    }

    fn change(&self, operation: &str, call: &mut ServerCall<'_>) -> Served {
        let created = match &self.target {
            Target::Definition(id) => create::serve(&self.shared, id, operation, call),
            Target::Type(_) => None,
        };
        let served = created.or_else(|| change::serve(&self.shared, &self.target, operation, call));
        served.unwrap_or_else(|| call.unknown_operation())
    }
}

/// Whether an operation changes or adds definitions.
fn changes(operation: &str) -> bool {
    matches!(operation, "destroy" | "move")
        || operation.starts_with("_set_")
        || operation.starts_with("create_")
}
