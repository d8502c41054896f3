//! One method of a reference and of a servant.

use zorb_idl::model::{Attribute, Direction, Export, Operation};
use zorb_idl::{DefId, Type};

use super::{Emitter, idl_name};
use crate::names::{Case, Method, Scope};
use crate::types::Passing;

/// An operation, or one direction of an attribute, as a Rust method of the module being written.
#[derive(Debug)]
pub(super) struct Signature<'m> {
    /// The operation's name on the wire.
    pub(super) wire: String,
    pub(super) docs: Option<&'m str>,
    pub(super) otherwise: String,
    pub(super) oneway: bool,
    /// What is sent: names and types of `in` and `inout` parameters.
    parameters: Vec<(String, &'m Type)>,
    /// What comes back: the result, then `inout` and `out` parameters.
    results: Vec<(String, &'m Type)>,
    /// The type of the failure, when user exceptions may be raised.
    error: Option<String>,
    /// The name of the parameter that carries the context, and what of it is sent.
    pub(super) context: Option<(String, &'m [String])>,
    /// Whether octets that come back are lent.
    lends: bool,
}

impl<'m> Emitter<'_, 'm> {
    pub(super) fn signature(&mut self, method: &Method) -> Option<Signature<'m>> {
        let key = method.key;
        let error = self
            .names
            .error(key)
            .map(|error| self.names.inside_path(key.interface, error, self.module));
        let model = self.names.model;
        let (mut signature, name) = match model.exports(key.interface).get(key.export)? {
            Export::Operation(operation) => (self.operation(operation, error), &operation.name),
            Export::Attribute(attribute) => {
                (attribute_signature(attribute, key.set, error), &attribute.name)
            }
            Export::Definition(_) => return None,
        };
        signature.lends = self.options.lends(&idl_name(&model[key.interface]), name);
        Some(signature)
    }

    /// The type of a result and what writes and reads it, where it is lent.
    fn lent(&self, item: &Signature<'_>, ty: &Type) -> Option<(String, String)> {
        let bound = self.types().octets(ty).filter(|_| item.lends)?;
        let wire = match bound {
            None => "LentOctets".to_owned(),
            Some(bound) => format!("BoundedLentOctets<{bound}>"),
        };
        Some((format!("{}::Lent", self.options.runtime), self.types().codegen(&wire)))
    }

    /// The type of a result.
    fn result_value(&self, item: &Signature<'_>, ty: &Type) -> String {
        self.lent(item, ty).map_or_else(|| self.types().value(ty), |(value, _)| value)
    }

    /// What writes and reads a result.
    fn result_wire(&self, item: &Signature<'_>, ty: &Type) -> String {
        self.lent(item, ty).map_or_else(|| self.types().wire(ty), |(_, wire)| wire)
    }

    fn operation(&mut self, operation: &'m Operation, error: Option<String>) -> Signature<'m> {
        let mut scope = Scope::default();
        let mut parameters = Vec::new();
        for param in operation.params.iter().filter(|param| param.direction.is_sent()) {
            let name = scope.give(&param.name, Case::Snake, param.span, &mut self.warnings);
            parameters.push((name, &param.ty));
        }
        let context = (!operation.contexts.is_empty())
            .then(|| (scope.give_quietly("context", Case::Snake), operation.contexts.as_slice()));
        let mut results = Vec::new();
        if operation.result != Type::Void {
            results.push((scope.give_quietly("result", Case::Snake), &operation.result));
        }
        for param in operation.params.iter().filter(|param| param.direction.is_returned()) {
            // An `inout` already has its name: the warning, if any, has been given.
            let name = if param.direction == Direction::InOut {
                let sent = format!("{}_after", param.name);
                scope.give(&sent, Case::Snake, param.span, &mut Vec::new())
            } else {
                scope.give(&param.name, Case::Snake, param.span, &mut Vec::new())
            };
            results.push((name, &param.ty));
        }
        Signature {
            wire: operation.name.clone(),
            docs: operation.docs.as_deref(),
            otherwise: format!("The operation `{}`.", operation.name),
            oneway: operation.oneway,
            parameters,
            results,
            error,
            context,
            lends: false,
        }
    }

    /// `fn name(&self, ...) -> ...`; `for_servant` makes a oneway return nothing.
    pub(super) fn function(&self, name: &str, item: &Signature<'_>, for_servant: bool) -> String {
        let types = self.types();
        let mut text = format!("fn {name}(&self");
        for (name, ty) in &item.parameters {
            text.push_str(&format!(", {name}: {}", types.parameter(ty)));
        }
        if let Some((name, _)) = &item.context {
            text.push_str(&format!(", {name}: &{}::Context", self.options.runtime));
        }
        text.push(')');
        if item.oneway && for_servant {
            return text;
        }
        let values: Vec<String> =
            item.results.iter().map(|(_, ty)| self.result_value(item, ty)).collect();
        let value = match values.as_slice() {
            [only] => only.clone(),
            values => format!("({})", values.join(", ")),
        };
        let error = item.error.as_ref().map_or(String::new(), |error| format!(", {error}"));
        text.push_str(&format!(" -> {}::Result<{value}{error}>", self.options.runtime));
        text
    }

    /// The arguments of a stub's macro: wire type and view.
    pub(super) fn sent(&self, item: &Signature<'_>) -> String {
        let types = self.types();
        let mut list: Vec<String> = item
            .parameters
            .iter()
            .map(|(name, ty)| match types.passing(ty) {
                Passing::Value => format!("{} => &{name}", types.wire(ty)),
                Passing::Borrow | Passing::Octets => format!("{} => {name}", types.wire(ty)),
                Passing::Reference => format!("{} => {name}", types.reference_argument(ty)),
            })
            .collect();
        if let Some((name, _)) = &item.context {
            list.push(format!("{}::Context => {name}", self.options.runtime));
        }
        format!("[{}]", list.join(", "))
    }

    /// The results of a stub's macro: wire types.
    pub(super) fn returned(&self, item: &Signature<'_>) -> String {
        let results = item.results.iter();
        let list: Vec<String> = results.map(|(_, ty)| self.result_wire(item, ty)).collect();
        format!("[{}]", list.join(", "))
    }

    /// The arguments of a call of the same method elsewhere.
    pub(super) fn forwarded(item: &Signature<'_>) -> String {
        let names = item.parameters.iter().map(|(name, _)| name.as_str());
        let context = item.context.iter().map(|(name, _)| name.as_str());
        names.chain(context).collect::<Vec<_>>().join(", ")
    }

    /// A row of the skeleton's macro.
    pub(super) fn row(&self, number: usize, name: &str, item: &Signature<'_>) -> String {
        let types = self.types();
        let mut arguments: Vec<String> = item
            .parameters
            .iter()
            .map(|(name, ty)| {
                let passed = match types.passing(ty) {
                    Passing::Value | Passing::Octets => name.clone(),
                    Passing::Borrow => format!("&{name}"),
                    Passing::Reference => format!("{name}.as_ref()"),
                };
                format!("{name}: {} => {passed}", types.wire(ty))
            })
            .collect();
        if let Some((name, _)) = &item.context {
            arguments.push(format!("{name}: {}::Context => &{name}", self.options.runtime));
        }
        let results = item.results.iter();
        let results: Vec<String> =
            results.map(|(name, ty)| format!("{name}: {}", self.result_wire(item, ty))).collect();
        let results =
            if item.oneway { "oneway".into() } else { format!("[{}]", results.join(", ")) };
        format!("{number} {:?} {name}({}) {results}", item.wire, arguments.join(", "))
    }

    /// The wire names of an interface's own methods, in the order of its methods.
    pub(super) fn wire_names(&self, id: DefId) -> Vec<String> {
        let exports = self.names.model.exports(id);
        let own = self.names.own_methods(id);
        own.filter_map(|method| match exports.get(method.key.export)? {
            Export::Operation(item) => Some(item.name.clone()),
            Export::Attribute(item) => Some(accessor(&item.name, method.key.set)),
            Export::Definition(_) => None,
        })
        .collect()
    }
}

/// The operation behind an attribute.
fn accessor(attribute: &str, set: bool) -> String {
    format!("{}{attribute}", if set { "_set_" } else { "_get_" })
}

fn attribute_signature(item: &Attribute, set: bool, error: Option<String>) -> Signature<'_> {
    let value = vec![("value".to_owned(), &item.ty)];
    let (parameters, results) = if set { (value, Vec::new()) } else { (Vec::new(), value) };
    let verb = if set { "Sets the" } else { "The" };
    Signature {
        wire: accessor(&item.name, set),
        docs: item.docs.as_deref(),
        otherwise: format!("{verb} attribute `{}`.", item.name),
        oneway: false,
        parameters,
        results,
        error,
        context: None,
        lends: false,
    }
}
