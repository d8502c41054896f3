//! TypeCodes made at run time: the ORB's `create_..._tc` operations (CORBA 3.3 part 1, 8.11.3).

#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;

use super::digits::{fixed, is_fixed};
use super::label::{may_discriminate, range_of};
use super::making::{Making, check_id, check_member, check_names};
use super::node::{Arena, Member, Node, Repr};
use super::{TcKind, TypeCode, TypeCodeError, TypeCodeResult, ValueModifier, Visibility};

/// One case of a union; a case with several labels is listed once for each label.
#[derive(Clone, Copy, Debug)]
pub struct UnionCase<'a> {
    /// The label as a number (see [`TypeCode::member_label`]); `None` for the default case.
    pub label: Option<i64>,
    /// The name of the member.
    pub name: &'a str,
    /// The type of the member.
    pub type_code: &'a TypeCode,
}

/// One member of the state of a valuetype.
#[derive(Clone, Copy, Debug)]
pub struct ValueMember<'a> {
    /// The name of the member.
    pub name: &'a str,
    /// The type of the member.
    pub type_code: &'a TypeCode,
    /// Whether it is public.
    pub visibility: Visibility,
}

/// # Types made at run time
///
/// The `create_..._tc` operations of the ORB. Names are IDL identifiers or empty; ids have a format
/// (`IDL:`, `RMI:`, ...), or are empty where the standard allows it.
///
/// Inside a recursive type, [`recursive`](Self::recursive) stands for the type itself:
///
/// ```
/// use zorb_types::{TcKind, TypeCode};
///
/// let kids = TypeCode::sequence(&TypeCode::recursive("IDL:Node:1.0")?, 0)?;
/// let node = TypeCode::structure(
///     "IDL:Node:1.0",
///     "Node",
///     &[("v", TypeCode::plain(TcKind::Long)), ("kids", kids)],
/// )?;
/// assert_eq!(node.to_string(), "struct Node { long v; sequence<Node> kids; }");
/// assert_eq!(node.member_type(1)?.content_type()?, node);
/// # Ok::<(), zorb_types::TypeCodeError>(())
/// ```
impl TypeCode {
    /// A `struct`: `create_struct_tc`.
    ///
    /// # Errors
    /// When an id, a name or the type of a member is not allowed; `TooDeep`.
    pub fn structure(id: &str, name: &str, members: &[(&str, Self)]) -> TypeCodeResult<Self> {
        let parts = members.iter().map(|(name, type_code)| (*name, type_code, 0));
        Making::named(TcKind::Struct, id, name)?.members(parts)?.finish()
    }

