//! Code for the small ORB.

use zorb_idl::model::{Definition, Interface};
use zorb_idl::{DefId, DefinitionKind, Type};

use super::methods::Signature;
use super::pending::plain_name;
use super::{Emitter, idl_name, otherwise};
use crate::ami::is_asynchronous;
use crate::layout::Call;
use crate::names::{Case, Method, Scope};
use crate::nano::{NanoTypes, is_stored};
use crate::{Lookup, docs};

impl<'a, 'm> Emitter<'a, 'm> {
    fn nano(&self) -> NanoTypes<'a, 'm> {
        let runtime = self.options.runtime_path();
        NanoTypes { names: self.names, runtime, module: self.module }
    }

    /// Definitions whose code differs from that for the full ORB. Returns whether this is one.
    pub(super) fn nano_definition(&mut self, definition: &'m Definition) -> bool {
        match &definition.kind {
            DefinitionKind::Interface(item) => self.nano_interface(definition, item),
            DefinitionKind::Struct(item) => {
                let rows = self.nano_record(definition);
                self.table("structure", self.head(definition), rows);
                self.nested(definition, &item.children);
            }
            DefinitionKind::Exception(item) => {
                let rows = self.nano_record(definition);
                self.table("exception", self.head(definition), rows);
                self.nested(definition, &item.children);
            }
            DefinitionKind::Typedef(item) => self.nano_typedef(definition, &item.ty),
            _ => return false,
        }
        true
    }

    /// Writes a Rust struct; returns its members for the macro.
    fn nano_record(&mut self, definition: &'m Definition) -> Vec<String> {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let facts = self.names.model.definition_facts(definition.id);
        let copy = if facts.is_plain_data() { "Copy, " } else { "" };
        self.push(&format!("#[derive(Clone, {copy}Debug, PartialEq)]\n"));
        let types = self.nano();
        self.members(definition, |ty| {
            let ty = types.stored(ty);
            (ty.clone(), ty)
        })
    }

    /// A type without a bound has no Rust type of its own.
    fn nano_typedef(&mut self, definition: &Definition, ty: &Type) {
        if is_stored(self.names.model, ty) {
            self.lead(definition.docs.as_deref(), &otherwise(definition));
            let name = self.names.own(definition.id);
            self.push(&format!("pub type {name} = {};\n", self.nano().alias(ty)));
        }
    }

    fn nano_interface(&mut self, definition: &'m Definition, item: &'m Interface) {
        self.nano_reference(definition);
        self.nano_stubs(definition);
        self.nano_servant(definition, item);
        self.nano_skeleton(definition);
        self.companion(definition, false);
    }

    fn nano_reference(&mut self, definition: &Definition) {
        let name = self.names.own(definition.id);
        let otherwise =
            format!("A reference to an object of the IDL interface `{}`.", idl_name(definition));
        self.lead(definition.docs.as_deref(), &otherwise);
        self.push("#[derive(Clone, Debug, PartialEq, Eq)]\n");
        self.push(&format!("pub struct {name}(pub {}::Reference);\n", self.options.runtime_path()));
        let model = self.names.model;
        let mut ancestors = model.ancestors(definition.id);
        ancestors.reverse();
        let ids = [definition.id].into_iter().chain(ancestors.iter().copied());
        let ids: Vec<String> = ids.map(|id| format!("{:?}", model[id].repository_id)).collect();
        let methods = self.nano_methods(definition.id);
        let operations: Vec<String> =
            methods.iter().map(|(_, signature)| format!("{:?}", signature.wire)).collect();
        let lookup = match self.options.lookup {
            Lookup::Linear => "linear",
            Lookup::PerfectHash => "perfect_hash",
        };
        let parts = vec![
            name.to_owned(),
            format!("[{}]", ids.join(", ")),
            format!("[{}]", self.paths(&ancestors).join(", ")),
            lookup.to_owned(),
            format!("[{}]", operations.join(", ")),
        ];
        self.item(Call::List { path: self.types().codegen("interface"), parts });
    }

