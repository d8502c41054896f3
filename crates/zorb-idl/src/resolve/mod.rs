//! Name resolution: lowers the syntax tree to the model and checks the rules of IDL.
//!
//! One pass in source order, as the standard requires: a name refers to a definition before its
//! use. Repository ids are computed last.

mod annotated;
mod annotations;
mod bits;
mod components;
mod constants;
mod declare;
mod equivalent;
mod evaluate;
mod homes;
mod ids;
mod imports;
mod interfaces;
mod restrict;
mod scope;
mod standard;
mod suggest;
mod templates;
mod types;
mod unions;
mod values;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub(crate) use suggest::closest;

use self::ids::Ids;
use self::restrict::Restriction;
use self::scope::{NameKind, Scope, ScopeId, Target};
use crate::diagnostics::{Code, Diagnostic, Sink};
use crate::limits::{
    MAX_INHERITED_NAMES, MAX_NAME_BYTES, MAX_PORTS, MAX_TEMPLATE_ITEMS, MAX_TEMPLATE_TOKENS,
};
use crate::model::{DefId, Definition, DefinitionKind, Export, Model, TemplateArgument};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Docs, Ident, Item, TemplateItem, Tree};

/// Lowers a syntax tree to a model.
pub(crate) fn run(
    tree: &Tree,
    main_files: &[FileId],
    sources: &SourceMap,
    sink: &mut Sink,
) -> Model {
    let root = Scope { introduces_names: true, ..Scope::default() };
    let mut resolver = Resolver {
        sink,
        sources,
        main_files: main_files.iter().copied().collect(),
        model: Model::default(),
        scopes: vec![root],
        scope_of: HashMap::new(),
        incomplete: HashMap::new(),
        restricted: HashMap::new(),
        imports: Vec::new(),
        templates: HashMap::new(),
        arguments: Vec::new(),
        template_depth: 0,
        template_items_left: MAX_TEMPLATE_ITEMS,
        template_tokens_left: MAX_TEMPLATE_TOKENS,
        ports_left: MAX_PORTS,
        components_missing: false,
        ids: Ids::default(),
        typedef_depths: HashMap::new(),
        names_left: MAX_NAME_BYTES,
        comparisons_left: MAX_INHERITED_NAMES,
    };
    resolver.items(&tree.items, ScopeId(0));
    resolver.check_completed();
    resolver.assign_ids();
    resolver.check_imports();
    resolver.model
}

struct Resolver<'a> {
    sink: &'a mut Sink,
    sources: &'a SourceMap,
    main_files: HashSet<FileId>,
    model: Model,
    /// The first is the global scope.
    scopes: Vec<Scope>,
    scope_of: HashMap<DefId, ScopeId>,
    /// Forward declarations and definitions in progress, with the spans of their names.
    incomplete: HashMap<DefId, Span>,
    /// Definitions that contain a local or native type.
    restricted: HashMap<DefId, Restriction>,
    /// Template modules, with their enclosing scopes.
    templates: HashMap<DefId, (Rc<TemplateItem>, ScopeId)>,
    /// The arguments bound to parameters of template modules.
    arguments: Vec<TemplateArgument>,
    /// The nesting depth of template instantiation.
    template_depth: usize,
    template_items_left: usize,
    template_tokens_left: usize,
    ports_left: usize,
    /// Whether the missing module `Components` is reported.
    components_missing: bool,
    /// Imported repository ids.
    imports: Vec<(Rc<str>, Span)>,
    ids: Ids,
    /// The nesting depth of each typedef.
    typedef_depths: HashMap<DefId, usize>,
    names_left: usize,
    /// The remaining budget for comparing inherited names.
    comparisons_left: usize,
}

