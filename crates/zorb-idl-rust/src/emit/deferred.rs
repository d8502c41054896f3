//! Servants that answer later: the deferred and the asynchronous servant trait of an interface, and their skeletons.

use zorb_idl::DefId;
use zorb_idl::model::{Definition, Interface};

use super::methods::Signature;
use super::{Emitter, idl_name};
use crate::docs;
use crate::layout::Call;
use crate::names::{AmhTraits, Case, Scope};

impl<'m> Emitter<'_, 'm> {
    /// Writes them, if they are wanted.
    pub(super) fn deferred(&mut self, definition: &'m Definition, item: &Interface) {
        let Some(traits) = self.names.amh_traits(definition.id) else { return };
        let what = format!("Implement this to serve `{}`", idl_name(definition));
        let text = format!("{what} with methods that answer later, by a `Response`.");
        self.amh_trait(definition, item, &text, |traits| &traits.deferred, Self::deferred_function);
        let text = format!("{what} with asynchronous methods.");
        self.amh_trait(
            definition,
            item,
            &text,
            |traits| &traits.asynchronous,
            Self::async_function,
        );
        let blocks = self.skeleton_rows(definition.id, false, false);
        self.item(Call::Table {
            path: self.types().codegen("deferred"),
            head: format!(
                "{}, {}, {}",
                self.names.own(definition.id),
                traits.deferred,
                traits.asynchronous
            ),
            blocks,
            end: String::new(),
            fill: false,
        });
    }

    fn amh_trait(
        &mut self,
        definition: &'m Definition,
        item: &Interface,
        text: &str,
        of: fn(&AmhTraits) -> &str,
        function: fn(&Self, &str, &Signature<'_>) -> String,
    ) {
        let id = definition.id;
        let names = self.names;
        let path = |base: &DefId| names.amh_path(*base, of, self.module);
        let mut bases: Vec<String> = item.bases.iter().filter_map(path).collect();
        if bases.is_empty() {
            let types = self.types();
            bases = vec![types.prelude("Send"), types.prelude("Sync"), "'static".to_owned()];
        }
        let Some(own) = names.amh_traits(id).map(of) else { return };
        self.lead(None, text);
        self.push(&format!("pub trait {own}: {} {{\n", bases.join(" + ")));
        for method in names.own_methods(id) {
            if let Some(mut signature) = self.signature(method) {
                // Their arguments outlive the request.
                signature.has_views = false;
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = function(self, &method.name, &signature);
                self.push(&format!("{docs}{function};\n"));
            }
        }
        self.push("}\n");
    }

    /// `fn name(&self, ..., response: Response<...>)`; a one-way operation has no response.
    fn deferred_function(&self, name: &str, item: &Signature<'_>) -> String {
        let mut parameters = self.servant_parameters(item);
        if !item.oneway {
            let mut scope = Scope::default();
            for name in item.parameter_names() {
                scope.assign_silently(name, Case::Snake);
            }
            let response = scope.assign_silently("response", Case::Snake);
            let outcome = self.outcome(item);
            parameters.push(format!(
                "{response}: {}::poa::Response<{outcome}>",
                self.options.runtime_path()
            ));
        }
        let parameters: String = parameters.iter().map(|one| format!(", {one}")).collect();
        format!("fn {name}(&self{parameters})")
    }

    /// `fn name(self: Arc<Self>, ...) -> impl Future<Output = ...> + Send + 'static`, with arguments of its own.
    fn async_function(&self, name: &str, item: &Signature<'_>) -> String {
        let types = self.types();
        let mut text = format!("fn {name}(self: ::std::sync::Arc<Self>");
        for (name, ty) in &item.parameters {
            text.push_str(&format!(", {name}: {}", types.value(ty)));
        }
        if let Some((name, _)) = &item.context {
            text.push_str(&format!(", {name}: {}::Context", self.options.runtime_path()));
        }
        let output = match item.oneway {
            true => "()".to_owned(),
            false => format!("{}::Result<{}>", self.options.runtime_path(), self.outcome(item)),
        };
        let send = types.prelude("Send");
        text.push_str(&format!(
            ") -> impl ::core::future::Future<Output = {output}> + {send} + 'static"
        ));
        text
    }
}
