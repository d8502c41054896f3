//! What marshalling a value of a type takes at most.

use std::collections::HashMap;

use zorb_idl::model::{Bitset, Enum, Union};
use zorb_idl::{DefId, DefinitionKind, Model, Type};

use super::extent::Extent;
use super::limits::{MarshalBounds, Unbounded};
use crate::marshal::Engines;
use crate::types::primitive;

/// Definitions inside definitions. What nests deeper is not examined, since it would need much of the stack; only types
/// that were declared before they are defined can.
const DEEPEST: usize = 200;

/// What marshalling a value takes at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) extent: Extent,
    pub(super) elements: u64,
    pub(super) steps: u64,
}

impl Cost {
    pub(super) const NOTHING: Self = Self { extent: Extent::NOTHING, elements: 0, steps: 0 };

    /// A value that is one element and one step.
    const fn one(extent: Extent) -> Self {
        Self { extent, elements: 1, steps: 1 }
    }

    fn number(size: u64) -> Self {
        Self::one(Extent::of(size, size))
    }

    /// This value and then another.
    pub(super) fn then(self, next: Self) -> Self {
        Self {
            extent: self.extent.then(next.extent),
            elements: self.elements.saturating_add(next.elements),
            steps: self.steps.saturating_add(next.steps),
        }
    }

    /// This value or another.
    fn or(self, other: Self) -> Self {
        Self {
            extent: self.extent.or(other.extent),
            elements: self.elements.max(other.elements),
            steps: self.steps.max(other.steps),
        }
    }

    /// A table entry around it.
    fn in_table(self) -> Self {
        Self { steps: self.steps.saturating_add(1), ..self }
    }

    /// One step for all of it.
    fn in_one_step(self) -> Self {
        Self { steps: 1, ..self }
    }

    fn times(self, count: u64) -> Self {
        Self {
            extent: self.extent.times(count),
            elements: self.elements.saturating_mul(count),
            steps: self.steps.saturating_mul(count),
        }
    }

    /// A length, and at most so many of these values.
    fn up_to(self, count: u64) -> Self {
        let elements = Self { extent: self.extent.up_to(count), ..self.times(count) };
        let length = Self { extent: Extent::of(4, 4), elements: 1, steps: 0 };
        length.then(elements)
    }

    /// The bounds of a body.
    pub(super) fn bounds(&self, has_tables: bool) -> Result<MarshalBounds, Unbounded> {
        let most_octets = self.extent.most();
        // The size in a message's header has 32 bits.
        if most_octets > u64::from(u32::MAX) {
            return Err(unbounded("more octets than a message may have"));
        }
        Ok(MarshalBounds {
            least_octets: self.extent.least(),
            most_octets,
            elements: self.elements,
            steps: has_tables.then_some(self.steps),
        })
    }
}

/// The encoding of wide text in a GIOP version.
#[derive(Clone, Copy)]
pub(super) enum WideForm {
    /// GIOP 1.1
    Units,
    /// GIOP 1.2
    Octets,
}

/// The costs of types. Examines each definition once.
pub(super) struct Costs<'m> {
    model: &'m Model,
    engines: &'m Engines<'m>,
    form: WideForm,
    /// Nothing while a definition is examined.
    known: HashMap<DefId, Option<Result<Cost, Unbounded>>>,
    depth: usize,
}

impl<'m> Costs<'m> {
    pub(super) fn new(model: &'m Model, engines: &'m Engines<'m>, form: WideForm) -> Self {
        let mut costs = Self { model, engines, form, known: HashMap::new(), depth: 0 };
        // In this order, few definitions nest.
        for definition in model.definitions() {
            if is_type(&definition.kind) {
                // What has no bound is reported for each operation that uses it.
                let _ = costs.of_definition(definition.id);
            }
        }
        costs
    }

    /// The cost of a value of this type.
    pub(super) fn of(&mut self, ty: &Type) -> Result<Cost, Unbounded> {
        Ok(match ty {
            Type::Void => Cost::NOTHING,
            Type::Boolean | Type::Octet | Type::Int8 | Type::UInt8 | Type::Char => Cost::number(1),
            Type::Short | Type::UShort => Cost::number(2),
            Type::Long | Type::ULong | Type::Float => Cost::number(4),
            Type::LongLong | Type::ULongLong | Type::Double => Cost::number(8),
            Type::LongDouble => Cost::one(Extent::of(16, 8)),
            Type::Fixed { digits, .. } => Cost::one(Extent::of(u64::from(digits / 2 + 1), 1)),
            Type::WChar => Cost::one(match self.form {
                WideForm::Units => Extent::of(2, 2),
                // A length, and one or two code units.
                WideForm::Octets => Extent::of(3, 1).or(Extent::of(5, 1)),
            }),
            // With a terminating NUL.
            Type::String { bound: Some(bound) } => {
                let text = Extent::of(1, 1).up_to(u64::from(*bound)).then(Extent::of(1, 1));
                Cost::one(Extent::of(4, 4).then(text))
            }
            Type::WString { bound: Some(bound) } => {
                let units = |count: u64| Extent::of(2, 1).up_to(count);
                let text = match self.form {
                    // With a terminating NUL.
                    WideForm::Units => units(u64::from(*bound)).then(Extent::of(2, 1)),
                    // Perhaps with a byte-order mark.
                    WideForm::Octets => units(u64::from(*bound) + 1),
                };
                Cost::one(Extent::of(4, 4).then(text))
            }
            Type::Sequence { element, bound: Some(bound) } => {
                let all = self.of(element)?.up_to(u64::from(*bound));
                if self.is_primitive(element) { all.in_one_step() } else { all.in_table() }
            }
            Type::Map { key, value, bound: Some(bound) } => {
                let entry = self.of(key)?.then(self.of(value)?);
                entry.up_to(u64::from(*bound)).in_one_step()
            }
            Type::Array { element, dims } => self.array(element, dims)?,
            Type::Named(id) => self.of_definition(*id)?,
            Type::String { bound: None } => return Err(unbounded("`string` without a bound")),
            Type::WString { bound: None } => return Err(unbounded("`wstring` without a bound")),
            Type::Sequence { bound: None, .. } => {
                return Err(unbounded("`sequence` without a bound"));
            }
            Type::Map { bound: None, .. } => return Err(unbounded("`map` without a bound")),
            Type::Any => return Err(unbounded("an `any` contains values of all types")),
            Type::Object => return Err(unbounded("object references have no bound")),
            Type::ValueBase => return Err(unbounded("a `ValueBase` may be any value")),
            Type::TypeCode => return Err(unbounded("TypeCodes have no bound")),
            Type::Error => return Err(unbounded("the type is not defined")),
        })
    }

