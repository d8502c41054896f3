//! Random values of types known at run time.

use std::fmt::Write as _;

use zorb::dynamic::{DynAny, DynAnyError};
use zorb::{Any, FixedValue, TcKind, TypeCode, WChar, WString};

use super::generator::Generator;

/// The depth from which on sequences are empty and anys hold numbers.
const DEEPEST: usize = 5;

/// A value, independent of how ORBs hold it.
pub(super) enum Value {
    Boolean(bool),
    Octet(u8),
    Char(char),
    WChar(char),
    Short(i16),
    UShort(u16),
    Long(i32),
    ULong(u32),
    LongLong(i64),
    ULongLong(u64),
    Float(f32),
    Double(f64),
    Text(String),
    WideText(String),
    Fixed(FixedValue),
    Any(TypeCode, Box<Self>),
    Enum(u32, String),
    Struct(Vec<(String, Self)>),
    Union(Box<Self>, Option<(String, Box<Self>)>),
    List(Vec<Self>),
}

/// Makes values up.
pub(super) struct Values<'a> {
    pub(super) random: &'a mut Generator,
    /// The types of what is in anys.
    pub(super) types: &'a [TypeCode],
}

impl Values<'_> {
    /// A value of this type.
    pub(super) fn of(&mut self, ty: &TypeCode, depth: usize) -> Value {
        let resolved = ty.resolved();
        let bits = match self.random.below(4) {
            0 => 0,
            1 => u64::MAX,
            _ => self.random.bits(),
        };
        match resolved.kind() {
            TcKind::Boolean => Value::Boolean(bits & 1 == 1),
            TcKind::Octet => Value::Octet(bits as u8),
            TcKind::Char => Value::Char(char::from(1 + (bits % 127) as u8)),
            TcKind::WChar => Value::WChar(char::from_u32(1 + (bits % 0xd7ff) as u32).unwrap()),
            TcKind::Short => Value::Short(bits as i16),
            TcKind::UShort => Value::UShort(bits as u16),
            TcKind::Long => Value::Long(bits as i32),
            TcKind::ULong => Value::ULong(bits as u32),
            TcKind::LongLong => Value::LongLong(bits as i64),
            TcKind::ULongLong => Value::ULongLong(bits),
            TcKind::Float => Value::Float(f32::from_bits(bits as u32 & 0xbf7f_ffff)),
            TcKind::Double => Value::Double(f64::from_bits(bits & 0xbfef_ffff_ffff_ffff)),
            TcKind::String => Value::Text(self.text(&resolved, true)),
            TcKind::WString => Value::WideText(self.text(&resolved, false)),
            TcKind::Fixed => Value::Fixed(self.fixed(&resolved)),
            TcKind::Any => self.any(depth),
            TcKind::Enum => {
                let index = self.random.below(resolved.member_count());
                Value::Enum(index as u32, resolved.member_name(index).unwrap().to_owned())
            }
            TcKind::Struct => Value::Struct(
                (0..resolved.member_count())
                    .map(|index| {
                        let name = resolved.member_name(index).unwrap().to_owned();
                        (name, self.of(&resolved.member_type(index).unwrap(), depth + 1))
                    })
                    .collect(),
            ),
            TcKind::Union => self.union(&resolved, depth),
            TcKind::Sequence => {
                let most = match resolved.length().unwrap() {
                    0 => 4,
                    bound => bound as usize,
                };
                let length = if depth > DEEPEST { 0 } else { self.random.below(most.min(4) + 1) };
                self.list(&resolved, length, depth)
            }
            TcKind::Array => self.list(&resolved, resolved.length().unwrap() as usize, depth),
            kind => panic!("no values of {kind:?}"),
        }
    }

    fn list(&mut self, ty: &TypeCode, length: usize, depth: usize) -> Value {
        let element = ty.content_type().unwrap();
        Value::List((0..length).map(|_| self.of(&element, depth + 1)).collect())
    }

    /// Text that fits the bound: octets of UTF-8 for a string, units of UTF-16 for a wide one.
    fn text(&mut self, ty: &TypeCode, is_narrow: bool) -> String {
        let bound = match ty.length().unwrap() {
            0 => 12,
            bound => bound as usize,
        };
        let mut text = String::new();
        for _ in 0..self.random.below(bound + 1) {
            let next =
                *self.random.pick(&['a', 'Z', ' ', '~', '\n', '"', 'é', 'ß', '€', '語', '\u{7f}']);
            text.push(next);
        }
        let length = |text: &str| if is_narrow { text.len() } else { text.encode_utf16().count() };
        while length(&text) > bound {
            text.pop();
        }
        text
    }

    fn fixed(&mut self, ty: &TypeCode) -> FixedValue {
        let (digits, scale) = ty.digits_and_scale().unwrap();
        let (digits, scale) = (usize::from(digits), scale.cast_unsigned() as usize);
        let mut text: String =
            (0..digits).map(|_| char::from(b'0' + self.random.below(10) as u8)).collect();
        text.insert(digits - scale, '.');
        if self.random.one_in(2) {
            text.insert(0, '-');
        }
        FixedValue::parse(&text).unwrap()
    }

    fn any(&mut self, depth: usize) -> Value {
        let ty = match self.random.below(3) {
            0 | 1 if depth < DEEPEST => self.random.pick(self.types).clone(),
            _ => TypeCode::plain(TcKind::Short),
        };
        let value = self.of(&ty, depth + 1);
        Value::Any(ty, Box::new(value))
    }

    fn union(&mut self, ty: &TypeCode, depth: usize) -> Value {
        let switch = ty.discriminator_type().unwrap();
        let discriminator = match self.random.below(4) {
            0 => self.of(&switch, depth + 1),
            1 if let Some(label) = ty.unlisted_label().unwrap() => labelled(&switch, label),
            _ => {
                let index = self.random.below(ty.member_count());
                match ty.default_index().unwrap() == Some(index) {
                    true => self.of(&switch, depth + 1),
                    false => labelled(&switch, ty.member_label(index).unwrap()),
                }
            }
        };
        let case = ty.case_of(discriminator.label()).unwrap();
        let member = case.map(|index| {
            let name = ty.member_name(index).unwrap().to_owned();
            (name, Box::new(self.of(&ty.member_type(index).unwrap(), depth + 1)))
        });
        Value::Union(Box::new(discriminator), member)
    }
}

