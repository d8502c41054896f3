//! Any: a value with its type.

mod octets;
#[cfg(test)]
mod tests;
mod value;

use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, Number, ReadContext,
    TextCoding, WideForm, WideSet,
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

    /// An any of a type known at run time, whose value `body` writes. `body` is called a second time if
    /// UTF-8 cannot represent a `char`.
    ///
    /// # Errors
    /// What `body` returns; as [`Layout::copy`] when `body` wrote something else than a value of the type.
    pub fn build(
        type_code: TypeCode,
        body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::build_with(&Layout::of(&type_code), body)
    }

    /// As [`build`](Self::build), with a layout that the caller has made before.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(
        layout: &Layout,
        body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::build_of(layout, None, body)
    }

    /// As [`build_with`](Self::build_with), with the types of valuetypes inside that the TypeCode does not
    /// describe.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_of(
        layout: &Layout,
        types: Option<Arc<ValueTypes>>,
        mut body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        let retried = layout.retried();
        let layout = &*retried;
        let type_code = layout.type_code().clone();
        let mut any = Self::image(type_code, layout.traits(), |_, writer| body(writer))?;
        if let Some(simple) = layout.simple() {
            let mut reader = any.reader();
            simple.copy(&mut reader, None)?;
            return match reader.remaining() {
                0 => Ok(any),
                _ => Err(reader.error(CdrErrorKind::TooLong, "any")),
            };
        }
        any.types = types.or(any.types);
        let mut reader = any.reader();
        let walked = layout.run(&mut reader, None)?;
        let (left, too_long) = (reader.remaining(), reader.error(CdrErrorKind::TooLong, "any"));
        match left {
            0 if walked.verbatim => {
                any.types = walked.types;
                Ok(any)
            }
            0 => Self::read_with(layout, &mut any.reader()),
            _ => Err(too_long),
        }
    }

    /// Reads a value of a known type from a stream, without a TypeCode before it.
    ///
    /// # Errors
    /// As [`Layout::copy`].
    pub fn read_value(type_code: TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Self::read_with(&Layout::of(&type_code), reader)
    }

    /// As [`read_value`](Self::read_value), with a layout that the caller has made before.
    ///
    /// # Errors
    /// As [`Layout::copy`].
    pub fn read_with(layout: &Layout, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        if let Some(simple) = layout.simple()
            && reader.is_evenly_aligned()
            && !reader.is_in_chunks()
            && reader.is_in_one_piece()
        {
            let (rest, start) = (reader.rest(), reader.offset());
            simple.copy(reader, None)?;
            let octets = rest.get(..rest.len() - reader.remaining()).unwrap_or_default();
            return Self::copied(layout, octets, start, reader);
        }
        let retried = layout.retried();
        let layout = &*retried;
        let (mark, start) = (reader.mark(), reader.offset());
        let had_values = reader.has_values();
        let before = reader.take_first_target();
        let walked = layout.run(reader, None)?;
        let first_target = reader.take_first_target();
        if let Some(first) = before.into_iter().chain(first_target).min() {
            reader.note_target(first);
        }
        let traits = layout.traits();
        let octets = reader.since(&mark).filter(|octets| {
            let is_shared = first_target.is_some_and(|first| first < start)
                || (walked.is_opaque && had_values && may_refer_back(octets, start, reader));
            walked.verbatim && reader.is_evenly_aligned() && !is_shared
        });
        let Some(octets) = octets else {
            let octets = reader.vector(reader.offset().saturating_sub(start), "any")?;
            let type_code = layout.type_code().clone();
            let mut any = Self::image_in(octets, type_code, traits, |_, writer| {
                reader.rewind(&mark);
                layout.copy(reader, writer)
            })?;
            any.types = walked.types;
            return Ok(any);
        };
        let mut any = Self::copied(layout, octets, start, reader)?;
        any.form.has_values = walked.has_values;
        any.types = walked.types;
        Ok(any)
    }

    /// An any with octets of a stream from the offset `start` on.
    fn copied(
        layout: &Layout,
        octets: &[u8],
        start: usize,
        reader: &mut CdrReader<'_>,
    ) -> CdrResult<Self> {
        let traits = layout.traits();
        let form = Form {
            order: reader.order(),
            start: (start % 8) as u8,
            text: reader.text(),
            alignment: traits.alignment,
            has_text: traits.has_text,
            has_values: false,
        };
        let type_code = layout.type_code().clone();
        let octets = match Octets::inline(octets) {
            Some(octets) => octets,
            None => Octets::Heap(reader.copied(octets, "any")?),
        };
        Ok(Self { type_code, octets, form, types: None })
    }

    /// Appends the value without its TypeCode.
    ///
    /// # Errors
    /// When the code sets or the GIOP version of the stream cannot represent the value's text.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.retain_types(writer);
        if self.form.fits(writer) {
            return writer.put_run(&self.octets, "any");
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
            return writer.put_run(&self.octets, "any");
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

    /// An any with the octets that `body` writes, in UTF-8 if possible.
    fn image(
        type_code: TypeCode,
        traits: Traits,
        body: impl FnMut(&TypeCode, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::image_in(Vec::new(), type_code, traits, body)
    }

    /// As [`image`](Self::image), in the memory of an empty vector.
    fn image_in(
        mut octets: Vec<u8>,
        type_code: TypeCode,
        traits: Traits,
        mut body: impl FnMut(&TypeCode, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        let mut attempt = |octets: &mut Vec<u8>, char_set| {
            let form = Form::own(char_set, traits);
            let mut writer = CdrWriter::new(octets, form.order).with_text(form.text);
            writer.name_values();
            body(&type_code, &mut writer)?;
            writer.finish()?;
            let types = match writer.retains_values() {
                true => ValueTypes::written(&writer, &type_code),
                false => None,
            };
            CdrResult::Ok((Form { has_values: writer.has_values(), ..form }, types))
        };
        let (form, types) = match attempt(&mut octets, CharSet::Utf8) {
            Err(error) if error.kind == CdrErrorKind::BadText => {
                octets.clear();
                attempt(&mut octets, CharSet::Latin1)?
            }
            done => done?,
        };
        Ok(Self { type_code, octets: Octets::from(octets), form, types })
    }
}

/// Whether octets of unknown types may contain an indirection to a value before `start`, the offset of the
/// first octet. Two numbers that look like an indirection count as one.
fn may_refer_back(octets: &[u8], start: usize, reader: &CdrReader<'_>) -> bool {
    const INDIRECTION: i32 = -1;
    let skipped = start.next_multiple_of(4) - start;
    let (words, _) = octets.get(skipped..).unwrap_or_default().as_chunks::<4>();
    let number = |octets: &[u8; 4]| i32::from_octets(*octets, reader.order());
    let mut offset = start + skipped;
    words.windows(2).any(|pair| {
        offset += 4;
        let [tag, distance] = pair else { return false };
        let back = usize::try_from(number(distance).unsigned_abs()).unwrap_or(usize::MAX);
        number(tag) == INDIRECTION
            && number(distance) < 0
            && offset
                .checked_sub(back)
                .is_some_and(|target| target < start && reader.has_value_at(target))
    })
}
