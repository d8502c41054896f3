//! Valuetypes that clients add or change.

use zorb::dynamic::Mode;
use zorb::dynamic::repository::{EntryKind, InitializerDescription, ParameterDescription};
use zorb::{MinorCode, ObjectRef, Ref, TcKind, TypeCode, ValueModifier, minor};
use zorb_core::ServerCall;

use super::super::call::{argument, bad_param};
use super::{Case, Created, Creation};
use crate::corba::{ExceptionDescription, ExtInitializerSeq, InitializerSeq, StructMemberSeq};

/// The properties of a valuetype except its state.
pub(in super::super) struct ValueHeader {
    pub(in super::super) modifier: ValueModifier,
    /// The concrete base; `tk_null` for none.
    pub(in super::super) base: TypeCode,
    /// The repository ids of the abstract bases.
    pub(in super::super) abstract_bases: Vec<String>,
    /// The repository ids of the supported interfaces.
    pub(in super::super) supports: Vec<String>,
    pub(in super::super) initializers: Vec<InitializerDescription>,
    /// Whether it is an event type.
    is_event: bool,
}

impl ValueHeader {
    /// The properties of a definition; `None` if it is not a valuetype.
    pub(in super::super) fn of(kind: &EntryKind) -> Option<Self> {
        let EntryKind::Value { type_code, bases, supports, initializers } = kind else {
            return None;
        };
        let base = type_code.concrete_base_type().unwrap_or_default();
        let is_abstract = |id: &&String| id.as_str() != base.id();
        Some(Self {
            modifier: type_code.type_modifier().unwrap_or_default(),
            abstract_bases: bases.iter().filter(is_abstract).cloned().collect(),
            base,
            supports: supports.clone(),
            initializers: initializers.clone(),
            is_event: type_code.kind() == TcKind::Event,
        })
    }

    /// Sets or clears a modifier; a valuetype has at most one.
    pub(in super::super) fn set(&mut self, modifier: ValueModifier, takes: bool) {
        if takes {
            self.modifier = modifier;
        } else if self.modifier == modifier {
            self.modifier = ValueModifier::None;
        }
    }
}

