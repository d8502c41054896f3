//! Unions.

use zorb_idl::model::{Case as UnionCase, Definition, Label, Union};

use super::{Emitter, otherwise};
use crate::layout::Call;
use crate::names::{Case, Scope};
use crate::{derives, docs};

impl<'m> Emitter<'_, 'm> {
    pub(super) fn union(&mut self, definition: &'m Definition, item: &'m Union) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        self.push(&derives::of(self.names.model, definition.id));
        let name = self.names.own(definition.id);
        self.push(&format!("pub enum {name} {{\n"));
        let types = self.types();
        let label = types.value(&item.discriminator);
        let mut scope = Scope::default();
        let mut rows = Vec::new();
        let mut end = String::new();
        for case in &item.cases {
            let variant = scope.assign(&case.name, Case::Pascal, case.span, &mut self.warnings);
            let docs =
                docs::attributes(case.docs.as_deref(), &format!("The member `{}`.", case.name));
            let value = types.value(&case.ty);
            let wire = types.typed(&case.ty);
            let row = if let Some(only) = only_label(case) {
                self.push(&format!("{docs}{variant}({value}),\n"));
                format!("{variant}({wire} = {}) {:?}", types.constant(only), case.name)
            } else {
                let fields = format!(
                    "#[doc = \" The discriminator.\"] label: {label},\n\
                     #[doc = \" The value.\"] value: {value}"
                );
                self.push(&format!("{docs}{variant} {{ {fields} }},\n"));
                let mut labels: String =
                    case.values().map(|value| format!(" [{}]", types.constant(value))).collect();
                if case.is_default() {
                    labels.push_str(" default");
                }
                format!("{variant} {{ {wire} ={labels} }} {:?}", case.name)
            };
            rows.push(row);
        }
        if item.has_implicit_default() {
            let unset = scope.assign_silently("Unset", Case::Pascal);
            self.push("#[doc = \" No active member: no label has this discriminator.\"]\n");
            self.push(&format!("{unset} {{ #[doc = \" The discriminator.\"] label: {label} }},\n"));
            end = format!(" empty {unset}");
        }
        self.push("}\n");
        let engine = self.engine_and_nesting(definition.id);
        let head =
            format!("{engine}{}, {}", self.head(definition), types.typed(&item.discriminator));
        if self.names.is_sendable(definition.id) {
            self.item(Call::Table {
                path: types.codegen("union"),
                head,
                blocks: vec![("", rows)],
                end,
                fill: false,
            });
        }
        self.nested(definition, &item.children);
    }
}

/// The label of a case with a single label that is not `default`.
fn only_label(case: &UnionCase) -> Option<&zorb_idl::model::ConstValue> {
    match case.labels.as_slice() {
        [Label::Value(value)] => Some(value),
        _ => None,
    }
}