    /// An `exception`: `create_exception_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn exception(id: &str, name: &str, members: &[(&str, Self)]) -> TypeCodeResult<Self> {
        let parts = members.iter().map(|(name, type_code)| (*name, type_code, 0));
        Making::named(TcKind::Except, id, name)?.members(parts)?.finish()
    }

    /// A `union`: `create_union_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure); when the labels are not values of the discriminator type.
    pub fn union(
        id: &str,
        name: &str,
        discriminator: &Self,
        cases: &[UnionCase<'_>],
    ) -> TypeCodeResult<Self> {
        let mut making = Making::named(TcKind::Union, id, name)?;
        let switch = discriminator.view().resolved();
        if !may_discriminate(switch.kind()) {
            return Err(TypeCodeError::BadDiscriminator);
        }
        let range = range_of(switch.kind(), switch.member_count());
        let mut labels = BTreeSet::new();
        let mut default_index = -1;
        for (index, case) in cases.iter().enumerate() {
            match case.label {
                Some(label) if !range.contains(&label) => return Err(TypeCodeError::BadLabel),
                Some(label) if !labels.insert(label) => return Err(TypeCodeError::DuplicateLabel),
                Some(_) => {}
                None if default_index >= 0 => return Err(TypeCodeError::BadDiscriminator),
                None => {
                    default_index =
                        i32::try_from(index).map_err(|_| TypeCodeError::BadDiscriminator)?;
                }
            }
        }
        making.content(discriminator);
        let parts = cases.iter().map(|case| (case.name, case.type_code, case.label.unwrap_or(0)));
        making.repeated_names = true;
        making = making.members(parts)?;
        let members = core::mem::take(&mut making.node.members);
        let set = making.node.set_cases(default_index, members.into_vec());
        set.map_err(|_| TypeCodeError::OutOfMemory)?;
        making.finish()
    }

    /// An `enum`: `create_enum_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn enumeration(id: &str, name: &str, values: &[&str]) -> TypeCodeResult<Self> {
        let mut making = Making::named(TcKind::Enum, id, name)?;
        if values.is_empty() {
            return Err(TypeCodeError::BadNumber);
        }
        check_names(values.iter().copied(), false)?;
        making.node.members = values
            .iter()
            .map(|&name| Member { name: Box::from(name), child: None, label: 0 })
            .collect();
        making.finish()
    }

    /// A `typedef`: `create_alias_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn alias(id: &str, name: &str, original: &Self) -> TypeCodeResult<Self> {
        check_member(original)?;
        Making::named(TcKind::Alias, id, name)?.with_content(original).finish()
    }

    /// A type with an id and a name only: an interface (`tk_objref`), abstract or local interface,
    /// `native`, component or home.
    ///
    /// # Errors
    /// `BadKind` for other kinds; as [`structure`](Self::structure).
    pub fn named(kind: TcKind, id: &str, name: &str) -> TypeCodeResult<Self> {
        use TcKind::{AbstractInterface, Component, Home, LocalInterface, Native, ObjRef};
        match kind {
            ObjRef | AbstractInterface | LocalInterface | Native | Component | Home => {
                Making::named(kind, id, name)?.finish()
            }
            _ => Err(TypeCodeError::BadKind),
        }
    }

    /// An interface: `create_interface_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn interface(id: &str, name: &str) -> TypeCodeResult<Self> {
        Self::named(TcKind::ObjRef, id, name)
    }

    /// A `string` of at most `bound` octets, 0 for no bound: `create_string_tc`.
    pub fn string(bound: u32) -> Self {
        Self::text(TcKind::String, bound)
    }

    /// A `wstring` of at most `bound` code units, 0 for no bound: `create_wstring_tc`.
    pub fn wstring(bound: u32) -> Self {
        Self::text(TcKind::WString, bound)
    }

    fn text(kind: TcKind, bound: u32) -> Self {
        if bound == 0 { Self::plain(kind) } else { Self::leaf(kind, bound.into()) }
    }

    /// A type whose only parameter is a number.
    fn leaf(kind: TcKind, number: i64) -> Self {
        let nodes = alloc::vec![Node { number, ..Node::new(kind) }];
        Self(Repr::Shared(Arc::new(Arena::made(nodes, 0, false)), 0))
    }

    /// A `fixed<digits, scale>`: `create_fixed_tc`.
    ///
    /// # Errors
    /// `BadNumber` for 0 or more than 31 digits, and for a scale out of range.
    pub fn fixed(digits: u16, scale: i16) -> TypeCodeResult<Self> {
        if !is_fixed(digits, scale) {
            return Err(TypeCodeError::BadNumber);
        }
        Ok(Self::leaf(TcKind::Fixed, fixed(digits, scale)))
    }

    /// A `sequence` of at most `bound` elements, 0 for no bound: `create_sequence_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn sequence(element: &Self, bound: u32) -> TypeCodeResult<Self> {
        check_member(element)?;
        let mut making = Making::new(TcKind::Sequence).with_content(element);
        making.node.number = bound.into();
        making.finish()
    }

    /// One dimension of an array: `create_array_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure); `BadNumber` for a length of 0.
    pub fn array(element: &Self, length: u32) -> TypeCodeResult<Self> {
        check_member(element)?;
        if length == 0 {
            return Err(TypeCodeError::BadNumber);
        }
        let mut making = Making::new(TcKind::Array).with_content(element);
        making.node.number = length.into();
        making.finish()
    }

    /// A `valuetype`: `create_value_tc`. The members are those of its own state, without the base.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn value(
        id: &str,
        name: &str,
        modifier: ValueModifier,
        base: Option<&Self>,
        members: &[ValueMember<'_>],
    ) -> TypeCodeResult<Self> {
        value(TcKind::Value, id, name, modifier, base, members)
    }

    /// An `eventtype`: `create_event_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn event(
        id: &str,
        name: &str,
        modifier: ValueModifier,
        base: Option<&Self>,
        members: &[ValueMember<'_>],
    ) -> TypeCodeResult<Self> {
        value(TcKind::Event, id, name, modifier, base, members)
    }

    /// A boxed value: `create_value_box_tc`.
    ///
    /// # Errors
    /// As [`structure`](Self::structure).
    pub fn value_box(id: &str, name: &str, boxed: &Self) -> TypeCodeResult<Self> {
        check_member(boxed)?;
        Making::named(TcKind::ValueBox, id, name)?.with_content(boxed).finish()
    }

    /// A placeholder for the enclosing type with this id: `create_recursive_tc`.
    ///
    /// Making the enclosing type binds it. Until then its kind is `tk_null`, and types that contain it
    /// cannot be sent and have no values.
    ///
    /// # Errors
    /// `BadId`.
    pub fn recursive(id: &str) -> TypeCodeResult<Self> {
        check_id(id, true)?;
        let nodes = alloc::vec![Node { id: Box::from(id), ..Node::new(TcKind::Null) }];
        Ok(Self(Repr::Shared(Arc::new(Arena::made(nodes, 0, true)), 0)))
    }

    /// Whether all [`recursive`](Self::recursive) placeholders in the type are bound.
    pub fn is_complete(&self) -> bool {
        !self.is_open()
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(&self.0, Repr::Shared(arena, _) if arena.open)
    }
}

fn value(
    kind: TcKind,
    id: &str,
    name: &str,
    modifier: ValueModifier,
    base: Option<&TypeCode>,
    members: &[ValueMember<'_>],
) -> TypeCodeResult<TypeCode> {
    let mut making = Making::named(kind, id, name)?;
    making.node.number = i64::from(modifier as i16);
    if let Some(base) = base.filter(|base| base.kind() != TcKind::Null) {
        let is_value = matches!(base.view().resolved().kind(), TcKind::Value | TcKind::Event);
        if !is_value {
            return Err(TypeCodeError::BadMemberType);
        }
        making.content(base);
    }
    let parts = members
        .iter()
        .map(|member| (member.name, member.type_code, i64::from(member.visibility as i16)));
    making.members(parts)?.finish()
}