impl Creation<'_> {
    /// Reads a valuetype from the arguments of `create_value` and similar operations.
    pub(super) fn new_value(&self, ext: bool, call: &mut ServerCall<'_>) -> Created<EntryKind> {
        let is_custom = call.argument::<bool>()?;
        let is_abstract = call.argument::<bool>()?;
        let base = self.base_value(call)?;
        let is_truncatable = call.argument::<bool>()?;
        let modifier = match (is_custom, is_abstract, is_truncatable) {
            (false, false, false) => ValueModifier::None,
            (true, false, false) => ValueModifier::Custom,
            (false, true, false) => ValueModifier::Abstract,
            (false, false, true) => ValueModifier::Truncatable,
            _ => return Err(bad_param(MinorCode::default())),
        };
        let header = ValueHeader {
            modifier,
            base,
            abstract_bases: self.abstract_bases(call)?,
            supports: self.supported(call)?,
            initializers: match ext {
                true => self.ext_initializers(argument::<ExtInitializerSeq>(call)?)?,
                false => self.initializers(argument::<InitializerSeq>(call)?)?,
            },
            is_event: false,
        };
        self.value(header)
    }

    /// Creates a valuetype with these properties, if they are consistent.
    pub(in super::super) fn value(&self, header: ValueHeader) -> Created<EntryKind> {
        let has_base = header.base.kind() != TcKind::Null;
        let fits = match header.modifier {
            ValueModifier::Abstract => !has_base && header.initializers.is_empty(),
            ValueModifier::Truncatable => has_base,
            _ => true,
        };
        if !fits {
            return Err(bad_param(MinorCode::default()));
        }
        let base = has_base.then_some(&header.base);
        let made = match header.is_event {
            true => TypeCode::event(self.id, self.name, header.modifier, base, &[]),
            false => TypeCode::value(self.id, self.name, header.modifier, base, &[]),
        };
        let mut bases: Vec<String> = base.map(|base| base.id().to_owned()).into_iter().collect();
        bases.extend(header.abstract_bases);
        Ok(EntryKind::Value {
            type_code: made?,
            bases,
            supports: header.supports,
            initializers: header.initializers,
        })
    }

    /// Reads a concrete valuetype or nil.
    pub(in super::super) fn base_value(&self, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        match argument::<Ref<ObjectRef>>(call)? {
            None => Ok(TypeCode::default()),
            Some(base) => self.value_type(Some(&base), false),
        }
    }

    /// Reads a list of abstract valuetypes.
    pub(in super::super) fn abstract_bases(
        &self,
        call: &mut ServerCall<'_>,
    ) -> Created<Vec<String>> {
        let bases = argument::<Vec<Ref<ObjectRef>>>(call)?;
        let id =
            |base: &Option<ObjectRef>| Ok(self.value_type(base.as_ref(), true)?.id().to_owned());
        bases.iter().map(id).collect()
    }

    fn value_type(&self, reference: Option<&ObjectRef>, is_abstract: bool) -> Created<TypeCode> {
        let type_code = self.type_of(reference)?;
        let modifier = type_code.type_modifier();
        match modifier.map(|modifier| (modifier == ValueModifier::Abstract) == is_abstract) {
            Ok(true) => Ok(type_code),
            _ => Err(bad_param(MinorCode::default())),
        }
    }

    /// Reads a list of interfaces, at most one of them concrete.
    pub(in super::super) fn supported(&self, call: &mut ServerCall<'_>) -> Created<Vec<String>> {
        let mut concrete = 0;
        let mut ids = Vec::new();
        for interface in argument::<Vec<Ref<ObjectRef>>>(call)? {
            let type_code = self.type_of(interface.as_ref())?;
            match type_code.kind() {
                TcKind::ObjRef | TcKind::LocalInterface => concrete += 1,
                TcKind::AbstractInterface => {}
                _ => return Err(bad_param(MinorCode::default())),
            }
            ids.push(type_code.id().to_owned());
        }
        match concrete {
            0 | 1 => Ok(ids),
            _ => Err(bad_param(minor::bad_param::TWO_CONCRETE_INTERFACES)),
        }
    }

    pub(in super::super) fn initializers(
        &self,
        initializers: InitializerSeq,
    ) -> Created<Vec<InitializerDescription>> {
        let mut made = Vec::new();
        for initializer in initializers {
            made.push(InitializerDescription {
                name: initializer.name,
                parameters: self.in_parameters(initializer.members)?,
                exceptions: Vec::new(),
            });
        }
        Ok(made)
    }

    pub(in super::super) fn ext_initializers(
        &self,
        initializers: ExtInitializerSeq,
    ) -> Created<Vec<InitializerDescription>> {
        let mut made = Vec::new();
        for initializer in initializers {
            let exceptions = initializer.exceptions.into_iter();
            made.push(InitializerDescription {
                name: initializer.name,
                parameters: self.in_parameters(initializer.members)?,
                exceptions: exceptions
                    .map(|each| self.known_exception(each))
                    .collect::<Created<_>>()?,
            });
        }
        Ok(made)
    }

    fn in_parameters(&self, members: StructMemberSeq) -> Created<Vec<ParameterDescription>> {
        let members = self.members(members)?.into_iter();
        let parameter =
            |(name, type_code)| ParameterDescription { name, mode: Mode::In, type_code };
        Ok(members.map(parameter).collect())
    }

    /// The exception that a description refers to.
    pub(in super::super) fn known_exception(
        &self,
        said: ExceptionDescription,
    ) -> Created<TypeCode> {
        let entry_id = self.repository.lookup_id(&said.id);
        let known = entry_id.and_then(|entry_id| self.repository[entry_id].type_code());
        let type_code = known.cloned().unwrap_or(said.r#type);
        match type_code.kind() {
            TcKind::Except => Ok(type_code),
            _ => Err(bad_param(minor::bad_param::NOT_AN_EXCEPTION)),
        }
    }

    /// Creates a box of the type in the arguments, which cannot be a valuetype.
    pub(in super::super) fn value_box(&self, call: &mut ServerCall<'_>) -> Created<TypeCode> {
        let boxed = self.type_argument(call)?;
        match boxed.resolved_kind() {
            TcKind::Value | TcKind::ValueBox | TcKind::Event => {
                Err(bad_param(MinorCode::default()))
            }
            _ => Ok(TypeCode::value_box(self.id, self.name, &boxed)?),
        }
    }

    /// The members of a union with their labels.
    pub(in super::super) fn cases_of(&self, union: &TypeCode) -> Created<Vec<Case>> {
        let default = union.default_index()?;
        let case = |index| {
            let label = union.member_label(index)?;
            let label = (default != Some(index)).then_some(label);
            Ok((label, union.member_name(index)?.to_owned(), union.member_type(index)?))
        };
        (0..union.member_count()).map(case).collect()
    }
}