    /// The methods of an interface, inherited ones included, in the order of a server's table.
    fn nano_methods(&mut self, id: DefId) -> Vec<(&'a Method, Signature<'m>)> {
        let names = self.names;
        let all = names.methods(id).iter();
        all.filter_map(|method| Some((method, self.signature(method)?))).collect()
    }

    fn nano_stubs(&mut self, definition: &'m Definition) {
        let methods = self.nano_methods(definition.id);
        if methods.is_empty() {
            return;
        }
        self.allow();
        self.push(&format!("impl {} {{\n", self.names.own(definition.id)));
        for (method, signature) in methods {
            let docs = docs::attributes(signature.docs, &signature.otherwise);
            let stub = self.nano_stub(&method.name, &signature);
            self.push(&format!("{docs}pub {stub}\n"));
            self.nano_sending_to_all(definition, method, &signature);
        }
        self.push("}\n");
    }

    /// The function that sends a one-way call to many objects, if it is to be there.
    fn nano_sending_to_all(
        &mut self,
        definition: &'m Definition,
        method: &Method,
        item: &Signature<'m>,
    ) {
        let (model, interface) = (self.names.model, method.key.interface);
        let export = model.exports(interface).get(method.key.export);
        if !export.is_some_and(|it| is_asynchronous(model, self.options, interface, it)) {
            return;
        }
        let (types, runtime) = (self.nano(), self.options.runtime_path());
        let mut names = Scope::default();
        for name in item.parameter_names() {
            names.assign_silently(name, Case::Snake);
        }
        let [client, targets] =
            ["client", "targets"].map(|name| names.assign_silently(name, Case::Snake));
        let name = self.sending_name(definition, method, ["send_", "_to_all"]);
        let parameters: String = item
            .parameters
            .iter()
            .map(|(name, ty)| format!(", {name}: {}", types.parameter(ty)))
            .collect();
        let arguments: Vec<String> =
            item.parameters.iter().map(|(name, ty)| types.write_argument(name, ty)).collect();
        let parts = vec![
            targets.clone(),
            client.clone(),
            format!("{:?}", item.wire),
            format!("[{}]", arguments.join(", ")),
        ];
        let path = self.types().codegen("oneway_to_all");
        let body = self.layout.place(Call::List { path, parts });
        self.push(&format!(
            "/// Sends the same call of [`{}`](Self::{}) to all `{targets}`. Returns how often the arguments were encoded.\n\
             pub fn {name}<'t, __O: {runtime}::Os>({client}: &mut {runtime}::Client<__O>, \
             {targets}: impl ::core::iter::IntoIterator<Item = &'t Self>{parameters}) \
             -> {runtime}::Result<u32> {{ {body} }}\n",
            method.name,
            plain_name(method),
        ));
    }

    fn nano_stub(&mut self, name: &str, item: &Signature<'m>) -> String {
        let (types, runtime) = (self.nano(), self.options.runtime_path());
        let mut names = Scope::default();
        for name in item.parameter_names() {
            names.assign_silently(name, Case::Snake);
        }
        let client = names.assign_silently("client", Case::Snake);
        let is_borrowed = item.results.iter().any(|(_, ty)| types.is_borrowed(ty));
        let (life, generics, reference) =
            if is_borrowed { ("'a", "'a, ", "&'a ") } else { ("'_", "", "&") };
        let parameters = item.parameters.iter();
        let parameters: String =
            parameters.map(|(name, ty)| format!(", {name}: {}", types.parameter(ty))).collect();
        let results = item.results.iter().map(|(_, ty)| types.result(ty, life)).collect();
        let result = self.nano_result(results, item);
        let arguments = item.parameters.iter();
        let arguments: Vec<String> =
            arguments.map(|(name, ty)| types.write_argument(name, ty)).collect();
        let mut parts = vec![
            "self".to_owned(),
            client.clone(),
            format!("{:?}", item.wire),
            format!("[{}]", arguments.join(", ")),
        ];
        let call = if item.oneway {
            "oneway"
        } else {
            let results: Vec<String> = item.results.iter().map(|(_, ty)| types.read(ty)).collect();
            parts.push(format!("[{}]", results.join(", ")));
            "invoke"
        };
        let body = self.layout.place(Call::List { path: self.types().codegen(call), parts });
        format!(
            "fn {name}<{generics}__O: {runtime}::Os>(&self, {client}: {reference}mut {runtime}::Client<__O>\
             {parameters}) -> {result} {{ {body} }}"
        )
    }

