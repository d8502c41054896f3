//! Name resolution: lowers the syntax tree to the model and checks the rules of IDL.
//!
//! One pass in source order, as the standard requires: a name refers to a definition before its
//! use. Repository ids are computed last.

mod annotated;
mod annotation_arguments;
mod annotations;
mod bits;
mod clash;
mod components;
mod constants;
mod declare;
mod equivalent;
mod evaluate;
mod homes;
mod ids;
mod imports;
mod interfaces;
mod items;
mod lookup;
mod operations;
mod other_languages;
mod prefixes;
mod resolver;
mod restrict;
mod scope;
mod standard;
mod templates;
mod types;
mod unions;
mod unknown;
mod values;

use std::collections::{HashMap, HashSet};

use self::prefixes::Ids;
use self::resolver::Resolver;
use self::scope::{Scope, ScopeId};
use crate::diagnostics::Sink;
use crate::limits::{
    MAX_INHERITED_NAMES, MAX_NAME_BYTES, MAX_PORTS, MAX_TEMPLATE_ITEMS, MAX_TEMPLATE_TOKENS,
};
use crate::model::Model;
use crate::source::{FileId, SourceMap};
use crate::syntax::Tree;

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
        natives: HashMap::new(),
        remote_uses: Vec::new(),
        made_local: HashSet::new(),
        imported: Vec::new(),
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
    resolver.check_local_uses();
    resolver.check_early_prefixes();
    resolver.assign_ids();
    resolver.check_imports();
    resolver.model
}
