//! Valuetypes (the struct of the state, the traits of operations and initializers) and value boxes.

use zorb_idl::DefId;
use zorb_idl::model::{Definition, Param, ValueBox, ValueType, Visibility};

use super::{Emitter, idl_name, otherwise};
use crate::names::{Case, Scope};
use crate::{derives, docs};

/// The name of the field with the state of the base.
const BASE: &str = "base";

impl<'m> Emitter<'_, 'm> {
    pub(super) fn valuetype(&mut self, definition: &'m Definition, item: &'m ValueType) {
        let base = self.names.model.concrete_base(definition.id);
        let rows = self.state(definition, item, base);
        let mut head = self.names.own(definition.id).to_owned();
        if let Some(base) = base {
            head.push_str(&format!(": {}", self.names.path(base, self.module)));
        }
        head.push_str(&format!(", {:?}, {:?}, ", definition.repository_id, definition.name));
        if item.is_truncatable {
            head.push_str(&format!("truncatable to [{}], ", self.truncations(definition.id)));
        }
        if item.is_custom {
            head.push_str("custom state, ");
        }
        head.push_str(&self.ancestors(definition.id));
        head.push_str(&self.operated(definition.id));
        self.table("valuetype", head, rows);
        self.operations(definition, item);
        self.factory(definition);
        self.companion(definition, true);
    }

    pub(super) fn abstract_value(&mut self, definition: &'m Definition) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        self.push("#[derive(Clone, Copy, Debug)]\n");
        self.push(&format!("pub enum {} {{}}\n", self.names.own(definition.id)));
        let head = format!("{}, {}", self.head(definition), self.ancestors(definition.id));
        self.list("abstract_valuetype", head);
        if let Some(item) = self.names.model.value(definition.id) {
            self.operations(definition, item);
        }
        self.companion(definition, true);
    }

    pub(super) fn value_box(&mut self, definition: &'m Definition, item: &'m ValueBox) {
        self.lead(
            definition.docs.as_deref(),
            &format!("The IDL value box `{}`.", idl_name(definition)),
        );
        self.push(&derives::of(self.names.model, definition.id));
        let types = self.types();
        let name = self.names.own(definition.id);
        self.push(&format!("pub struct {name}(pub {});\n", types.value(&item.ty)));
        let parts = format!("{}, {}", self.head(definition), types.typed(&item.ty));
        self.list("value_box", parts);
        self.nested(definition, &item.children);
    }

    /// Writes the struct of a valuetype's state; returns its members for the macro.
    fn state(
        &mut self,
        definition: &'m Definition,
        item: &'m ValueType,
        base: Option<DefId>,
    ) -> Vec<String> {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        self.push(&derives::of(self.names.model, definition.id));
        let name = self.names.own(definition.id);
        if base.is_none() && item.members.is_empty() {
            self.push(&format!("pub struct {name};\n"));
            return Vec::new();
        }
        self.push(&format!("pub struct {name} {{\n"));
        let types = self.types();
        let mut scope = Scope::default();
        if let Some(base) = base {
            let field = scope.assign_silently(BASE, Case::Snake);
            let lead =
                docs::attributes(None, &format!("Its state as a `{}`.", self.names.own(base)));
            let base = self.names.path(base, self.module);
            self.push(&format!("{lead}pub {field}: {base},\n"));
        }
        let mut rows = Vec::new();
        for state in &item.members {
            let member = &state.member;
            let field = scope.assign(&member.name, Case::Snake, member.span, &mut self.warnings);
            let (visibility, otherwise) = match state.visibility {
                Visibility::Public => ("Public", format!("The member `{}`.", member.name)),
                Visibility::Private => {
                    ("Private", format!("The private member `{}`.", member.name))
                }
            };
            let docs = docs::attributes(member.docs.as_deref(), &otherwise);
            self.push(&format!("{docs}pub {field}: {},\n", types.value(&member.ty)));
            rows.push(format!(
                "{field}: {} = {:?} {visibility}",
                types.typed(&member.ty),
                member.name
            ));
        }
        self.push("}\n");
        rows
    }

    /// The types that a value of this type may be truncated to.
    fn truncations(&self, id: DefId) -> String {
        let model = self.names.model;
        let mut list = Vec::new();
        let mut at = id;
        while model.value(at).is_some_and(|item| item.is_truncatable)
            && let Some(base) = model.concrete_base(at)
        {
            list.push(base);
            at = base;
        }
        self.paths(&list).join(", ")
    }

    /// All types that a valuetype inherits from or supports.
    fn ancestors(&self, id: DefId) -> String {
        let mut ancestors = self.names.model.ancestors(id);
        ancestors.reverse();
        format!("[{}]", self.paths(&ancestors).join(", "))
    }

    /// The types that provide operations of a value, with their traits.
    fn operated(&self, id: DefId) -> String {
        let model = self.names.model;
        let mut all = model.ancestors(id);
        all.push(id);
        all.reverse();
        let has_some = |id: &DefId| match model.interface(*id) {
            Some(interface) => interface.is_abstract,
            None => self.names.has_operations(*id),
        };
        let pair = |id: DefId| {
            let kind = self.names.path(id, self.module);
            format!("{kind} as {}", self.names.servant_path(id, self.module))
        };
        let pairs: Vec<String> = all.into_iter().filter(has_some).map(pair).collect();
        if pairs.is_empty() {
            return String::new();
        }
        format!(", operations [{}]", pairs.join(", "))
    }

    /// The trait of the operations; those of bases and supported interfaces are its supertraits.
    fn operations(&mut self, definition: &'m Definition, item: &ValueType) {
        let id = definition.id;
        if !self.names.has_operations(id) {
            return;
        }
        let has_trait = |id: &&DefId| {
            self.names.model.interface(**id).is_some() || self.names.has_operations(**id)
        };
        let bases: Vec<String> = item
            .bases
            .iter()
            .chain(&item.supports)
            .filter(has_trait)
            .map(|&base| self.names.servant_path(base, self.module))
            .collect();
        let types = self.types();
        let bounds = if bases.is_empty() {
            format!("{} + {} + 'static", types.prelude("Send"), types.prelude("Sync"))
        } else {
            bases.join(" + ")
        };
        let otherwise = format!(
            "The operations of `{}`: implement this trait for the state of the value.",
            idl_name(definition)
        );
        self.lead(None, &otherwise);
        self.push(&format!("pub trait {}: {bounds} {{\n", self.names.servant(id)));
        for method in self.names.own_methods(id) {
            if let Some(signature) = self.signature(method) {
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = self.function(&method.name, &signature, true);
                self.push(&format!("{docs}{function};\n"));
            }
        }
        self.push("}\n");
        let names = format!("{}, {}", self.names.own(id), self.names.servant(id));
        self.list("with_operations", names);
    }

    /// The trait of the initializers.
    fn factory(&mut self, definition: &'m Definition) {
        let Some(factory) = self.names.factory(definition.id) else { return };
        let otherwise = format!(
            "The initializers of `{}`: implement this trait for the state of the value.",
            idl_name(definition)
        );
        self.lead(None, &otherwise);
        let sized = self.types().prelude("Sized");
        self.push(&format!("pub trait {factory}: {sized} {{\n"));
        let runtime = self.options.runtime_path();
        let mut names = Scope::default();
        for (key, item) in self.names.initializers(definition.id) {
            let name = names.assign(&item.name, Case::Snake, item.span, &mut self.warnings);
            let mut scope = Scope::default();
            let types = self.types();
            let mut parameters = Vec::new();
            for Param { name, ty, span, .. } in &item.params {
                let name = scope.assign(name, Case::Snake, *span, &mut self.warnings);
                parameters.push(format!("{name}: {}", types.parameter(ty)));
            }
            let error = self.names.error(key).map_or_else(String::new, |error| {
                format!(", {}", self.names.inside_path(definition.id, error, self.module))
            });
            let otherwise = format!("The initializer `{}`.", item.name);
            let docs = docs::attributes(item.docs.as_deref(), &otherwise);
            let parameters = parameters.join(", ");
            self.push(&format!(
                "{docs}fn {name}({parameters}) -> {runtime}::Result<{runtime}::Value<Self>{error}>;\n"
            ));
        }
        self.push("}\n");
    }
}
