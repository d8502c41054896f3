//! Converts IDL to the definitions of an interface repository.

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
use zorb_idl::{Code, Compilation, Model};

use crate::failure::Failure;
use crate::screen;
use type_codes::TypeCodes;

/// The IDL options of a command.
#[derive(Args, Debug)]
pub(crate) struct IdlSource {
    /// IDL file with the types; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) idl: Vec<PathBuf>,
    #[command(flatten)]
    front_end: FrontEnd,
}

/// The options of the IDL front end.
#[derive(Args, Debug)]
pub(crate) struct FrontEnd {
    /// Folder to search for included files; repeatable
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Preprocessor macro, 1 without a value; repeatable
    #[arg(short = 'D', long = "define", value_name = "NAME[=VALUE]", value_parser = definition)]
    pub(crate) defines: Vec<(String, Option<String>)>,
    /// Code of tolerable faults that are warnings, such as E0405; repeatable
    #[arg(long, value_name = "CODE", value_parser = tolerable)]
    pub(crate) allow: Vec<Code>,
}

impl FrontEnd {
    pub(crate) fn options(&self) -> zorb_idl::Options {
        let mut options = zorb_idl::Options::new();
        options.include_paths.clone_from(&self.include);
        options.defines.clone_from(&self.defines);
        options.allowed.clone_from(&self.allow);
        options
    }
}

/// Parses `NAME` or `NAME=VALUE`.
fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() {
        return Err("expected NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value))
}

/// Parses the code of a tolerable fault.
fn tolerable(text: &str) -> Result<Code, String> {
    let code = zorb_idl::explain(text).map(|info| info.code);
    let mut codes = Code::TOLERABLE.iter().map(|(code, _)| *code);
    codes.find(|allowed| Some(*allowed) == code).ok_or_else(|| {
        let codes: Vec<String> = Code::TOLERABLE.iter().map(|(code, _)| code.to_string()).collect();
        format!("expected one of {}", codes.join(", "))
    })
}

impl IdlSource {
    /// Compiles the files.
    pub(crate) fn load(&self) -> Result<Repository, Failure> {
        let compilation = zorb_idl::compile(&self.front_end.options(), &self.idl);
        if compilation.has_errors() {
            screen::print_stderr(compilation.render().trim_end());
            return Err(Failure::new("the IDL files have errors").into_usage());
        }
        Ok(repository_of(&compilation))
    }
}

/// The definitions of a compilation without errors. Definitions without a TypeCode are skipped with
/// a warning on standard error.
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
            // Port types and templates have no entries; the definitions that use them do.
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
                screen::print_stderr(&format!("warning: {name} is skipped: {reason}"));
                return;
            }
        };
        let entry =
            self.repository.add(container, &definition.repository_id, &definition.name, kind);
        for child in self.model.children(id) {
            self.definition(child, entry);
        }
        match &definition.kind {
            DefinitionKind::Value(value) => self.state(value, id, entry),
            DefinitionKind::Event(event) => self.state(&event.value, id, entry),
            DefinitionKind::Component(component) => self.ports(&component.ports, id, entry),
            DefinitionKind::Home(home) => self.home_operations(home, id, entry),
            _ => {}
        }
        for export in self.model.exports(id) {
            self.export(export, id, entry);
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
    fn state(&mut self, value: &ValueType, owner: DefId, entry: EntryId) {
        for member in &value.members {
            let name = &member.member.name;
            // Without a TypeCode the valuetype would have been skipped.
            if let Ok(type_code) = self.types.of(&member.member.ty) {
                let visibility = match member.visibility {
                    ModelVisibility::Private => Visibility::Private,
                    ModelVisibility::Public => Visibility::Public,
                };
                let kind = EntryKind::ValueMember { type_code, visibility };
                self.repository.add(entry, &self.member_id(owner, name), name, kind);
            }
        }
    }

    fn ids(&self, definitions: &[DefId]) -> Vec<String> {
        definitions.iter().map(|id| self.model[*id].repository_id.clone()).collect()
    }

    fn export(&mut self, export: &Export, interface: DefId, entry: EntryId) {
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
                self.repository.add(entry, &id, name, kind);
            }
            Err(reason) => {
                let scope = self.model.scoped_name(interface);
                screen::print_stderr(&format!("warning: {scope}::{name} is skipped: {reason}"));
            }
        }
    }

    /// The repository id of an operation or attribute: the interface's id with its name appended.
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
