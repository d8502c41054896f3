//! Valuetypes: their ids, bases and sets of them.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::borrow::Borrow;
use core::cmp::Ordering;

use zorb_cdr::{CdrWriter, MAX_DEPTH, ReadContext};

use crate::type_code::TypeRef;
use crate::{TcKind, TypeCode, TypeDesc, ValueModifier};

/// The modifiers of valuetypes whose TypeCode does not describe their state.
const CUSTOM: i64 = ValueModifier::Custom as i64;
const ABSTRACT: i64 = ValueModifier::Abstract as i64;

/// The base of all valuetypes.
const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";

/// Valuetypes by their repository ids. As the [context](zorb_cdr::CdrReader::with_context) of a reader, they
/// describe values of derived types where a TypeCode describes the base only.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes(BTreeSet<ById>);

/// A type that is ordered and found by its repository id.
#[derive(Clone, Debug)]
pub(super) struct ById(pub(super) TypeCode);

impl Borrow<str> for ById {
    fn borrow(&self) -> &str {
        self.0.id()
    }
}

impl Ord for ById {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.id().cmp(other.0.id())
    }
}

impl PartialOrd for ById {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ById {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ById {}

impl ValueTypes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a type and its bases; `false` if it is not a valuetype with a state.
    pub fn add(&mut self, type_code: &TypeCode) -> bool {
        let added = type_code.view().resolved();
        if !has_state(added) {
            return false;
        }
        self.0.replace(ById(added.to_type_code()));
        for base in bases(added).filter(|base| has_state(*base)) {
            // One that is there stays.
            self.0.insert(ById(base.to_type_code()));
        }
        true
    }

    /// Adds the types of another set.
    pub fn extend(&mut self, others: &Self) {
        others.0.iter().for_each(|other| drop(self.0.replace(other.clone())));
    }

    /// The type with this id.
    pub fn find(&self, id: &str) -> Option<&TypeCode> {
        self.0.get(id).map(|found| &found.0)
    }
}

/// The owner to give to [`CdrWriter::write_value`](zorb_cdr::CdrWriter::write_value), so that an any made
/// from the stream knows the types of the values in it.
#[derive(Debug)]
pub struct WrittenValue {
    /// The most derived type of the value.
    pub type_desc: &'static TypeDesc,
    /// Owns the value, so that its address stays valid.
    pub value: Arc<dyn Any + Send + Sync>,
}

impl ValueTypes {
    /// The types of the [`WrittenValue`]s of a stream and of the anys in it; `None` if there are none but
    /// the expected type.
    #[cold]
    pub(crate) fn written(writer: &CdrWriter<'_>, expected: &TypeCode) -> Option<Arc<Self>> {
        let written =
            writer.retained_values().filter_map(|owner| owner.downcast_ref::<WrittenValue>());
        let types = written.map(|written| TypeCode::from(written.type_desc));
        let mut all: Self = types.collect();
        for owner in writer.retained_values() {
            if let Some(types) = owner.downcast_ref::<Arc<Self>>() {
                all.extend(types);
            }
        }
        let has_others = all.0.iter().any(|one| one.0.id() != expected.id());
        has_others.then(|| Arc::new(all))
    }
}

impl FromIterator<TypeCode> for ValueTypes {
    fn from_iter<I: IntoIterator<Item = TypeCode>>(types: I) -> Self {
        let mut all = Self::default();
        for type_code in types {
            all.add(&type_code);
        }
        all
    }
}

impl ReadContext for ValueTypes {
    fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        Some(Box::new(self.find(id)?.clone()))
    }
}

/// The repository ids of a value of this type: that of the type, and those of the bases that it can be
/// truncated to. A value with several ids is chunked.
pub fn value_ids(type_code: &TypeCode) -> Vec<String> {
    let mut type_ref = type_code.view().resolved();
    let mut ids = Vec::from([String::from(type_ref.id())]);
    while type_ref.kind() != TcKind::ValueBox
        && type_ref.number() == ValueModifier::Truncatable as i64
        && let Some(next) = base(type_ref)
        && ids.len() < MAX_IDS
    {
        ids.push(String::from(next.id()));
        type_ref = next;
    }
    ids
}

/// The maximum number of ids that a receiver accepts.
const MAX_IDS: usize = 64;

/// Whether the TypeCode describes the state of a valuetype.
pub(super) fn has_state(type_ref: TypeRef<'_>) -> bool {
    match type_ref.kind() {
        TcKind::ValueBox => true,
        TcKind::Value | TcKind::Event => {
            !matches!(type_ref.number(), CUSTOM | ABSTRACT) && type_ref.id() != VALUE_BASE
        }
        _ => false,
    }
}

/// The concrete base of a valuetype.
pub(super) fn base(type_ref: TypeRef<'_>) -> Option<TypeRef<'_>> {
    let base = type_ref.content().map(TypeRef::resolved)?;
    matches!(base.kind(), TcKind::Value | TcKind::Event).then_some(base)
}

/// The concrete bases of a valuetype, the nearest first.
pub(super) fn bases(type_ref: TypeRef<'_>) -> impl Iterator<Item = TypeRef<'_>> {
    let nearest = (type_ref.kind() != TcKind::ValueBox).then(|| base(type_ref)).flatten();
    // A hostile TypeCode may be its own base.
    core::iter::successors(nearest, |type_ref| base(*type_ref)).take(MAX_DEPTH.into())
}

/// Whether a value of any valuetype may be passed as this type, also of one whose TypeCode does not have
/// this type as a base.
pub(super) fn is_open(type_code: &TypeCode) -> bool {
    let type_ref = type_code.view();
    match type_ref.kind() {
        TcKind::AbstractInterface => true,
        TcKind::Value | TcKind::Event => {
            type_ref.number() == ABSTRACT || type_ref.id() == VALUE_BASE
        }
        _ => false,
    }
}

/// Whether a value of the type `found` may be passed as the type `expected`.
pub(super) fn fits(expected: &TypeCode, found: &TypeCode) -> bool {
    if is_open(expected) || expected.id() == found.id() {
        return true;
    }
    bases(found.view()).any(|base| base.id() == expected.id())
}
