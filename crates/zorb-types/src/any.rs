//! Any: a value together with its type.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{
    CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, TextCoding, WideForm, WideSet, Wire,
};

use crate::transcode::{IMAGE_ORDER, skip_exception_id, transcode};
use crate::{TcKind, TypeCode, Typed};

/// A value of any IDL type, with its TypeCode: the IDL type `any`.
///
/// ```
/// use zorb_types::Any;
///
/// let any = Any::new::<Vec<i32>>(&[1, 2, 3])?;
/// assert_eq!(any.type_code().to_string(), "sequence<long>");
/// assert_eq!(any.get::<Vec<i32>>(), Some(vec![1, 2, 3]));
/// assert_eq!(any.get::<String>(), None);
/// # Ok::<(), zorb_types::cdr::CdrError>(())
/// ```
///
/// The value is kept as octets of this machine's byte order that begin aligned, with text in
/// UTF-8 and UTF-16 (in ISO 8859-1 where a single `char` needs it), and is decoded when it is
/// asked for. Received values are checked by their TypeCode; they take at most four times the
/// octets of the message beside the TypeCode (see [`transcode`] and [`TypeCode`] for limits).
///
/// Two anys are equal when their types are equivalent and their values the same.
#[derive(Clone)]
pub struct Any {
    type_code: TypeCode,
    image: Vec<u8>,
    char_set: CharSet,
}

/// The text of images. Every string of every code set fits into it, but no single `char` above
/// 127; images that hold one are in ISO 8859-1, as the stream was that the `char` came from.
const fn image_text(char_set: CharSet) -> TextCoding {
    TextCoding { char_set, wide_set: Some(WideSet::Utf16), wide_form: WideForm::Octets }
}

impl Any {
    /// An any that holds `value`: `Any::new::<String>("text")`, `Any::new::<Person>(&person)`.
    ///
    /// # Errors
    /// When the value has no encoding: a NUL in a string, a bound exceeded.
    pub fn new<T: Typed>(value: &T::View) -> CdrResult<Self> {
        let type_code = T::type_code();
        Self::image(type_code, |type_code, writer| {
            if type_code.kind() == TcKind::Except {
                writer.write_latin1(type_code.id())?;
            }
            T::write(value, writer)
        })
    }

    /// Takes a value of a known type from a stream, without a TypeCode before it.
    ///
    /// # Errors
    /// As [`transcode`].
    pub fn read_value(type_code: TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let start = reader.clone();
        Self::image(type_code, |type_code, writer| {
            *reader = start.clone();
            transcode(type_code, reader, writer)
        })
    }

    /// Appends the value without its TypeCode.
    ///
    /// # Errors
    /// When the stream's code sets or GIOP version cannot carry the value's text.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        transcode(&self.type_code, &mut self.reader(), writer)
    }

    /// The type of the value; `tk_null` when there is none.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The value, if it is a `T`: its type must be equivalent to the any's.
    ///
    /// Object references need the ORB to come alive in: see [`get_with`](Self::get_with).
    pub fn get<T: Typed>(&self) -> Option<T::Value> {
        self.decode::<T>(self.reader())
    }

    /// As [`get`](Self::get), with what object references decode against
    /// (see [`CdrReader::with_context`]).
    pub fn get_with<T: Typed>(
        &self,
        context: &(dyn core::any::Any + Send + Sync),
    ) -> Option<T::Value> {
        self.decode::<T>(self.reader().with_context(context))
    }

    /// Whether the any's type is equivalent to `T`'s.
    pub fn is<T: Typed>(&self) -> bool {
        self.type_code.equivalent(&T::type_code())
    }

    /// A reader at the start of the value, for code that walks it by its TypeCode. An exception's
    /// value begins with its repository id.
    pub fn reader(&self) -> CdrReader<'_> {
        CdrReader::new(&self.image, IMAGE_ORDER).with_text(image_text(self.char_set))
    }

    fn decode<T: Typed>(&self, mut reader: CdrReader<'_>) -> Option<T::Value> {
        if !self.is::<T>() {
            return None;
        }
        if self.type_code.resolved().kind() == TcKind::Except {
            skip_exception_id(self.type_code.resolved().id(), &mut reader);
        }
        T::read(&mut reader).ok()
    }

    /// An any with the octets that `body` writes, in UTF-8 if it can be.
    fn image(
        type_code: TypeCode,
        mut body: impl FnMut(&TypeCode, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        let mut image = Vec::new();
        let mut attempt = |image: &mut Vec<u8>, char_set| {
            let mut writer = CdrWriter::new(image, IMAGE_ORDER).with_text(image_text(char_set));
            body(&type_code, &mut writer)
        };
        let char_set = match attempt(&mut image, CharSet::Utf8) {
            Err(error) if error.kind == CdrErrorKind::BadText => {
                image.clear();
                attempt(&mut image, CharSet::Latin1)?;
                CharSet::Latin1
            }
            done => done.map(|()| CharSet::Utf8)?,
        };
        image.shrink_to_fit();
        Ok(Self { type_code, image, char_set })
    }
}

impl Wire for Any {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 4;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        TypeCode::write(&value.type_code, writer)?;
        value.write_value(writer)
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        reader.descend("any")?;
        let type_code = TypeCode::read(reader)?;
        let any = Self::read_value(type_code, reader)?;
        reader.ascend();
        Ok(any)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Default for Any {
    /// An any without a value, of type `tk_null`.
    fn default() -> Self {
        Self { type_code: TypeCode::default(), image: Vec::new(), char_set: CharSet::Utf8 }
    }
}

impl PartialEq for Any {
    fn eq(&self, other: &Self) -> bool {
        self.char_set == other.char_set
            && self.image == other.image
            && self.type_code.equivalent(&other.type_code)
    }
}

impl fmt::Debug for Any {
    /// The type and the first octets of the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 32;
        write!(f, "Any({}:", self.type_code)?;
        for octet in self.image.iter().take(SHOWN) {
            write!(f, " {octet:02x}")?;
        }
        f.write_str(if self.image.len() > SHOWN { " ...)" } else { ")" })
    }
}
