//! What a type holds, followed through typedefs, members, elements and cases.

use std::collections::HashSet;

use super::{DefId, DefinitionKind, Model, Type};

/// Facts about everything a value of a type may hold, at any depth.
///
/// References to objects count as `object_reference` and are not looked into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts, not a state")]
pub struct TypeFacts {
    /// Holds a `string` (not wide).
    pub string: bool,
    /// Holds a `wstring`.
    pub wstring: bool,
    /// Holds a `wchar`.
    pub wchar: bool,
    /// Holds a `char`.
    pub char: bool,
    /// Holds a sequence.
    pub sequence: bool,
    /// Holds an array.
    pub array: bool,
    /// Holds a union.
    pub union: bool,
    /// Holds an `any`.
    pub any: bool,
    /// Holds `Object` or a reference to an interface.
    pub object_reference: bool,
    /// Holds a `float` or `double` (so equality is partial and there is no hash).
    pub floating: bool,
    /// Holds a bounded string or sequence, whose length must be checked when it is sent.
    pub bounded: bool,
    /// Holds a value of a type that contains itself through a sequence.
    pub recursive: bool,
}

impl TypeFacts {
    /// Every value takes the same number of bytes (apart from alignment before it): no
    /// strings, sequences, unions, `any`, references or wide characters.
    #[must_use]
    pub const fn is_fixed_size(&self) -> bool {
        !(self.string
            || self.wstring
            || self.wchar
            || self.sequence
            || self.union
            || self.any
            || self.object_reference)
    }

    /// A value owns no memory elsewhere: no strings, sequences, `any` or references. Unions
    /// and wide characters are fine.
    #[must_use]
    pub const fn is_plain_data(&self) -> bool {
        !(self.string || self.wstring || self.sequence || self.any || self.object_reference)
    }
}

impl Model {
    /// What a value of type `ty` may hold, at any depth.
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
                Type::Float | Type::Double | Type::LongDouble => facts.floating = true,
                Type::Sequence { element, bound } => {
                    facts.sequence = true;
                    facts.bounded |= bound.is_some();
                    work.push(element);
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
                        DefinitionKind::Interface(_) => facts.object_reference = true,
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

    /// [`Model::facts`] of a definition: of a struct, union or exception the facts of its
    /// members, of a typedef those of its type.
    #[must_use]
    pub fn definition_facts(&self, id: DefId) -> TypeFacts {
        self.facts(&Type::Named(id))
    }

    /// Whether a struct or union holds, through one of its sequences, values of itself.
    /// False for every other kind of definition.
    #[must_use]
    pub fn is_recursive(&self, id: DefId) -> bool {
        if !matches!(self[id].kind, DefinitionKind::Struct(_) | DefinitionKind::Union(_)) {
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
                _ => {}
            }
        }
        false
    }

    /// The types that a value of definition `id` is made of.
    fn push_parts<'a>(&'a self, id: DefId, work: &mut Vec<&'a Type>) {
        match &self[id].kind {
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                work.extend(item.members.iter().map(|member| &member.ty));
            }
            DefinitionKind::Union(item) => {
                work.push(&item.discriminator);
                work.extend(item.cases.iter().map(|case| &case.ty));
            }
            DefinitionKind::Typedef(item) => work.push(&item.ty),
            _ => {}
        }
    }
}
