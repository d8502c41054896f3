//! TypeCode: IDL types as values.

mod derived;
mod desc;
mod digits;
mod display;
mod equality;
mod error;
mod kept;
mod kind;
mod label;
mod make;
mod making;
mod node;
mod read;
mod rebuild;
mod value;
mod view;
mod write;

#[cfg(test)]
mod tests;

use alloc::collections::BTreeSet;

use zorb_cdr::{CdrErrorKind, CdrReader, CdrResult, CdrWriter, Wire};

pub use desc::{TypeDesc, TypeFn};
pub use error::{TypeCodeError, TypeCodeResult};
pub use kind::TcKind;
pub use make::{UnionCase, ValueMember};
pub use node::TypeCode;
pub use value::{ValueModifier, Visibility};
pub use write::MAX_REPEATED_TYPES;

pub(crate) use desc::plain;
pub(crate) use digits::{digits_and_scale, is_fixed};
use equality::{Relation, same_type};
use node::{Member, Node, Repr};
use view::MemberRef;
pub(crate) use view::TypeRef;

impl TypeCode {
    /// The TypeCode of a type without parameters, or of an unbounded string.
    ///
    /// Other kinds give `tk_null`.
    pub fn plain(kind: TcKind) -> Self {
        Self(Repr::Static(plain(kind)))
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

    /// The number of members of a struct, union, exception, valuetype or enum; 0 for other types.
    pub fn member_count(&self) -> usize {
        self.view().member_count()
    }

    /// The name of a member.
    ///
    /// # Errors
    /// `BadKind` for types without members, `Bounds` beyond the last member.
    pub fn member_name(&self, index: usize) -> TypeCodeResult<&str> {
        self.member(index).map(|member| member.name)
    }

    /// The type of a member.
    ///
    /// # Errors
    /// `BadKind` for enums and types without members, `Bounds` beyond the last member.
    pub fn member_type(&self, index: usize) -> TypeCodeResult<Self> {
        let member = self.member(index)?;
        member.type_ref.map(TypeRef::to_type_code).ok_or(TypeCodeError::BadKind)
    }

    /// The label of a union's case as a number: 0 or 1 for booleans, the code point of a character, the
    /// ordinal of an enum value, the bits of an `unsigned long long`. The label of the default case has no
    /// meaning.
    ///
    /// # Errors
    /// `BadKind` for types other than unions, `Bounds` beyond the last case.
    pub fn member_label(&self, index: usize) -> TypeCodeResult<i64> {
        self.needs(&[TcKind::Union])?;
        self.member(index).map(|member| member.label)
    }

    /// The visibility of a member of a valuetype's state.
    ///
    /// # Errors
    /// `BadKind` for types other than valuetypes, `Bounds` beyond the last member.
    pub fn member_visibility(&self, index: usize) -> TypeCodeResult<Visibility> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        let label = self.member(index)?.label;
        Ok(Visibility::from_number(i16::try_from(label).unwrap_or(1)))
    }

    /// The index of the case that a label selects, possibly the default case.
    ///
    /// # Errors
    /// `BadKind` for types other than unions.
    pub fn case_of(&self, label: i64) -> TypeCodeResult<Option<usize>> {
        self.needs(&[TcKind::Union])?;
        Ok(self.view().case_index(label))
    }

    /// The index of a union's default case, `None` if it has none.
    ///
    /// # Errors
    /// `BadKind` for types other than unions.
    pub fn default_index(&self) -> TypeCodeResult<Option<usize>> {
        self.needs(&[TcKind::Union])?;
        Ok(usize::try_from(self.view().number()).ok())
    }

    /// A label that no case of the union has, which selects the default case or no member; `None` if the
    /// cases have all labels.
    ///
    /// # Errors
    /// `BadKind` for types other than unions.
    pub fn unlisted_label(&self) -> TypeCodeResult<Option<i64>> {
        let switch = self.discriminator_type()?.resolved();
        let default_index = self.default_index()?;
        let listed: BTreeSet<i64> = (0..self.member_count())
            .filter(|&index| default_index != Some(index))
            .filter_map(|index| self.member_label(index).ok())
            .collect();
        let range = label::range_of(switch.kind(), switch.member_count());
        // Of n + 1 labels, at least one is not among the n listed ones.
        let mut candidates = (0..=listed.len() as i64)
            .chain([*range.end(), *range.start()])
            .filter(|label| range.contains(label));
        Ok(candidates.find(|label| !listed.contains(label)))
    }

