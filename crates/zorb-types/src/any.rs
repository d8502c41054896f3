//! Any: a value together with its type.

mod octets;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, ReadContext, TextCoding,
    WideForm, WideSet, Wire,
};

use octets::Octets;

use crate::layout::Traits;
use crate::{Layout, TcKind, TypeCode, Typed, ValueTypes};

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
/// A received value is checked by its TypeCode once, and kept as the octets that came, with their
/// byte order, alignment and text coding; it is decoded when it is asked for. It is sent again as
/// it came where the stream's settings allow, padding included, else copied number by number and
/// text by text. It takes the octets of the message beside its TypeCode (four times as many at
/// most where they have to be copied; see [`Layout::copy`] and [`TypeCode`] for limits).
///
/// Two anys are equal when their types are equivalent and their values the same.
#[derive(Clone)]
pub struct Any {
    type_code: TypeCode,
    octets: Octets,
    form: Form,
    /// The types of values in it that the TypeCode does not speak of.
    types: Option<Arc<ValueTypes>>,
}

/// How the octets of an any are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    order: ByteOrder,
    /// Octets from a multiple of 8 to the first one.
    start: u8,
    text: TextCoding,
    /// The strictest alignment inside the value.
    alignment: u8,
    /// Whether text may be inside, so that the coding matters.
    has_text: bool,
    /// Whether values of valuetypes are inside: in chunks they have to be in chunks, too.
    has_values: bool,
}

impl Form {
    /// That of values encoded here: in the machine's byte order, aligned, with text in UTF-8 and
    /// UTF-16. Every string of every code set fits into UTF-8, but no single `char` above 127;
    /// values that hold one are in ISO 8859-1, as the stream was that the `char` came from.
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

    /// Whether octets of this form are the same value in a stream, written as they stand.
    fn fits(&self, writer: &CdrWriter<'_>) -> bool {
        let out_of_step = (writer.offset() ^ usize::from(self.start)) % usize::from(self.alignment);
        self.order == writer.order()
            && out_of_step == 0
            && (!self.has_text || self.text == writer.text())
            && !(self.has_values && writer.is_in_chunked_value())
    }
}

impl Any {
    /// An any that holds `value`: `Any::new::<String>("text")`, `Any::new::<Person>(&person)`.
    ///
    /// # Errors
    /// When the value has no encoding: a NUL in a string, a bound exceeded.
    pub fn new<T: Typed>(value: &T::View) -> CdrResult<Self> {
        let type_code = T::type_code();
        Self::image(type_code, Traits::ANYTHING, |type_code, writer| {
            if type_code.kind() == TcKind::Except {
                writer.write_latin1(type_code.id())?;
            }
            T::write(value, writer)
        })
    }

    /// An any of a type known at run time, whose value `body` writes. It is called a second time where
    /// UTF-8 cannot carry a `char`.
    ///
    /// # Errors
    /// What `body` returns, and as [`Layout::copy`] when what it wrote is no value of the type.
    pub fn build(
        type_code: TypeCode,
        body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::build_with(&Layout::of(&type_code), body)
    }

