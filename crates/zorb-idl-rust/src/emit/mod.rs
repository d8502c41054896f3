//! Walking the model and writing the text.

mod bits;
mod data;
mod interfaces;
mod local;
mod methods;
mod unions;
mod valuetypes;

use zorb_idl::model::Definition;
use zorb_idl::{DefId, DefinitionKind, Span};

use crate::layout::{Call, Layout};
use crate::names::{Module, Names};
use crate::types::Types;
use crate::{Generated, Options, Warning, docs};

/// The first lines of every text.
const HEADER: &str = "// Made from IDL by Zorb. Change the IDL instead: changes here are lost.\n";

/// What a program that uses a part of the text is not to be warned of.
const ALLOW: &str = "#[allow(clippy::all, clippy::nursery, clippy::pedantic)]\n\
                     #[allow(dead_code, nonstandard_style, unreachable_pub)]\n";

pub(crate) fn run(names: &Names<'_>, options: &Options) -> Generated {
    let mut emitter = Emitter {
        names,
        options,
        layout: Layout::default(),
        warnings: Vec::new(),
        out: String::new(),
        module: None,
        depth: 0,
    };
    emitter.definitions(names.model.roots());
    let text = match emitter.layout.finish(&emitter.out) {
        Ok(text) => text,
        // Let the Rust compiler show the place.
        Err((error, source)) => format!("// Not formatted: {error}\n{source}"),
    };
    Generated { text: format!("{HEADER}{text}"), warnings: emitter.warnings }
}

#[derive(Debug)]
struct Emitter<'a, 'm> {
    names: &'a Names<'m>,
    options: &'a Options,
    layout: Layout,
    warnings: Vec<Warning>,
    out: String,
    /// The Rust module being written.
    module: Module,
    /// How many modules are open.
    depth: usize,
}

impl<'a, 'm> Emitter<'a, 'm> {
    fn types(&self) -> Types<'a, 'm> {
        Types { names: self.names, runtime: &self.options.runtime, module: self.module }
    }

    fn warn(&mut self, span: Span, message: String) {
        self.warnings.push(Warning { message, span });
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The attributes of an item: its documentation, and the allowances where no module around it
    /// has them.
    fn lead(&mut self, docs: Option<&str>, otherwise: &str) {
        self.out.push_str(&docs::attributes(docs, otherwise));
        self.allow();
    }

    fn allow(&mut self) {
        if self.depth == 0 {
            self.out.push_str(ALLOW);
        }
    }

    /// Writes a call of one of the runtime's macros as an item.
    fn table(&mut self, name: &str, head: String, rows: Vec<String>) {
        self.item(Call::Table {
            path: self.types().codegen(name),
            head,
            blocks: vec![("", rows)],
            end: String::new(),
            fill: true,
        });
    }

    /// Writes a call of one of the runtime's macros without rows as an item.
    fn list(&mut self, name: &str, parts: String) {
        self.item(Call::List { path: self.types().codegen(name), parts: vec![parts] });
    }

    fn item(&mut self, call: Call) {
        let placeholder = self.layout.place(call);
        self.out.push_str(&placeholder);
        self.out.push_str(";\n");
    }

    fn definitions(&mut self, list: &[DefId]) {
        for &id in list {
            if !self.is_elsewhere(id) {
                self.definition(&self.names.model[id]);
            }
        }
    }

    /// Whether nothing is to be written for a definition: its Rust exists, or it is a module of
    /// such definitions only.
    fn is_elsewhere(&self, id: DefId) -> bool {
        let model = self.names.model;
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if self.names.is_external(id) {
                continue;
            }
            match &model[id].kind {
                DefinitionKind::Module(module) => work.extend(&module.children),
                _ => return false,
            }
        }
        let is_empty =
            matches!(&model[id].kind, DefinitionKind::Module(module) if module.children.is_empty());
        !is_empty || model[id].from_include
    }

    fn definition(&mut self, definition: &'m Definition) {
        match &definition.kind {
            DefinitionKind::Module(module) => {
                let otherwise = format!("The IDL module `{}`.", idl_name(definition));
                self.open(definition.id, definition.docs.as_deref(), &otherwise);
                self.definitions(&module.children);
                self.close(definition.parent);
            }
            DefinitionKind::Interface(item) if item.is_local => {
                self.local_interface(definition, item);
            }
            DefinitionKind::Interface(item) => self.interface(definition, item),
            DefinitionKind::Struct(item) => self.structure(definition, item),
            DefinitionKind::Exception(item) => self.exception(definition, item),
            DefinitionKind::Union(item) => self.union(definition, item),
            DefinitionKind::Enum(item) => self.enumeration(definition, item),
            DefinitionKind::Typedef(item) => self.typedef(definition, &item.ty),
            DefinitionKind::Const(item) => self.constant(definition, item),
            DefinitionKind::Native => self.native(definition),
            DefinitionKind::Bitmask(item) => self.bitmask(definition, item),
            DefinitionKind::Bitset(item) => self.bitset(definition, item),
            DefinitionKind::Value(item) if item.is_abstract => self.abstract_value(definition),
            DefinitionKind::Value(item) => self.valuetype(definition, item),
            DefinitionKind::ValueBox(item) => self.value_box(definition, item),
            // Refused before: see `unsupported`.
            DefinitionKind::Component(_)
            | DefinitionKind::Home(_)
            | DefinitionKind::Event(_)
            | DefinitionKind::PortType(_)
            | DefinitionKind::Connector(_) => {}
            // Nothing of a program.
            DefinitionKind::Annotation(_) | DefinitionKind::TemplateModule(_) => {}
        }
    }

    /// Starts the Rust module of a definition.
    fn open(&mut self, id: DefId, docs: Option<&str>, otherwise: &str) {
        self.lead(docs, otherwise);
        let name = self.names.module_name(id);
        self.push(&format!("pub mod {name} {{\n"));
        self.module = Some(id);
        self.depth += 1;
    }

    fn close(&mut self, parent: Module) {
        self.push("}\n");
        self.module = parent;
        self.depth -= 1;
    }

    /// The types defined inside a struct, union or exception.
    fn nested(&mut self, definition: &'m Definition, children: &'m [DefId]) {
        if self.names.has_companion(definition.id) {
            let otherwise = format!("What is defined inside `{}`.", idl_name(definition));
            self.open(definition.id, None, &otherwise);
            self.definitions(children);
            self.close(definition.parent);
        }
    }
}

/// `A::B`, for documentation.
fn idl_name(definition: &Definition) -> String {
    definition.scoped_name.join("::")
}

/// A name for the documentation of something without a comment.
fn otherwise(definition: &Definition) -> String {
    format!("The IDL {} `{}`.", definition.kind.keyword(), idl_name(definition))
}
