//! Any: a value with its type.

mod build;
mod octets;
mod read;
#[cfg(test)]
mod tests;
mod value;

use alloc::sync::Arc;

use zorb_cdr::{
    ByteOrder, CdrReader, CdrResult, CdrWriter, CharSet, Gathered, ReadContext, TextCoding,
    WideForm, WideSet,
};

use octets::Octets;

use crate::layout::{Traits, traits_of};
use crate::{Layout, TcKind, TypeCode, TypeDesc, Typed, ValueTypes};

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
/// A received value is validated by its TypeCode once, and stored as the received octets with their byte
/// order, alignment and text coding; [`get`](Self::get) decodes it. It is sent again as received, with
/// the same padding, where the settings of the stream allow it, and converted otherwise. It uses as much
/// memory as the octets in the message, beside its TypeCode (or up to four times as much, where it had to
/// be converted; see [`Layout::copy`] and [`TypeCode`] for limits). Of a value that was encoded or converted,
/// capacity of at most an eighth of its octets and 64 more may stay unused, which saves copying it.
///
/// Two anys are equal when their types are equivalent and their values are equal.
#[derive(Clone)]
pub struct Any {
    type_code: TypeCode,
    octets: Octets,
    form: Form,
    /// The types of valuetypes inside that the TypeCode does not describe.
    types: Option<Arc<ValueTypes>>,
}

/// The encoding of the octets of an any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    order: ByteOrder,
    /// The offset of the first octet, modulo 8.
    start: u8,
    text: TextCoding,
    /// The largest alignment inside the value.
    alignment: u8,
    /// Whether there may be text inside, which depends on the text coding.
    has_text: bool,
    /// Whether there are valuetypes inside, which have to be chunked inside a chunked value.
    has_values: bool,
}

impl Form {
    /// The form of values that are encoded here: in the machine's byte order, at offset 0, with text in
    /// UTF-8 and UTF-16. UTF-8 can represent all strings, but no single `char` above 127: values with
    /// such a `char` are in ISO 8859-1, like the stream from which the `char` came.
    const fn own(char_set: CharSet, traits: Traits) -> Self {
        Self {
            order: ByteOrder::NATIVE,
            start: 0,
            text: TextCoding {
                char_set,
                wide_set: Some(WideSet::Utf16),
                wide_form: WideForm::Octets,
            },
            alignment: traits.alignment,
            has_text: traits.has_text,
            has_values: false,
        }
    }

    /// Whether octets in this form can be copied to a stream unchanged.
    fn fits(&self, writer: &CdrWriter<'_>) -> bool {
        let shift = (writer.offset() ^ usize::from(self.start)) % usize::from(self.alignment);
        self.order == writer.order()
            && shift == 0
            && (!self.has_text || self.text == writer.text())
            && !(self.has_values && writer.is_in_chunked_value())
    }
}

impl Typed for Any {
    fn type_desc() -> &'static TypeDesc {
        const { &TypeDesc::plain(TcKind::Any) }
    }
}

/// From this number of octets on, it takes longer to encode a value again than to determine whether its octets can be copied.
const LONG: usize = 64;

impl Any {
    /// An any with this value: `Any::new::<String>("text")`, `Any::new::<Person>(&person)`.
    ///
    /// # Errors
    /// When the value has no encoding: a string has a NUL inside, or a bound is exceeded.
    pub fn new<T: Typed>(value: &T::View) -> CdrResult<Self> {
        let type_code = T::type_code();
        let mut any = Self::image(type_code, Traits::ANYTHING, |type_code, writer| {
            if type_code.kind() == TcKind::Except {
                writer.write_latin1(type_code.id())?;
            }
            T::write(value, writer)
        })?;
        if any.octets.len() >= LONG {
            let traits = traits_of(&any.type_code);
            (any.form.alignment, any.form.has_text) = (traits.alignment, traits.has_text);
        }
        Ok(any)
    }

    /// Appends the value without its TypeCode.
    ///
    /// # Errors
    /// When the code sets or the GIOP version of the stream cannot represent the value's text.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.retain_types(writer);
        if self.form.fits(writer) {
            return writer.put_many(&self.octets, Gathered::Value, "any");
        }
        Layout::of(&self.type_code).copy(&mut self.reader(), writer)
    }

    /// As [`write_value`](Self::write_value), with a layout of the same type that the caller has made
    /// before.
    ///
    /// # Errors
    /// As [`write_value`](Self::write_value).
    pub fn write_with(&self, layout: &Layout, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.retain_types(writer);
        if self.form.fits(writer) {
            return writer.put_many(&self.octets, Gathered::Value, "any");
        }
        layout.copy(&mut self.reader(), writer)
    }

    /// Passes the types on to an enclosing any.
    fn retain_types(&self, writer: &mut CdrWriter<'_>) {
        if let Some(types) = &self.types {
            writer.retain(Arc::clone(types));
        }
    }

    /// The type of the value; `tk_null` if there is no value.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The value, if the type of the any is equivalent to `T`.
    ///
    /// Object references need an ORB: see [`get_with`](Self::get_with). So do values of types derived from
    /// the valuetype `T`: without an ORB they are truncated to `T`, or `None` if they are not
    /// `truncatable`.
    pub fn get<T: Typed>(&self) -> Option<T::Value> {
        self.decode::<T>(self.reader())
    }

    /// As [`get`](Self::get), with a context such as the ORB (see [`CdrReader::with_context`]).
    pub fn get_with<T: Typed>(&self, context: &dyn ReadContext) -> Option<T::Value> {
        self.decode::<T>(self.reader().with_context(context))
    }

    /// Whether the any's type is equivalent to `T`'s.
    pub fn is<T: Typed>(&self) -> bool {
        self.type_code.equivalent(&T::type_code())
    }

    /// A reader at the start of the value, for code that decodes it by its TypeCode. The value of an
    /// exception begins with its repository id.
    pub fn reader(&self) -> CdrReader<'_> {
        let reader = CdrReader::new(&self.octets, self.form.order)
            .with_origin(self.form.start.into())
            .with_text(self.form.text);
        match &self.types {
            Some(types) => reader.with_context(&**types),
            None => reader,
        }
    }

    /// The known types of valuetypes inside that the TypeCode does not describe.
    pub fn value_types(&self) -> Option<&Arc<ValueTypes>> {
        self.types.as_ref()
    }

    fn decode<T: Typed>(&self, mut reader: CdrReader<'_>) -> Option<T::Value> {
        if !self.is::<T>() {
            return None;
        }
        if self.type_code.resolved().kind() == TcKind::Except {
            reader.read_latin1("exception id").ok()?;
        }
        T::read(&mut reader).ok()
    }
}
