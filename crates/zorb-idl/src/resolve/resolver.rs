//! The state of name resolution, and the definition of names in it.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::prefixes::Ids;
use super::scope::{NameKind, Scope, ScopeId, Target};
use crate::diagnostics::{Code, Sink};
use crate::model::{DefId, Definition, DefinitionKind, Export, Model, TemplateArgument, Type};
use crate::source::{FileId, SourceMap, Span};
use crate::syntax::{Docs, Ident, ScopedName, TemplateItem};

/// The state of name resolution.
pub(super) struct Resolver<'a> {
    pub(super) sink: &'a mut Sink,
    pub(super) sources: &'a SourceMap,
    pub(super) main_files: HashSet<FileId>,
    pub(super) model: Model,
    /// The first is the global scope.
    pub(super) scopes: Vec<Scope>,
    pub(super) scope_of: HashMap<DefId, ScopeId>,
    /// Forward declarations and definitions in progress, with the spans of their names.
    pub(super) incomplete: HashMap<DefId, Span>,
    /// Definitions that contain a native type, each with this type.
    pub(super) natives: HashMap<DefId, DefId>,
    /// Template modules, with their enclosing scopes.
    pub(super) templates: HashMap<DefId, (Rc<TemplateItem>, ScopeId)>,
    /// The arguments bound to parameters of template modules.
    pub(super) arguments: Vec<TemplateArgument>,
    /// The nesting depth of template instantiation.
    pub(super) template_depth: usize,
    pub(super) template_items_left: usize,
    pub(super) template_tokens_left: usize,
    pub(super) ports_left: usize,
    /// Whether the missing module `Components` is reported.
    pub(super) components_missing: bool,
    /// Types that must not be local, unless their interface is.
    pub(super) remote_uses: Vec<RemoteUse>,
    /// Interfaces that are local because of a native type alone.
    pub(super) made_local: HashSet<DefId>,
    /// Imported scopes.
    pub(super) imported: Vec<(ScopedName, ScopeId)>,
    /// Imported repository ids.
    pub(super) imports: Vec<(Rc<str>, Span)>,
    pub(super) ids: Ids,
    /// The nesting depth of each typedef.
    pub(super) typedef_depths: HashMap<DefId, usize>,
    pub(super) names_left: usize,
    /// The remaining budget for comparing inherited names.
    pub(super) comparisons_left: usize,
}

/// A type in an operation or attribute of an interface that is not local so far.
pub(super) struct RemoteUse {
    pub(super) owner: DefId,
    pub(super) ty: Type,
    pub(super) span: Span,
}

impl Resolver<'_> {
    /// Adds a definition to the model, its parent and its scope.
    pub(super) fn define(
        &mut self,
        name: &Ident,
        kind: DefinitionKind,
        docs: &Docs,
        scope: ScopeId,
    ) -> DefId {
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
}
