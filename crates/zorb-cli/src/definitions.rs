//! What IDL files define, as an interface repository holds it.

mod components;
mod type_codes;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use zorb::dynamic::Mode;
use zorb::dynamic::json::{NoScope, to_any};
use zorb::dynamic::repository::{
    AttributeDescription, EntryId, EntryKind, InitializerDescription, OperationDescription,
    ParameterDescription, Repository,
};
use zorb::{TypeCode, Visibility};
use zorb_idl::model::{
    Attribute, ConstValue, DefId, DefinitionKind, Direction, Export, Operation, Param, Type,
    ValueType, Visibility as ModelVisibility,
};
use zorb_idl::{Compilation, Model};

use crate::failure::Failure;
use crate::screen;
use type_codes::TypeCodes;

/// Where IDL comes from.
#[derive(Args, Debug)]
pub(crate) struct IdlSource {
    /// IDL file with the types; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) idl: Vec<PathBuf>,
    /// Folder to search for included files
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Define a preprocessor macro, as 1 unless a value is given
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    defines: Vec<(String, Option<String>)>,
}

/// Understands `NAME` and `NAME=VALUE`.
pub(crate) fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("expected NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

impl IdlSource {
    /// Reads the files.
    pub(crate) fn load(&self) -> Result<Repository, Failure> {
        let mut options = zorb_idl::Options::new();
        options.include_paths.clone_from(&self.include);
        options.defines.clone_from(&self.defines);
        let compilation = zorb_idl::compile(&options, &self.idl);
        if compilation.has_errors() {
            screen::tell(compilation.render().trim_end());
            return Err(Failure::new("the IDL has errors").into_usage());
        }
        Ok(repository_of(&compilation))
    }
}

/// The definitions of a compilation without errors. What no TypeCode can describe is left out, and
/// said on standard error.
fn repository_of(compilation: &Compilation) -> Repository {
    let model = &compilation.model;
    let mut filler = Filler { model, types: TypeCodes::new(model), repository: Repository::new() };
    for root in model.roots() {
        filler.definition(*root, Repository::ROOT);
    }
    filler.repository
}

struct Filler<'m> {
    model: &'m Model,
    types: TypeCodes<'m>,
    repository: Repository,
}

