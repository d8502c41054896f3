//! The servant of one object of the repository.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use zorb::dynamic::repository::EntryId;
use zorb::poa::ObjectId;
use zorb::{CompletionStatus, ObjectRef, ServedBy, SystemException, TypeCode, Wire, minor};
use zorb_core::{Served, ServerCall};

use super::view::View;
use super::{Shared, create, definition, kind, types};
use crate::corba::DefinitionKind;

/// One object.
pub(super) struct Object {
    pub(super) shared: Arc<Shared>,
    pub(super) what: What,
    pub(super) kind: DefinitionKind,
}

/// What an object stands for.
pub(super) enum What {
    /// A definition.
    Definition(EntryId),
    /// A type without a name.
    Type(TypeCode),
}

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
        let definitions = self.shared.definitions.read().unwrap_or_else(PoisonError::into_inner);
        let view = View { shared: &self.shared, repository: &definitions };
        let mut served = match &self.what {
            What::Definition(place) => definition::serve(view, *place, &operation, call),
            What::Type(type_code) => types::serve(view, type_code, &operation, call),
        };
        drop(definitions);
        if let (None, What::Definition(place)) = (&served, &self.what) {
            served = create::serve(&self.shared, *place, &operation, call);
        }
        match served {
            Some(served) => served,
            None if changes(&operation) => {
                let minor = minor::no_implement::UNSUPPORTED_OPERATION;
                Err(SystemException::no_implement(minor, CompletionStatus::No))
            }
            None => call.unknown_operation(),
        }
    }
}

/// Whether an operation changes definitions that are there, or adds such as are not supported.
fn changes(operation: &str) -> bool {
    matches!(operation, "destroy" | "move")
        || operation.starts_with("_set_")
        || operation.starts_with("create_")
}

/// Ends a request with its result.
pub(super) fn reply<M: Wire>(call: &mut ServerCall<'_>, result: &M::View) -> Served {
    call.reply_dynamic(false, |writer| M::write(result, writer))
}
