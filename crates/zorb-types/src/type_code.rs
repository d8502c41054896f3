//! TypeCode: IDL types as values.

mod desc;
mod display;
mod equality;
mod error;
mod kind;
mod label;
mod make;
mod node;
mod read;
mod rebuild;
mod value;
mod write;

#[cfg(test)]
mod tests;

use alloc::collections::BTreeSet;
use alloc::sync::Arc;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

use crate::layout::discriminator;

pub use desc::{TypeDesc, TypeFn};
pub use error::TypeCodeError;
pub use kind::TcKind;
pub use make::{TypeCodeResult, UnionCase, ValueMember};
pub use value::{ValueModifier, Visibility};

pub(crate) use desc::plain;
use equality::{Likeness, alike};
use node::{Arena, MemberRef};
pub(crate) use node::{TypeRef, digits_and_scale};

/// What stands for a TCKind where an earlier TypeCode is pointed at.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;

/// The most digits a `fixed` may have.
pub(crate) const MAX_FIXED_DIGITS: u16 = 31;

/// Whether there may be a `fixed` of these digits and this scale. IDL writes scales from 0 to the
/// digits; a negative one stands for zeros that are not sent.
pub(crate) const fn is_fixed(digits: u16, scale: i16) -> bool {
    digits != 0
        && digits <= MAX_FIXED_DIGITS
        && scale <= digits.cast_signed()
        && scale >= -MAX_FIXED_DIGITS.cast_signed()
}

/// The description of an IDL type, as `CORBA::TypeCode` (CORBA 3.3 part 1, 8.11).
///
/// It is immutable and cheap to clone. Types of this program are described by a [`TypeDesc`] in
/// static memory; received ones and those made at run time are owned, one allocation for the
/// types and one for each name.
///
/// # Limits
/// A received TypeCode nests at most [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH) deep, counted together
/// with the values around it, and takes at most 32 times the octets that it was read from.
/// Indirections are followed to an enclosing or an earlier type of the same TypeCode; others, a
/// typedef, array, sequence or struct of nothing but itself, members and elements that are `null`, `void`,
/// an exception or a struct without members, and a `fixed` of more than 31 digits are refused as
/// `BadTypeCode`.
///
/// Reading to the full depth takes up to 128 KiB of stack (1 MiB in a build without optimisation).
///
/// Passing on a received TypeCode writes the form it came in. One of this program writes
/// indirections for recursion only.
#[derive(Clone)]
pub struct TypeCode(Repr);

#[derive(Clone)]
pub(crate) enum Repr {
    Static(&'static TypeDesc),
    Shared(Arc<Arena>, u32),
}

impl TypeCode {
    /// The TypeCode of a type without parameters, also of unbounded strings.
    ///
    /// Kinds that need parameters give `tk_null`.
    pub fn plain(kind: TcKind) -> Self {
        Self(Repr::Static(desc::plain(kind)))
    }

    /// The kind of type.
    pub fn kind(&self) -> TcKind {
        self.view().kind()
    }

    /// The repository id; empty for kinds without one and in compact TypeCodes.
    pub fn id(&self) -> &str {
        self.view().id()
    }

    /// The simple name; empty for kinds without one and in compact TypeCodes.
    pub fn name(&self) -> &str {
        self.view().name()
    }

    /// How many members a struct, union, exception, value or enumeration has; else 0.
    pub fn member_count(&self) -> usize {
        self.view().member_count()
    }

    /// The name of a member.
    ///
    /// # Errors
    /// `BadKind` for types without members, `Bounds` beyond the last.
    pub fn member_name(&self, index: usize) -> TypeCodeResult<&str> {
        self.member(index).map(|member| member.name)
    }

    /// The type of a member.
    ///
    /// # Errors
    /// `BadKind` for types without members and enumerations, `Bounds` beyond the last.
    pub fn member_type(&self, index: usize) -> TypeCodeResult<Self> {
        let member = self.member(index)?;
        member.type_ref.map(TypeRef::to_type_code).ok_or(TypeCodeError::BadKind)
    }

