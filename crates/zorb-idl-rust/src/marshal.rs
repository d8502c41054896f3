//! Which engine marshals the values of a type, and the arguments and results of an operation.

mod hot;

use zorb_idl::model::{ConstValue, Definition, Export, find_annotation};
use zorb_idl::{DefId, Model, Span};

use crate::{Marshal, Options};
use hot::Hot;

/// The engine of each type and operation of a model.
#[derive(Debug)]
pub(crate) struct Engines<'m> {
    model: &'m Model,
    marshal: Marshal,
    /// What [`Marshal::Profile`] compiles.
    hot: Hot,
}

impl<'m> Engines<'m> {
    pub(crate) fn new(model: &'m Model, options: &Options) -> Self {
        let hot = match options.marshal {
            Marshal::Profile => Hot::new(model, &options.usage),
            Marshal::Compiled | Marshal::Interpretive => Hot::default(),
        };
        Self { model, marshal: options.marshal, hot }
    }

    /// Whether a definition is marshalled by tables: its annotation `@marshal` decides, then that of the innermost scope
    /// around it that has one, then the option. Of an interface, [operations](Self::has_table) may nevertheless be
    /// compiled.
    pub(crate) fn is_interpretive(&self, id: DefId) -> bool {
        self.is_by_tables(id, |hot| hot.definitions.contains(&id))
    }

    /// Whether an operation of an interface is marshalled by tables. `operation` is its name in messages.
    pub(crate) fn has_table(&self, interface: DefId, operation: &str) -> bool {
        has_few_parameters(self.model, interface)
            && self.is_by_tables(interface, |hot| hot.has(interface, operation))
    }

    fn is_by_tables(&self, id: DefId, is_hot: impl FnOnce(&Hot) -> bool) -> bool {
        let mut next = Some(id);
        while let Some(id) = next {
            let definition = &self.model[id];
            if let Some((word, _)) = annotated(definition) {
                return word == INTERPRETIVE;
            }
            next = definition.parent;
        }
        match self.marshal {
            Marshal::Compiled => false,
            Marshal::Interpretive => true,
            Marshal::Profile => !is_hot(&self.hot),
        }
    }
}

/// The parameters from which on an operation has no tables: a list has at most so many arguments or results.
pub(crate) const MOST: usize = 16;

/// Whether the operations of an interface have few enough parameters for tables.
pub(crate) fn has_few_parameters(model: &Model, interface: DefId) -> bool {
    model.exports(interface).iter().all(|export| match export {
        Export::Operation(operation) => operation.params.len() < MOST,
        _ => true,
    })
}

/// The location of the annotation by which a definition itself, not a scope around it, asks for tables.
pub(crate) fn asks_for_tables(definition: &Definition) -> Option<Span> {
    let (word, span) = annotated(definition)?;
    (word == INTERPRETIVE).then_some(span)
}

const INTERPRETIVE: &str = "INTERPRETIVE";

/// What the annotation `@marshal` of a definition says, and its location.
fn annotated(definition: &Definition) -> Option<(&str, Span)> {
    let annotation = find_annotation(&definition.annotations, "marshal")?;
    match annotation.argument("value") {
        Some(ConstValue::String(word)) if annotation.is_known => Some((word, annotation.span)),
        _ => None,
    }
}
