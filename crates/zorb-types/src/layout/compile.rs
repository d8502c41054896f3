//! Compiling a TypeCode to a program.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use zorb_cdr::fallible;
use zorb_interp::{Assembler, Label, Number};

use super::table::{Foreign, Table};
use super::value_types;
use crate::type_code::{TypeRef, digits_and_scale};
use crate::{TcKind, TypeCode};

/// The maximum number of members that nested structs may add to a type. Beyond it, a nested struct is
/// compiled as a type of its own, so that a small TypeCode with repeated types cannot make a large program.
const MAX_INLINED: usize = 32;

/// The maximum depth of structs that are inlined.
const MAX_INLINE_DEPTH: u16 = 8;

/// Compiles a type and all types that it refers to; `None` without memory for the program.
pub(super) fn compile(type_code: &TypeCode) -> Option<Table> {
    let mut compiler = Compiler {
        assembler: Assembler::new(),
        labels: BTreeMap::new(),
        pending: Vec::new(),
        foreign: Vec::new(),
        foreign_indices: BTreeMap::new(),
        inlined: 0,
        lacks_memory: false,
    };
    let root = compiler.label(type_code.view());
    while let Some((label, type_ref, is_state)) = compiler.pending.pop() {
        compiler.inlined = 0;
        compiler.assembler.begin(label);
        if is_state { compiler.state(type_ref, 0) } else { compiler.value(type_ref, 0) }
    }
    let program = compiler.assembler.finish()?;
    (!compiler.lacks_memory).then(|| Table::new(program, root, compiler.foreign))
}

struct Compiler<'a> {
    assembler: Assembler,
    /// The labels of types and of the states of valuetypes (`true`), by the address of the type.
    labels: BTreeMap<(usize, bool), Label>,
    /// Labels that are not defined yet.
    pending: Vec<(Label, TypeRef<'a>, bool)>,
    foreign: Vec<Foreign>,
    /// Index in `foreign`, by the address of the type.
    foreign_indices: BTreeMap<usize, u32>,
    /// Members that were inlined into the current type.
    inlined: usize,
    /// Whether there was no memory for a part of the table.
    lacks_memory: bool,
}

impl<'a> Compiler<'a> {
    fn label(&mut self, type_ref: TypeRef<'a>) -> Label {
        self.label_of(type_ref.resolved(), false)
    }

    fn label_of(&mut self, type_ref: TypeRef<'a>, is_state: bool) -> Label {
        let key = (type_ref.key(), is_state);
        if let Some(&label) = self.labels.get(&key) {
            return label;
        }
        let label = self.assembler.label();
        self.labels.insert(key, label);
        self.lacks_memory |=
            fallible::push(&mut self.pending, (label, type_ref, is_state)).is_err();
        label
    }

    /// Compiles a value of a type.
    fn value(&mut self, type_ref: TypeRef<'a>, depth: u16) {
        let type_ref = type_ref.resolved();
        let kind = type_ref.kind();
        if self.plain(type_ref, 1) {
            return;
        }
        match kind {
            TcKind::Null if type_ref.is_placeholder() => {
                self.assembler.refuse("recursive TypeCode");
            }
            TcKind::Null | TcKind::Void => {}
            TcKind::WChar => self.assembler.wchar(),
            TcKind::String => self.assembler.string(type_ref.bound()),
            TcKind::WString => self.assembler.wstring(type_ref.bound()),
            TcKind::Any => self.assembler.any(),
            TcKind::TypeCode => self.assembler.type_code(),
            TcKind::ObjRef | TcKind::Component | TcKind::Home => self.assembler.reference(),
            TcKind::Principal => {
                let octet = self.label(TypeRef::Static(crate::type_code::plain(TcKind::Octet)));
                self.assembler.sequence(u32::MAX, octet);
            }
            TcKind::Sequence => match type_ref.content() {
                Some(element) => {
                    let element = self.label(element);
                    self.assembler.sequence(type_ref.bound(), element);
                }
                None => self.assembler.refuse(kind.idl_name()),
            },
            TcKind::Array => self.array(type_ref),
            TcKind::Union => self.union(type_ref),
            TcKind::Struct | TcKind::Except => self.structure(type_ref, depth),
            TcKind::Value | TcKind::ValueBox | TcKind::Event | TcKind::AbstractInterface => {
                let foreign = self.foreign(type_ref);
                self.assembler.foreign(foreign);
            }
            _ => self.assembler.refuse(kind.idl_name()),
        }
    }

    /// The index of a type whose values the host handles.
    fn foreign(&mut self, type_ref: TypeRef<'a>) -> u32 {
        if let Some(&index) = self.foreign_indices.get(&type_ref.key()) {
            return index;
        }
        let index = self.add_foreign(type_ref);
        // Where any valuetype may be passed, values of the bases are found by their ids.
        for base in value_types::bases(type_ref) {
            if self.foreign_indices.contains_key(&base.key()) {
                break;
            }
            self.add_foreign(base);
        }
        index
    }

