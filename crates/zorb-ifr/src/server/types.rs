//! Anonymous types: `PrimitiveDef`, `StringDef`, `SequenceDef` and others.

use zorb::{Ref, TcKind, TypeCode};
use zorb_core::{Served, ServerCall};

use super::call::reply;
use super::kind;
use super::view::View;
use crate::corba::{IdlType, PrimitiveKind};

/// Serves a request to the object of a type; `None` for unknown operations.
pub(super) fn serve(
    view: View<'_>,
    type_code: &TypeCode,
    operation: &str,
    call: &mut ServerCall<'_>,
) -> Option<Served> {
    let primitive = kind::primitive_of(type_code);
    Some(match (operation, type_code.kind()) {
        ("_get_type", _) => reply::<TypeCode>(call, type_code),
        ("_get_kind", _) => reply::<PrimitiveKind>(call, &primitive?),
        ("_get_bound", TcKind::String | TcKind::WString) if primitive.is_some() => return None,
        ("_get_bound", TcKind::String | TcKind::WString | TcKind::Sequence)
        | ("_get_length", TcKind::Array) => reply::<u32>(call, &type_code.length().ok()?),
        ("_get_digits", TcKind::Fixed) => reply::<u16>(call, &type_code.digits_and_scale().ok()?.0),
        ("_get_scale", TcKind::Fixed) => reply::<i16>(call, &type_code.digits_and_scale().ok()?.1),
        ("_get_element_type", TcKind::Sequence | TcKind::Array) => {
            reply::<TypeCode>(call, &type_code.content_type().ok()?)
        }
        ("_get_element_type_def", TcKind::Sequence | TcKind::Array) => {
            reply::<Ref<IdlType>>(call, &view.type_def(&type_code.content_type().ok()?))
        }
        _ => return None,
    })
}