    /// The label of a union's case as a number: 0 and 1 for booleans, a character's code, an
    /// enumeration value's ordinal; an `unsigned long long` keeps its bits. That of the default
    /// case means nothing.
    ///
    /// # Errors
    /// `BadKind` for types that are no union, `Bounds` beyond the last.
    pub fn member_label(&self, index: usize) -> TypeCodeResult<i64> {
        self.needs(&[TcKind::Union])?;
        self.member(index).map(|member| member.label)
    }

    /// Who may use a member of a valuetype's state.
    ///
    /// # Errors
    /// `BadKind` for types that are no valuetype, `Bounds` beyond the last.
    pub fn member_visibility(&self, index: usize) -> TypeCodeResult<Visibility> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        let label = self.member(index)?.label;
        Ok(Visibility::from_number(i16::try_from(label).unwrap_or(1)))
    }

    /// The place of the case that a discriminator selects, the default one included.
    ///
    /// # Errors
    /// `BadKind` for types that are no union.
    pub fn case_of(&self, label: i64) -> TypeCodeResult<Option<usize>> {
        self.needs(&[TcKind::Union])?;
        Ok(self.view().case_index(label))
    }

    /// The place of a union's default case, `None` when it has none.
    ///
    /// # Errors
    /// `BadKind` for types that are no union.
    pub fn default_index(&self) -> TypeCodeResult<Option<usize>> {
        self.needs(&[TcKind::Union])?;
        Ok(usize::try_from(self.view().number()).ok())
    }

    /// The least label of a union that none of its cases has, and so selects the default case or
    /// no member; `None` when there is none.
    ///
    /// # Errors
    /// `BadKind` for types that are no union.
    pub fn unlisted_label(&self) -> TypeCodeResult<Option<i64>> {
        let switch = self.discriminator_type()?.resolved();
        let default_index = self.default_index()?;
        let listed: BTreeSet<i64> = (0..self.member_count())
            .filter(|&index| default_index != Some(index))
            .filter_map(|index| self.member_label(index).ok())
            .collect();
        let range = label::range_of(switch.kind(), switch.member_count());
        // One of this many is not listed, if any of them is a label at all.
        let mut candidates = (0..=listed.len() as i64)
            .chain([*range.end(), *range.start()])
            .filter(|label| range.contains(label));
        Ok(candidates.find(|label| !listed.contains(label)))
    }

    /// Takes a value of a type that unions are switched by, as a label.
    ///
    /// # Errors
    /// When there is none; `BadTypeCode` for other types.
    pub fn read_label(&self, reader: &mut CdrReader<'_>) -> CdrResult<i64> {
        match discriminator(self.view().resolved()) {
            Some(discriminator) => zorb_interp::read_label(discriminator, reader),
            None => Err(reader.error(CdrErrorKind::BadTypeCode, "union discriminator")),
        }
    }

    /// Appends a label as a value of a type that unions are switched by.
    ///
    /// # Errors
    /// `BadDiscriminator` for a label that the type does not have; `BadTypeCode` for other types.
    pub fn write_label(&self, label: i64, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match discriminator(self.view().resolved()) {
            Some(discriminator) => zorb_interp::write_label(discriminator, label, writer),
            None => Err(writer.error(CdrErrorKind::BadTypeCode, "union discriminator")),
        }
    }

    /// The type of a union's discriminator.
    ///
    /// # Errors
    /// `BadKind` for types that are no union.
    pub fn discriminator_type(&self) -> TypeCodeResult<Self> {
        self.content_of(&[TcKind::Union])
    }

    /// The element of a sequence or array, the original of a typedef, the type in a value box.
    ///
    /// # Errors
    /// `BadKind` for others.
    pub fn content_type(&self) -> TypeCodeResult<Self> {
        use TcKind::{Alias, Array, Sequence, ValueBox};
        self.content_of(&[Sequence, Array, Alias, ValueBox])
    }

