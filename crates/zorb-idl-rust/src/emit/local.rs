//! Local interfaces and native types.

use zorb_idl::model::{Definition, Interface};

use super::{Emitter, idl_name, otherwise};
use crate::docs;

impl<'m> Emitter<'_, 'm> {
    /// A local interface becomes a trait; a reference to an object is an `Arc` of it.
    pub(super) fn local_interface(&mut self, definition: &'m Definition, item: &'m Interface) {
        let id = definition.id;
        let types = self.types();
        let own = [types.prelude("Send"), types.prelude("Sync"), "'static".to_owned()];
        let bases = item.bases.iter().map(|&base| {
            let is_local = self.names.model.interface(base).is_some_and(|base| base.is_local);
            if is_local {
                self.names.path(base, self.module)
            } else {
                self.names.servant_path(base, self.module)
            }
        });
        let bases: Vec<String> = bases.collect();
        let bounds = if bases.is_empty() { own.join(" + ") } else { bases.join(" + ") };
        let otherwise = format!("The local IDL interface `{}`.", idl_name(definition));
        self.lead(definition.docs.as_deref(), &otherwise);
        let name = self.names.own(id);
        self.push(&format!("pub trait {name}: {bounds} {{\n"));
        for method in self.names.own_methods(id) {
            if let Some(signature) = self.signature(method) {
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = self.function(&method.name, &signature, true);
                self.push(&format!("{docs}{function};\n"));
            }
        }
        self.push("}\n");
        self.list("local", format!("{name}, {:?}", definition.name));
        self.companion(definition, true);
    }

    /// A native type becomes the type given in the options, or a type that can hold any value.
    pub(super) fn native(&mut self, definition: &Definition) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let name = self.names.own(definition.id);
        let scoped = idl_name(definition);
        let given = self.options.natives.iter().find(|(native, _)| *native == scoped);
        if let Some((_, path)) = given {
            self.push(&format!("pub type {name} = {path};\n"));
            return;
        }
        let native = self.types().codegen("Native");
        self.push("#[derive(Clone, Debug, Default, PartialEq, Eq)]\n");
        self.push(&format!("pub struct {name}(pub {native});\n"));
        self.local_error(definition);
    }

    /// Generates an error type for exceptions that cannot be sent.
    pub(super) fn local_error(&mut self, definition: &Definition) {
        let name = self.names.own(definition.id);
        self.list("local_error", format!("{name}, {:?}", idl_name(definition)));
    }
}
