//! Which structs have views, and which operations use them.

use std::collections::HashMap;

use zorb_idl::model::{Annotation, Definition, Export, find_annotation};
use zorb_idl::{Code, Compilation, DefId, DefinitionKind, Diagnostic, Model, Type};

use crate::names::external;
use crate::selection::{annotated, is_selected, select_in_any_order};
use crate::upcalls::has_servants_only;
use crate::{Options, Target};

/// The structs of a model that have views.
#[derive(Debug)]
pub(crate) struct ViewedStructs<'m> {
    model: &'m Model,
    /// And whether their values all have the same size.
    ids: HashMap<DefId, bool>,
}

impl<'m> ViewedStructs<'m> {
    /// Those whose annotation `@view` says so, or else the options, and whose members can all be read in place. The small
    /// ORB has none.
    pub(crate) fn of(model: &'m Model, options: &Options) -> Self {
        let mut all = Self { model, ids: HashMap::new() };
        if options.target == Target::Nano {
            return all;
        }
        let wanted = model.definitions().filter(|definition| is_wanted(definition, options));
        select_in_any_order(wanted.collect(), |definition| {
            let has_view = all.obstacle(definition).is_none();
            if has_view {
                let mut members = model.all_members(definition.id).into_iter();
                let is_fixed = members.all(|member| all.is_fixed(&member.ty));
                all.ids.insert(definition.id, is_fixed);
            }
            has_view
        });
        all
    }

    pub(crate) fn contains(&self, id: DefId) -> bool {
        self.ids.contains_key(&id)
    }

    /// Whether all values of a struct with a view have the same size.
    pub(crate) fn has_fixed_size(&self, id: DefId) -> bool {
        self.ids.get(&id).is_some_and(|is_fixed| *is_fixed)
    }

    /// Why a struct cannot have a view.
    fn obstacle(&self, definition: &Definition) -> Option<String> {
        let members = self.model.all_members(definition.id);
        if members.is_empty() {
            return Some("it has no members".to_owned());
        }
        let mut lacking = members.iter().filter(|member| !self.is_in_place(&member.ty));
        lacking.next().map(|member| {
            let name = &member.name;
            match self.model.resolved_definition(self.innermost(&member.ty)) {
                Some(inner)
                    if matches!(inner.kind, DefinitionKind::Struct(_))
                        && !self.contains(inner.id) =>
                {
                    let inner = inner.scoped_name.join("::");
                    format!("the struct `{inner}` of its member `{name}` has no view")
                }
                _ => format!("its member `{name}` cannot be read in place"),
            }
        })
    }

    /// The type of the elements of arrays and sequences of any dimensions; other types themselves.
    fn innermost<'t>(&'t self, ty: &'t Type) -> &'t Type {
        match self.model.resolve(ty) {
            Type::Array { element, .. } | Type::Sequence { element, .. } => self.innermost(element),
            other => other,
        }
    }

    /// Whether values of a type are read in place.
    fn is_in_place(&self, ty: &Type) -> bool {
        match self.model.resolve(ty) {
            Type::String { .. } | Type::WString { .. } => true,
            Type::Sequence { element, .. } | Type::Array { element, .. } => {
                self.is_in_place(element)
            }
            Type::Named(id) if self.contains(*id) => true,
            _ => self.is_fixed(ty),
        }
    }

    /// Whether values of a type are read in place and all have the same size.
    pub(crate) fn is_fixed(&self, ty: &Type) -> bool {
        match self.model.resolve(ty) {
            Type::Array { element, .. } => self.is_fixed(element),
            Type::Named(id) => match self.model[*id].kind {
                DefinitionKind::Enum(_)
                | DefinitionKind::Bitmask(_)
                | DefinitionKind::Bitset(_) => true,
                _ => self.has_fixed_size(*id),
            },
            Type::Boolean
            | Type::Octet
            | Type::Int8
            | Type::UInt8
            | Type::Char
            | Type::Short
            | Type::UShort
            | Type::Long
            | Type::ULong
            | Type::LongLong
            | Type::ULongLong
            | Type::Float
            | Type::Double => true,
            _ => false,
        }
    }

    /// Whether an argument or result can be a view: it is a struct that has one, or a sequence of such structs, of
    /// strings and wide strings, or of sequences.
    pub(crate) fn has(&self, ty: &Type) -> bool {
        let is_viewed =
            |ty: &Type| matches!(self.model.resolve(ty), Type::Named(id) if self.contains(*id));
        match self.model.resolve(ty) {
            Type::Sequence { element, .. } => match self.model.resolve(element) {
                Type::String { .. } | Type::WString { .. } | Type::Sequence { .. } => {
                    self.is_in_place(element)
                }
                _ => is_viewed(element),
            },
            _ => is_viewed(ty),
        }
    }

