//! TypeCode: IDL types as values.

mod desc;
mod display;
mod equality;
mod kind;
mod label;
mod node;
mod read;
mod write;

#[cfg(test)]
mod tests;

use alloc::sync::Arc;

use zorb_cdr::{CdrReader, CdrResult, CdrWriter, Wire};

pub use desc::{TypeDesc, TypeFn};
pub use kind::TcKind;

use equality::{Likeness, alike};
pub(crate) use label::{read_label, write_label};
use node::Node;
pub(crate) use node::{TypeRef, digits_and_scale};

/// What stands for a TCKind where an earlier TypeCode is pointed at.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;

/// The most digits a `fixed` may have.
pub(crate) const MAX_FIXED_DIGITS: u16 = 31;

/// The description of an IDL type, as `CORBA::TypeCode` (CORBA 3.3 part 1, 8.11).
///
/// It is immutable and cheap to clone. Types of this program are described by a [`TypeDesc`] in
/// static memory; received ones are owned, one allocation for the types and one for each name.
///
/// # Limits
/// A received TypeCode nests at most [`MAX_DEPTH`](zorb_cdr::MAX_DEPTH) deep, counted together
/// with the values around it, and takes at most 32 times the octets that it was read from.
/// Indirections are followed to an enclosing or an earlier type of the same TypeCode; others, a
/// typedef, array or sequence of nothing but itself, members and elements that are `null`, `void`,
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
enum Repr {
    Static(&'static TypeDesc),
    Shared(Arc<[Node]>, u32),
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
    pub fn member_name(&self, index: usize) -> Option<&str> {
        self.view().member(index).map(|member| member.name)
    }

    /// The type of a member; `None` for enumerations.
    pub fn member_type(&self, index: usize) -> Option<Self> {
        self.view().member(index)?.type_ref.map(|type_ref| self.owned(type_ref))
    }

    /// The label of a union's case as a number: 0 and 1 for booleans, a character's code, an
    /// enumeration value's ordinal; an `unsigned long long` keeps its bits.
    pub fn member_label(&self, index: usize) -> Option<i64> {
        let member = self.view().member(index)?;
        (self.kind() == TcKind::Union).then_some(member.label)
    }

    /// The place of a union's default case.
    pub fn default_index(&self) -> Option<usize> {
        if self.kind() != TcKind::Union {
            return None;
        }
        usize::try_from(self.view().number()).ok()
    }

    /// The type of a union's discriminator.
    pub fn discriminator_type(&self) -> Option<Self> {
        (self.kind() == TcKind::Union).then(|| self.content()).flatten()
    }

    /// The element of a sequence or array, the original of a typedef, the type in a value box.
    pub fn content_type(&self) -> Option<Self> {
        use TcKind::{Alias, Array, Sequence, ValueBox};
        matches!(self.kind(), Sequence | Array | Alias | ValueBox).then(|| self.content()).flatten()
    }

    /// The concrete base of a valuetype, `tk_null` when it has none.
    pub fn concrete_base_type(&self) -> Option<Self> {
        matches!(self.kind(), TcKind::Value | TcKind::Event).then(|| self.content()).flatten()
    }

    /// The length of an array, the bound of a string or sequence (0 for none).
    pub fn length(&self) -> Option<u32> {
        use TcKind::{Array, Sequence, String, WString};
        matches!(self.kind(), Array | Sequence | String | WString)
            .then(|| u32::try_from(self.view().number()).ok())
            .flatten()
    }

    /// Digits and scale of a `fixed`.
    pub fn digits_and_scale(&self) -> Option<(u16, i16)> {
        (self.kind() == TcKind::Fixed).then(|| digits_and_scale(self.view().number()))
    }

    /// The type with its typedefs taken off.
    #[must_use]
    pub fn resolved(&self) -> Self {
        self.owned(self.view().resolved())
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

    fn content(&self) -> Option<Self> {
        self.view().content().map(|content| self.owned(content))
    }

    pub(crate) fn view(&self) -> TypeRef<'_> {
        match &self.0 {
            Repr::Static(desc) => TypeRef::Static(desc),
            Repr::Shared(nodes, index) => match nodes.get(*index as usize) {
                Some(node) => TypeRef::Node(nodes, node, *index),
                None => TypeRef::Static(desc::plain(TcKind::Null)),
            },
        }
    }

    /// A TypeCode of a type that this one leads to.
    fn owned(&self, type_ref: TypeRef<'_>) -> Self {
        match (type_ref, &self.0) {
            (TypeRef::Static(desc), _) => Self(Repr::Static(desc)),
            (TypeRef::Node(_, _, index), Repr::Shared(nodes, _)) => {
                Self(Repr::Shared(Arc::clone(nodes), index))
            }
            (TypeRef::Node(..), Repr::Static(_)) => self.clone(),
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