/// The discriminator with this label.
fn labelled(switch: &TypeCode, label: i64) -> Value {
    let switch = switch.resolved();
    match switch.kind() {
        TcKind::Boolean => Value::Boolean(label == 1),
        TcKind::Char => Value::Char(char::from(label as u8)),
        TcKind::Short => Value::Short(label as i16),
        TcKind::UShort => Value::UShort(label as u16),
        TcKind::Long => Value::Long(label as i32),
        TcKind::ULong => Value::ULong(label as u32),
        TcKind::LongLong => Value::LongLong(label),
        TcKind::ULongLong => Value::ULongLong(label.cast_unsigned()),
        TcKind::Enum => {
            Value::Enum(label as u32, switch.member_name(label as usize).unwrap().to_owned())
        }
        kind => panic!("a discriminator of {kind:?}"),
    }
}

impl Value {
    /// The label that this discriminator is.
    fn label(&self) -> i64 {
        match self {
            Self::Boolean(value) => i64::from(*value),
            Self::Char(value) => i64::from(u32::from(*value)),
            Self::Short(value) => i64::from(*value),
            Self::UShort(value) => i64::from(*value),
            Self::Long(value) => i64::from(*value),
            Self::ULong(value) => i64::from(*value),
            Self::LongLong(value) => *value,
            Self::ULongLong(value) => value.cast_signed(),
            Self::Enum(value, _) => i64::from(*value),
            _ => panic!("no discriminator"),
        }
    }

