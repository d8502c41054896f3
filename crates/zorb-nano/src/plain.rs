//! Values that need no memory besides their own.

use arrayvec::ArrayVec;
use zorb_cdr::CdrReader;

use crate::{BoundedText, Reader, Reference, SystemException, UNBOUNDED, Writer};

/// An IDL type whose values contain no pointers: numbers, `boolean`, `char`, object references, strings and sequences with
/// bounds, and the arrays, structs and enums of these. The IDL compiler implements it for structs and enums.
pub trait Plain: Sized {
    /// The smallest encoding of a value in octets, without padding. It limits how many elements of a sequence are read.
    /// 0 if a value can have no octets, as that of a struct without members.
    const MIN_SIZE: usize;

    /// Appends the value.
    ///
    /// # Errors
    /// As [`Writer::write`].
    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException>;

    /// Reads a value.
    ///
    /// # Errors
    /// As [`Reader::read`].
    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException>;
}

/// A reference to an object of a certain interface. The IDL compiler implements it.
pub trait TypedReference: Clone + From<Reference> + AsRef<Reference> {
    /// The repository id of the interface.
    const ID: &'static str;
}

/// An `Object`.
impl TypedReference for Reference {
    const ID: &'static str = crate::interface::OBJECT;
}

impl AsRef<Self> for Reference {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Reader<'_> {
    /// The next value, of a type that needs no memory.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_plain<T: Plain>(&mut self) -> Result<T, SystemException> {
        T::read(self)
    }

    /// The next value, an object reference of this type; `None` if it is nil.
    ///
    /// # Errors
    /// As [`read_reference`](Self::read_reference).
    pub fn read_object<R: TypedReference>(&mut self) -> Result<Option<R>, SystemException> {
        Ok(self.read_reference()?.map(R::from))
    }
}

impl Writer<'_> {
    /// Writes a value of a type that needs no memory.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_plain<T: Plain>(&mut self, value: &T) -> Result<(), SystemException> {
        value.write(self)
    }

    /// Writes a `sequence` of at most `bound` elements of a type that needs no memory.
    ///
    /// # Errors
    /// As [`write`](Self::write); `BAD_PARAM` if there are more.
    pub fn write_elements<T: Plain>(
        &mut self,
        elements: &[T],
        bound: u32,
    ) -> Result<(), SystemException> {
        self.check_bound(elements.len(), bound)?;
        self.write_count(elements.len())?;
        elements.iter().try_for_each(|element| element.write(self))
    }

    /// Writes an object reference, with the repository id of its type; nil for `None`.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_object<R: TypedReference>(
        &mut self,
        reference: Option<&R>,
    ) -> Result<(), SystemException> {
        match reference {
            Some(reference) => self.write_reference(reference.as_ref(), R::ID),
            // An empty repository id, and no profile.
            None => self.write_str("").and_then(|()| self.write_count(0)),
        }
    }
}

macro_rules! numbers {
    ($($type:ty = $size:literal $read:ident),*) => {
        $(
            impl Plain for $type {
                const MIN_SIZE: usize = $size;

                fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
                    writer.write::<$type>(self)
                }

                fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
                    reader.number(CdrReader::$read)
                }
            }
        )*
    };
}

numbers! {
    bool = 1 read_bool, i8 = 1 read_i8, u8 = 1 read_u8, i16 = 2 read_i16, u16 = 2 read_u16, i32 = 4 read_i32,
    u32 = 4 read_u32, i64 = 8 read_i64, u64 = 8 read_u64, f32 = 4 read_f32, f64 = 8 read_f64
}

impl Plain for char {
    const MIN_SIZE: usize = 1;

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
        writer.write::<Self>(self)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
        reader.read::<Self>()
    }
}

impl<T: Plain, const N: usize> Plain for [T; N] {
    const MIN_SIZE: usize = N * T::MIN_SIZE;

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
        self.iter().try_for_each(|element| element.write(writer))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
        if const { Self::MIN_SIZE == 0 } {
            reader.allow_empty(N)?;
        }
        let mut elements = ArrayVec::new();
        for _ in 0..N {
            // There is room for them.
            let _ = elements.try_push(T::read(reader)?);
        }
        elements.into_inner().map_err(|_| SystemException::TOO_LARGE)
    }
}

/// A `sequence<T, N>`.
impl<T: Plain, const N: usize> Plain for ArrayVec<T, N> {
    const MIN_SIZE: usize = 4;

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
        writer.write_elements(self, UNBOUNDED)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
        let bound = u32::try_from(N).unwrap_or(UNBOUNDED);
        let count = reader.read_count(T::MIN_SIZE, bound)?;
        let mut elements = Self::new();
        for _ in 0..count {
            // There is room for them.
            let _ = elements.try_push(T::read(reader)?);
        }
        Ok(elements)
    }
}

/// A `string<N>`.
impl<const N: usize> Plain for BoundedText<N> {
    const MIN_SIZE: usize = 5;

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
        writer.write_text(self.text(), UNBOUNDED)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
        let bound = u32::try_from(N).unwrap_or(UNBOUNDED);
        Self::new(reader.read_text(bound)?)
    }
}

/// An object reference, or nil.
impl<R: TypedReference> Plain for Option<R> {
    /// An empty repository id and no profile.
    const MIN_SIZE: usize = 4 + 1 + 4;

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), SystemException> {
        writer.write_object(self.as_ref())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, SystemException> {
        reader.read_object()
    }
}
