//! Which interfaces get servant traits whose methods answer later.

use zorb_idl::model::Definition;
use zorb_idl::{Compilation, DefId, Model};

use crate::Options;
use crate::names::external;
use crate::selection::annotated;

/// The interfaces that get deferred and asynchronous servant traits, in order: those whose annotation `@deferred` says so,
/// or else the options, and the bases of these.
pub(crate) fn deferred(model: &Model, options: &Options) -> Vec<DefId> {
    let wanted = model.definitions().filter(|definition| is_deferred(model, options, definition));
    let wanted = wanted.map(|definition| definition.id);
    let mut all: Vec<DefId> =
        wanted.flat_map(|id| [vec![id], model.ancestors(id)].concat()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn is_deferred(model: &Model, options: &Options, definition: &Definition) -> bool {
    let interface = || definition.scoped_name.join("::");
    model.interface(definition.id).is_some_and(|interface| !interface.is_local)
        && annotated(&definition.annotations, "deferred")
            .unwrap_or_else(|| options.is_deferred(&interface()))
}

/// The names in [`Options::deferred`] that have no effect: no interface for which code is generated has such a name, or
/// it is local or annotated otherwise.
#[must_use]
pub fn unmatched_deferred<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    let model = &compilation.model;
    let mut names: Vec<&str> = options.deferred.iter().map(String::as_str).collect();
    // The common case.
    if names.is_empty() {
        return names;
    }
    for (definition, external) in model.definitions().zip(external(compilation, options)) {
        if external.is_none() && is_deferred(model, options, definition) {
            let interface = definition.scoped_name.join("::");
            names.retain(|wanted| !Options::is_scope_of(wanted, &interface));
        }
    }
    names
}
