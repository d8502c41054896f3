//! Converts types of the IDL model to TypeCodes.

use std::collections::HashMap;

use zorb::{
    Interface, ObjectRef, TcKind, TypeCode, UnionCase, ValueMember, ValueModifier, Visibility,
};
use zorb_idl::Model;
use zorb_idl::model::{
    ConstValue, DefId, Definition, DefinitionKind, Member, Type, Union, ValueType,
    Visibility as ModelVisibility,
};

type Made = Result<TypeCode, String>;

/// Creates TypeCodes, one per definition.
pub(super) struct TypeCodes<'m> {
    model: &'m Model,
    made: HashMap<DefId, TypeCode>,
    /// The definitions being converted; the outermost is first.
    making: Vec<DefId>,
}

impl<'m> TypeCodes<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Self { model, made: HashMap::new(), making: Vec::new() }
    }

    /// The TypeCode of a type expression.
    pub(super) fn of(&mut self, ty: &Type) -> Made {
        Ok(TypeCode::plain(match ty {
            Type::Void => TcKind::Void,
            Type::Boolean => TcKind::Boolean,
            // CORBA's TypeCodes have only one 8-bit integer type.
            Type::Octet | Type::Int8 | Type::UInt8 => TcKind::Octet,
            Type::Char => TcKind::Char,
            Type::WChar => TcKind::WChar,
            Type::Short => TcKind::Short,
            Type::UShort => TcKind::UShort,
            Type::Long => TcKind::Long,
            Type::ULong => TcKind::ULong,
            Type::LongLong => TcKind::LongLong,
            Type::ULongLong => TcKind::ULongLong,
            Type::Float => TcKind::Float,
            Type::Double => TcKind::Double,
            Type::LongDouble => TcKind::LongDouble,
            Type::Any => TcKind::Any,
            Type::TypeCode => TcKind::TypeCode,
            Type::Fixed { digits, scale } => return checked(TypeCode::fixed(*digits, *scale)),
            Type::Object => {
                return checked(TypeCode::interface(ObjectRef::REPOSITORY_ID, "Object"));
            }
            Type::ValueBase => {
                let id = "IDL:omg.org/CORBA/ValueBase:1.0";
                return checked(TypeCode::value(id, "ValueBase", ValueModifier::None, None, &[]));
            }
            Type::String { bound } => return Ok(TypeCode::string(bound.unwrap_or(0))),
            Type::WString { bound } => return Ok(TypeCode::wstring(bound.unwrap_or(0))),
            Type::Sequence { element, bound } => {
                let element = self.of(element)?;
                return checked(TypeCode::sequence(&element, bound.unwrap_or(0)));
            }
            Type::Array { element, dims } => {
                let element = self.of(element)?;
                return dims.iter().rev().try_fold(element, |element, length| {
                    checked(TypeCode::array(&element, *length))
                });
            }
            Type::Named(id) => return self.named(*id),
            Type::Map { .. } => return Err("maps have no TypeCode".to_owned()),
            Type::Error => return Err("an invalid type".to_owned()),
        }))
    }

    /// The TypeCode of a definition.
    pub(super) fn named(&mut self, id: DefId) -> Made {
        if let Some(made) = self.made.get(&id) {
            return Ok(made.clone());
        }
        let definition = &self.model[id];
        if self.making.contains(&id) {
            return checked(TypeCode::recursive(&definition.repository_id));
        }
        self.making.push(id);
        let made = self.definition(definition);
        self.making.pop();
        let made = made?;
        if made.is_complete() {
            self.made.insert(id, made.clone());
        }
        Ok(made)
    }

    fn definition(&mut self, definition: &Definition) -> Made {
        let (id, name) = (&*definition.repository_id, &*definition.name);
        match &definition.kind {
            DefinitionKind::Interface(interface) => {
                let kind = match interface {
                    _ if interface.is_local => TcKind::LocalInterface,
                    _ if interface.is_abstract => TcKind::AbstractInterface,
                    _ => TcKind::ObjRef,
                };
                checked(TypeCode::named(kind, id, name))
            }
            DefinitionKind::Struct(_) => {
                let members = self.members(self.model.all_members(definition.id))?;
                checked(TypeCode::structure(id, name, &borrowed(&members)))
            }
            DefinitionKind::Exception(_) => {
                let members = self.members(self.model.all_members(definition.id))?;
                checked(TypeCode::exception(id, name, &borrowed(&members)))
            }
            DefinitionKind::Union(union) => self.union(id, name, union),
            DefinitionKind::Enum(item) => {
                let names: Vec<_> = item.enumerators.iter().map(|each| &*each.name).collect();
                checked(TypeCode::enumeration(id, name, &names))
            }
            DefinitionKind::Typedef(typedef) => {
                let original = self.of(&typedef.ty)?;
                checked(TypeCode::alias(id, name, &original))
            }
            DefinitionKind::Value(value) => self.value(definition, value, false),
            DefinitionKind::Event(event) => self.value(definition, &event.value, true),
            DefinitionKind::Component(_) => checked(TypeCode::named(TcKind::Component, id, name)),
            DefinitionKind::Home(_) => checked(TypeCode::named(TcKind::Home, id, name)),
            DefinitionKind::ValueBox(item) => {
                let boxed = self.of(&item.ty)?;
                checked(TypeCode::value_box(id, name, &boxed))
            }
            DefinitionKind::Native => checked(TypeCode::named(TcKind::Native, id, name)),
            DefinitionKind::Bitmask(item) => {
                checked(TypeCode::alias(id, name, &TypeCode::plain(bits(item.bit_bound))))
            }
            DefinitionKind::Bitset(item) => {
                checked(TypeCode::alias(id, name, &TypeCode::plain(bits(item.size))))
            }
            other => Err(format!("{} has no TypeCode here", other.keyword())),
        }
    }

    fn members(&mut self, members: Vec<&Member>) -> Result<Vec<(String, TypeCode)>, String> {
        members.iter().map(|member| Ok((member.name.clone(), self.of(&member.ty)?))).collect()
    }

    fn union(&mut self, id: &str, name: &str, union: &Union) -> Made {
        let discriminator = self.of(&union.discriminator)?;
        let mut cases = Vec::new();
        for case in &union.cases {
            let type_code = self.of(&case.ty)?;
            for label in case.values() {
                let label = label_of(label).ok_or("an invalid label")?;
                cases.push((Some(label), &*case.name, type_code.clone()));
            }
            if case.is_default() {
                cases.push((None, &*case.name, type_code));
            }
        }
        let cases: Vec<_> = cases
            .iter()
            .map(|(label, name, type_code)| UnionCase { label: *label, name, type_code })
            .collect();
        checked(TypeCode::union(id, name, &discriminator, &cases))
    }

    fn value(&mut self, definition: &Definition, value: &ValueType, is_event: bool) -> Made {
        let modifier = match value {
            _ if value.is_abstract => ValueModifier::Abstract,
            _ if value.is_custom => ValueModifier::Custom,
            _ if value.is_truncatable => ValueModifier::Truncatable,
            _ => ValueModifier::None,
        };
        let base = self.model.concrete_base(definition.id);
        let base = base.map(|base| self.named(base)).transpose()?;
        let mut state = Vec::new();
        for item in &value.members {
            let visibility = match item.visibility {
                ModelVisibility::Private => Visibility::Private,
                ModelVisibility::Public => Visibility::Public,
            };
            state.push((&*item.member.name, self.of(&item.member.ty)?, visibility));
        }
        let state: Vec<_> = state
            .iter()
            .map(|(name, type_code, visibility)| ValueMember {
                name,
                type_code,
                visibility: *visibility,
            })
            .collect();
        let (id, name) = (&definition.repository_id, &definition.name);
        checked(match is_event {
            true => TypeCode::event(id, name, modifier, base.as_ref(), &state),
            false => TypeCode::value(id, name, modifier, base.as_ref(), &state),
        })
    }
}

fn checked(made: Result<TypeCode, impl std::fmt::Display>) -> Made {
    made.map_err(|error| error.to_string())
}

fn borrowed(members: &[(String, TypeCode)]) -> Vec<(&str, TypeCode)> {
    members.iter().map(|(name, type_code)| (&**name, type_code.clone())).collect()
}

/// The unsigned integer type of a bitmask or bitset with this many bits.
fn bits(count: u16) -> TcKind {
    match count {
        0..=8 => TcKind::Octet,
        9..=16 => TcKind::UShort,
        17..=32 => TcKind::ULong,
        _ => TcKind::ULongLong,
    }
}

fn label_of(value: &ConstValue) -> Option<i64> {
    Some(match value {
        ConstValue::Boolean(truth) => i64::from(*truth),
        ConstValue::Integer(number) => {
            // An unsigned long long keeps its bit pattern.
            i64::try_from(*number)
                .ok()
                .or_else(|| u64::try_from(*number).ok().map(u64::cast_signed))?
        }
        ConstValue::Char(char) => u32::from(*char).into(),
        ConstValue::WChar(unit) => (*unit).into(),
        ConstValue::Enumerator { index, .. } => (*index).into(),
        _ => return None,
    })
}
