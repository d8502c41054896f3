//! DynAny: values taken apart and put together by their TypeCodes (CORBA 3.3 part 1, 12).

mod array;
mod basic;
mod default;
mod error;
mod named;
mod navigation;
mod sequence;
mod structure;
#[cfg(test)]
mod tests;
mod union;
mod value;
mod write;

use zorb_cdr::CdrReader;
use zorb_types::{Any, Layout, TcKind, TypeCode};

pub use array::DynArray;
pub use error::{DynAnyError, DynAnyResult};
pub use named::{DynEnum, DynFixed};
pub use sequence::DynSequence;
pub use structure::DynStruct;
pub use union::DynUnion;
pub use value::{DynValue, DynValueBox};

use union::UnionParts;

/// A value of any type, which can be looked at and changed part by part: the IDL type
/// `DynamicAny::DynAny`, and with [`as_struct`](Self::as_struct) and so on those derived from it.
///
/// It is a tree. A part is taken apart when it is asked for, so that a large value costs its octets
/// until someone looks inside; a sequence of numbers is best taken whole, with
/// [`get::<Vec<f64>>`](Self::get). Parts belong to the value, and what is changed in a part is
/// changed in the value. `copy` is [`Clone`], `destroy` is letting go.
///
/// One part is the current one; [`seek`](Self::seek) and its like choose it, and
/// [`insert`](Self::insert) and [`get`](Self::get) reach into it.
#[derive(Clone, Debug)]
pub struct DynAny {
    type_code: TypeCode,
    content: Content,
    /// The current part.
    position: Option<usize>,
}

#[derive(Clone, Debug)]
enum Content {
    /// A value that was not taken apart.
    Whole(Any),
    /// Members or elements.
    Parts(Vec<DynAny>),
    Union(Box<UnionParts>),
    /// A valuetype's state, base members first, or the value in a box; null for none.
    Value(Option<Vec<DynAny>>),
}

impl DynAny {
    /// A value of this type: `create_dyn_any_from_type_code`. Numbers are 0, strings and sequences
    /// empty, references nil, values null, anys empty; enumerations have their first value and
    /// unions their first case.
    ///
    /// # Errors
    /// `InconsistentTypeCode` for types without values: `native`, exceptions' and others' that are
    /// not complete; `TooLarge` for one of more than 16 MiB.
    pub fn new(type_code: &TypeCode) -> DynAnyResult<Self> {
        let content = default::content(type_code)?;
        Ok(Self::with(type_code.clone(), content))
    }

    /// The value of an any: `create_dyn_any`.
    ///
    /// # Errors
    /// `InconsistentTypeCode` for types without values.
    pub fn of(any: Any) -> DynAnyResult<Self> {
        if !default::has_values(any.type_code()) {
            return Err(DynAnyError::InconsistentTypeCode);
        }
        Ok(Self::whole(any))
    }

    fn whole(any: Any) -> Self {
        let type_code = any.type_code().clone();
        Self::with(type_code, Content::Whole(any))
    }

    fn with(type_code: TypeCode, content: Content) -> Self {
        let mut value = Self { type_code, content, position: None };
        // The first part is current, where there are parts.
        if value.has_components() {
            value.position = Some(0);
        }
        value
    }

    /// The type, which stays the same as long as the value lives: `type`.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The kind of the type, typedefs taken off.
    pub fn kind(&self) -> TcKind {
        self.type_code.resolved_kind()
    }

    /// Makes it the same value as another: `assign`.
    ///
    /// # Errors
    /// `TypeMismatch` when the types are not equivalent.
    pub fn assign(&mut self, other: &Self) -> DynAnyResult<()> {
        if !self.type_code.equivalent(&other.type_code) {
            return Err(DynAnyError::TypeMismatch);
        }
        *self = Self::with(self.type_code.clone(), other.content.clone());
        Ok(())
    }

    /// Makes it the value of an any: `from_any`.
    ///
    /// # Errors
    /// `TypeMismatch` when the types are not equivalent.
    pub fn from_any(&mut self, any: Any) -> DynAnyResult<()> {
        if !self.type_code.equivalent(any.type_code()) {
            return Err(DynAnyError::TypeMismatch);
        }
        *self = Self::with(self.type_code.clone(), Content::Whole(any));
        Ok(())
    }

    /// Whether both are the same value of equivalent types: `equal`.
    ///
    /// # Errors
    /// When either has no encoding.
    pub fn equal(&self, other: &Self) -> DynAnyResult<bool> {
        Ok(self.type_code.equivalent(&other.type_code) && self.to_any()? == other.to_any()?)
    }

    fn has_components(&self) -> bool {
        use TcKind::{Array, Event, Except, Sequence, Struct, Union, Value, ValueBox};
        matches!(self.kind(), Struct | Except | Union | Sequence | Array | Value | Event | ValueBox)
    }

    /// Takes the value apart, one level deep.
    fn expand(&mut self) -> DynAnyResult<()> {
        let Content::Whole(any) = &self.content else { return Ok(()) };
        let resolved = any.type_code().resolved();
        let mut reader = any.reader();
        let content = match resolved.kind() {
            TcKind::Struct | TcKind::Except => {
                if resolved.kind() == TcKind::Except {
                    reader.read_latin1("exception id")?;
                }
                let mut members = Vec::with_capacity(resolved.member_count());
                for index in 0..resolved.member_count() {
                    let member = resolved.member_type(index)?;
                    members.push(Self::whole(Any::read_value(member, &mut reader)?));
                }
                Content::Parts(members)
            }
            TcKind::Sequence => {
                let count = reader.read_count(1, "sequence")?;
                Content::Parts(elements(&resolved, count, &mut reader)?)
            }
            TcKind::Array => {
                let count = resolved.length()? as usize;
                Content::Parts(elements(&resolved, count, &mut reader)?)
            }
            TcKind::Union => Content::Union(Box::new(UnionParts::read(&resolved, &mut reader)?)),
            TcKind::Value | TcKind::Event | TcKind::ValueBox => {
                value::read(&resolved, &mut reader)?
            }
            _ => return Ok(()),
        };
        self.content = content;
        Ok(())
    }

    /// The parts; a union's and a null value's are none here.
    fn parts(&mut self) -> DynAnyResult<&mut Vec<Self>> {
        self.expand()?;
        match &mut self.content {
            Content::Parts(parts) | Content::Value(Some(parts)) => Ok(parts),
            Content::Value(None) => Err(DynAnyError::InvalidValue),
            _ => Err(DynAnyError::TypeMismatch),
        }
    }

    fn needs(&self, kinds: &[TcKind]) -> DynAnyResult<()> {
        if kinds.contains(&self.kind()) { Ok(()) } else { Err(DynAnyError::TypeMismatch) }
    }
}

/// Elements that room is made for before they are there.
const READ_AHEAD: usize = 4096;

fn elements(
    type_code: &TypeCode,
    count: usize,
    reader: &mut CdrReader<'_>,
) -> DynAnyResult<Vec<DynAny>> {
    let layout = Layout::of(&type_code.content_type()?);
    // Every element takes an octet at least.
    let mut elements = Vec::with_capacity(count.min(reader.remaining()).min(READ_AHEAD));
    for _ in 0..count {
        elements.push(DynAny::whole(Any::read_with(&layout, reader)?));
    }
    Ok(elements)
}
