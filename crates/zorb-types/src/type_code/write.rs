//! Encoding a TypeCode (CORBA 3.3 part 2, 9.3.5.1).

use alloc::collections::BTreeMap;

use zorb_cdr::{CdrErrorKind, CdrResult, CdrWriter, MAX_DEPTH};

use super::TcKind;
use super::digits::digits_and_scale;
use super::kind::{INDIRECTION, Parameters};
use super::label::write_label;
use super::view::TypeRef;

const WHAT: &str = "TypeCode";

/// The maximum number of types without a repository id that are written again instead of an indirection to
/// them. A received TypeCode may refer to one of them any number of times.
pub const MAX_REPEATED_TYPES: u32 = 1024;

/// Appends a TypeCode.
///
/// A type of this program has indirections for recursion only. A received type has those with which it was
/// received. They lead to types with a repository id, since some ORBs refuse others; other types are
/// repeated, up to [`MAX_REPEATED_TYPES`] of them.
pub(super) fn write(type_ref: TypeRef<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    Encoder::default().write(type_ref, writer, 0)
}

/// The state of writing one TypeCode. Positions are those of the outermost stream.
#[derive(Default)]
struct Encoder {
    /// Positions of types that may be the target of an indirection, by the address of their description.
    positions: BTreeMap<usize, usize>,
    /// Types that were written again.
    repeated: u32,
    depth: u16,
}

impl Encoder {
    fn write(
        &mut self,
        type_ref: TypeRef<'_>,
        writer: &mut CdrWriter<'_>,
        base: usize,
    ) -> CdrResult<()> {
        let kind = type_ref.kind();
        match kind.parameters() {
            Parameters::Empty if type_ref.is_placeholder() => {
                return Err(writer.error(CdrErrorKind::BadTypeCode, WHAT));
            }
            Parameters::Empty => writer.write_u32(kind as u32),
            Parameters::Simple => {
                writer.write_u32(kind as u32);
                if kind == TcKind::Fixed {
                    let (digits, scale) = digits_and_scale(type_ref.number());
                    writer.write_u16(digits);
                    writer.write_i16(scale);
                } else {
                    write_number(type_ref, writer)?;
                }
            }
            Parameters::Complex => self.complex(type_ref, writer, base)?,
        }
        Ok(())
    }

    fn complex(
        &mut self,
        type_ref: TypeRef<'_>,
        writer: &mut CdrWriter<'_>,
        base: usize,
    ) -> CdrResult<()> {
        let key = type_ref.key();
        writer.align(4);
        writer.finish()?;
        let position = base + writer.offset();
        let earlier = self.positions.get(&key).copied();
        if earlier.is_some() && !type_ref.kind().has_id() && self.repeated < MAX_REPEATED_TYPES {
            self.repeated += 1;
        } else if let Some(earlier) = earlier {
            let distance = i32::try_from(position + 4 - earlier)
                .map_err(|_| writer.error(CdrErrorKind::TooLong, WHAT))?;
            writer.write_u32(INDIRECTION);
            writer.write_i32(-distance);
            return Ok(());
        }
        if self.depth >= MAX_DEPTH {
            return Err(writer.error(CdrErrorKind::TooDeep, WHAT));
        }
        self.depth += 1;
        self.positions.insert(key, position);
        writer.write_u32(type_ref.kind() as u32);
        let inner_base = position + 8;
        writer.write_encapsulation(|inner| self.parameters(type_ref, inner, inner_base))?;
        if matches!(type_ref, TypeRef::Static(_)) {
            self.positions.remove(&key);
        }
        self.depth -= 1;
        Ok(())
    }

    fn parameters(
        &mut self,
        type_ref: TypeRef<'_>,
        writer: &mut CdrWriter<'_>,
        base: usize,
    ) -> CdrResult<()> {
        let kind = type_ref.kind();
        if kind.has_id() {
            writer.write_latin1(type_ref.id())?;
            writer.write_latin1(type_ref.name())?;
        }
        match kind {
            TcKind::Struct | TcKind::Except => self.members(type_ref, writer, base)?,
            TcKind::Union => {
                self.content(type_ref, writer, base)?;
                let default_index = i32::try_from(type_ref.number())
                    .map_err(|_| writer.error(CdrErrorKind::BadTypeCode, WHAT))?;
                writer.write_i32(default_index);
                self.members(type_ref, writer, base)?;
            }
            TcKind::Enum => {
                writer.write_count(type_ref.member_count(), WHAT)?;
                for member in type_ref.members() {
                    writer.write_latin1(member.name)?;
                }
            }
            TcKind::Sequence | TcKind::Array => {
                self.content(type_ref, writer, base)?;
                write_number(type_ref, writer)?;
            }
            TcKind::Alias | TcKind::ValueBox => self.content(type_ref, writer, base)?,
            TcKind::Value | TcKind::Event => {
                let modifier = i16::try_from(type_ref.number())
                    .map_err(|_| writer.error(CdrErrorKind::BadTypeCode, WHAT))?;
                writer.write_i16(modifier);
                self.content(type_ref, writer, base)?;
                self.members(type_ref, writer, base)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn content(
        &mut self,
        type_ref: TypeRef<'_>,
        writer: &mut CdrWriter<'_>,
        base: usize,
    ) -> CdrResult<()> {
        match type_ref.content() {
            Some(content) => self.write(content, writer, base),
            // The base of a valuetype without one is `tk_null`.
            None if matches!(type_ref.kind(), TcKind::Value | TcKind::Event) => {
                writer.write_u32(TcKind::Null as u32);
                Ok(())
            }
            None => Err(writer.error(CdrErrorKind::BadTypeCode, WHAT)),
        }
    }

    fn members(
        &mut self,
        type_ref: TypeRef<'_>,
        writer: &mut CdrWriter<'_>,
        base: usize,
    ) -> CdrResult<()> {
        let kind = type_ref.kind();
        let discriminator = type_ref.content().map(|content| content.resolved().kind());
        let default_index = usize::try_from(type_ref.number()).ok();
        writer.write_count(type_ref.member_count(), WHAT)?;
        for (index, member) in type_ref.members().enumerate() {
            if let (TcKind::Union, Some(discriminator)) = (kind, discriminator) {
                let is_default = default_index == Some(index);
                write_label(discriminator, if is_default { 0 } else { member.label }, writer)?;
            }
            writer.write_latin1(member.name)?;
            match member.type_ref {
                Some(member) => self.write(member, writer, base)?,
                None => return Err(writer.error(CdrErrorKind::BadTypeCode, WHAT)),
            }
            if matches!(kind, TcKind::Value | TcKind::Event) {
                let visibility = i16::try_from(member.label)
                    .map_err(|_| writer.error(CdrErrorKind::BadTypeCode, WHAT))?;
                writer.write_i16(visibility);
            }
        }
        Ok(())
    }
}

fn write_number(type_ref: TypeRef<'_>, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    let number = u32::try_from(type_ref.number())
        .map_err(|_| writer.error(CdrErrorKind::BadTypeCode, WHAT))?;
    writer.write_u32(number);
    Ok(())
}