    /// Reads a value of this discriminator type, as a label.
    ///
    /// # Errors
    /// When the value is invalid; `BadTypeCode` for types that cannot be a discriminator.
    pub fn read_label(&self, reader: &mut CdrReader<'_>) -> CdrResult<i64> {
        match self.view().resolved().discriminator() {
            Some(discriminator) => zorb_interp::read_label(discriminator, reader),
            None => Err(reader.error(CdrErrorKind::BadTypeCode, "union discriminator")),
        }
    }

    /// Appends a label as a value of this discriminator type.
    ///
    /// # Errors
    /// `BadDiscriminator` for a label that is not a value of the type; `BadTypeCode` for types that cannot
    /// be a discriminator.
    pub fn write_label(&self, label: i64, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        match self.view().resolved().discriminator() {
            Some(discriminator) => zorb_interp::write_label(discriminator, label, writer),
            None => Err(writer.error(CdrErrorKind::BadTypeCode, "union discriminator")),
        }
    }

    /// The type of a union's discriminator.
    ///
    /// # Errors
    /// `BadKind` for types other than unions.
    pub fn discriminator_type(&self) -> TypeCodeResult<Self> {
        self.content_of(&[TcKind::Union])
    }

    /// The element type of a sequence or array, the original type of a typedef, the boxed type of a value
    /// box.
    ///
    /// # Errors
    /// `BadKind` for other types.
    pub fn content_type(&self) -> TypeCodeResult<Self> {
        use TcKind::{Alias, Array, Sequence, ValueBox};
        self.content_of(&[Sequence, Array, Alias, ValueBox])
    }

    /// The concrete base of a valuetype, `tk_null` if it has none.
    ///
    /// # Errors
    /// `BadKind` for types other than valuetypes.
    pub fn concrete_base_type(&self) -> TypeCodeResult<Self> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        Ok(self.view().content().map(TypeRef::to_type_code).unwrap_or_default())
    }

    /// The modifier of a valuetype.
    ///
    /// # Errors
    /// `BadKind` for types other than valuetypes.
    pub fn type_modifier(&self) -> TypeCodeResult<ValueModifier> {
        self.needs(&[TcKind::Value, TcKind::Event])?;
        Ok(ValueModifier::from_number(i16::try_from(self.view().number()).unwrap_or(0)))
    }

    /// The length of an array, or the bound of a string or sequence (0 if it has none).
    ///
    /// # Errors
    /// `BadKind` for other types.
    pub fn length(&self) -> TypeCodeResult<u32> {
        use TcKind::{Array, Sequence, String, WString};
        self.needs(&[Array, Sequence, String, WString])?;
        u32::try_from(self.view().number()).map_err(|_| TypeCodeError::BadNumber)
    }

    /// Digits and scale of a `fixed`: `fixed_digits` and `fixed_scale`.
    ///
    /// # Errors
    /// `BadKind` for other types.
    pub fn digits_and_scale(&self) -> TypeCodeResult<(u16, i16)> {
        self.needs(&[TcKind::Fixed])?;
        Ok(digits_and_scale(self.view().number()))
    }

    /// The octets of its own memory, without types that it refers to and that others may have, too: a measure also of a type
    /// that is not complete yet, which has no encoding. 0 for types of this program.
    #[must_use]
    pub fn octets(&self) -> usize {
        let Repr::Shared(arena, _) = &self.0 else { return 0 };
        let of_node = |node: &Node| {
            let members = node.members.iter().map(|member| size_of::<Member>() + member.name.len());
            let labels = size_of_val(&*node.by_label);
            let names = node.id.len() + node.name.len();
            size_of::<Node>() + names + labels + members.sum::<usize>()
        };
        arena.nodes.iter().map(of_node).sum()
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

    /// The type without its typedefs.
    #[must_use]
    pub fn resolved(&self) -> Self {
        self.view().resolved().to_type_code()
    }

    /// The kind of the type without its typedefs.
    pub fn resolved_kind(&self) -> TcKind {
        self.view().resolved().kind()
    }

    /// Whether kinds, ids, names, members and typedefs are the same. `==` is this.
    pub fn equal(&self, other: &Self) -> bool {
        same_type(self.view(), other.view(), Relation::Equal)
    }

    /// Whether values of one type are values of the other: typedefs and names do not count, and two types
    /// with ids are equivalent if and only if their ids are the same.
    ///
    /// The number of steps is limited; hostile TypeCodes that need more are not equivalent.
    pub fn equivalent(&self, other: &Self) -> bool {
        same_type(self.view(), other.view(), Relation::Equivalent)
    }
}

impl PartialEq for TypeCode {
    fn eq(&self, other: &Self) -> bool {
        self.equal(other)
    }
}

impl zorb_interp::Tabled for TypeCode {}

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
