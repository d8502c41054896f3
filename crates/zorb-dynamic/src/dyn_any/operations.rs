//! The operations of every DynAny.

use zorb_cdr::CdrReader;
use zorb_types::{Any, TcKind, TypeCode};

use super::known::Known;
use super::tree::{Content, DynAny, Image, UnionParts};
use super::{DynAnyError, DynAnyResult, default, image, value};

impl DynAny {
    /// The default value of a type: `create_dyn_any_from_type_code`. Numbers are 0, strings, sequences and
    /// anys empty, references nil, valuetypes null; enumerations have their first value, unions their first
    /// case.
    ///
    /// # Errors
    /// `InconsistentTypeCode` for types without values, such as `native` and incomplete types; `TooLarge` for
    /// a value of more than 16 MiB.
    pub fn new(type_code: &TypeCode) -> DynAnyResult<Self> {
        if !default::has_values(type_code) {
            return Err(DynAnyError::InconsistentTypeCode);
        }
        Self::of_type(&Known::from(type_code.clone()))
    }

    pub(super) fn of_type(known: &Known) -> DynAnyResult<Self> {
        let content = match known.has_fixed_parts() {
            true => Content::Image(Image::new(known)?),
            false => default::content(known)?,
        };
        Ok(Self::with(known.clone(), content))
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

    /// The value of an any as a value of an equivalent type, with the names and typedefs of that type.
    pub(super) fn adopting(type_code: Known, any: Any) -> DynAnyResult<Self> {
        let any = match any.type_code() == &*type_code {
            true => any,
            // Types with the same id may differ, so validate the value.
            false => Any::read_with(&type_code.layout(), &mut any.reader())?,
        };
        Ok(Self::with(type_code, Content::Whole(any)))
    }

    /// The type, which never changes: `type`.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The kind of the type without typedefs.
    pub fn kind(&self) -> TcKind {
        self.type_code.base()
    }

    /// Assigns the value of another DynAny: `assign`.
    ///
    /// # Errors
    /// `TypeMismatch` if the types are not equivalent.
    pub fn assign(&mut self, other: &Self) -> DynAnyResult<()> {
        *self = other.as_type(&self.type_code)?;
        Ok(())
    }

    /// A copy as a value of an equivalent type.
    pub(super) fn as_type(&self, type_code: &Known) -> DynAnyResult<Self> {
        if !type_code.takes(&self.type_code) {
            return Err(DynAnyError::TypeMismatch);
        }
        match **type_code == *self.type_code {
            true => Ok(Self::with(type_code.clone(), self.content.clone())),
            false => Self::adopting(type_code.clone(), self.to_any()?),
        }
    }

    /// Assigns the value of an any: `from_any`.
    ///
    /// # Errors
    /// `TypeMismatch` if the types are not equivalent.
    pub fn from_any(&mut self, any: Any) -> DynAnyResult<()> {
        if !self.type_code.takes(any.type_code()) {
            return Err(DynAnyError::TypeMismatch);
        }
        *self = Self::adopting(self.type_code.clone(), any)?;
        Ok(())
    }

    /// Whether both have equivalent types and equal values: `equal`.
    ///
    /// # Errors
    /// Either value cannot be encoded.
    pub fn equal(&self, other: &Self) -> DynAnyResult<bool> {
        Ok(self.type_code.takes(&other.type_code) && self.to_any()? == other.to_any()?)
    }

    /// The octets of a value whose parts have known offsets, to change them in place; `None` for other values,
    /// and if the value has been decomposed.
    pub(super) fn image(&mut self) -> Option<&mut Image> {
        if let Content::Whole(any) = &self.content
            && self.type_code.has_fixed_parts()
        {
            self.content = Content::Image(Image::of(&self.type_code, any).ok()?);
        }
        match &mut self.content {
            Content::Image(image) => Some(image),
            _ => None,
        }
    }

    /// Decomposes the value by one level.
    pub(super) fn expand(&mut self) -> DynAnyResult<()> {
        if self.type_code.has_parts()
            && let Some(image) = self.image()
        {
            let image = std::mem::take(image);
            self.content = Content::Parts(image.taken_apart(&self.type_code)?);
            return Ok(());
        }
        let Content::Whole(any) = &self.content else { return Ok(()) };
        let mut reader = any.reader();
        let content = match self.kind() {
            TcKind::Struct | TcKind::Except | TcKind::Sequence | TcKind::Array => {
                if self.kind() == TcKind::Except {
                    reader.read_latin1("exception id")?;
                }
                let count = image::count(&self.type_code, &mut reader)?;
                Content::Parts(parts(&self.type_code, count, &mut reader)?)
            }
            TcKind::Union => {
                Content::Union(Box::new(UnionParts::read(&self.type_code, &mut reader)?))
            }
            TcKind::Value | TcKind::Event | TcKind::ValueBox => {
                match value::read(&self.type_code, any)? {
                    Some(content) => content,
                    None => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        self.content = content;
        Ok(())
    }

    /// The parts, except those of unions.
    pub(super) fn parts(&mut self) -> DynAnyResult<&mut Vec<Self>> {
        self.expand()?;
        match &mut self.content {
            Content::Parts(parts) => Ok(parts),
            Content::Value(Some(state)) => Ok(&mut state.parts),
            Content::Value(None) => Err(DynAnyError::InvalidValue),
            _ => Err(DynAnyError::TypeMismatch),
        }
    }

    pub(super) fn needs(&self, kinds: &[TcKind]) -> DynAnyResult<()> {
        if kinds.contains(&self.kind()) { Ok(()) } else { Err(DynAnyError::TypeMismatch) }
    }
}

/// The number of parts that are allocated before they are read.
const READ_AHEAD: usize = 4096;

fn parts(known: &Known, count: usize, reader: &mut CdrReader<'_>) -> DynAnyResult<Vec<DynAny>> {
    // Every part has at least one octet.
    let mut parts = Vec::with_capacity(count.min(reader.remaining()).min(READ_AHEAD));
    for index in 0..count {
        let part = known.part(index).ok_or(DynAnyError::InvalidValue)?;
        parts.push(DynAny::read_part(part, reader)?);
    }
    Ok(parts)
}
