//! Assigns the Rust names of all definitions, and of the items generated in addition.

use std::collections::HashMap;

use zorb_idl::model::{Definition, Export};
use zorb_idl::{Compilation, DefId, DefinitionKind, Span};

use super::case::{Case, convert};
use super::external::external;
use super::methods::{Method, MethodKey, raising};
use super::scope::Scope;
use super::table::{AmhTraits, Module, Names};
use crate::deferred::deferred;
use crate::views::ViewedStructs;
use crate::{Options, Target, Warning};

impl<'m> Names<'m> {
    pub(crate) fn new(compilation: &'m Compilation, options: &Options) -> (Self, Vec<Warning>) {
        let model = &compilation.model;
        let mut warnings = Vec::new();
        let mut names = Self {
            model,
            own: vec![String::new(); model.len()],
            companions: HashMap::new(),
            servants: HashMap::new(),
            skeletons: HashMap::new(),
            amh_traits: HashMap::new(),
            views: HashMap::new(),
            aliases: HashMap::new(),
            factories: HashMap::new(),
            methods: HashMap::new(),
            errors: HashMap::new(),
            enumerators: HashMap::new(),
            scopes: HashMap::new(),
            external: external(compilation, options),
        };
        names.name_module(None, model.roots(), &mut warnings);
        // Depth first; the front end bounds nesting.
        for definition in model.definitions() {
            let children = model.children(definition.id);
            if !children.is_empty() {
                names.name_module(Some(definition.id), &children, &mut warnings);
            }
        }
        for definition in model.definitions() {
            names.name_companions(definition);
            if options.target == Target::Nano {
                names.name_skeleton(definition);
            }
            if let DefinitionKind::Enum(item) = &definition.kind {
                let mut scope = Scope::default();
                let variants = item.enumerators.iter();
                let variants = variants
                    .map(|it| scope.assign(&it.name, Case::Pascal, it.span, &mut warnings))
                    .collect();
                names.enumerators.insert(definition.id, variants);
            }
        }
        // After all others, whose names do not depend on the options.
        for id in deferred(model, options) {
            names.name_amh_traits(id);
        }
        let viewed = ViewedStructs::of(model, options);
        for definition in model.definitions().filter(|one| viewed.contains(one.id)) {
            names.name_view(definition.id);
        }
        for definition in model.definitions() {
            if matches!(definition.kind, DefinitionKind::Interface(_) | DefinitionKind::Value(_)) {
                names.name_errors(definition.id);
                names.name_methods(definition.id, &mut warnings);
            }
        }
        (names, warnings)
    }

    /// Names the IDL definitions of one scope, before any generated names.
    fn name_module(&mut self, module: Module, children: &[DefId], warnings: &mut Vec<Warning>) {
        let scope = self.scopes.entry(module).or_default();
        for &id in children {
            let definition = &self.model[id];
            let case = match definition.kind {
                DefinitionKind::Module(_) => Case::Module,
                DefinitionKind::Const(_) => Case::Screaming,
                _ => Case::Pascal,
            };
            let name = scope.assign(&definition.name, case, definition.span, warnings);
            self.own[id.index()] = name;
        }
    }

    /// Names the items generated in addition to a definition.
    fn name_companions(&mut self, definition: &Definition) {
        let id = definition.id;
        let is_sendable = self.is_sendable(id);
        let own = self.own[id.index()].trim_end_matches('_').to_owned();
        let mut needs_module = !self.model.children(id).is_empty();
        let is_raising = self.raises_exceptions(id);
        let has_operations = self.has_operations(id);
        let scope = self.scopes.entry(definition.parent).or_default();
        match &definition.kind {
            DefinitionKind::Interface(interface) => {
                if !interface.is_local {
                    let servant = scope.assign_silently(&format!("{own}Servant"), Case::Pascal);
                    self.servants.insert(id, servant);
                }
                needs_module |= is_raising;
            }
            DefinitionKind::Value(value) => {
                if has_operations {
                    let operations =
                        scope.assign_silently(&format!("{own}Operations"), Case::Pascal);
                    self.servants.insert(id, operations);
                }
                if !value.initializers.is_empty() {
                    let factory = scope.assign_silently(&format!("{own}Factory"), Case::Pascal);
                    self.factories.insert(id, factory);
                }
                needs_module |= is_raising;
            }
            _ => {}
        }
        if matches!(definition.kind, DefinitionKind::Typedef(_)) && is_sendable {
            let alias = scope.assign_silently(&format!("{own}Alias"), Case::Pascal);
            self.aliases.insert(id, alias);
        }
        if needs_module && !matches!(definition.kind, DefinitionKind::Module(_)) {
            let wanted = convert(&definition.name, Case::Module);
            let companion = scope.assign_silently(&wanted, Case::Module);
            self.companions.insert(id, companion);
        }
    }