    fn add_foreign(&mut self, type_ref: TypeRef<'a>) -> u32 {
        let index = u32::try_from(self.foreign.len()).unwrap_or(u32::MAX);
        self.foreign_indices.insert(type_ref.key(), index);
        let state = value_types::has_state(type_ref).then(|| self.label_of(type_ref, true));
        let foreign = Foreign { type_code: type_ref.to_type_code(), state };
        self.lacks_memory |= fallible::push(&mut self.foreign, foreign).is_err();
        index
    }

    /// Compiles the state of a valuetype, after that of its base.
    fn state(&mut self, type_ref: TypeRef<'a>, depth: u16) {
        if type_ref.kind() == TcKind::ValueBox {
            return match type_ref.content() {
                Some(boxed) => self.value(boxed, 1),
                None => self.assembler.refuse("valuetype"),
            };
        }
        if let Some(base) = value_types::base(type_ref) {
            self.inlined = self.inlined.saturating_add(base.member_count()).saturating_add(1);
            if self.inlined > MAX_INLINED || depth > MAX_INLINE_DEPTH {
                let base = self.label_of(base, true);
                self.assembler.call(base);
            } else {
                self.state(base, depth + 1);
            }
        }
        for member in type_ref.members().filter_map(|member| member.type_ref) {
            self.value(member, 1);
        }
    }

    /// Compiles a type of fixed size, or an array of it; `false` for other types.
    fn plain(&mut self, type_ref: TypeRef<'a>, count: u32) -> bool {
        let number = match type_ref.kind() {
            TcKind::Octet => Number::One,
            TcKind::Short | TcKind::UShort => Number::Two,
            TcKind::Long | TcKind::ULong | TcKind::Float => Number::Four,
            TcKind::LongLong | TcKind::ULongLong | TcKind::Double => Number::Eight,
            TcKind::LongDouble => Number::Sixteen,
            TcKind::Boolean => {
                self.assembler.boolean(count);
                return true;
            }
            TcKind::Char => {
                self.assembler.char(count);
                return true;
            }
            TcKind::Enum => {
                let values = u32::try_from(type_ref.member_count()).unwrap_or(u32::MAX);
                self.assembler.enumeration(values, count);
                return true;
            }
            TcKind::Fixed => {
                let (digits, _) = digits_and_scale(type_ref.number());
                self.assembler.packed(digits.to_le_bytes()[0], count);
                return true;
            }
            _ => return false,
        };
        self.assembler.number(number, count);
        true
    }

    fn array(&mut self, type_ref: TypeRef<'a>) {
        // All dimensions of an array of numbers are one run.
        let mut length = u32::try_from(type_ref.number()).unwrap_or(u32::MAX);
        let Some(mut element) = type_ref.content().map(TypeRef::resolved) else {
            return self.assembler.refuse("array");
        };
        let outer = (length, element);
        while element.kind() == TcKind::Array
            && let Some(inner) = element.content()
            && let Some(all) =
                u32::try_from(element.number()).ok().and_then(|inner| length.checked_mul(inner))
        {
            length = all;
            element = inner.resolved();
        }
        if !self.plain(element, length) {
            let (length, element) = outer;
            let element = self.label(element);
            self.assembler.array(length, element);
        }
    }

    fn union(&mut self, type_ref: TypeRef<'a>) {
        let discriminator =
            type_ref.content().and_then(|content| content.resolved().discriminator());
        let Some(discriminator) = discriminator else {
            return self.assembler.refuse("union");
        };
        let default_index = usize::try_from(type_ref.number()).ok();
        let mut cases = Vec::new();
        let mut default = None;
        for (index, member) in type_ref.members().enumerate() {
            let Some(member_type) = member.type_ref else { continue };
            let label = self.label(member_type);
            if default_index == Some(index) {
                default = Some(label);
            } else {
                self.lacks_memory |= fallible::push(&mut cases, (member.label, label)).is_err();
            }
        }
        self.assembler.union(discriminator, cases, default);
    }

    fn structure(&mut self, type_ref: TypeRef<'a>, depth: u16) {
        if depth > 0 {
            self.inlined = self.inlined.saturating_add(type_ref.member_count());
            if self.inlined > MAX_INLINED || depth > MAX_INLINE_DEPTH {
                let label = self.label(type_ref);
                return self.assembler.call(label);
            }
        }
        if type_ref.kind() == TcKind::Except {
            self.assembler.exception_id(type_ref.id());
        }
        for member in type_ref.members().filter_map(|member| member.type_ref) {
            self.value(member, depth + 1);
        }
    }
}
