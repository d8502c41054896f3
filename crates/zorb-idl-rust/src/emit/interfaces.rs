//! Interfaces: the reference type, its stubs, the servant trait and the skeleton.

use zorb_idl::DefId;
use zorb_idl::model::{Definition, Export, Interface};

use super::methods::Signature;
use super::{Emitter, idl_name};
use crate::ami::is_asynchronous;
use crate::docs;
use crate::layout::Call;
use crate::marshal::{MOST, has_few_parameters};
use crate::names::{Case, Method, Scope};

impl<'m> Emitter<'_, 'm> {
    pub(super) fn interface(&mut self, definition: &'m Definition, item: &'m Interface) {
        self.reference(definition, item);
        self.stubs(definition, item);
        self.servant(definition, item);
        self.skeleton(definition);
        self.deferred(definition, item);
        if item.is_abstract {
            self.abstract_operations(definition);
        }
        self.companion(definition, false);
        self.compiled_parts(definition);
    }

    /// Warns of what is not marshalled by tables, although the interface is annotated.
    fn compiled_parts(&mut self, definition: &Definition) {
        let (id, model) = (definition.id, self.names.model);
        if !has_few_parameters(model, id) {
            let what = format!("an interface with an operation of {MOST} or more parameters");
            self.not_by_tables(definition, &what);
            return;
        }
        if self.names.amh_traits(id).is_some() {
            self.not_by_tables(definition, "deferred and asynchronous servants");
        }
        if model.exports(id).iter().any(|it| is_asynchronous(model, self.options, id, it)) {
            self.not_by_tables(definition, "methods that send a call without waiting");
        }
    }

    fn reference(&mut self, definition: &Definition, item: &Interface) {
        let name = self.names.own(definition.id);
        let inner = match item.bases.first() {
            Some(&base) => self.names.path(base, self.module),
            None => format!("{}::ObjectRef", self.options.runtime_path()),
        };
        let otherwise =
            format!("A reference to an object of the IDL interface `{}`.", idl_name(definition));
        self.lead(definition.docs.as_deref(), &otherwise);
        self.push("#[derive(Clone, Debug, PartialEq, Eq, Hash)]\n");
        self.push(&format!("pub struct {name}({inner});\n"));
        let mut ancestors = self.names.model.ancestors(definition.id);
        ancestors.reverse();
        let call = Call::List {
            path: self.types().codegen("interface"),
            parts: vec![
                format!("{name}({inner})"),
                format!("{:?}", definition.repository_id),
                format!("{:?}", definition.name),
                format!("[{}]", self.paths(&ancestors).join(", ")),
            ],
        };
        self.item(call);
    }

    fn stubs(&mut self, definition: &'m Definition, item: &Interface) {
        let methods = self.names.methods(definition.id);
        if methods.is_empty() {
            return;
        }
        self.allow();
        let name = self.names.own(definition.id);
        self.push(&format!("impl {name} {{\n"));
        for method in methods {
            if let Some(signature) = self.signature(method) {
                let body =
                    self.stub(definition.id, method, &signature, item.bases.first().copied());
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = self.function(&method.name, &signature, false);
                self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
                self.sending_stubs(definition, method, &signature);
                self.viewing_stub(definition, method, &signature);
            }
        }
        self.push("}\n");
    }

    /// The body of a stub: methods of the first base delegate to it, others make the call.
    fn stub(
        &mut self,
        id: DefId,
        method: &Method,
        signature: &Signature<'_>,
        base: Option<DefId>,
    ) -> String {
        let in_base = base.and_then(|base| {
            let mut methods = self.names.methods(base).iter();
            methods.find(|inherited| inherited.key == method.key).map(|found| (base, found))
        });
        if let Some((base, inherited)) = in_base {
            let path = self.names.path(base, self.module);
            return Self::forward(&path, &inherited.name, "&self.0", signature);
        }
        let declaring = method.key.interface;
        let engine = self.engine_if(self.engines.has_table(declaring, &signature.wire));
        let mut parts = match signature.has_views && engine.is_empty() {
            // A servant that gets views gets them from octets: a collocated call is marshalled, too.
            true => vec!["self".to_owned(), format!("{:?}", signature.wire)],
            false => vec![
                match declaring == id {
                    true => format!("{engine}self"),
                    false => format!("{engine}self as {}", self.names.path(declaring, self.module)),
                },
                self.upcall(method, signature),
            ],
        };
        parts.push(self.sent(signature));
        let name = if signature.oneway {
            "oneway"
        } else {
            parts.push(self.returned(signature));
            "invoke"
        };
        let path = self.types().codegen(name);
        let call = self.layout.place(Call::List { path, parts });
        match &signature.context {
            Some((name, wanted)) => format!("let {name} = &{name}.only(&{wanted:?});\n{call}"),
            None => call,
        }
    }

    /// What the macro call of an interface's skeleton begins with.
    fn interface_engine(&self, id: DefId) -> &'static str {
        if has_few_parameters(self.names.model, id) { self.engine(id) } else { "" }
    }

    /// The servant's method for a stub, and the operation name if it differs.
    fn upcall(&self, method: &Method, signature: &Signature<'_>) -> String {
        let mut own = self.names.own_methods(method.key.interface);
        let own = own.find(|own| own.key == method.key).unwrap_or(method);
        let upcall = if signature.upcall.is_some() { "(upcall)" } else { "" };
        match own.name == signature.wire {
            true => format!("{}{upcall}", own.name),
            false => format!("{}{upcall} {:?}", own.name, signature.wire),
        }
    }

    fn servant(&mut self, definition: &'m Definition, item: &Interface) {
        let id = definition.id;
        let bases = if item.bases.is_empty() {
            let types = self.types();
            format!("{} + {} + 'static", types.prelude("Send"), types.prelude("Sync"))
        } else {
            let bases = item.bases.iter().map(|&base| self.names.servant_path(base, self.module));
            bases.collect::<Vec<_>>().join(" + ")
        };
        self.lead(None, &format!("Implement this to serve `{}`.", idl_name(definition)));
        self.push(&format!("pub trait {}: {bases} {{\n", self.names.servant(id)));
        for method in self.names.own_methods(id) {
            if let Some(signature) = self.signature(method) {
                let docs = docs::attributes(signature.docs, &signature.otherwise);
                let function = self.function(&method.name, &signature, true);
                self.push(&format!("{docs}{function};\n"));
            }
        }
        self.push("}\n");
    }

    /// Implements the operations trait of an abstract interface for objects and values.
    fn abstract_operations(&mut self, definition: &'m Definition) {
        let id = definition.id;
        let own = self.names.own(id);
        let names = self.names;
        for source in names.model.ancestors(id).into_iter().chain([id]) {
            self.allow();
            self.push(&format!("impl {} for {own} {{\n", names.servant_path(source, self.module)));
            for method in names.own_methods(source) {
                let inherited = names.methods(id).iter().find(|one| one.key == method.key);
                if let Some(inherited) = inherited
                    && let Some(signature) = self.signature(method)
                {
                    let function = self.function(&method.name, &signature, true);
                    let call = Self::forward(own, &inherited.name, "self", &signature);
                    let body = if signature.oneway { format!("let _ = {call};") } else { call };
                    self.push(&format!("{function} {{ {body} }}\n"));
                }
            }
            self.push("}\n");
        }
        self.list("with_operations", format!("abstract {own}, {}", names.servant(id)));
    }

    fn skeleton(&mut self, definition: &'m Definition) {
        let id = definition.id;
        let is_interpretive = !self.interface_engine(id).is_empty();
        let blocks = self.skeleton_rows(id, is_interpretive, true);
        self.item(Call::Table {
            path: self.types().codegen("skeleton"),
            head: format!(
                "{}{}, {}",
                self.interface_engine(id),
                self.names.own(id),
                self.names.servant(id)
            ),
            blocks,
            end: String::new(),
            fill: false,
        });
    }

    /// The rows of a skeleton: own operations, and the inherited ones. Those of an interpretive one may be compiled, and
    /// so are those `with_views`.
    pub(super) fn skeleton_rows(
        &mut self,
        id: DefId,
        is_interpretive: bool,
        with_views: bool,
    ) -> Vec<(&'static str, Vec<String>)> {
        let mut rows = Vec::new();
        for method in self.names.own_methods(id) {
            if let Some(mut signature) = self.signature(method) {
                signature.has_views &= with_views;
                let by_table = is_interpretive
                    && !signature.has_views
                    && self.engines.has_table(id, &signature.wire);
                let row = self.row(rows.len(), &method.name, &signature, by_table);
                let engine = if is_interpretive && !by_table { " compiled" } else { "" };
                rows.push(format!("{row}{engine}"));
            }
        }
        let mut next = rows.len();
        let mut inherited = Vec::new();
        for ancestor in self.names.model.ancestors(id) {
            let names = self.wire_names(ancestor);
            if let Some(last) = names.len().checked_sub(1) {
                let path = self.names.path(ancestor, self.module);
                let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
                inherited.push(format!(
                    "{next}..={} in {path} [{}]",
                    next + last,
                    names.join(", ")
                ));
                next += names.len();
            }
        }
        let mut blocks = vec![("", rows)];
        if !inherited.is_empty() {
            blocks.push((" inherited ", inherited));
        }
        blocks
    }

    /// The companion module of an interface or valuetype: definitions inside it, and the error types of its operations
    /// and initializers. `is_local` if these are never sent.
    pub(super) fn companion(&mut self, definition: &'m Definition, is_local: bool) {
        let id = definition.id;
        if !self.names.has_companion(id) {
            return;
        }
        let keyword = definition.kind.keyword();
        let otherwise = format!("Definitions of the {keyword} `{}`.", idl_name(definition));
        self.open(id, None, &otherwise);
        self.definitions(&self.names.model.children(id));
        for method in self.names.own_methods(id) {
            if let Some(error) = self.names.error(method.key) {
                let (name, raises) = match self.names.model.exports(id).get(method.key.export) {
                    Some(Export::Operation(item)) => (&item.name, &item.raises),
                    Some(Export::Attribute(item)) if method.key.set => {
                        (&item.name, &item.set_raises)
                    }
                    Some(Export::Attribute(item)) => (&item.name, &item.get_raises),
                    _ => continue,
                };
                let before = match self.signature(method) {
                    _ if is_local => "local ",
                    Some(own) => self.engine_if(self.engines.has_table(id, &own.wire)),
                    None => "",
                };
                self.raises(definition, before, name, raises, error);
            }
        }
        for (key, item) in self.names.initializers(id) {
            if let Some(error) = self.names.error(key) {
                self.raises(definition, "local ", &item.name, &item.raises, error);
            }
        }
        self.close(definition.parent);
    }

    /// The error of an operation: what the macro's call begins with, the name in IDL, the exceptions, and the name in Rust.
    fn raises(
        &mut self,
        definition: &Definition,
        before: &str,
        name: &str,
        raises: &[DefId],
        error: &str,
    ) {
        let mut scope = Scope::default();
        scope.assign_silently("System", Case::Pascal);
        let rows = raises
            .iter()
            .map(|&id| {
                let own = self.names.own(id).trim_end_matches('_');
                let variant = scope.assign_silently(own, Case::Pascal);
                format!("{variant}({})", self.names.path(id, self.module))
            })
            .collect();
        let head = format!("{before}{error}, \"{}::{name}\"", idl_name(definition));
        self.table("raises", head, rows);
    }
}