    /// Gives a DynAny of the value's type this value.
    pub(super) fn store(&self, target: &mut DynAny) -> Result<(), DynAnyError> {
        match self {
            Self::Boolean(value) => target.insert::<bool>(value),
            Self::Octet(value) => target.insert::<u8>(value),
            Self::Char(value) => target.insert::<char>(value),
            Self::WChar(value) => target.insert::<WChar>(value),
            Self::Short(value) => target.insert::<i16>(value),
            Self::UShort(value) => target.insert::<u16>(value),
            Self::Long(value) => target.insert::<i32>(value),
            Self::ULong(value) => target.insert::<u32>(value),
            Self::LongLong(value) => target.insert::<i64>(value),
            Self::ULongLong(value) => target.insert::<u64>(value),
            Self::Float(value) => target.insert::<f32>(value),
            Self::Double(value) => target.insert::<f64>(value),
            Self::Text(value) => target.insert::<String>(value),
            Self::WideText(value) => target.insert::<WString>(value.as_str()),
            Self::Fixed(value) => target.as_fixed()?.set_value(*value).map(|_| ()),
            Self::Any(ty, value) => target.insert::<Any>(&value.to_any(ty)?),
            Self::Enum(value, _) => target.as_enum()?.set_ordinal(*value),
            Self::Struct(members) => {
                for (index, (_, value)) in members.iter().enumerate() {
                    value.store(target.component(index)?)?;
                }
                Ok(())
            }
            Self::Union(discriminator, member) => {
                let mut union = target.as_union()?;
                union.set_label(discriminator.label())?;
                match member {
                    Some((_, value)) => value.store(union.member()?),
                    None => Ok(()),
                }
            }
            Self::List(elements) => {
                if target.kind() == TcKind::Sequence {
                    target.as_sequence()?.set_length(elements.len())?;
                }
                for (index, value) in elements.iter().enumerate() {
                    value.store(target.component(index)?)?;
                }
                Ok(())
            }
        }
    }

    /// The value in an any.
    pub(super) fn to_any(&self, ty: &TypeCode) -> Result<Any, DynAnyError> {
        let mut made = DynAny::new(ty)?;
        self.store(&mut made)?;
        made.to_any()
    }

    /// What the peer says to an any of this value.
    pub(super) fn described(&self, ty: &TypeCode) -> String {
        let mut text = format!("any {} ", ty.kind() as u32);
        self.describe(&mut text);
        text
    }

    fn describe(&self, text: &mut String) {
        let _ = match self {
            Self::Boolean(value) => write!(text, "{}", u8::from(*value)),
            Self::Octet(value) => write!(text, "{value}"),
            Self::Char(value) => write!(text, "{}", u32::from(*value)),
            Self::WChar(value) => write!(text, "{}", u32::from(*value)),
            Self::UShort(value) => write!(text, "{value}"),
            Self::Short(value) => write!(text, "{value}"),
            Self::Long(value) => write!(text, "{value}"),
            Self::ULong(value) => write!(text, "{value}"),
            Self::LongLong(value) => write!(text, "{value}"),
            Self::ULongLong(value) => write!(text, "{value}"),
            Self::Float(value) => write!(text, "{:#x}", value.to_bits()),
            Self::Double(value) => write!(text, "{:#x}", value.to_bits()),
            Self::Text(value) => {
                let units: String = value.bytes().map(|octet| format!("{octet:x}.")).collect();
                write!(text, "\"{units}\"")
            }
            Self::WideText(value) => {
                let units: String = value.encode_utf16().map(|unit| format!("{unit:x}.")).collect();
                write!(text, "L\"{units}\"")
            }
            Self::Fixed(value) => write!(text, "{}", value.normalized()),
            Self::Any(ty, value) => write!(text, "{}", value.described(ty)),
            Self::Enum(_, name) => write!(text, "{name}"),
            Self::Struct(members) => {
                let parts = members.iter().map(|(name, value)| (Some(&**name), value));
                list(text, ['{', '}'], parts);
                Ok(())
            }
            Self::List(elements) => {
                list(text, ['[', ']'], elements.iter().map(|value| (None, value)));
                Ok(())
            }
            Self::Union(discriminator, member) => {
                let member = member.iter().map(|(name, value)| (Some(&**name), &**value));
                list(text, ['(', ')'], std::iter::once((None, &**discriminator)).chain(member));
                Ok(())
            }
        };
    }
}

fn list<'a>(
    text: &mut String,
    around: [char; 2],
    parts: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
) {
    text.push(around[0]);
    for (index, (name, value)) in parts.enumerate() {
        if index > 0 {
            text.push(' ');
        }
        if let Some(name) = name {
            text.push_str(name);
            text.push('=');
        }
        value.describe(text);
    }
    text.push(around[1]);
}
