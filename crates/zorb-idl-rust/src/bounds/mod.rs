//! Worst cases of marshalling: how many octets and steps the arguments and results of each operation take at most.

mod cost;
mod extent;
mod limits;

use zorb_idl::model::{Attribute, Definition, Direction, Export, Operation};
use zorb_idl::{Compilation, DefId, Model, Type};

use crate::marshal::Engines;
use crate::{Marshal, Options};
use cost::{Cost, Costs, WideForm};
use extent::Extent;

pub use limits::{MarshalBounds, Unbounded};

/// The bounds of an operation, or of the operation that reads or writes an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationBounds {
    /// The scoped name of the interface that declares it.
    pub interface: String,
    /// Its name on the wire, such as `sell` or `_get_total`.
    pub operation: String,
    /// Of its arguments.
    pub request: Result<MarshalBounds, Unbounded>,
    /// Of its results; nothing for a one-way operation.
    pub reply: Option<Result<MarshalBounds, Unbounded>>,
    /// Of a reply with each exception that it may raise, by scoped name, with the repository id.
    pub exceptions: Vec<(String, Result<MarshalBounds, Unbounded>)>,
}

/// The bounds of all operations and attributes that the interfaces of the compiled files declare, in order; those of local
/// interfaces, which are never marshalled, and of included files are left out.
///
/// The steps are those of code that is generated for the interpretive engine. Types with the annotation
/// `@marshal(COMPILED)` then take one step, as do all others that have no table. Messages that GIOP 1.1 fragments may have
/// more octets, since alignment begins anew in each fragment.
#[must_use]
pub fn marshal_bounds(compilation: &Compilation) -> Vec<OperationBounds> {
    let model = &compilation.model;
    let options = Options::new().marshal(Marshal::Interpretive);
    let engines = Engines::new(model, &options);
    let costs = [WideForm::Units, WideForm::Octets].map(|form| Costs::new(model, &engines, form));
    let mut all = Bounds { model, engines: &engines, costs };
    let shown = model.definitions().filter(|item| !item.from_include && !item.built_in);
    shown.flat_map(|definition| all.interface(definition)).collect()
}

struct Bounds<'m> {
    model: &'m Model,
    engines: &'m Engines<'m>,
    /// For each form of wide text.
    costs: [Costs<'m>; 2],
}

/// An operation, whether it was declared as one or as an attribute.
struct Declared<'m> {
    name: String,
    sent: Vec<(&'m str, &'m Type)>,
    /// The result has no name.
    returned: Vec<(Option<&'m str>, &'m Type)>,
    is_oneway: bool,
    has_context: bool,
    raises: &'m [DefId],
}

impl<'m> Bounds<'m> {
    fn interface(&mut self, definition: &'m Definition) -> Vec<OperationBounds> {
        let id = definition.id;
        match self.model.interface(id) {
            Some(interface) if !interface.is_local => {}
            _ => return Vec::new(),
        }
        let exports = self.model.exports(id).iter();
        let declared: Vec<Declared<'m>> = exports
            .flat_map(|export| match export {
                Export::Operation(operation) => vec![of_operation(operation)],
                Export::Attribute(attribute) => of_attribute(attribute),
                Export::Definition(_) => Vec::new(),
            })
            .collect();
        declared.iter().map(|declared| self.operation(id, declared)).collect()
    }

    fn operation(&mut self, interface: DefId, declared: &Declared<'m>) -> OperationBounds {
        let has_tables = self.engines.has_table(interface, &declared.name);
        let sent = declared.sent.iter().map(|(name, ty)| (Some(*name), *ty));
        let mut request = self.body(sent, has_tables);
        if declared.has_context && request.is_ok() {
            let reason = "the values of its context have no bound".to_owned();
            request = Err(Unbounded { place: None, reason });
        }
        let returned = declared.returned.iter().copied();
        let reply = (!declared.is_oneway).then(|| self.body(returned, has_tables));
        let raises = declared.raises.iter();
        OperationBounds {
            interface: self.model.scoped_name(interface),
            operation: declared.name.clone(),
            request,
            reply,
            exceptions: raises
                .map(|id| (self.model.scoped_name(*id), self.exception(*id, has_tables)))
                .collect(),
        }
    }

    fn body<'p>(
        &mut self,
        parts: impl Iterator<Item = (Option<&'p str>, &'m Type)> + Clone,
        has_tables: bool,
    ) -> Result<MarshalBounds, Unbounded> {
        self.in_both_forms(|costs| {
            let whole = parts.clone().try_fold(Cost::NOTHING, |whole, (name, ty)| {
                let cost = costs.of(ty).map_err(|unbounded| unbounded.inside(name))?;
                Ok(whole.then(cost))
            });
            whole?.bounds(has_tables)
        })
    }

    /// The repository id and the members.
    fn exception(&mut self, id: DefId, has_tables: bool) -> Result<MarshalBounds, Unbounded> {
        let length = self.model[id].repository_id.len() as u64 + 1;
        let text = Extent::of(4, 4).then(Extent::of(length, 1));
        let text = Cost { extent: text, elements: 1, steps: 1 };
        self.in_both_forms(|costs| text.then(costs.of_definition(id)?).bounds(has_tables))
    }

    /// The bounds of messages with either form of wide text.
    fn in_both_forms(
        &mut self,
        bounds: impl Fn(&mut Costs<'m>) -> Result<MarshalBounds, Unbounded>,
    ) -> Result<MarshalBounds, Unbounded> {
        let [units, octets] = &mut self.costs;
        let (units, octets) = (bounds(units)?, bounds(octets)?);
        Ok(MarshalBounds {
            least_octets: units.least_octets.min(octets.least_octets),
            most_octets: units.most_octets.max(octets.most_octets),
            ..octets
        })
    }
}

impl Unbounded {
    /// Adds the parameter that contains the unbounded type.
    fn inside(self, parameter: Option<&str>) -> Self {
        let place = match (parameter, self.place) {
            (Some(name), Some(place)) => Some(format!("`{name}`: {place}")),
            (Some(name), None) => Some(format!("`{name}`")),
            (None, place) => place,
        };
        Self { place, ..self }
    }
}

fn of_operation(operation: &Operation) -> Declared<'_> {
    let passed = |is_in: fn(Direction) -> bool| {
        let parameters = operation.params.iter().filter(move |one| is_in(one.direction));
        parameters.map(|one| (one.name.as_str(), &one.ty))
    };
    let result = (operation.result != Type::Void).then_some((None, &operation.result));
    let outputs = passed(Direction::is_returned).map(|(name, ty)| (Some(name), ty));
    Declared {
        name: operation.name.clone(),
        sent: passed(Direction::is_sent).collect(),
        returned: result.into_iter().chain(outputs).collect(),
        is_oneway: operation.oneway,
        has_context: !operation.contexts.is_empty(),
        raises: &operation.raises,
    }
}

fn of_attribute(attribute: &Attribute) -> Vec<Declared<'_>> {
    let (name, ty) = (&attribute.name, &attribute.ty);
    let get = Declared {
        name: format!("_get_{name}"),
        sent: Vec::new(),
        returned: vec![(None, ty)],
        is_oneway: false,
        has_context: false,
        raises: &attribute.get_raises,
    };
    if attribute.readonly {
        return vec![get];
    }
    let set = Declared {
        name: format!("_set_{name}"),
        sent: vec![(name, ty)],
        returned: Vec::new(),
        is_oneway: false,
        has_context: false,
        raises: &attribute.set_raises,
    };
    vec![get, set]
}