    /// Whether an operation or attribute has such arguments or results.
    fn has_any(&self, export: &Export) -> bool {
        match export {
            Export::Operation(operation) => {
                let params = operation.params.iter().map(|param| &param.ty);
                params.chain([&operation.result]).any(|ty| self.has(ty))
            }
            Export::Attribute(attribute) => self.has(&attribute.ty),
            Export::Definition(_) => false,
        }
    }
}

fn is_wanted(definition: &Definition, options: &Options) -> bool {
    matches!(definition.kind, DefinitionKind::Struct(_))
        && annotated(&definition.annotations, "view")
            .unwrap_or_else(|| options.is_viewed(&definition.scoped_name.join("::")))
}

/// Whether servants get views as arguments of an operation or attribute, `export`, of an interface, and callers methods
/// that pass views of its results: its annotation `@view` decides, then that of the interface, then the options.
///
/// Methods that something else than a servant implements have none, as with upcalls.
pub(crate) fn uses_views(
    structs: &ViewedStructs<'_>,
    options: &Options,
    id: DefId,
    export: &Export,
) -> bool {
    let by_options =
        |interface: &str, name: &str| options.is_viewed(&format!("{interface}::{name}"));
    is_selected(structs.model, id, export, "view", by_options)
        && structs.has_any(export)
        && has_servants_only(structs.model, id)
}

/// An error for each annotation `@view` of a definition, and of what it exports, that has no effect.
pub(crate) fn unviewed(
    structs: &ViewedStructs<'_>,
    options: &Options,
    definition: &Definition,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut refuse = |annotations: &[Annotation], name: &str, why: &str| {
        let asks = annotated(annotations, "view") == Some(true);
        if let Some(annotation) = find_annotation(annotations, "view").filter(|_| asks) {
            let message = format!("`{name}` cannot have views: {why}");
            found.push(Diagnostic::new(Code::ViewUnsupported, annotation.span, message));
        }
    };
    let name = definition.scoped_name.join("::");
    if matches!(definition.kind, DefinitionKind::Struct(_)) {
        if let Some(why) = structs.obstacle(definition) {
            refuse(&definition.annotations, &name, &why);
        }
        return found;
    }
    let exports = structs.model.exports(definition.id);
    let mut any = false;
    for export in exports {
        if uses_views(structs, options, definition.id, export) {
            any = true;
            continue;
        }
        let (own, annotations) = match export {
            Export::Operation(operation) => (&operation.name, &operation.annotations),
            Export::Attribute(attribute) => (&attribute.name, &attribute.annotations),
            Export::Definition(_) => continue,
        };
        let why = match has_servants_only(structs.model, definition.id) {
            true => {
                "none of its arguments and results is a struct with a view, or a sequence of these, of strings or of sequences"
            }
            false => "not only servants implement its interface",
        };
        refuse(annotations, &format!("{name}::{own}"), why);
    }
    if structs.model.interface(definition.id).is_some() && !any {
        refuse(&definition.annotations, &name, "none of its operations and attributes can");
    }
    found
}

/// The names in [`Options::views`] that have no effect: no struct, operation or attribute for which code is generated has
/// such a name, or it cannot have views.
#[must_use]
pub fn unmatched_views<'o>(compilation: &Compilation, options: &'o Options) -> Vec<&'o str> {
    let model = &compilation.model;
    let mut names: Vec<&str> = options.views.iter().map(String::as_str).collect();
    // The common case.
    if names.is_empty() {
        return names;
    }
    let structs = ViewedStructs::of(model, options);
    for (definition, external) in model.definitions().zip(external(compilation, options)) {
        if external.is_some() {
            continue;
        }
        let name = definition.scoped_name.join("::");
        if structs.contains(definition.id) {
            names.retain(|wanted| !Options::is_scope_of(wanted, &name));
        }
        for export in model.exports(definition.id) {
            let own = match export {
                Export::Operation(operation) => &operation.name,
                Export::Attribute(attribute) => &attribute.name,
                Export::Definition(_) => continue,
            };
            if uses_views(&structs, options, definition.id, export) {
                names.retain(|wanted| !Options::is_within(wanted, &name, own));
            }
        }
    }
    names
}