impl Resolver<'_> {
    /// Resolves the items of a file or module.
    fn items(&mut self, items: &[Item], scope: ScopeId) {
        items.iter().for_each(|item| self.item(item, scope));
    }

    /// Resolves an item that is valid in any scope.
    fn item(&mut self, item: &Item, scope: ScopeId) {
        match item {
            Item::Module { name, items, docs } => self.module(name, items, docs, scope),
            Item::Interface(item) => self.interface(item, scope),
            Item::InterfaceForward(name, kind) => {
                let kind = DefinitionKind::Interface(crate::model::Interface {
                    forward_only: true,
                    ..interfaces::empty(*kind)
                });
                self.forward(name, kind, scope);
            }
            Item::Value(item) => self.value(item, scope),
            Item::ValueForward { name, is_event, is_abstract } => {
                let value = crate::model::ValueType {
                    forward_only: true,
                    is_abstract: *is_abstract,
                    ..Default::default()
                };
                let kind = values::kind(*is_event, value);
                self.forward(name, kind, scope);
            }
            Item::ValueBox { name, ty, docs } => self.value_box(name, ty, docs, scope),
            Item::Bitmask(item) => self.bitmask(item, Vec::new(), scope),
            Item::Bitset(item) => self.bitset(item, scope),
            Item::AnnotationType(item) => self.annotation_type(item, scope),
            Item::Annotated(list, item) => self.annotated(list, item, scope),
            Item::Native(name, docs) => self.native(name, docs, scope),
            Item::Import(name) => self.import(name, scope),
            Item::ImportId(id, span) => self.imports.push((Rc::clone(id), *span)),
            Item::StructForward(name) => {
                let kind = DefinitionKind::Struct(crate::model::Struct {
                    forward_only: true,
                    ..Default::default()
                });
                self.forward(name, kind, scope);
            }
            Item::UnionForward(name) => self.forward(name, unions::forward(), scope),
            Item::Struct(_) | Item::Union(_) | Item::Enum(_) => {
                self.defined_type(item, scope);
            }
            Item::Exception(item) => self.exception(item, scope),
            Item::Typedef { ty, declarators, docs } => {
                self.typedef(ty, declarators, docs, scope);
            }
            Item::Const { ty, name, value, docs } => self.constant(ty, name, value, docs, scope),
            Item::ComponentForward(name) => {
                let interface =
                    crate::model::Interface { forward_only: true, ..Default::default() };
                let component = crate::model::Component { interface, ..Default::default() };
                self.forward(name, DefinitionKind::Component(component), scope);
            }
            Item::Component(item) => self.component(item, scope),
            Item::PortType(item) => self.port_type(item, scope),
            Item::Home(item) => self.home(item, scope),
            Item::Template(item) => self.template(item, scope),
            Item::Instance(item) => self.instance(item, scope),
            Item::TypeId { name, id, span } => self.type_id(name, id, *span, scope),
            Item::TypePrefix { name, prefix, span } => {
                self.type_prefix(name, prefix, *span, scope);
            }
            Item::Event(event) => self.event(event, scope),
            // The parser reports these outside an interface or valuetype.
            Item::Operation(_)
            | Item::Attribute(_)
            | Item::State { .. }
            | Item::Initializer(_)
            | Item::Port(_)
            | Item::Finder(_) => {}
        }
    }

    fn module(&mut self, name: &Ident, items: &[Item], docs: &Docs, scope: ScopeId) {
        let reopened = self.entry(scope, &name.text).and_then(|entry| match entry.target {
            Target::Definition(id) => Some((id, Rc::clone(&entry.ident.text), entry.ident.span)),
            _ => None,
        });
        let reopened = reopened.filter(|(id, ..)| {
            matches!(self.model.definition(*id).kind, DefinitionKind::Module(_))
        });
        let id = match reopened {
            Some((id, spelling, span)) => {
                if spelling != name.text {
                    let message = format!("`{}` differs from `{spelling}` only in case", name.text);
                    self.sink.push(
                        Diagnostic::new(Code::CaseCollision, name.span, message)
                            .label(span, "first defined here")
                            .hint(format!("write `{spelling}` to reopen the module")),
                    );
                }
                self.reopen(id, name, docs);
                id
            }
            None => {
                let kind = DefinitionKind::Module(crate::model::Module {
                    openings: vec![name.span],
                    ..Default::default()
                });
                self.define(name, kind, docs, scope)
            }
        };
        let inside = match self.scope_of.get(&id) {
            Some(inside) => *inside,
            None => self.new_scope(Some(id), scope, true),
        };
        self.clear_introduced(inside);
        self.ids.enter_scope();
        self.items(items, inside);
        self.ids.leave_scope();
    }

    fn reopen(&mut self, id: DefId, name: &Ident, docs: &Docs) {
        let from_include = !self.main_files.contains(&name.span.file);
        let built_in = self.sources.file(name.span.file).is_built_in();
        let Some(module) = self.model.definitions.get_mut(id.index()) else { return };
        module.from_include &= from_include;
        module.built_in &= built_in;
        if module.docs.is_none() {
            module.docs = docs.as_deref().map(str::to_owned);
        }
        if let DefinitionKind::Module(module) = &mut module.kind {
            module.openings.push(name.span);
        }
    }

    /// Adds a definition to the model, its parent and its scope.
    fn define(&mut self, name: &Ident, kind: DefinitionKind, docs: &Docs, scope: ScopeId) -> DefId {
        let id = DefId(u32::try_from(self.model.definitions.len()).unwrap_or(u32::MAX));
        let fine = self.declare(scope, name, Target::Definition(id), NameKind::Definition);
        let parent = self.scopes.get(scope.0).and_then(|scope| scope.owner);
        let scoped_name = self.full_name(name, parent);
        let from_include = !self.main_files.contains(&name.span.file);
        self.model.definitions.push(Definition {
            id,
            kind,
            name: name.text.to_string(),
            scoped_name,
            repository_id: String::new(),
            docs: docs.as_deref().map(str::to_owned),
            annotations: Vec::new(),
            implied_by: None,
            span: name.span,
            file: name.span.file,
            from_include,
            built_in: self.sources.file(name.span.file).is_built_in(),
            parent,
        });
        self.ids.defined(id);
        // A clashing definition stays out of the tree, so that names in the tree are unique.
        if fine {
            self.add_child(parent, id);
        }
        id
    }

    fn add_child(&mut self, parent: Option<DefId>, id: DefId) {
        let parent = parent.and_then(|parent| self.model.definitions.get_mut(parent.index()));
        match parent.map(|parent| &mut parent.kind) {
            None => self.model.roots.push(id),
            Some(DefinitionKind::Module(module)) => module.children.push(id),
            Some(DefinitionKind::Interface(item)) => item.exports.push(Export::Definition(id)),
            Some(DefinitionKind::Value(item)) => item.exports.push(Export::Definition(id)),
            Some(DefinitionKind::Event(item)) => item.value.exports.push(Export::Definition(id)),
            Some(DefinitionKind::Component(item)) => {
                item.interface.exports.push(Export::Definition(id));
            }
            Some(DefinitionKind::ValueBox(item)) => item.children.push(id),
            Some(DefinitionKind::Annotation(item)) => item.children.push(id),
            Some(DefinitionKind::Struct(item) | DefinitionKind::Exception(item)) => {
                item.children.push(id);
            }
            Some(DefinitionKind::Union(item)) => item.children.push(id),
            Some(_) => {}
        }
    }

    fn full_name(&mut self, name: &Ident, parent: Option<DefId>) -> Vec<String> {
        let mut full = Vec::new();
        if let Some(parent) = parent {
            let outer = &self.model.definition(parent).scoped_name;
            // Charged twice: for the name, and for the repository id derived from it.
            let size: usize = outer.iter().map(|part| 2 * part.len() + 48).sum();
            match self.names_left.checked_sub(size) {
                Some(left) => {
                    self.names_left = left;
                    full.clone_from(outer);
                }
                None => {
                    let message = "the scoped names of this compilation are too long in total";
                    self.sink.error(Code::SourceTooLarge, name.span, message);
                    self.names_left = 0;
                }
            }
        }
        full.push(name.text.to_string());
        full
    }

    fn check_completed(&mut self) {
        let mut open: Vec<_> = self.incomplete.iter().map(|(id, span)| (*id, *span)).collect();
        open.sort_unstable();
        for (id, span) in open {
            let item = self.model.definition(id);
            let (word, name) = (item.kind.keyword(), item.name.clone());
            let message = format!("{word} `{name}` is declared here but never defined");
            // References to objects of an undefined interface can still be passed.
            let is_interface = matches!(item.kind, DefinitionKind::Interface(_));
            let code = if is_interface { Code::ForwardInterface } else { Code::NeverCompleted };
            let mut diagnostic = Diagnostic::new(code, span, message);
            if !self.sink.is_full()
                && let Some(other) = self.model.definitions().find(|other| {
                    other.name == name
                        && other.id != id
                        && other.kind.keyword() == word
                        && !self.incomplete.contains_key(&other.id)
                })
            {
                diagnostic = diagnostic
                    .label(other.span, "this definition is in another scope")
                    .hint("a type must be defined in the scope of its forward declaration");
            }
            self.sink.push(diagnostic);
        }
    }
}