    /// The concrete base of a valuetype, `tk_null` when it has none.
    ///
    /// # Errors
    /// `BadKind` for types that are no valuetype.
    pub fn concrete_base_type(&self) -> TypeCodeResult<Self> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        Ok(self.view().content().map(TypeRef::to_type_code).unwrap_or_default())
    }

    /// How a valuetype is declared.
    ///
    /// # Errors
    /// `BadKind` for types that are no valuetype.
    pub fn type_modifier(&self) -> TypeCodeResult<ValueModifier> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        Ok(ValueModifier::from_number(i16::try_from(self.view().number()).unwrap_or(0)))
    }

    /// The length of an array, the bound of a string or sequence (0 for none).
    ///
    /// # Errors
    /// `BadKind` for others.
    pub fn length(&self) -> TypeCodeResult<u32> {
        use TcKind::{Array, Sequence, String, WString};
        self.needs(&[Array, Sequence, String, WString])?;
        u32::try_from(self.view().number()).map_err(|_| TypeCodeError::BadNumber)
    }

    /// Digits and scale of a `fixed`: `fixed_digits` and `fixed_scale`.
    ///
    /// # Errors
    /// `BadKind` for others.
    pub fn digits_and_scale(&self) -> TypeCodeResult<(u16, i16)> {
        self.needs(&[TcKind::Fixed])?;
        Ok(digits_and_scale(self.view().number()))
    }

    fn needs(&self, kinds: &[TcKind]) -> TypeCodeResult<()> {
        if kinds.contains(&self.kind()) { Ok(()) } else { Err(TypeCodeError::BadKind) }
    }

    fn member(&self, index: usize) -> TypeCodeResult<MemberRef<'_>> {
        use TcKind::{Enum, Event, Except, Struct, Union, Value};
        self.needs(&[Struct, Union, Enum, Except, Value, Event])?;
        self.view().member(index).ok_or(TypeCodeError::Bounds)
    }

    fn content_of(&self, kinds: &[TcKind]) -> TypeCodeResult<Self> {
        self.needs(kinds)?;
        self.view().content().map(TypeRef::to_type_code).ok_or(TypeCodeError::BadKind)
    }

    /// The type with its typedefs taken off.
    #[must_use]
    pub fn resolved(&self) -> Self {
        self.view().resolved().to_type_code()
    }

    /// The kind of the type with its typedefs taken off.
    pub fn resolved_kind(&self) -> TcKind {
        self.view().resolved().kind()
    }

    /// Whether everything agrees: kinds, ids, names, members, typedefs. `==` is this.
    pub fn equal(&self, other: &Self) -> bool {
        alike(self.view(), other.view(), Likeness::Equal)
    }

    /// Whether values of the two types may stand for each other: typedefs and names do not
    /// count, and two types with ids are equivalent exactly when their ids are the same.
    ///
    /// Work is bounded; hostile TypeCodes that would take longer are not equivalent.
    pub fn equivalent(&self, other: &Self) -> bool {
        alike(self.view(), other.view(), Likeness::Equivalent)
    }

    pub(crate) fn view(&self) -> TypeRef<'_> {
        match &self.0 {
            Repr::Static(desc) => TypeRef::Static(desc),
            Repr::Shared(arena, index) => match arena.nodes.get(*index as usize) {
                Some(node) => TypeRef::Node(arena, node, *index),
                None => TypeRef::Static(desc::plain(TcKind::Null)),
            },
        }
    }
}

impl From<&'static TypeDesc> for TypeCode {
    fn from(desc: &'static TypeDesc) -> Self {
        Self(Repr::Static(desc))
    }
}

impl Default for TypeCode {
    /// `tk_null`.
    fn default() -> Self {
        Self::plain(TcKind::Null)
    }
}

impl PartialEq for TypeCode {
    fn eq(&self, other: &Self) -> bool {
        self.equal(other)
    }
}

impl Wire for TypeCode {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        write::write(Self::view(value), writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        read::read(reader)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        read::read(reader)
    }
}
