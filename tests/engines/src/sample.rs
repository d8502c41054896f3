//! Octets of random values of any type.

use zorb_cdr::{ByteOrder, CdrResult, CdrWriter, CharSet, TextCoding};
use zorb_types::{TcKind, TypeCode, TypeCodeError};

use super::types::{Pair, TYPES};

/// A source of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Seed(u64);

impl Seed {
    /// The source with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Any number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// An input of [`compare`](super::compare::compare): values of the type with this index.
///
/// # Panics
/// There is no such type, or it has no values.
#[must_use]
pub fn input(index: usize, seed: &mut Seed) -> Vec<u8> {
    [&[index as u8][..], &input_of(&TYPES[index], seed)].concat()
}

/// An input of [`compare_as`](super::compare::compare_as): values of this type.
///
/// # Panics
/// It has no values.
#[must_use]
pub fn input_of(pair: &Pair, seed: &mut Seed) -> Vec<u8> {
    let type_code = (pair.type_code)();
    let choice = seed.next() as u8;
    let order = if choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little };
    let char_set = if choice & 2 == 0 { CharSet::Utf8 } else { CharSet::Latin1 };
    let mut octets = vec![0; usize::from(choice >> 2 & 7)];
    let offset = octets.len();
    let mut writer = CdrWriter::resume(&mut octets, order)
        .with_text(TextCoding { char_set, ..TextCoding::UNICODE });
    let count = match choice >> 5 & 3 {
        0 => 1,
        1 => {
            let count = seed.below(4);
            writer.write_u32(count as u32);
            count
        }
        2 => 3,
        _ => 2,
    };
    for _ in 0..count {
        write(&type_code, seed, 0, &mut writer).expect("a value");
    }
    let split = if seed.below(2) == 0 { 0 } else { seed.next() as u8 };
    [&[choice, split], &octets[offset..]].concat()
}

/// A fault in a sample.
type Fault = Box<dyn std::error::Error>;

/// The depth from which on sequences are empty.
const DEEPEST: usize = 6;

/// Writes a value of a type.
fn write(
    type_code: &TypeCode,
    seed: &mut Seed,
    depth: usize,
    writer: &mut CdrWriter<'_>,
) -> Result<(), Fault> {
    let ty = type_code.resolved();
    let bits = match seed.below(4) {
        0 => 0,
        1 => u64::MAX,
        _ => seed.next(),
    };
    match ty.kind() {
        TcKind::Boolean => writer.write_bool(bits & 1 == 1),
        TcKind::Octet => writer.write_u8(bits as u8),
        TcKind::Char => writer.write_char(char::from(1 + (bits % 127) as u8))?,
        TcKind::WChar => {
            writer.write_wchar(char::from_u32(1 + (bits % 0xd7ff) as u32).unwrap_or('x'))?
        }
        TcKind::Short | TcKind::UShort => writer.write_u16(bits as u16),
        TcKind::Long | TcKind::ULong | TcKind::Float => writer.write_u32(bits as u32),
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => writer.write_u64(bits),
        TcKind::LongDouble => {
            writer.write_u64(bits);
            writer.write_u64(seed.next());
        }
        TcKind::String => {
            let text = text(ty.length()?, seed);
            writer.write_str(&text, u32::MAX)?;
        }
        TcKind::WString => {
            let text = text(ty.length()?, seed);
            writer.write_wstring(&text, u32::MAX)?;
        }
        TcKind::Fixed => fixed(usize::from(ty.digits_and_scale()?.0), seed, writer),
        TcKind::Enum => writer.write_u32(seed.below(ty.member_count()) as u32),
        TcKind::Struct | TcKind::Except => {
            for index in 0..ty.member_count() {
                write(&ty.member_type(index)?, seed, depth + 1, writer)?;
            }
        }
        TcKind::Union => union(&ty, seed, depth, writer)?,
        TcKind::Sequence => {
            let most = match ty.length()? {
                0 => 3,
                bound => bound.min(3),
            };
            let count = if depth > DEEPEST { 0 } else { seed.below(most as usize + 1) };
            writer.write_u32(count as u32);
            let element = ty.content_type()?;
            for _ in 0..count {
                write(&element, seed, depth + 1, writer)?;
            }
        }
        TcKind::Array => {
            let element = ty.content_type()?;
            for _ in 0..ty.length()? {
                write(&element, seed, depth + 1, writer)?;
            }
        }
        TcKind::Any => {
            writer.write_u32(TcKind::Long as u32);
            writer.write_u32(bits as u32);
        }
        TcKind::TypeCode => writer.write_u32(TcKind::Long as u32),
        TcKind::ObjRef => nil(writer)?,
        TcKind::Value | TcKind::ValueBox => value(&ty, seed, depth, writer)?,
        kind => return Err(format!("no values of {kind:?}").into()),
    }
    Ok(())
}

fn text(bound: u32, seed: &mut Seed) -> String {
    let most = if bound == 0 { 9 } else { bound.min(9) };
    (0..seed.below(most as usize + 1)).map(|_| char::from(b'a' + seed.below(26) as u8)).collect()
}

/// Digits and a sign, two in an octet.
fn fixed(digits: usize, seed: &mut Seed, writer: &mut CdrWriter<'_>) {
    let octets = digits / 2 + 1;
    for index in 0..octets {
        let is_last = index == octets - 1;
        let first = if index == 0 && digits.is_multiple_of(2) { 0 } else { seed.below(10) as u8 };
        let second = if is_last { 12 + seed.below(2) as u8 } else { seed.below(10) as u8 };
        writer.write_u8(first << 4 | second);
    }
}

fn union(
    ty: &TypeCode,
    seed: &mut Seed,
    depth: usize,
    writer: &mut CdrWriter<'_>,
) -> Result<(), Fault> {
    let index = seed.below(ty.member_count() + 1);
    let unlisted = ty.unlisted_label()?;
    let label = match unlisted {
        Some(label) if index == ty.member_count() || ty.default_index()? == Some(index) => label,
        _ => ty.member_label(index.min(ty.member_count() - 1))?,
    };
    ty.discriminator_type()?.write_label(label, writer)?;
    match ty.case_of(label)? {
        Some(case) => write(&ty.member_type(case)?, seed, depth + 1, writer),
        None => Ok(()),
    }
}

/// A nil reference.
fn nil(writer: &mut CdrWriter<'_>) -> CdrResult<()> {
    writer.write_str("", u32::MAX)?;
    writer.write_u32(0);
    Ok(())
}

/// A value that is not chunked, with its repository id.
fn value(
    ty: &TypeCode,
    seed: &mut Seed,
    depth: usize,
    writer: &mut CdrWriter<'_>,
) -> Result<(), Fault> {
    if depth > DEEPEST || seed.below(3) == 0 {
        writer.write_u32(0);
        return Ok(());
    }
    writer.write_u32(0x7fff_ff02);
    writer.write_str(ty.id(), u32::MAX)?;
    state(ty, seed, depth, writer)
}

/// The state of a value, that of its base first.
fn state(
    ty: &TypeCode,
    seed: &mut Seed,
    depth: usize,
    writer: &mut CdrWriter<'_>,
) -> Result<(), Fault> {
    match ty.concrete_base_type() {
        Ok(base) if base.kind() == TcKind::Value => state(&base, seed, depth, writer)?,
        Ok(_) | Err(TypeCodeError::BadKind) => {}
        Err(error) => return Err(error.into()),
    }
    for index in 0..ty.member_count() {
        write(&ty.member_type(index)?, seed, depth + 1, writer)?;
    }
    Ok(())
}
