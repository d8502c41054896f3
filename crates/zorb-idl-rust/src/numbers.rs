//! Structs of numbers that have no padding between them: their encoding is what C's layout is, but for the byte order.

use zorb_idl::{DefId, DefinitionKind, Model, Type};

/// The octets of a type, and its alignment.
#[derive(Clone, Copy)]
struct Extent {
    size: u64,
    alignment: u64,
}

/// The most members. Of a struct with more, values are moved one by one.
const MOST: u32 = 64;

/// Whether a struct has only numbers, also in arrays and other structs, without padding between them and after them.
pub(crate) fn is_row(model: &Model, id: DefId) -> bool {
    of_struct(model, id, &mut { MOST }).is_some()
}

/// The extent of a struct with at most so many members, which are then fewer.
fn of_struct(model: &Model, id: DefId, left: &mut u32) -> Option<Extent> {
    let mut whole = Extent { size: 0, alignment: 1 };
    for member in model.all_members(id) {
        *left = left.checked_sub(1)?;
        let Extent { size, alignment } = of(model, &member.ty, left)?;
        if !whole.size.is_multiple_of(alignment) {
            return None;
        }
        whole.size = whole.size.checked_add(size)?;
        whole.alignment = whole.alignment.max(alignment);
    }
    (whole.size > 0 && whole.size.is_multiple_of(whole.alignment)).then_some(whole)
}

fn of(model: &Model, ty: &Type, left: &mut u32) -> Option<Extent> {
    let size = match model.resolve(ty) {
        Type::Octet | Type::Int8 | Type::UInt8 => 1,
        Type::Short | Type::UShort => 2,
        Type::Long | Type::ULong | Type::Float => 4,
        Type::LongLong | Type::ULongLong | Type::Double => 8,
        Type::Array { element, dims } => {
            let Extent { size, alignment } = of(model, element, left)?;
            let sizes = dims.iter().map(|&dim| u64::from(dim));
            let size = sizes.into_iter().try_fold(size, u64::checked_mul)?;
            return Some(Extent { size, alignment });
        }
        Type::Named(id) if matches!(model[*id].kind, DefinitionKind::Struct(_)) => {
            return of_struct(model, *id, left);
        }
        _ => return None,
    };
    Some(Extent { size, alignment: size })
}