impl Filler<'_> {
    fn definition(&mut self, id: DefId, container: EntryId) {
        let definition = &self.model[id];
        let made = match &definition.kind {
            // Types of ports and templates stand for what is made of them.
            DefinitionKind::Annotation(_)
            | DefinitionKind::PortType(_)
            | DefinitionKind::TemplateModule(_) => return,
            DefinitionKind::Module(_) => Ok(EntryKind::Module),
            DefinitionKind::Interface(interface) => self.types.named(id).map(|type_code| {
                let bases = self.ids(&interface.bases);
                EntryKind::Interface { type_code, bases }
            }),
            DefinitionKind::Value(value) => self.value(id, value),
            DefinitionKind::Event(event) => self.value(id, &event.value),
            DefinitionKind::Component(component) => self.component(id, component),
            DefinitionKind::Home(home) => self.home(id, home),
            DefinitionKind::Exception(_) => self.types.named(id).map(EntryKind::Exception),
            DefinitionKind::Const(constant) => self.constant(&constant.ty, &constant.value),
            _ => self.types.named(id).map(EntryKind::Type),
        };
        let kind = match made {
            Ok(kind) => kind,
            Err(reason) => {
                let name = definition.scoped_name.join("::");
                screen::tell(&format!("warning: {name} is left out: {reason}"));
                return;
            }
        };
        let place =
            self.repository.add(container, &definition.repository_id, &definition.name, kind);
        for child in self.model.children(id) {
            self.definition(child, place);
        }
        match &definition.kind {
            DefinitionKind::Value(value) => self.state(value, id, place),
            DefinitionKind::Event(event) => self.state(&event.value, id, place),
            DefinitionKind::Component(component) => self.ports(&component.ports, id, place),
            DefinitionKind::Home(home) => self.home_operations(home, id, place),
            _ => {}
        }
        for export in self.model.exports(id) {
            self.export(export, id, place);
        }
    }

    fn value(&mut self, id: DefId, value: &ValueType) -> Result<EntryKind, String> {
        let mut initializers = Vec::new();
        for initializer in &value.initializers {
            initializers.push(InitializerDescription {
                name: initializer.name.clone(),
                parameters: self.parameters(&initializer.params)?,
                exceptions: self.exceptions(&initializer.raises)?,
            });
        }
        Ok(EntryKind::Value {
            type_code: self.types.named(id)?,
            bases: self.ids(&value.bases),
            supports: self.ids(&value.supports),
            initializers,
        })
    }

    /// Adds the state of a valuetype.
    fn state(&mut self, value: &ValueType, owner: DefId, place: EntryId) {
        for member in &value.members {
            let name = &member.member.name;
            // The valuetype would have been left out if there were none.
            if let Ok(type_code) = self.types.of(&member.member.ty) {
                let visibility = match member.visibility {
                    ModelVisibility::Private => Visibility::Private,
                    ModelVisibility::Public => Visibility::Public,
                };
                let kind = EntryKind::ValueMember { type_code, visibility };
                self.repository.add(place, &self.member_id(owner, name), name, kind);
            }
        }
    }

    fn ids(&self, definitions: &[DefId]) -> Vec<String> {
        definitions.iter().map(|id| self.model[*id].repository_id.clone()).collect()
    }

    fn export(&mut self, export: &Export, interface: DefId, place: EntryId) {
        let (name, made) = match export {
            Export::Definition(_) => return,
            Export::Operation(operation) => {
                (&operation.name, self.operation(operation, interface).map(EntryKind::Operation))
            }
            Export::Attribute(attribute) => {
                (&attribute.name, self.attribute(attribute, interface).map(EntryKind::Attribute))
            }
        };
        match made {
            Ok(kind) => {
                let id = self.member_id(interface, name);
                self.repository.add(place, &id, name, kind);
            }
            Err(reason) => {
                let scope = self.model.scoped_name(interface);
                screen::tell(&format!("warning: {scope}::{name} is left out: {reason}"));
            }
        }
    }

    /// The repository id of an operation or attribute: that of its interface, with its own name.
    fn member_id(&self, interface: DefId, name: &str) -> String {
        let id = &*self.model[interface].repository_id;
        match id.rsplit_once(':') {
            Some((path, _)) => format!("{path}/{name}:1.0"),
            None => format!("{id}/{name}"),
        }
    }

    fn operation(
        &mut self,
        operation: &Operation,
        interface: DefId,
    ) -> Result<OperationDescription, String> {
        Ok(OperationDescription {
            name: operation.name.clone(),
            id: self.member_id(interface, &operation.name),
            defined_in: self.model[interface].repository_id.clone(),
            oneway: operation.oneway,
            result: self.types.of(&operation.result)?,
            parameters: self.parameters(&operation.params)?,
            exceptions: self.exceptions(&operation.raises)?,
            contexts: operation.contexts.clone(),
        })
    }

    fn parameters(&mut self, params: &[Param]) -> Result<Vec<ParameterDescription>, String> {
        let parameter = |param: &Param| {
            Ok(ParameterDescription {
                name: param.name.clone(),
                mode: match param.direction {
                    Direction::In => Mode::In,
                    Direction::Out => Mode::Out,
                    Direction::InOut => Mode::InOut,
                },
                type_code: self.types.of(&param.ty)?,
            })
        };
        params.iter().map(parameter).collect()
    }

    fn attribute(
        &mut self,
        attribute: &Attribute,
        interface: DefId,
    ) -> Result<AttributeDescription, String> {
        Ok(AttributeDescription {
            name: attribute.name.clone(),
            id: self.member_id(interface, &attribute.name),
            defined_in: self.model[interface].repository_id.clone(),
            readonly: attribute.readonly,
            type_code: self.types.of(&attribute.ty)?,
            get_exceptions: self.exceptions(&attribute.get_raises)?,
            set_exceptions: self.exceptions(&attribute.set_raises)?,
        })
    }

    fn exceptions(&mut self, raises: &[DefId]) -> Result<Vec<TypeCode>, String> {
        raises.iter().map(|id| self.types.named(*id)).collect()
    }

    fn constant(&mut self, ty: &Type, value: &ConstValue) -> Result<EntryKind, String> {
        let type_code = self.types.of(ty)?;
        let any = to_any(&self.json_of(value), &type_code, &NoScope);
        any.map(EntryKind::Constant).map_err(|error| error.to_string())
    }

    fn json_of(&self, value: &ConstValue) -> Value {
        match value {
            ConstValue::Boolean(truth) => json!(truth),
            ConstValue::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => json!(number),
                (_, Ok(number)) => json!(number),
                _ => Value::Null,
            },
            ConstValue::Float(number) => json!(number),
            ConstValue::Fixed(number) => json!(number.to_string()),
            ConstValue::Char(char) => json!(char),
            ConstValue::WChar(unit) => json!(String::from_utf16_lossy(&[*unit])),
            ConstValue::String(text) => json!(text),
            ConstValue::WString(units) => json!(String::from_utf16_lossy(units)),
            ConstValue::Enumerator { .. } => json!(self.model.enumerator_name(value)),
            ConstValue::Error => Value::Null,
        }
    }
}
