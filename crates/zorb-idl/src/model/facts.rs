//! Properties of the values of a type, collected through typedefs, members, elements and cases.

use std::collections::HashSet;

use super::{DefId, DefinitionKind, Model, Type};

/// What a value of a type may contain, at any depth.
///
/// Object references count as `object_reference`, values as `value`; their own contents are not
/// examined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub struct TypeFacts {
    /// Contains a `string` (not wide).
    pub string: bool,
    /// Contains a `wstring`.
    pub wstring: bool,
    /// Contains a `wchar`.
    pub wchar: bool,
    /// Contains a `char`.
    pub char: bool,
    /// Contains a sequence.
    pub sequence: bool,
    /// Contains an array.
    pub array: bool,
    /// Contains a union.
    pub union: bool,
    /// Contains an `any`.
    pub any: bool,
    /// Contains `Object` or a reference to an interface.
    pub object_reference: bool,
    /// Contains a value of an abstract interface: an object reference or a value.
    pub abstract_interface: bool,
    /// Contains a reference to an object of a local interface.
    pub local_interface: bool,
    /// Contains a valuetype, a value box or `ValueBase`.
    pub value: bool,
    /// Contains a `TypeCode`.
    pub type_code: bool,
    /// Contains a native type.
    pub native: bool,
    /// Contains a map.
    pub map: bool,
    /// Contains a `fixed`.
    pub fixed: bool,
    /// Contains a `long double`.
    pub long_double: bool,
    /// Contains a `float`, `double` or `long double` (so equality is partial and there is no hash).
    pub floating: bool,
    /// Contains a bounded string or sequence, whose length is checked when it is sent.
    pub bounded: bool,
    /// Contains a value of a type that contains itself, through a sequence or a valuetype.
    pub recursive: bool,
}

impl TypeFacts {
    /// Whether every value has the same encoded size, alignment before it aside: no strings,
    /// sequences, unions, `any`, references, values, TypeCodes or wide characters.
    #[must_use]
    pub const fn is_fixed_size(&self) -> bool {
        !(self.string
            || self.wstring
            || self.wchar
            || self.sequence
            || self.union
            || self.any
            || self.object_reference
            || self.value
            || self.type_code
            || self.native
            || self.map)
    }

    /// Whether a value owns no heap memory: no strings, sequences, `any`, references, values or
    /// TypeCodes. Unions and wide characters are allowed.
    #[must_use]
    pub const fn is_plain_data(&self) -> bool {
        !(self.string
            || self.wstring
            || self.sequence
            || self.any
            || self.object_reference
            || self.value
            || self.type_code
            || self.native
            || self.map)
    }
}

impl Model {
    /// What a value of type `ty` may contain, at any depth.
    #[must_use]
    pub fn facts(&self, ty: &Type) -> TypeFacts {
        let mut facts = TypeFacts::default();
        let mut seen = HashSet::new();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            match ty {
                Type::String { bound } => {
                    facts.string = true;
                    facts.bounded |= bound.is_some();
                }
                Type::WString { bound } => {
                    facts.wstring = true;
                    facts.bounded |= bound.is_some();
                }
                Type::WChar => facts.wchar = true,
                Type::Char => facts.char = true,
                Type::Any => facts.any = true,
                Type::Object => facts.object_reference = true,
                Type::ValueBase => facts.value = true,
                Type::TypeCode => facts.type_code = true,
                Type::Fixed { .. } => facts.fixed = true,
                Type::Float | Type::Double => facts.floating = true,
                Type::LongDouble => {
                    facts.floating = true;
                    facts.long_double = true;
                }
                Type::Sequence { element, bound } => {
                    facts.sequence = true;
                    facts.bounded |= bound.is_some();
                    work.push(element);
                }
                Type::Map { key, value, bound } => {
                    facts.map = true;
                    facts.bounded |= bound.is_some();
                    work.extend([&**key, &**value]);
                }
                Type::Array { element, .. } => {
                    facts.array = true;
                    work.push(element);
                }
                Type::Named(id) => {
                    if !seen.insert(*id) {
                        continue;
                    }
                    match &self[*id].kind {
                        DefinitionKind::Interface(item) => {
                            facts.object_reference = true;
                            facts.abstract_interface |= item.is_abstract;
                            facts.local_interface |= item.is_local;
                        }
                        DefinitionKind::Component(_) | DefinitionKind::Home(_) => {
                            facts.object_reference = true;
                        }
                        DefinitionKind::Value(_)
                        | DefinitionKind::ValueBox(_)
                        | DefinitionKind::Event(_) => {
                            facts.value = true;
                            facts.recursive |= self.is_recursive(*id);
                            continue;
                        }
                        DefinitionKind::Native => facts.native = true,
                        DefinitionKind::Union(_) => facts.union = true,
                        _ => {}
                    }
                    facts.recursive |= self.is_recursive(*id);
                    self.push_parts(*id, &mut work);
                }
                _ => {}
            }
        }
        facts
    }

    /// [`Model::facts`] of a definition: for a struct, union or exception those of its members, for
    /// a typedef those of its type.
    #[must_use]
    pub fn definition_facts(&self, id: DefId) -> TypeFacts {
        self.facts(&Type::Named(id))
    }

    /// Whether a struct, union, valuetype or value box contains values of itself: through a
    /// sequence, or through the state of a valuetype (its concrete base included). Its TypeCode
    /// then refers to itself. False for every other kind of definition.
    #[must_use]
    pub fn is_recursive(&self, id: DefId) -> bool {
        let kind = &self[id].kind;
        if !matches!(
            kind,
            DefinitionKind::Struct(_)
                | DefinitionKind::Union(_)
                | DefinitionKind::Value(_)
                | DefinitionKind::ValueBox(_)
                | DefinitionKind::Event(_)
        ) {
            return false;
        }
        let mut seen = HashSet::new();
        let mut work = Vec::new();
        self.push_parts(id, &mut work);
        while let Some(ty) = work.pop() {
            match ty {
                Type::Named(other) if *other == id => return true,
                Type::Named(other) if seen.insert(*other) => self.push_parts(*other, &mut work),
                Type::Sequence { element, .. } | Type::Array { element, .. } => work.push(element),
                Type::Map { key, value, .. } => work.extend([&**key, &**value]),
                _ => {}
            }
        }
        false
    }

    /// Adds the types of the parts of a value of definition `id`.
    fn push_parts<'a>(&'a self, id: DefId, work: &mut Vec<&'a Type>) {
        match &self[id].kind {
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                work.extend(item.members.iter().map(|member| &member.ty));
                // A base is complete before a type derived from it, so the chain of bases ends.
                let mut base = item.base;
                while let Some(DefinitionKind::Struct(item)) = base.map(|id| &self[id].kind) {
                    work.extend(item.members.iter().map(|member| &member.ty));
                    base = item.base;
                }
            }
            DefinitionKind::Union(item) => {
                work.push(&item.discriminator);
                work.extend(item.cases.iter().map(|case| &case.ty));
            }
            DefinitionKind::Typedef(item) => work.push(&item.ty),
            DefinitionKind::ValueBox(item) => work.push(&item.ty),
            DefinitionKind::Value(_) | DefinitionKind::Event(_) => {
                // A base is complete before a type derived from it, so the chain of concrete bases
                // ends.
                let mut line = Some(id);
                while let Some(id) = line {
                    let Some(item) = self.value(id) else { return };
                    work.extend(item.members.iter().map(|state| &state.member.ty));
                    line = self.concrete_base(id);
                }
            }
            _ => {}
        }
    }
}
