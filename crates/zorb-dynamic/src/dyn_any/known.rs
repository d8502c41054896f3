//! Properties of a type that its values share, computed once.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use zorb_cdr::FixedLayout;
use zorb_types::{Layout, TcKind, TypeCode};

/// The maximum number of types to examine when computing whether a type has a fixed size. It limits the work
/// for repeated types in small TypeCodes; values of larger types are decomposed part by part.
const MAX_LOOKED_INTO: usize = 64;

/// A TypeCode with its properties. The parts of a value share it.
#[derive(Clone, Debug)]
pub(super) struct Known {
    type_code: TypeCode,
    facts: Arc<Facts>,
}

/// The properties. Those of a type whose parts have known offsets are kept with its TypeCode, if that keeps what is
/// derived from it, and do not own it.
#[derive(Debug)]
struct Facts {
    /// Without typedefs.
    kind: TcKind,
    /// The number of parts, if all values have the same number.
    count: Option<usize>,
    /// The layout of the octets, if all values have the same.
    fixed: Option<FixedLayout>,
    parts: OnceLock<Box<[Known]>>,
    /// Only if the facts are not kept.
    layout: OnceLock<Layout>,
}

/// Numbers by their kind, as most leaves are numbers.
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
        if let Some(facts) = type_code.derived() {
            return Self { type_code, facts };
        }
        let facts = Arc::new(Facts::of(&type_code));
        let known = Self { type_code, facts };
        if known.is_kept() {
            known.type_code.keep(&known.facts);
        }
        known
    }

    /// Whether the TypeCode keeps the facts, and then also the compiled type.
    fn is_kept(&self) -> bool {
        self.type_code.keeps_derived() && (self.facts.fixed.is_some() || self.has_fixed_parts())
    }
}

impl Facts {
    fn of(type_code: &TypeCode) -> Self {
        let resolved = type_code.resolved();
        let kind = resolved.kind();
        let count = match kind {
            TcKind::Struct | TcKind::Except => Some(resolved.member_count()),
            TcKind::Array => resolved.length().ok().map(|length| length as usize),
            _ => None,
        };
        let mut left = MAX_LOOKED_INTO;
        let fixed = fixed_layout(&resolved, &mut left);
        Self { kind, count, fixed, parts: OnceLock::new(), layout: OnceLock::new() }
    }
}

impl Deref for Known {
    type Target = TypeCode;

    fn deref(&self) -> &TypeCode {
        &self.type_code
    }
}

impl Known {
    /// The kind of the type without typedefs.
    pub(super) fn base(&self) -> TcKind {
        self.facts.kind
    }

    /// The number of parts, if all values have the same number.
    pub(super) fn count(&self) -> Option<usize> {
        self.facts.count
    }

    /// Whether values have parts.
    pub(super) fn has_parts(&self) -> bool {
        use TcKind::{Array, Event, Except, Sequence, Struct, Union, Value, ValueBox};
        matches!(
            self.facts.kind,
            Struct | Except | Union | Sequence | Array | Value | Event | ValueBox
        )
    }

    /// The layout of a type of fixed size.
    pub(super) fn fixed(&self) -> Option<&FixedLayout> {
        self.facts.fixed.as_ref()
    }

    /// Whether the offsets of the parts can be computed.
    pub(super) fn has_fixed_parts(&self) -> bool {
        match self.facts.kind {
            TcKind::Struct | TcKind::Array => self.facts.fixed.is_some(),
            TcKind::Sequence => self.part(0).is_some_and(|element| element.facts.fixed.is_some()),
            _ => false,
        }
    }

    /// The compiled type, which copies its values.
    pub(super) fn layout(&self) -> Cow<'_, Layout> {
        match self.is_kept() {
            true => Cow::Owned(Layout::of(&self.type_code)),
            false => Cow::Borrowed(self.facts.layout.get_or_init(|| Layout::of(&self.type_code))),
        }
    }

    /// The type of a part: of the elements, of a member, or of the case of a union.
    pub(super) fn part(&self, index: usize) -> Option<&Self> {
        let parts = self.parts();
        match self.facts.kind {
            TcKind::Sequence | TcKind::Array => parts.first(),
            _ => parts.get(index),
        }
    }

    /// The type of a union's discriminator.
    pub(super) fn discriminator(&self) -> Option<&Self> {
        self.parts().last().filter(|_| self.facts.kind == TcKind::Union)
    }

    fn parts(&self) -> &[Self] {
        self.facts.parts.get_or_init(|| {
            let type_code = self.type_code.resolved();
            let members =
                || (0..type_code.member_count()).map(|index| type_code.member_type(index));
            let parts: Result<Vec<TypeCode>, _> = match self.facts.kind {
                TcKind::Struct | TcKind::Except => members().collect(),
                TcKind::Sequence | TcKind::Array => type_code.content_type().map(|one| vec![one]),
                TcKind::Union => members().chain([type_code.discriminator_type()]).collect(),
                _ => Ok(Vec::new()),
            };
            parts.unwrap_or_default().into_iter().map(Self::from).collect()
        })
    }

    /// Whether values of another type can be inserted or read. In contrast to an assignment, a string need not
    /// have the same bound.
    pub(super) fn holds(&self, other: &TypeCode) -> bool {
        let is_text = matches!(self.facts.kind, TcKind::String | TcKind::WString);
        is_text && other.resolved_kind() == self.facts.kind || self.takes(other)
    }

    /// Whether values of another type may be assigned to this one. The kinds decide for most types.
    pub(super) fn takes(&self, other: &TypeCode) -> bool {
        let kind = match other.kind() {
            TcKind::Alias => other.resolved_kind(),
            kind => kind,
        };
        kind == self.facts.kind && (is_number(kind) || self.equivalent(other))
    }
}

/// Whether types of this kind may have a fixed size.
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

/// The layout of a type without typedefs, if its values have a fixed size.
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