    /// Whether values of a type are moved in bulk.
    fn is_primitive(&self, ty: &Type) -> bool {
        primitive(self.model.resolve(ty)).is_some()
    }

    fn array(&mut self, element: &Type, dims: &[u32]) -> Result<Cost, Unbounded> {
        let mut cost = self.of(element)?;
        let resolved = self.model.resolve(element);
        let are_numbers =
            self.is_primitive(element) && !matches!(resolved, Type::Boolean | Type::Char);
        for (index, count) in dims.iter().rev().enumerate() {
            cost = cost.times(u64::from(*count));
            let is_bulk = index == 0 && are_numbers && *count > 1;
            cost = if is_bulk { cost.in_one_step() } else { cost.in_table() };
        }
        Ok(cost)
    }

    /// The cost of a value of a defined type, or of the members of an exception.
    pub(super) fn of_definition(&mut self, id: DefId) -> Result<Cost, Unbounded> {
        match self.known.get(&id) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err(unbounded("a type that contains itself has no bound")),
            None if self.depth > DEEPEST => return Err(unbounded("types nest too deep")),
            None => {}
        }
        self.known.insert(id, None);
        self.depth += 1;
        let found = self.examine(id);
        self.depth -= 1;
        self.known.insert(id, Some(found.clone()));
        found
    }

    fn examine(&mut self, id: DefId) -> Result<Cost, Unbounded> {
        let model = self.model;
        let cost = match &model[id].kind {
            DefinitionKind::Typedef(item) => return self.of(&item.ty),
            DefinitionKind::Struct(_) | DefinitionKind::Exception(_) => self.members(id)?,
            DefinitionKind::Union(item) => self.union(id, item)?,
            DefinitionKind::Enum(Enum { .. }) => return Ok(Cost::number(4)),
            DefinitionKind::Bitmask(item) => return Ok(bits(item.bit_bound)),
            DefinitionKind::Bitset(Bitset { size, .. }) => return Ok(bits(*size)),
            DefinitionKind::Interface(item) if item.is_abstract => {
                return Err(unbounded("an abstract interface may be any value"));
            }
            DefinitionKind::Value(_) | DefinitionKind::ValueBox(_) | DefinitionKind::Event(_) => {
                return Err(unbounded("values of valuetypes have no bound"));
            }
            DefinitionKind::Native => return Err(unbounded("native types are not marshalled")),
            _ => return Err(unbounded("object references have no bound")),
        };
        let has_table = self.engines.is_interpretive(id);
        Ok(if has_table { cost.in_table() } else { cost.in_one_step() })
    }

    fn members(&mut self, id: DefId) -> Result<Cost, Unbounded> {
        let mut whole = Cost::NOTHING;
        for member in self.model.all_members(id) {
            let cost = self.of(&member.ty);
            whole = whole.then(cost.map_err(|it| self.in_member(it, id, &member.name))?);
        }
        Ok(whole)
    }

    fn union(&mut self, id: DefId, item: &'m Union) -> Result<Cost, Unbounded> {
        let label = self.of(&item.discriminator)?;
        // A value without a member has an empty table.
        let mut payload = item.implicit_default.then_some(Cost::NOTHING.in_table());
        for case in &item.cases {
            let cost = self.of(&case.ty).map_err(|it| self.in_member(it, id, &case.name))?;
            payload = Some(payload.map_or(cost, |payload| payload.or(cost)));
        }
        Ok(label.then(payload.unwrap_or(Cost::NOTHING)))
    }

    /// Says in which member of the definition it is, unless that of a type inside has been named.
    fn in_member(&self, unbounded: Unbounded, id: DefId, member: &str) -> Unbounded {
        let here = || format!("member `{}::{member}`", self.model.scoped_name(id));
        Unbounded { place: unbounded.place.or_else(|| Some(here())), ..unbounded }
    }
}

/// Whether it may be the type of a value.
const fn is_type(kind: &DefinitionKind) -> bool {
    matches!(
        kind,
        DefinitionKind::Typedef(_)
            | DefinitionKind::Struct(_)
            | DefinitionKind::Exception(_)
            | DefinitionKind::Union(_)
    )
}

/// The smallest number that has so many bits.
fn bits(count: u16) -> Cost {
    Cost::number(match count {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => 8,
    })
}

fn unbounded(reason: &str) -> Unbounded {
    Unbounded { place: None, reason: reason.to_owned() }
}