    /// The type that a method returns.
    fn nano_result(&self, results: Vec<String>, item: &Signature<'_>) -> String {
        let value = match results.as_slice() {
            [only] => only.clone(),
            values => format!("({})", values.join(", ")),
        };
        let error = item.error.iter().map(|error| format!(", {error}")).collect::<String>();
        format!("{}::Result<{value}{error}>", self.options.runtime_path())
    }

    fn nano_servant(&mut self, definition: &'m Definition, item: &Interface) {
        let id = definition.id;
        let bases = item.bases.iter().map(|&base| self.names.servant_path(base, self.module));
        let bases = bases.collect::<Vec<_>>().join(" + ");
        let colon = if bases.is_empty() { "" } else { ": " };
        self.lead(None, &format!("Implement this to serve `{}`.", idl_name(definition)));
        self.push(&format!("pub trait {}{colon}{bases} {{\n", self.names.servant(id)));
        for method in self.names.own_methods(id) {
            if let Some(signature) = self.signature(method) {
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = self.nano_upcall(&method.name, &signature);
                self.push(&format!("{docs}{function};\n"));
            }
        }
        self.push("}\n");
    }

    /// The servant's method.
    fn nano_upcall(&self, name: &str, item: &Signature<'_>) -> String {
        let types = self.nano();
        let is_borrowed = item.results.iter().any(|(_, ty)| types.is_borrowed(ty));
        let (life, generics, own) =
            if is_borrowed { ("'a", "<'a>", "&'a mut self") } else { ("'_", "", "&mut self") };
        let parameters = item.parameters.iter();
        let parameters: String = parameters
            .map(|(name, ty)| format!(", {name}: {}", types.received(ty, life)))
            .collect();
        let function = format!("fn {name}{generics}({own}{parameters})");
        if item.oneway {
            return function;
        }
        let results = item.results.iter().map(|(_, ty)| types.returned(ty, life)).collect();
        format!("{function} -> {}", self.nano_result(results, item))
    }

    fn nano_skeleton(&mut self, definition: &'m Definition) {
        let id = definition.id;
        let (own, servant) = (self.names.own(id), self.names.servant(id));
        let skeleton = self.names.skeleton(id).to_owned();
        let otherwise = format!("Serves `{}` by a servant.", idl_name(definition));
        self.lead(None, &otherwise);
        self.push(&format!(
            "#[derive(Clone, Copy, Debug)]\npub struct {skeleton}<__S>(pub __S);\n"
        ));
        let mut rows = Vec::new();
        for (method, signature) in self.nano_methods(id) {
            rows.push(self.nano_row(rows.len(), method, &signature));
        }
        let head = format!("{skeleton}, {servant}, {own}");
        let path = self.types().codegen("skeleton");
        let blocks = vec![("", rows)];
        self.item(Call::Table { path, head, blocks, end: String::new(), fill: false });
    }

    fn nano_row(&self, number: usize, method: &Method, item: &Signature<'_>) -> String {
        let types = self.nano();
        let declaring = method.key.interface;
        let mut own = self.names.own_methods(declaring);
        let name = own.find(|own| own.key == method.key).map_or("", |own| own.name.as_str());
        let servant = self.names.servant_path(declaring, self.module);
        let arguments = item.parameters.iter();
        let arguments: Vec<String> = arguments
            .map(|(name, ty)| format!("{name}: {} => {}", types.read(ty), types.pass(name, ty)))
            .collect();
        let results = item.results.iter();
        let results: Vec<String> =
            results.map(|(name, ty)| format!("{name}: {}", types.write_result(name, ty))).collect();
        let results =
            if item.oneway { "oneway".to_owned() } else { format!("[{}]", results.join(", ")) };
        format!("{number} {servant}::{name}, ({}) {results}", arguments.join(", "))
    }
}
