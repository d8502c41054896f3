//! Access to values of Rust types.

use zorb_cdr::{CdrErrorKind, CdrReader, Wire};
use zorb_core::ObjectRef;
use zorb_giop::Ior;
use zorb_types::{Any, TcKind, TypeCode, Typed};

use super::tree::Content;
use super::{DynAny, DynAnyError, DynAnyResult, image};

/// # Access to values
///
/// All of the standard's `insert_long`, `get_string`, `insert_octet_seq` and so on are the two
/// generic functions [`insert`](Self::insert) and [`get`](Self::get). They apply to the value itself if its type is
/// that of `T`, otherwise to its current part.
impl DynAny {
    /// Sets the value.
    ///
    /// # Errors
    /// `TypeMismatch` if neither the value nor its current part has this type; `InvalidValue` if there is no
    /// current part, or for a string that exceeds the bound.
    pub fn insert<T: Typed>(&mut self, value: &T::View) -> DynAnyResult<()> {
        let wanted = T::type_code();
        if self.type_code.holds(&wanted) {
            return self.set::<T>(value);
        }
        if let Some(position) = self.position
            && self.type_code.has_fixed_parts()
            && self.type_code.part(position).is_some_and(|part| part.holds(&wanted))
        {
            self.image();
            if let Content::Image(image) = &mut self.content
                && image.change(&self.type_code, position, |writer| T::write(value, writer))
            {
                return Ok(());
            }
        }
        self.target(&wanted)?.set::<T>(value)
    }

    /// Returns the value.
    ///
    /// # Errors
    /// As [`insert`](Self::insert).
    pub fn get<T: Typed>(&mut self) -> DynAnyResult<T::Value> {
        let wanted = T::type_code();
        if self.type_code.holds(&wanted) {
            return self.own::<T>();
        }
        if let Some(position) = self.position
            && self.type_code.has_fixed_parts()
            && self.type_code.part(position).is_some_and(|part| part.holds(&wanted))
            && let Some(mut reader) = self.reader_at(position)
        {
            return Ok(T::read(&mut reader)?);
        }
        self.target(&wanted)?.own::<T>()
    }

    /// A reader at a part with a known offset.
    fn reader_at(&self, position: usize) -> Option<CdrReader<'_>> {
        match &self.content {
            Content::Image(image) => image.reader_at(&self.type_code, position),
            Content::Whole(any) => {
                let reader = any.reader();
                image::extent_of(&self.type_code, position, reader.offset())?.read(reader)
            }
            _ => None,
        }
    }

    /// Sets a value of a type that may be assigned to this one.
    fn set<T: Typed>(&mut self, value: &T::View) -> DynAnyResult<()> {
        if let Content::Image(image) = &mut self.content
            && !self.type_code.has_parts()
            && image.change_all(|writer| T::write(value, writer))
        {
            return Ok(());
        }
        // The type stays the one that the value had, with its own names and typedefs.
        let adopted = Self::adopting(self.type_code.clone(), Any::new::<T>(value)?);
        *self = adopted.map_err(|error| match error {
            DynAnyError::Encoding(error) if error.kind == CdrErrorKind::BoundExceeded => {
                DynAnyError::InvalidValue
            }
            error => error,
        })?;
        Ok(())
    }

    /// The value, converted to a type that may be assigned to this one.
    fn own<T: Typed>(&self) -> DynAnyResult<T::Value> {
        let value = match &self.content {
            Content::Image(image) if image.is_whole() => return Ok(T::read(&mut image.reader())?),
            // The bound may be another.
            Content::Whole(any) if matches!(self.kind(), TcKind::String | TcKind::WString) => {
                return Ok(T::read(&mut any.reader())?);
            }
            Content::Whole(any) => any.get::<T>(),
            _ => self.to_any()?.get::<T>(),
        };
        value.ok_or(DynAnyError::TypeMismatch)
    }

    /// Sets a reference, or nil: `insert_reference`. It does not check the interface of the object.
    ///
    /// # Errors
    /// `TypeMismatch` if the type is not a reference.
    pub fn insert_reference(&mut self, reference: Option<&ObjectRef>) -> DynAnyResult<()> {
        self.insert_ior(reference.map_or(&Ior::NIL, ObjectRef::ior))
    }

    /// Sets a reference given by its parts.
    ///
    /// # Errors
    /// `TypeMismatch` if the type is not a reference.
    pub fn insert_ior(&mut self, ior: &Ior) -> DynAnyResult<()> {
        let target = self.reference_target()?;
        let any = Any::build(target.type_code().clone(), |writer| Ior::write(ior, writer))?;
        target.content = Content::Whole(any);
        Ok(())
    }

    /// Returns a reference, which may be nil: `get_reference`. An ORB converts it to an object.
    ///
    /// # Errors
    /// `TypeMismatch` if the type is another one.
    pub fn ior(&mut self) -> DynAnyResult<Ior> {
        let any = self.reference_target()?.to_any()?;
        Ok(Ior::read(&mut any.reader())?)
    }

    /// Sets an `any` to the value of another DynAny: `insert_dyn_any`.
    ///
    /// # Errors
    /// `TypeMismatch` if the type is not `any`.
    pub fn insert_dyn_any(&mut self, value: &Self) -> DynAnyResult<()> {
        self.insert::<Any>(&value.to_any()?)
    }

    /// Returns an `any` as a DynAny: `get_dyn_any`.
    ///
    /// # Errors
    /// `TypeMismatch` if the type is another one.
    pub fn dyn_any(&mut self) -> DynAnyResult<Self> {
        Self::of(self.get::<Any>()?)
    }

    /// The value itself, or its current part, if it has this type.
    fn target(&mut self, type_code: &TypeCode) -> DynAnyResult<&mut Self> {
        if self.type_code.holds(type_code) {
            return Ok(self);
        }
        match self.current_component()? {
            Some(part) if part.type_code.holds(type_code) => Ok(part),
            Some(_) => Err(DynAnyError::TypeMismatch),
            None => Err(DynAnyError::InvalidValue),
        }
    }

    fn reference_target(&mut self) -> DynAnyResult<&mut Self> {
        let refers = |kind| matches!(kind, TcKind::ObjRef | TcKind::Component | TcKind::Home);
        if refers(self.kind()) {
            return Ok(self);
        }
        match self.current_component()? {
            Some(part) if refers(part.kind()) => Ok(part),
            Some(_) => Err(DynAnyError::TypeMismatch),
            None => Err(DynAnyError::InvalidValue),
        }
    }
}
