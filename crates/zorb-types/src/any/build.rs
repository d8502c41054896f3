//! Anys from values that are written.

use alloc::sync::Arc;
use alloc::vec::Vec;

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter, CharSet};

use super::octets::Octets;
use super::{Any, Form};
use crate::layout::Traits;
use crate::{Layout, TypeCode, ValueTypes};

impl Any {
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

    /// An any with the octets that `body` writes, in UTF-8 if possible.
    pub(super) fn image(
        type_code: TypeCode,
        traits: Traits,
        body: impl FnMut(&TypeCode, &mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> CdrResult<Self> {
        Self::image_in(Vec::new(), type_code, traits, body)
    }

    /// As [`image`](Self::image), in the memory of an empty vector.
    pub(super) fn image_in(
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
