//! Forward declarations, structs, exceptions, enums and typedefs.

use std::collections::HashMap;

use super::Resolver;
use super::interfaces::empty;
use super::scope::{NameKind, ScopeId, Target};
use super::standard::On;
use crate::diagnostics::{Code, Diagnostic};
use crate::limits::MAX_NESTING;
use crate::model::{
    DefId, DefinitionKind, Enum, Enumerator, Interface, Member, Struct, Type, Typedef,
    find_annotation,
};
use crate::source::Span;
use crate::syntax::{
    Declarator, Docs, EnumItem, Ident, InterfaceKind, Item, MemberItem, StructItem, TypeExpr,
};

impl Resolver<'_> {
    /// `interface I;`, `struct S;`, `union U;`
    pub(super) fn forward(&mut self, name: &Ident, kind: DefinitionKind, scope: ScopeId) {
        if let Some(id) = self.forward_declared(name, kind.keyword(), scope) {
            self.check_modifiers(id, name, &kind);
            self.check_prefix(id, name);
            return;
        }
        let id = self.define(name, kind, &None, scope);
        // It has a scope, which is still empty.
        self.new_scope(Some(id), scope, true);
        self.incomplete.insert(id, name.span);
    }

    /// The definition, complete or not, from an earlier declaration of the same kind and name in
    /// the same scope.
    fn forward_declared(&self, name: &Ident, keyword: &str, scope: ScopeId) -> Option<DefId> {
        let entry = self.entry(scope, &name.text)?;
        let Target::Definition(id) = entry.target else { return None };
        let same =
            self.model.definition(id).kind.keyword() == keyword && entry.ident.text == name.text;
        same.then_some(id)
    }

    /// Starts a definition that may have a forward declaration.
    pub(super) fn begin(
        &mut self,
        name: &Ident,
        kind: DefinitionKind,
        docs: &Docs,
        scope: ScopeId,
    ) -> (DefId, ScopeId) {
        let keyword = kind.keyword();
        let forward = self.forward_declared(name, keyword, scope);
        let forward = forward.filter(|id| self.incomplete.contains_key(id));
        // A definition in progress (nested in itself) is not a forward declaration.
        let forward = forward.filter(|id| self.model.definition(*id).kind.is_forward_only());
        let id = match forward {
            Some(id) => {
                self.check_modifiers(id, name, &kind);
                self.check_prefix(id, name);
                self.complete_forward(id, name, kind, docs);
                id
            }
            None => self.mismatch_or_define(name, kind, docs, scope),
        };
        self.incomplete.insert(id, name.span);
        let introduces_names =
            matches!(keyword, "interface" | "valuetype" | "eventtype" | "component" | "home");
        let inside = match self.scope_of.get(&id) {
            Some(inside) => *inside,
            None => self.new_scope(Some(id), scope, introduces_names),
        };
        if let Some(inside) = self.scopes.get_mut(inside.0) {
            inside.introduces_names = introduces_names;
        }
        self.ids.enter_scope();
        (id, inside)
    }

    /// Makes the interface local that an earlier declaration without a modifier has announced, as a pseudo-interface is.
    pub(super) fn make_forward_local(&mut self, name: &Ident, scope: ScopeId) {
        let Some(id) = self.forward_declared(name, "interface", scope) else { return };
        let definition = self.model.definitions.get_mut(id.index());
        if let Some(DefinitionKind::Interface(item)) = definition.map(|it| &mut it.kind)
            && item.forward_only
            && !item.is_abstract
        {
            item.is_local = true;
        }
    }

    /// Makes a pseudo type of the built-in `orb.idl` an interface that is declared so far: a tree may define it.
    pub(super) fn redeclare_pseudo(&mut self, name: &Ident, kind: InterfaceKind, scope: ScopeId) {
        let Some(id) = self.forward_declared(name, "native", scope) else { return };
        // The compiler knows these.
        let is_predefined = matches!(&*name.text, "TypeCode" | "AbstractBase");
        if is_predefined || !self.is_built_in_name(name, scope) {
            return;
        }
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            let interface = Interface { forward_only: true, ..empty(kind) };
            definition.kind = DefinitionKind::Interface(interface);
        }
        self.new_scope(Some(id), scope, true);
        self.incomplete.insert(id, name.span);
    }

    /// Checks that a forward declaration and its definition agree on `abstract` and `local`.
    fn check_modifiers(&mut self, id: DefId, name: &Ident, kind: &DefinitionKind) {
        let modifiers = |kind: &DefinitionKind| match kind {
            DefinitionKind::Interface(item) if item.is_abstract => "abstract",
            DefinitionKind::Interface(item) if item.is_local => "local",
            DefinitionKind::Value(item) if item.is_abstract => "abstract",
            DefinitionKind::Event(item) if item.value.is_abstract => "abstract",
            DefinitionKind::ValueBox(_) => "a box",
            _ => "neither abstract nor local",
        };
        let item = self.model.definition(id);
        let is = modifiers(kind);
        // What a native type makes local has no `local` in its text.
        let was = match self.made_local.contains(&id) {
            true => "neither abstract nor local",
            false => modifiers(&item.kind),
        };
        if was != is {
            let message = format!("`{}` was declared as {was}, but is defined as {is}", name.text);
            let diagnostic = Diagnostic::new(Code::ForwardMismatch, name.span, message)
                .label(item.span, "declared here");
            self.sink.push(diagnostic);
        }
    }

    fn mismatch_or_define(
        &mut self,
        name: &Ident,
        kind: DefinitionKind,
        docs: &Docs,
        scope: ScopeId,
    ) -> DefId {
        let earlier = self.entry(scope, &name.text).map(|entry| entry.target);
        if let Some(Target::Definition(earlier)) = earlier
            && self.incomplete.contains_key(&earlier)
            && self.model.definition(earlier).kind.keyword() != kind.keyword()
        {
            let item = self.model.definition(earlier);
            let (was, is) = (item.kind.keyword(), kind.keyword());
            let message = format!("`{}` was declared as {was}, but is defined as {is}", name.text);
            let diagnostic = Diagnostic::new(Code::ForwardMismatch, name.span, message)
                .label(item.span, "declared here");
            self.sink.push(diagnostic);
            self.incomplete.remove(&earlier);
            self.complete_forward(earlier, name, kind, docs);
            return earlier;
        }
        self.define(name, kind, docs, scope)
    }

    fn complete_forward(&mut self, id: DefId, name: &Ident, kind: DefinitionKind, docs: &Docs) {
        let from_include = !self.main_files.contains(&name.span.file);
        let built_in = self.sources.file(name.span.file).is_built_in();
        if let Some(item) = self.model.definitions.get_mut(id.index()) {
            item.kind = kind;
            item.built_in = built_in;
            item.docs = docs.as_deref().map(str::to_owned);
            item.span = name.span;
            item.file = name.span.file;
            item.from_include = from_include;
        }
    }

    /// Finishes a definition started by [`Resolver::begin`].
    pub(super) fn finish(&mut self, id: DefId) {
        self.ids.leave_scope();
        self.incomplete.remove(&id);
    }

    /// A struct, union or enum, as an item or inline in a type expression.
    pub(super) fn defined_type(&mut self, item: &Item, scope: ScopeId) -> Type {
        match item {
            Item::Struct(item) => self.structure(item, scope),
            Item::Union(item) => self.union(item, scope),
            Item::Enum(item) => self.enumeration(item, scope),
            other => {
                self.item(other, scope);
                Type::Error
            }
        }
    }

    fn structure(&mut self, item: &StructItem, scope: ScopeId) -> Type {
        let kind = DefinitionKind::Struct(Struct::default());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let base = item.base.as_ref().and_then(|name| self.base_struct(name, scope));
        let members = self.members(&item.members, inside);
        self.check_numbers("id", members.iter().map(|member| &*member.annotations));
        if let Some(base) = base {
            self.check_base_members(base, id, &members, item.name.span);
        }
        self.finish(id);
        self.set_members(id, members);
        if let Some(definition) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::Struct(item) = &mut definition.kind
        {
            item.base = base;
        }
        Type::Named(id)
    }

    /// Checks that the members of a struct and its bases have different names.
    fn check_base_members(&mut self, base: DefId, id: DefId, members: &[Member], span: Span) {
        self.holds(id, &Type::Named(base));
        let inherited = self.model.all_members(base);
        let Some(left) = self.comparisons_left.checked_sub(inherited.len()) else {
            self.comparisons_left = 0;
            let message = "too many inherited names to compare";
            self.sink.error(Code::InheritanceTooLarge, span, message);
            return;
        };
        self.comparisons_left = left;
        let names: HashMap<String, Span> = inherited
            .iter()
            .map(|member| (member.name.to_ascii_lowercase(), member.span))
            .collect();
        for member in members {
            if let Some(first) = names.get(&member.name.to_ascii_lowercase()) {
                let name = Ident { text: member.name.as_str().into(), span: member.span };
                self.inherited_member(&name, *first);
            }
        }
    }

    pub(super) fn exception(&mut self, item: &StructItem, scope: ScopeId) {
        let kind = DefinitionKind::Exception(Struct::default());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let members = self.members(&item.members, inside);
        self.finish(id);
        self.set_members(id, members);
    }

    fn set_members(&mut self, id: DefId, members: Vec<Member>) {
        members.iter().for_each(|member| self.holds(id, &member.ty));
        if let Some(item) = self.model.definitions.get_mut(id.index())
            && let DefinitionKind::Struct(item) | DefinitionKind::Exception(item) = &mut item.kind
        {
            item.members = members;
        }
    }

    fn members(&mut self, items: &[MemberItem], inside: ScopeId) -> Vec<Member> {
        let mut members = Vec::new();
        for item in items {
            let ty = self.value_type(&item.ty, inside);
            self.reject_native(&ty, item.ty.span);
            for declarator in &item.declarators {
                let ty = self.declared_type(&ty, declarator, inside);
                let annotations = self.annotate(&item.annotations, On::MEMBER, Some(&ty), inside);
                let name = &declarator.name;
                if self.declare(inside, name, Target::Member, NameKind::Member) {
                    members.push(Member {
                        name: name.text.to_string(),
                        ty,
                        annotations,
                        docs: item.docs.as_deref().map(str::to_owned),
                        span: name.span,
                    });
                }
            }
        }
        members
    }

    fn enumeration(&mut self, item: &EnumItem, scope: ScopeId) -> Type {
        let kind = DefinitionKind::Enum(Enum::default());
        let id = self.define(&item.name, kind, &item.docs, scope);
        let mut enumerators = Vec::new();
        let mut default = None;
        for enumerator in &item.enumerators {
            let (name, docs) = (&enumerator.name, &enumerator.docs);
            let ty = Type::Long;
            let annotations =
                self.annotate(&enumerator.annotations, On::ENUMERATOR, Some(&ty), scope);
            if let Some(found) = find_annotation(&annotations, "default_literal")
                && let Some(first) = default.replace(found.span)
            {
                let message = "this enum already has a default";
                let diagnostic = Diagnostic::new(Code::AnnotationConflict, found.span, message);
                self.sink.push(diagnostic.label(first, "first default here"));
            }
            let index = u32::try_from(enumerators.len()).unwrap_or(u32::MAX);
            let target = Target::Enumerator { enumeration: id, index };
            if self.declare(scope, name, target, NameKind::Definition) {
                enumerators.push(Enumerator {
                    name: name.text.to_string(),
                    annotations,
                    docs: docs.as_deref().map(str::to_owned),
                    span: name.span,
                });
            }
        }
        self.check_numbers("value", enumerators.iter().map(|item| &*item.annotations));
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            definition.kind = DefinitionKind::Enum(Enum { enumerators });
        }
        Type::Named(id)
    }

    pub(super) fn typedef(
        &mut self,
        ty: &TypeExpr,
        declarators: &[Declarator],
        docs: &Docs,
        scope: ScopeId,
    ) {
        let span = ty.span;
        let mut ty = self.value_type(ty, scope);
        let depth = self.typedef_depth(&ty) + 1;
        if depth > MAX_NESTING {
            let message = format!("typedefs nest more than {MAX_NESTING} levels deep");
            self.sink.error(Code::NestingTooDeep, span, message);
            ty = Type::Error;
        }
        for declarator in declarators {
            if self.is_built_in_name(&declarator.name, scope) {
                continue;
            }
            let ty = self.declared_type(&ty, declarator, scope);
            let native = self.native_part(&ty);
            let kind = DefinitionKind::Typedef(Typedef { ty });
            let id = self.define(&declarator.name, kind, docs, scope);
            self.natives.extend(native.map(|native| (id, native)));
            self.typedef_depths.insert(id, depth);
        }
    }

    /// The nesting depth of typedefs in a type.
    fn typedef_depth(&self, ty: &Type) -> usize {
        match ty {
            Type::Sequence { element, .. } | Type::Array { element, .. } => {
                self.typedef_depth(element)
            }
            Type::Map { key, value, .. } => self.typedef_depth(key).max(self.typedef_depth(value)),
            Type::Named(id) => self.typedef_depths.get(id).copied().unwrap_or(0),
            _ => 0,
        }
    }
}