    fn name_skeleton(&mut self, definition: &Definition) {
        if matches!(definition.kind, DefinitionKind::Interface(_)) {
            let own = self.own[definition.id.index()].trim_end_matches('_').to_owned();
            let scope = self.scopes.entry(definition.parent).or_default();
            let name = scope.assign_silently(&format!("{own}Skeleton"), Case::Pascal);
            self.skeletons.insert(definition.id, name);
        }
    }

    /// Names the traits of an interface's servants that answer later.
    fn name_amh_traits(&mut self, id: DefId) {
        let own = self.own[id.index()].trim_end_matches('_').to_owned();
        let scope = self.scopes.entry(self.model[id].parent).or_default();
        let mut named =
            |kind: &str| scope.assign_silently(&format!("{own}{kind}Servant"), Case::Pascal);
        let (deferred, asynchronous) = (named("Deferred"), named("Async"));
        self.amh_traits.insert(id, AmhTraits { deferred, asynchronous });
    }

    fn name_view(&mut self, id: DefId) {
        let own = self.own[id.index()].trim_end_matches('_').to_owned();
        let scope = self.scopes.entry(self.model[id].parent).or_default();
        let name = scope.assign_silently(&format!("{own}View"), Case::Pascal);
        self.views.insert(id, name);
    }

    /// The operations, attributes and initializers of an interface or valuetype: key, name and exceptions.
    fn raising(&self, id: DefId) -> Vec<(MethodKey, String, &'m [DefId])> {
        let mut all = raising(id, self.model.exports(id));
        let first = self.model.exports(id).len();
        let initializers = self.model.value(id).map_or(&[][..], |item| &item.initializers);
        for (index, item) in initializers.iter().enumerate() {
            let key = MethodKey { interface: id, export: first + index, set: false };
            all.push((key, item.name.clone(), &item.raises));
        }
        all
    }

    fn raises_exceptions(&self, id: DefId) -> bool {
        self.raising(id).iter().any(|(_, _, raises)| !raises.is_empty())
    }

    fn name_errors(&mut self, id: DefId) {
        let mut errors = Vec::new();
        let raising = self.raising(id);
        let scope = self.scopes.entry(Some(id)).or_default();
        for (key, name, raises) in raising {
            if !raises.is_empty() {
                let wanted = format!("{}Error", convert(&name, Case::Pascal));
                errors.push((key, scope.assign_silently(&wanted, Case::Pascal)));
            }
        }
        self.errors.extend(errors);
    }

    /// Names the methods of `id`, after those of its ancestors.
    fn name_methods(&mut self, id: DefId, warnings: &mut Vec<Warning>) {
        if self.methods.contains_key(&id) {
            return;
        }
        // An ancestor may be defined after a forward declaration of `id`.
        let ancestors = self.model.ancestors(id);
        for &ancestor in &ancestors {
            self.name_methods(ancestor, warnings);
        }
        let mut scope = Scope::default();
        let mut methods = Vec::new();
        for source in ancestors.into_iter().chain([id]) {
            let exports = self.model.exports(source);
            for (key, name, _) in raising(source, exports) {
                let span = span_of(exports, key, self.model[source].span);
                let name = scope.assign(&name, Case::Snake, span, warnings);
                methods.push(Method { key, name });
            }
        }
        self.methods.insert(id, methods);
    }
}

fn span_of(exports: &[Export], key: MethodKey, fallback: Span) -> Span {
    match exports.get(key.export) {
        Some(Export::Operation(item)) => item.span,
        Some(Export::Attribute(item)) => item.span,
        _ => fallback,
    }
}
