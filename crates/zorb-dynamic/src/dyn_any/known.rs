//! What walking the values of a type needs to know, found out once for all values of it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use zorb_cdr::FixedLayout;
use zorb_types::{Layout, TcKind, TypeCode};

/// Types that are looked into to find out whether one is of fixed size; larger ones are taken apart
/// part by part. It bounds what repeated types make of few octets.
const MAX_LOOKED_INTO: usize = 64;

/// A TypeCode together with what was found out about it. The parts of a value share it.
#[derive(Clone, Debug)]
pub(super) struct Known(Arc<Facts>);

#[derive(Debug)]
struct Facts {
    type_code: TypeCode,
    /// Typedefs taken off.
    kind: TcKind,
    /// How many parts values have, where they all have as many.
    count: Option<usize>,
    /// Where the octets of a value lie, when they always lie there.
    fixed: Option<FixedLayout>,
    parts: OnceLock<Box<[Known]>>,
    layout: OnceLock<Layout>,
}

/// Numbers by their kind: most leaves are one.
static NUMBERS: [OnceLock<Known>; KINDS] = [const { OnceLock::new() }; KINDS];
const KINDS: usize = 37;

impl From<TypeCode> for Known {
    fn from(type_code: TypeCode) -> Self {
        let kind = type_code.kind();
        match NUMBERS.get(kind as usize) {
            Some(known) if is_number(kind) => known.get_or_init(|| Self::new(type_code)).clone(),
            _ => Self::new(type_code),
        }
    }
}

impl Known {
    fn new(type_code: TypeCode) -> Self {
        let resolved = type_code.resolved();
        let kind = resolved.kind();
        let count = match kind {
            TcKind::Struct | TcKind::Except => Some(resolved.member_count()),
            TcKind::Array => resolved.length().ok().map(|length| length as usize),
            _ => None,
        };
        let mut left = MAX_LOOKED_INTO;
        let fixed = fixed_layout(&resolved, &mut left);
        let (parts, layout) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Facts { type_code, kind, count, fixed, parts, layout }))
    }
}

impl Deref for Known {
    type Target = TypeCode;

    fn deref(&self) -> &TypeCode {
        &self.0.type_code
    }
}

impl Known {
    /// The kind of the type, typedefs taken off.
    pub(super) fn base(&self) -> TcKind {
        self.0.kind
    }

    /// How many parts values have, where they all have as many.
    pub(super) fn count(&self) -> Option<usize> {
        self.0.count
    }

    /// Whether values have parts.
    pub(super) fn has_parts(&self) -> bool {
        use TcKind::{Array, Event, Except, Sequence, Struct, Union, Value, ValueBox};
        matches!(self.0.kind, Struct | Except | Union | Sequence | Array | Value | Event | ValueBox)
    }

    /// The layout of a type of fixed size.
    pub(super) fn fixed(&self) -> Option<&FixedLayout> {
        self.0.fixed.as_ref()
    }

    /// Whether the parts of a value lie where a calculation says.
    pub(super) fn has_fixed_parts(&self) -> bool {
        match self.0.kind {
            TcKind::Struct | TcKind::Array => self.0.fixed.is_some(),
            TcKind::Sequence => self.part(0).is_some_and(|element| element.0.fixed.is_some()),
            _ => false,
        }
    }

    /// What moves values of the type.
    pub(super) fn layout(&self) -> &Layout {
        self.0.layout.get_or_init(|| Layout::of(&self.0.type_code))
    }

    /// The type of a part: the element, whichever it is, a member, or the case of a union.
    pub(super) fn part(&self, index: usize) -> Option<&Self> {
        let parts = self.parts();
        match self.0.kind {
            TcKind::Sequence | TcKind::Array => parts.first(),
            _ => parts.get(index),
        }
    }

    /// The type of a union's discriminator.
    pub(super) fn discriminator(&self) -> Option<&Self> {
        self.parts().last().filter(|_| self.0.kind == TcKind::Union)
    }

    fn parts(&self) -> &[Self] {
        self.0.parts.get_or_init(|| {
            let type_code = self.0.type_code.resolved();
            let members =
                || (0..type_code.member_count()).map(|index| type_code.member_type(index));
            let parts: Result<Vec<TypeCode>, _> = match self.0.kind {
                TcKind::Struct | TcKind::Except => members().collect(),
                TcKind::Sequence | TcKind::Array => type_code.content_type().map(|one| vec![one]),
                TcKind::Union => members().chain([type_code.discriminator_type()]).collect(),
                _ => Ok(Vec::new()),
            };
            parts.unwrap_or_default().into_iter().map(Self::from).collect()
        })
    }

    /// Whether values of another type may stand for values of this one. Most are told apart, and
    /// numbers recognised, by their kinds.
    pub(super) fn takes(&self, other: &TypeCode) -> bool {
        let kind = match other.kind() {
            TcKind::Alias => other.resolved_kind(),
            kind => kind,
        };
        kind == self.0.kind && (is_number(kind) || self.equivalent(other))
    }
}

/// Whether a kind is a type, of a value of fixed size.
fn is_number(kind: TcKind) -> bool {
    use TcKind::{Boolean, Char, LongDouble};
    matches!(kind, Boolean | Char | LongDouble) || number(kind).is_some()
}

fn number(kind: TcKind) -> Option<FixedLayout> {
    Some(FixedLayout::number(match kind {
        TcKind::Octet => 1,
        TcKind::Short | TcKind::UShort => 2,
        TcKind::Long | TcKind::ULong | TcKind::Float => 4,
        TcKind::LongLong | TcKind::ULongLong | TcKind::Double => 8,
        _ => return None,
    }))
}

/// The layout of a type without typedefs, when its values are of fixed size.
fn fixed_layout(type_code: &TypeCode, left: &mut usize) -> Option<FixedLayout> {
    *left = left.checked_sub(1)?;
    match type_code.kind() {
        TcKind::Boolean | TcKind::Char => Some(FixedLayout::number(1)),
        TcKind::Enum => Some(FixedLayout::number(4)),
        TcKind::LongDouble => FixedLayout::array(Some(FixedLayout::number(8)), 2),
        TcKind::Fixed => {
            let (digits, _) = type_code.digits_and_scale().ok()?;
            FixedLayout::array(Some(FixedLayout::number(1)), usize::from(digits) / 2 + 1)
        }
        TcKind::Array => {
            let element = fixed_layout(&type_code.content_type().ok()?.resolved(), left)?;
            FixedLayout::array(Some(element), type_code.length().ok()? as usize)
        }
        TcKind::Struct => {
            let mut members = Vec::new();
            for index in 0..type_code.member_count() {
                let member = type_code.member_type(index).ok()?.resolved();
                members.push(Some(fixed_layout(&member, left)?));
            }
            FixedLayout::members(&members)
        }
        kind => number(kind),
    }
}
