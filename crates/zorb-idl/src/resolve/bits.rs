//! Bitmasks, bitsets, maps and struct inheritance.

use std::collections::HashMap;

use super::Resolver;
use super::scope::{NameKind, ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_ANCESTORS;
use crate::model::{
    Annotation, Bit, Bitfield, Bitmask, Bitset, ConstValue, DefId, DefinitionKind, Type,
    find_annotation,
};
use crate::source::Span;
use crate::syntax::{BitfieldItem, BitmaskItem, BitsetItem, Ident, ScopedName, TypeExpr};

/// The maximum number of bits of a bitmask, a bitset or a field.
const MAX_BITS: i128 = 64;

impl Resolver<'_> {
    /// `bitmask M { a, b };`
    pub(super) fn bitmask(
        &mut self,
        item: &BitmaskItem,
        annotations: Vec<Annotation>,
        scope: ScopeId,
    ) {
        let bit_bound = self.bit_bound(&annotations);
        let kind = DefinitionKind::Bitmask(Bitmask { bit_bound, bits: Vec::new() });
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let mut bits: Vec<Bit> = Vec::new();
        let mut taken: HashMap<u16, Span> = HashMap::new();
        let mut next = 0_u16;
        for bit in &item.bits {
            let annotations = self.annotate(&bit.annotations, On::BIT, None, inside);
            let given =
                find_annotation(&annotations, "position").and_then(|it| it.argument("value"));
            let position = match given {
                Some(ConstValue::Integer(value)) => u16::try_from(*value).unwrap_or(u16::MAX),
                _ => next,
            };
            let (name, span) = (&bit.name, bit.name.span);
            if position >= bit_bound {
                let message = format!("`{}` is at position {position}", name.text);
                self.sink.push(Diagnostic::new(Code::BitPosition, span, message).hint(format!(
                    "with a bit bound of {bit_bound}, positions are 0 to {}",
                    bit_bound.saturating_sub(1)
                )));
            } else if let Some(first) = taken.get(&position) {
                let message = format!("`{}` reuses position {position}", name.text);
                let diagnostic = Diagnostic::new(Code::BitPosition, span, message);
                self.sink.push(diagnostic.label(*first, "first used here"));
            } else {
                taken.insert(position, span);
            }
            next = position.saturating_add(1);
            let index = u32::try_from(bits.len()).unwrap_or(u32::MAX);
            if self.declare(inside, name, Target::Bit { bitmask: id, index }, NameKind::Definition)
            {
                let docs = bit.docs.as_deref().map(str::to_owned);
                bits.push(Bit { name: name.text.to_string(), position, docs, annotations, span });
            }
        }
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            definition.annotations = annotations;
            definition.kind = DefinitionKind::Bitmask(Bitmask { bit_bound, bits });
        }
    }

    fn bit_bound(&mut self, annotations: &[Annotation]) -> u16 {
        let Some(bound) = find_annotation(annotations, "bit_bound") else { return 32 };
        match bound.argument("value") {
            Some(ConstValue::Integer(bits)) if (1..=MAX_BITS).contains(bits) => {
                u16::try_from(*bits).unwrap_or(32)
            }
            Some(ConstValue::Integer(bits)) => {
                let message = format!("a bitmask cannot have {bits} bits");
                self.sink.push(
                    Diagnostic::new(Code::BitBound, bound.span, message)
                        .note("the bound must be between 1 and 64"),
                );
                64
            }
            _ => 64,
        }
    }

    /// `bitset S : Base { bitfield<3> a; };`
    pub(super) fn bitset(&mut self, item: &BitsetItem, scope: ScopeId) {
        let kind = DefinitionKind::Bitset(Bitset::default());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let base = item.base.as_ref().and_then(|name| self.base_bitset(name, scope));
        let mut size = base.map_or(0, |(_, size)| size);
        if let (Some((base, _)), Some(inside)) = (base, self.scopes.get_mut(inside.0)) {
            inside.ancestors = vec![base];
        }
        let mut names = base.map(|(base, _)| self.field_names(base)).unwrap_or_default();
        let mut fields = Vec::new();
        for field in &item.fields {
            self.bitfields(field, inside, &mut size, &mut names, &mut fields);
        }
        if size > 64 {
            let message = format!("this bitset has {size} bits");
            self.sink.push(
                Diagnostic::new(Code::BadBitset, item.name.span, message)
                    .note("the maximum is 64 bits"),
            );
        }
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            let base = base.map(|(base, _)| base);
            definition.kind = DefinitionKind::Bitset(Bitset { base, fields, size });
        }
    }

    /// The base of a bitset, and its size.
    fn base_bitset(&mut self, name: &ScopedName, scope: ScopeId) -> Option<(DefId, u16)> {
        let target = self.lookup(name, scope)?;
        if let Target::Definition(id) = target
            && let DefinitionKind::Bitset(base) = &self.model.definition(id).kind
            && !self.incomplete.contains_key(&id)
        {
            let size = base.size;
            return self.may_inherit(id, name.span).then_some((id, size));
        }
        self.report_bad_base(Code::BadStructBase, name, target, "is not a complete bitset");
        None
    }

    /// The names of the fields of a bitset and its bases.
    fn field_names(&self, id: DefId) -> HashMap<String, Span> {
        let mut names = HashMap::new();
        let mut at = Some(id);
        while let Some(DefinitionKind::Bitset(item)) = at.map(|id| &self.model.definition(id).kind)
        {
            for field in &item.fields {
                names.extend(field.name.as_ref().map(|it| (it.to_ascii_lowercase(), field.span)));
            }
            at = item.base;
        }
        names
    }

    fn bitfields(
        &mut self,
        item: &BitfieldItem,
        inside: ScopeId,
        size: &mut u16,
        names: &mut HashMap<String, Span>,
        fields: &mut Vec<Bitfield>,
    ) {
        let bits = match self.evaluate_wide(&item.bits, &Type::ULong, inside) {
            ConstValue::Integer(bits) if (1..=MAX_BITS).contains(&bits) => bits,
            ConstValue::Integer(bits) => {
                let message = format!("a bitfield cannot have {bits} bits");
                self.sink.push(
                    Diagnostic::new(Code::BadBitset, item.bits.span, message)
                        .note("the width must be between 1 and 64"),
                );
                1
            }
            _ => 1,
        };
        let bits = u16::try_from(bits).unwrap_or(1);
        let ty = match &item.ty {
            Some(ty) => self.bitfield_type(ty, bits, inside),
            None => default_field_type(bits),
        };
        let annotations = self.annotate(&item.annotations, On::BITFIELD, Some(&ty), inside);
        let docs = item.docs.as_deref().map(str::to_owned);
        let mut add = |name: Option<&Ident>, span: Span| {
            fields.push(Bitfield {
                name: name.map(|name| name.text.to_string()),
                bits,
                offset: *size,
                ty: ty.clone(),
                docs: docs.clone(),
                annotations: annotations.clone(),
                span,
            });
            *size = size.saturating_add(bits);
        };
        if item.names.is_empty() {
            add(None, item.span);
        }
        for name in &item.names {
            if !self.declare(inside, name, Target::Member, NameKind::Member) {
                continue;
            }
            let earlier = names.insert(name.text.to_ascii_lowercase(), name.span);
            if let Some(first) = earlier {
                self.inherited_member(name, first);
            }
            add(Some(name), name.span);
        }
    }

    fn bitfield_type(&mut self, written: &TypeExpr, bits: u16, inside: ScopeId) -> Type {
        let ty = self.value_type(written, inside);
        let room = match self.model.resolve(&ty) {
            Type::Boolean => 1,
            Type::Octet | Type::Int8 | Type::UInt8 => 8,
            Type::Short | Type::UShort => 16,
            Type::Long | Type::ULong => 32,
            Type::LongLong | Type::ULongLong => 64,
            Type::Error => return Type::Error,
            _ => 0,
        };
        if bits <= room {
            return ty;
        }
        let name = self.model.type_name(&ty);
        let message = format!("`{name}` cannot hold {bits} bits");
        self.sink.error(Code::BadBitset, written.span, message);
        default_field_type(bits)
    }

    /// `struct S : Base`
    pub(super) fn base_struct(&mut self, name: &ScopedName, scope: ScopeId) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        let what = match target {
            Target::Definition(id) => match &self.model.definition(id).kind {
                DefinitionKind::Struct(_) if !self.incomplete.contains_key(&id) => {
                    return self.may_inherit(id, name.span).then_some(id);
                }
                DefinitionKind::Struct(_) => "is incomplete here",
                DefinitionKind::Typedef(_) => "is a typedef: use the struct's own name",
                _ => "is not a struct",
            },
            _ => "is not a struct",
        };
        self.report_bad_base(Code::BadStructBase, name, target, what);
        None
    }

    /// Whether the chain of bases from `base` on is short enough for another derived type.
    fn may_inherit(&mut self, base: DefId, span: Span) -> bool {
        let mut at = Some(base);
        for _ in 0..MAX_ANCESTORS {
            at = match at.map(|id| &self.model.definition(id).kind) {
                Some(DefinitionKind::Struct(item)) => item.base,
                Some(DefinitionKind::Bitset(item)) => item.base,
                _ => return true,
            };
        }
        let message = format!("this inherits from more than {MAX_ANCESTORS} bases");
        self.sink.error(Code::InheritanceTooLarge, span, message);
        false
    }

    pub(super) fn inherited_member(&mut self, name: &Ident, first: Span) {
        let message = format!("the base already has a member `{}`", name.text);
        let diagnostic = Diagnostic::new(Code::DuplicateMember, name.span, message);
        self.sink.push(diagnostic.label(first, "inherited from here"));
    }

    /// `map<K, V>`: keys must be small and comparable.
    pub(super) fn check_map_key(&mut self, ty: &Type, span: Span) {
        let fine = match self.model.resolve(ty) {
            Type::Boolean
            | Type::Char
            | Type::WChar
            | Type::String { .. }
            | Type::WString { .. }
            | Type::Error => true,
            Type::Named(id) => matches!(
                self.model.definition(*id).kind,
                DefinitionKind::Enum(_) | DefinitionKind::Bitmask(_)
            ),
            other => other.is_integer(),
        };
        if !fine {
            let message = format!("`{}` cannot be the key of a map", self.model.type_name(ty));
            self.sink.push(
                Diagnostic::new(Code::BadMapKey, span, message)
                    .hint("use an integer, character, boolean, string, enum or bitmask type"),
            );
        }
    }
}

/// The smallest type with this many bits.
const fn default_field_type(bits: u16) -> Type {
    match bits {
        0..=1 => Type::Boolean,
        2..=8 => Type::UInt8,
        9..=16 => Type::UShort,
        17..=32 => Type::ULong,
        _ => Type::ULongLong,
    }
}