    /// As [`build`](Self::build), by a layout that is kept.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(
        layout: &Layout,
        body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::build_of(layout, None, body)
    }

    /// As [`build_with`](Self::build_with), with values of these types in it, which the TypeCode does
    /// not speak of.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_of(
        layout: &Layout,
        types: Option<Arc<ValueTypes>>,
        mut body: impl FnMut(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
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

    /// Takes a value of a known type from a stream, without a TypeCode before it.
    ///
    /// # Errors
    /// As [`Layout::copy`].
    pub fn read_value(type_code: TypeCode, reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        Self::read_with(&Layout::of(&type_code), reader)
    }

    /// As [`read_value`](Self::read_value), by a layout that is kept.
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
            return Ok(Self::held(layout, octets, start, reader));
        }
        let (mark, start) = (reader.mark(), reader.offset());
        let had_values = reader.has_values();
        let before = reader.take_first_target();
        let walked = layout.run(reader, None)?;
        let reach = reader.take_first_target();
        if let Some(reach) = before.into_iter().chain(reach).min() {
            reader.note_target(reach);
        }
        let traits = layout.traits();
        let octets = reader.since(&mark).filter(|octets| {
            let leads_out = reach.is_some_and(|reach| reach < start)
                || (walked.is_opaque && had_values && may_lead_out(octets, start, reader));
            walked.verbatim && reader.is_evenly_aligned() && !leads_out
        });
        let Some(octets) = octets else {
            let mut any = Self::image(layout.type_code().clone(), traits, |_, writer| {
                reader.rewind(&mark);
                layout.copy(reader, writer)
            })?;
            any.types = walked.types;
            return Ok(any);
        };
        let mut any = Self::held(layout, octets, start, reader);
        any.form.has_values = walked.has_values;
        any.types = walked.types;
        Ok(any)
    }

    /// The octets of a stream from an offset on, kept as they came.
    fn held(layout: &Layout, octets: &[u8], start: usize, reader: &CdrReader<'_>) -> Self {
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
        Self { type_code, octets: Octets::copied(octets), form, types: None }
    }

    /// Appends the value without its TypeCode.
    ///
    /// # Errors
    /// When the stream's code sets or GIOP version cannot carry the value's text.
    pub fn write_value(&self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.tell_types(writer);
        if self.form.fits(writer) {
            writer.put(&self.octets);
            return Ok(());
        }
        Layout::of(&self.type_code).copy(&mut self.reader(), writer)
    }

    /// As [`write_value`](Self::write_value), by a layout of the same type that is kept.
    ///
    /// # Errors
    /// As [`write_value`](Self::write_value).
    pub fn write_with(&self, layout: &Layout, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        self.tell_types(writer);
        if self.form.fits(writer) {
            writer.put(&self.octets);
            return Ok(());
        }
        layout.copy(&mut self.reader(), writer)
    }

    /// An any around this one has to know the types, too.
    fn tell_types(&self, writer: &mut CdrWriter<'_>) {
        if let Some(types) = &self.types {
            writer.retain(Arc::clone(types));
        }
    }

    /// The type of the value; `tk_null` when there is none.
    pub fn type_code(&self) -> &TypeCode {
        &self.type_code
    }

    /// The value, if it is a `T`: its type must be equivalent to the any's.
    ///
    /// Object references need the ORB to come alive in: see [`get_with`](Self::get_with). So do values
    /// of types derived from the valuetype that `T` says: without one they are cut down to it, and are
    /// no `T` where they are not `truncatable`.
    pub fn get<T: Typed>(&self) -> Option<T::Value> {
        self.decode::<T>(self.reader())
    }

    /// As [`get`](Self::get), with what object references decode against
    /// (see [`CdrReader::with_context`]).
    pub fn get_with<T: Typed>(&self, context: &dyn ReadContext) -> Option<T::Value> {
        self.decode::<T>(self.reader().with_context(context))
    }

    /// Whether the any's type is equivalent to `T`'s.
    pub fn is<T: Typed>(&self) -> bool {
        self.type_code.equivalent(&T::type_code())
    }

    /// A reader at the start of the value, for code that walks it by its TypeCode. An exception's
    /// value begins with its repository id.
    pub fn reader(&self) -> CdrReader<'_> {
        let reader = CdrReader::new(&self.octets, self.form.order)
            .with_origin(self.form.start.into())
            .with_text(self.form.text);
        match &self.types {
            Some(types) => reader.with_context(&**types),
            None => reader,
        }
    }

    /// The types of values in it that the TypeCode does not speak of, as far as they are known.
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

    /// An any with the octets that `body` writes, in UTF-8 if it can be.
    fn image(
        type_code: TypeCode,
        traits: Traits,
        mut body: impl FnMut(&TypeCode, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        let mut octets = Vec::new();
        let mut attempt = |octets: &mut Vec<u8>, char_set| {
            let form = Form::own(char_set, traits);
            let mut writer = CdrWriter::new(octets, form.order).with_text(form.text);
            writer.name_values();
            body(&type_code, &mut writer)?;
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

/// Whether octets whose meaning is not known may have an indirection in them to a value in front of
/// `start`, the offset of the first one. Two numbers that look like one are taken for one.
fn may_lead_out(octets: &[u8], start: usize, reader: &CdrReader<'_>) -> bool {
    const INDIRECTION: i32 = -1;
    let skipped = start.next_multiple_of(4) - start;
    let (words, _) = octets.get(skipped..).unwrap_or_default().as_chunks::<4>();
    let number = |octets: &[u8; 4]| match reader.order() {
        ByteOrder::Little => i32::from_le_bytes(*octets),
        ByteOrder::Big => i32::from_be_bytes(*octets),
    };
    let mut offset = start + skipped;
    words.windows(2).any(|pair| {
        offset += 4;
        let [tag, way] = pair else { return false };
        let back = usize::try_from(number(way).unsigned_abs()).unwrap_or(usize::MAX);
        number(tag) == INDIRECTION
            && number(way) < 0
            && offset
                .checked_sub(back)
                .is_some_and(|target| target < start && reader.has_value_at(target))
    })
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
        let traits = Traits { alignment: 1, has_text: false };
        let form = Form::own(CharSet::Utf8, traits);
        Self { type_code: TypeCode::default(), octets: Octets::copied(&[]), form, types: None }
    }
}

impl PartialEq for Any {
    fn eq(&self, other: &Self) -> bool {
        if !self.type_code.equivalent(&other.type_code) {
            return false;
        }
        let reading = |form| Form { alignment: 1, has_text: false, has_values: false, ..form };
        let same_reading = reading(self.form) == reading(other.form);
        if same_reading && *self.octets == *other.octets {
            return true;
        }
        let same = Layout::of(&self.type_code).equal(&mut self.reader(), &mut other.reader());
        // Types of one id may differ; then values of one are none of the other.
        same.unwrap_or(false)
    }
}

impl fmt::Debug for Any {
    /// The type and the first octets of the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 32;
        write!(f, "Any({}:", self.type_code)?;
        for octet in self.octets.iter().take(SHOWN) {
            write!(f, " {octet:02x}")?;
        }
        f.write_str(if self.octets.len() > SHOWN { " ...)" } else { ")" })
    }
}
