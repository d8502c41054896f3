//! Homes.

use std::collections::HashSet;

use super::Resolver;
use super::equivalent::Implied;
use super::scope::{NameKind, ScopeId, Target};
use crate::diagnostics::Code;
use crate::model::{
    DefId, DefinitionKind, Export, Home, Initializer, Interface, Operation, Type, Visibility,
};
use crate::source::Span;
use crate::syntax::{HomeItem, InitializerItem, Item, ScopedName};

impl Resolver<'_> {
    /// `home H : B supports I manages C primarykey K { ... };`
    pub(super) fn home(&mut self, item: &HomeItem, scope: ScopeId) {
        let span = item.name.span;
        let kind = DefinitionKind::Home(Home::default());
        let (id, inside) = self.begin(&item.name, kind, &item.docs, scope);
        let base = item.base.as_ref().and_then(|name| self.base_home(name, scope));
        let supports = self.supported_interfaces(&item.supports, scope);
        let manages = self.managed(&item.manages, base, scope);
        let primary_key =
            item.primary_key.as_ref().and_then(|name| self.primary_key(name, base, scope));
        let (base_explicit, inherited_key) = match base.map(|id| &self.model.definition(id).kind) {
            Some(DefinitionKind::Home(home)) => (home.explicit, home.primary_key),
            _ => (None, None),
        };
        let primary_key = primary_key.or(inherited_key);
        let mut bases: Vec<DefId> = base_explicit.into_iter().collect();
        if base.is_none() {
            bases.extend(self.standard_interface("CCMHome", span));
        }
        bases.extend(&supports);
        let name = item.name.text.to_string();
        let explicit_name = format!("{name}Explicit");
        let (explicit, explicit_inside) =
            self.implied_interface(explicit_name, span, bases, id, scope);
        let (mut factories, mut finders) = (Vec::new(), Vec::new());
        let component = manages.map_or(Type::Error, Type::Named);
        for part in &item.items {
            let (list, part) = match part {
                Item::Annotated(list, part) => (Some(list), &**part),
                part => (None, part),
            };
            let (found, error) = match part {
                Item::Initializer(item) => ((item, &mut factories), "CreateFailure"),
                Item::Finder(item) => ((item, &mut finders), "FinderFailure"),
                other => {
                    match list {
                        Some(list) => {
                            self.annotated_export(list, other, explicit, explicit_inside);
                        }
                        None => self.element(other, explicit, explicit_inside),
                    }
                    continue;
                }
            };
            let (item, list) = found;
            list.extend(self.home_operation(item, &component, error, explicit, explicit_inside));
        }
        self.finish(explicit);
        let implicit = self.implicit_home(&name, span, id, manages, primary_key, scope);
        let bases = vec![explicit, implicit];
        self.inherit(&bases, inside, span);
        self.finish(id);
        if let Some(definition) = self.model.definitions.get_mut(id.index()) {
            definition.kind = DefinitionKind::Home(Home {
                base,
                supports,
                manages,
                primary_key,
                factories,
                finders,
                explicit: Some(explicit),
                implicit: Some(implicit),
                interface: Interface { bases, ..Interface::default() },
            });
        }
    }

    fn base_home(&mut self, name: &ScopedName, scope: ScopeId) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        if let Target::Definition(id) = target
            && matches!(self.model.definition(id).kind, DefinitionKind::Home(_))
            && !self.incomplete.contains_key(&id)
        {
            return Some(id);
        }
        self.report_bad_base(Code::BadHome, name, target, "is not a complete home");
        None
    }

    /// The managed component, which must match the one of the base.
    fn managed(&mut self, name: &ScopedName, base: Option<DefId>, scope: ScopeId) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        let Target::Definition(id) = target else {
            self.report_bad_base(Code::BadHome, name, target, "is not a component");
            return None;
        };
        if !matches!(self.model.definition(id).kind, DefinitionKind::Component(_)) {
            self.report_bad_base(Code::BadHome, name, target, "is not a component");
            return None;
        }
        if self.incomplete.contains_key(&id) {
            self.report_bad_base(Code::BadHome, name, target, "is declared but not yet defined");
            return None;
        }
        if let Some(DefinitionKind::Home(home)) = base.map(|id| &self.model.definition(id).kind)
            && let Some(managed) = home.manages
            && !self.model.is_a(id, managed)
        {
            let other = self.model.scoped_name(managed);
            let what = format!("does not inherit from `{other}`, the component of the base");
            self.report_bad_base(Code::BadHome, name, target, &what);
        }
        Some(id)
    }

    fn primary_key(
        &mut self,
        name: &ScopedName,
        base: Option<DefId>,
        scope: ScopeId,
    ) -> Option<DefId> {
        let target = self.lookup(name, scope)?;
        let code = Code::BadPrimaryKey;
        let Target::Definition(id) = target else {
            self.report_bad_base(code, name, target, "is not a valuetype");
            return None;
        };
        let key_base = self.standard_interface("PrimaryKeyBase", name.span)?;
        let what = if self.model.value(id).is_none() {
            "is not a valuetype".to_owned()
        } else if self.incomplete.contains_key(&id) {
            "is declared but not yet defined".to_owned()
        } else if !self.model.is_a(id, key_base) {
            "does not inherit from `Components::PrimaryKeyBase`".to_owned()
        } else if let Some(problem) = self.key_problem(id) {
            problem
        } else {
            let inherited = match base.map(|id| &self.model.definition(id).kind) {
                Some(DefinitionKind::Home(home)) => home.primary_key,
                _ => None,
            };
            match inherited {
                Some(inherited) if !self.model.is_a(id, inherited) => {
                    let inherited = self.model.scoped_name(inherited);
                    format!("does not inherit from `{inherited}`, the key of the base")
                }
                _ => return Some(id),
            }
        };
        self.report_bad_base(code, name, target, &what);
        None
    }

    /// Why a valuetype is not a valid key: its state must be public and free of object references,
    /// at any depth.
    fn key_problem(&self, key: DefId) -> Option<String> {
        let mut seen = HashSet::new();
        let mut work = vec![key];
        let mut first = true;
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let state = self.model.value_state(id);
            if std::mem::take(&mut first) && state.is_empty() {
                return Some("has no state".into());
            }
            for (_, state) in state {
                let name = &state.member.name;
                if state.visibility == Visibility::Private {
                    return Some(format!("has the private member `{name}`"));
                }
                if self.model.facts(&state.member.ty).object_reference {
                    return Some(format!("contains an object reference in `{name}`"));
                }
                if let Type::Named(id) = self.model.resolve(&state.member.ty)
                    && self.model.value(*id).is_some()
                {
                    work.push(*id);
                }
            }
        }
        None
    }

    /// `factory` or `finder`: an operation of the explicit interface.
    fn home_operation(
        &mut self,
        item: &InitializerItem,
        component: &Type,
        error: &str,
        owner: DefId,
        inside: ScopeId,
    ) -> Option<Initializer> {
        self.check_inherited(&item.name, inside);
        let (params, raises) = self.signature(&item.params, &item.raises, inside);
        for (param, resolved) in item.params.iter().zip(&params) {
            self.reject_restricted(owner, &resolved.ty, param.ty.span);
        }
        let span = item.name.span;
        let standard = self.standard_interface(error, span);
        if !self.declare(inside, &item.name, Target::Export(owner), NameKind::Export) {
            return None;
        }
        let all =
            standard.into_iter().chain(raises.iter().copied().filter(|id| Some(*id) != standard));
        let operation = Operation {
            name: item.name.text.to_string(),
            oneway: false,
            result: component.clone(),
            params: params.clone(),
            raises: all.collect(),
            contexts: Vec::new(),
            annotations: Vec::new(),
            docs: item.docs.as_deref().map(str::to_owned),
            span,
        };
        if let Some(exports) = self.exports_mut(owner) {
            exports.push(Export::Operation(operation));
        }
        Some(Initializer {
            name: item.name.text.to_string(),
            params,
            raises,
            annotations: Vec::new(),
            docs: item.docs.as_deref().map(str::to_owned),
            span,
        })
    }

    /// `interface HImplicit`
    fn implicit_home(
        &mut self,
        name: &str,
        span: Span,
        home: DefId,
        manages: Option<DefId>,
        key: Option<DefId>,
        scope: ScopeId,
    ) -> DefId {
        let keyless =
            if key.is_none() { self.standard_interface("KeylessCCMHome", span) } else { None };
        let bases = keyless.into_iter().collect();
        let (id, inside) =
            self.implied_interface(format!("{name}Implicit"), span, bases, home, scope);
        let component = manages.map_or(Type::Error, Type::Named);
        let mut add = |name: &str, result: Type, params, raises: &[&str]| {
            self.imply(Implied { name: name.into(), result, params, raises, span }, id, inside);
        };
        match key.map(Type::Named) {
            None => add("create", component, Vec::new(), &["CreateFailure"]),
            Some(key) => {
                let by_key = || vec![("key", key.clone())];
                let raises = ["CreateFailure", "DuplicateKeyValue", "InvalidKey"];
                add("create", component.clone(), by_key(), &raises);
                let raises = ["FinderFailure", "UnknownKeyValue", "InvalidKey"];
                add("find_by_primary_key", component.clone(), by_key(), &raises);
                let raises = ["RemoveFailure", "UnknownKeyValue", "InvalidKey"];
                add("remove", Type::Void, by_key(), &raises);
                add("get_primary_key", key.clone(), vec![("comp", component)], &[]);
            }
        }
        self.finish(id);
        id
    }
}
