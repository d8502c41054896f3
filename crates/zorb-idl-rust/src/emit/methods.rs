//! Methods of references and servants.

use zorb_idl::model::{Attribute, Direction, Export, Operation};
use zorb_idl::{DefId, Type};

use super::{Emitter, idl_name};
use crate::names::{Case, Method, Scope};
use crate::types::Passing;
use crate::upcalls::gets_upcall;
use crate::views::uses_views;

/// An operation, or the getter or setter of an attribute, as a Rust method of the current module.
#[derive(Debug)]
pub(super) struct Signature<'m> {
    /// The operation name on the wire.
    pub(super) wire: String,
    pub(super) docs: Option<&'m str>,
    pub(super) otherwise: String,
    pub(super) oneway: bool,
    /// The `in` and `inout` parameters: names and types.
    pub(super) parameters: Vec<(String, &'m Type)>,
    /// The result, then the `inout` and `out` parameters.
    pub(super) results: Vec<(String, &'m Type)>,
    /// The error type, if user exceptions may be raised.
    pub(super) error: Option<String>,
    /// The name of the context parameter, and the names of the properties to send.
    pub(super) context: Option<(String, &'m [String])>,
    /// Whether octets in the results are loaned.
    is_loaned: bool,
    /// Whether servants get views as arguments, and callers views of the results.
    pub(super) has_views: bool,
    /// The name of the servant's parameter for its upcall.
    pub(super) upcall: Option<String>,
}

impl Signature<'_> {
    /// The names of the parameters of the servant's method.
    pub(super) fn parameter_names(&self) -> impl Iterator<Item = &str> {
        let parameters = self.parameters.iter().map(|(name, _)| name.as_str());
        let context = self.context.iter().map(|(name, _)| name.as_str());
        parameters.chain(context).chain(self.upcall.as_deref())
    }
}

impl<'m> Emitter<'_, 'm> {
    pub(super) fn signature(&mut self, method: &Method) -> Option<Signature<'m>> {
        let key = method.key;
        let error = self
            .names
            .error(key)
            .map(|error| self.names.inside_path(key.interface, error, self.module));
        let model = self.names.model;
        let export = model.exports(key.interface).get(key.export)?;
        let (mut signature, name) = match export {
            Export::Operation(operation) => (self.operation(operation, error), &operation.name),
            Export::Attribute(attribute) => {
                (attribute_signature(attribute, key.set, error), &attribute.name)
            }
            Export::Definition(_) => return None,
        };
        if gets_upcall(model, self.options, key.interface, export) {
            let mut names = Scope::default();
            for name in signature.parameter_names() {
                names.assign_silently(name, Case::Snake);
            }
            signature.upcall = Some(names.assign_silently("upcall", Case::Snake));
        }
        signature.has_views = uses_views(&self.viewed, self.options, key.interface, export);
        signature.is_loaned = self.options.is_loaned(&idl_name(&model[key.interface]), name);
        Some(signature)
    }

    /// For a loaned result, its value type and its wire type.
    pub(super) fn loaned(&self, item: &Signature<'_>, ty: &Type) -> Option<(String, String)> {
        let bound = self.types().octets(ty).filter(|_| item.is_loaned)?;
        let wire = match bound {
            None => "LoanedOctetSeq".to_owned(),
            Some(bound) => format!("BoundedLoanedOctetSeq<{bound}>"),
        };
        Some((
            format!("{}::LoanedOctets", self.options.runtime_path()),
            self.types().codegen(&wire),
        ))
    }

    /// The value type of a result.
    pub(super) fn result_value(&self, item: &Signature<'_>, ty: &Type) -> String {
        self.loaned(item, ty).map_or_else(|| self.types().value(ty), |(value, _)| value)
    }

    /// The wire type of a result.
    pub(super) fn result_wire(&self, item: &Signature<'_>, ty: &Type) -> String {
        self.loaned(item, ty).map_or_else(|| self.types().wire(ty), |(_, wire)| wire)
    }

    fn operation(&mut self, operation: &'m Operation, error: Option<String>) -> Signature<'m> {
        let mut scope = Scope::default();
        let mut parameters = Vec::new();
        for param in operation.params.iter().filter(|param| param.direction.is_sent()) {
            let name = scope.assign(&param.name, Case::Snake, param.span, &mut self.warnings);
            parameters.push((name, &param.ty));
        }
        let context = (!operation.contexts.is_empty()).then(|| {
            (scope.assign_silently("context", Case::Snake), operation.contexts.as_slice())
        });
        let mut results = Vec::new();
        if operation.result != Type::Void {
            results.push((scope.assign_silently("result", Case::Snake), &operation.result));
        }
        for param in operation.params.iter().filter(|param| param.direction.is_returned()) {
            // The name of an `inout` is already assigned, and its warning reported.
            let name = if param.direction == Direction::InOut {
                let sent = format!("{}_after", param.name);
                scope.assign(&sent, Case::Snake, param.span, &mut Vec::new())
            } else {
                scope.assign(&param.name, Case::Snake, param.span, &mut Vec::new())
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
            is_loaned: false,
            has_views: false,
            upcall: None,
        }
    }

    /// `fn name(&self, ...) -> ...`; with `for_servant`, a oneway operation returns nothing.
    pub(super) fn function(&self, name: &str, item: &Signature<'_>, for_servant: bool) -> String {
        let parameters = match for_servant {
            true => self.servant_parameters(item),
            false => self.stub_parameters(item),
        };
        let parameters: String = parameters.iter().map(|one| format!(", {one}")).collect();
        let function = format!("fn {name}(&self{parameters})");
        if item.oneway && for_servant {
            return function;
        }
        format!("{function} -> {}::Result<{}>", self.options.runtime_path(), self.outcome(item))
    }

    /// The same for a method that sends a call without waiting.
    pub(super) fn sending_function(&self, name: &str, item: &Signature<'_>) -> String {
        let parameters = self.stub_parameters(item);
        let parameters: String = parameters.iter().map(|one| format!(", {one}")).collect();
        let outcome = self.outcome(item);
        format!(
            "fn {name}(&self{parameters}) -> {}::Pending<{outcome}>",
            self.options.runtime_path()
        )
    }

    /// The same for a method whose result a reply handler gets, its first parameter.
    pub(super) fn handled_function(
        &self,
        name: &str,
        handler: &str,
        item: &Signature<'_>,
    ) -> String {
        let parameters = self.stub_parameters(item);
        let parameters: String = parameters.iter().map(|one| format!(", {one}")).collect();
        let runtime = self.options.runtime_path();
        format!("fn {name}(&self, {handler}{parameters}) -> {runtime}::Result<()>")
    }

    /// The same for a function that sends it to many objects, its first parameter.
    pub(super) fn sending_to_all_function(
        &self,
        name: &str,
        targets: &str,
        item: &Signature<'_>,
    ) -> String {
        let parameters = self.stub_parameters(item);
        let parameters: String = parameters.iter().map(|one| format!(", {one}")).collect();
        let (outcome, runtime) = (self.outcome(item), self.options.runtime_path());
        let list = self.types().prelude("Vec");
        let each = if item.oneway { "Result" } else { "Pending" };
        format!(
            "fn {name}<'t>({targets}: impl ::core::iter::IntoIterator<Item = &'t Self>{parameters}) \
             -> {list}<{runtime}::{each}<{outcome}>>"
        )
    }

    /// The parameters of a servant's method after `&self`.
    pub(super) fn servant_parameters(&self, item: &Signature<'_>) -> Vec<String> {
        let upcall = item.upcall.iter();
        let upcall = upcall
            .map(|upcall| format!("{upcall}: &{}::poa::Upcall<'_>", self.options.runtime_path()));
        let view = |ty: &Type| self.argument_view(item, ty);
        upcall.chain(self.parameters(item, view)).collect()
    }

    pub(super) fn stub_parameters(&self, item: &Signature<'_>) -> Vec<String> {
        self.parameters(item, |_| None)
    }

    /// The parameters of a method, of the type that `view` returns, if any.
    fn parameters(
        &self,
        item: &Signature<'_>,
        view: impl Fn(&Type) -> Option<String>,
    ) -> Vec<String> {
        let types = self.types();
        let parameters = item.parameters.iter().map(|(name, ty)| {
            let ty = view(ty).unwrap_or_else(|| types.parameter(ty));
            format!("{name}: {ty}")
        });
        let context = item.context.iter();
        let context =
            context.map(|(name, _)| format!("{name}: &{}::Context", self.options.runtime_path()));
        parameters.chain(context).collect()
    }

    /// The arguments of `Result` for an operation: its results, and its error type, if it has one.
    pub(super) fn outcome(&self, item: &Signature<'_>) -> String {
        let values: Vec<String> =
            item.results.iter().map(|(_, ty)| self.result_value(item, ty)).collect();
        let value = match values.as_slice() {
            [only] => only.clone(),
            values => format!("({})", values.join(", ")),
        };
        match &item.error {
            None => value,
            Some(error) => format!("{value}, {error}"),
        }
    }

    /// The arguments of a stub's macro: wire types and views.
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
            list.push(format!("{}::Context => {name}", self.options.runtime_path()));
        }
        format!("[{}]", list.join(", "))
    }

    /// The results of a stub's macro: wire types.
    pub(super) fn returned(&self, item: &Signature<'_>) -> String {
        let results = item.results.iter();
        let list: Vec<String> = results.map(|(_, ty)| self.result_wire(item, ty)).collect();
        format!("[{}]", list.join(", "))
    }

    /// A call of the same method of another type. It names the type, since `object.into()` would
    /// call the method of [`Into`].
    pub(super) fn forward(path: &str, method: &str, object: &str, item: &Signature<'_>) -> String {
        let names = item.parameters.iter().map(|(name, _)| name.as_str());
        let context = item.context.iter().map(|(name, _)| name.as_str());
        let arguments: Vec<&str> = [object].into_iter().chain(names).chain(context).collect();
        format!("{path}::{method}({})", arguments.join(", "))
    }

    /// A row of the skeleton's macro.
    ///
    /// If it is interpretive, the arguments are references.
    pub(super) fn row(
        &self,
        number: usize,
        name: &str,
        item: &Signature<'_>,
        is_interpretive: bool,
    ) -> String {
        let types = self.types();
        let mut arguments: Vec<String> = item
            .parameters
            .iter()
            .map(|(name, ty)| {
                if self.argument_view(item, ty).is_some() {
                    let wire = types.codegen(&format!("Views<{}>", self.viewed_wire(ty)));
                    return format!("{name}: {wire} => {name}.view()");
                }
                let passed = match types.passing(ty) {
                    Passing::Value if is_interpretive => format!("*{name}"),
                    Passing::Value | Passing::Octets => name.clone(),
                    Passing::Borrow => format!("&{name}"),
                    Passing::Reference => format!("{name}.as_ref()"),
                };
                format!("{name}: {} => {passed}", types.wire(ty))
            })
            .collect();
        if let Some((name, _)) = &item.context {
            arguments.push(format!("{name}: {}::Context => &{name}", self.options.runtime_path()));
        }
        let results = item.results.iter();
        let results: Vec<String> =
            results.map(|(name, ty)| format!("{name}: {}", self.result_wire(item, ty))).collect();
        let results =
            if item.oneway { "oneway".into() } else { format!("[{}]", results.join(", ")) };
        let upcall = if item.upcall.is_some() { "upcall; " } else { "" };
        format!("{number} {:?} {name}({upcall}{}) {results}", item.wire, arguments.join(", "))
    }

    /// The wire names of an interface's own methods, in order.
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

/// The operation name of an attribute's getter or setter.
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
        is_loaned: false,
        has_views: false,
        upcall: None,
    }
}
