//! What TypeCodes say of valuetypes.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use zorb_cdr::{CdrWriter, MAX_DEPTH, ReadContext};

use crate::type_code::TypeRef;
use crate::{TcKind, TypeCode, TypeDesc, ValueModifier};

/// The modifiers of valuetypes whose state is not in the TypeCode.
const CUSTOM: i64 = ValueModifier::Custom as i64;
const ABSTRACT: i64 = ValueModifier::Abstract as i64;

/// Any valuetype.
const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";

/// Valuetypes by their repository ids: as what a reader
/// [decodes against](zorb_cdr::CdrReader::with_context), the types of values that may come where a
/// TypeCode speaks of a base alone.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes(BTreeMap<Box<str>, TypeCode>);

impl ValueTypes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a type; `false` for one that is no valuetype with state.
    pub fn add(&mut self, type_code: &TypeCode) -> bool {
        let is_one = has_state(type_code.view().resolved());
        if is_one {
            let type_code = type_code.resolved();
            self.0.insert(Box::from(type_code.id()), type_code);
        }
        is_one
    }

    /// Adds the types of another set.
    pub fn extend(&mut self, others: &Self) {
        self.0.extend(others.0.iter().map(|(id, type_code)| (id.clone(), type_code.clone())));
    }

    /// The type of this id.
    pub fn find(&self, id: &str) -> Option<&TypeCode> {
        self.0.get(id)
    }
}

/// A value of a type of the program while it is in a stream: what
/// [`CdrWriter::write_value`](zorb_cdr::CdrWriter::write_value) is to keep, so that an any which is
/// made of the stream knows the types of the values in it.
#[derive(Debug)]
pub struct WrittenValue {
    /// The value's own type.
    pub type_desc: &'static TypeDesc,
    /// What keeps the value where it is.
    pub value: Arc<dyn Any + Send + Sync>,
}

impl ValueTypes {
    /// The types of the [`WrittenValue`]s of a stream and of the anys in it, but for the type that
    /// is expected anyway; `None` where there are no others.
    #[cold]
    pub(crate) fn written(writer: &CdrWriter<'_>, expected: &TypeCode) -> Option<Arc<Self>> {
        let written =
            writer.retained_values().filter_map(|kept| kept.downcast_ref::<WrittenValue>());
        let types = written.map(|written| TypeCode::from(written.type_desc));
        let mut all: Self = types.filter(|type_code| type_code.id() != expected.id()).collect();
        for kept in writer.retained_values() {
            if let Some(types) = kept.downcast_ref::<Arc<Self>>() {
                all.extend(types);
            }
        }
        (!all.is_empty()).then(|| Arc::new(all))
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

/// The repository ids that a value of this type comes with: its own, and those of the bases that it may
/// be truncated to. Where there are several it comes in chunks.
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

/// The most ids that receivers take.
const MAX_IDS: usize = 64;

/// Whether values of exactly this type can be described.
pub(in crate::layout) fn has_state(type_ref: TypeRef<'_>) -> bool {
    match type_ref.kind() {
        TcKind::ValueBox => true,
        TcKind::Value | TcKind::Event => {
            !matches!(type_ref.number(), CUSTOM | ABSTRACT) && type_ref.id() != VALUE_BASE
        }
        _ => false,
    }
}

/// The valuetype whose state comes first.
pub(in crate::layout) fn base(type_ref: TypeRef<'_>) -> Option<TypeRef<'_>> {
    let base = type_ref.content().map(TypeRef::resolved)?;
    matches!(base.kind(), TcKind::Value | TcKind::Event).then_some(base)
}

/// Whether values of types that do not name it in their TypeCodes may stand for this one.
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

/// Whether values of the type `found` may stand where one of the type `expected` is.
pub(super) fn fits(expected: &TypeCode, found: &TypeCode) -> bool {
    if is_open(expected) || expected.id() == found.id() {
        return true;
    }
    let bases = core::iter::successors(
        (found.kind() != TcKind::ValueBox).then(|| found.view()),
        |type_ref| base(*type_ref),
    );
    // A TypeCode can say that a type is its own base.
    bases.take(MAX_DEPTH.into()).any(|base| base.id() == expected.id())
}
