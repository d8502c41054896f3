//! A compact text form of the model.

use std::fmt::{self, Display, Formatter, Write as _};

use zorb_idl::DefId;
use zorb_idl::model::{
    Annotation, Attribute, Connector, ConstValue, Definition, DefinitionKind, EventType, Export,
    Label, Member, Model, Module, Operation, Param, Port, PortType, TemplateArgument, ValueType,
};

/// The text form of a model.
pub(crate) struct Dump<'a>(pub(crate) &'a Model);

impl Dump<'_> {
    fn write_definition(&self, f: &mut Formatter<'_>, id: DefId, depth: usize) -> fmt::Result {
        // The parser bounds nesting, and so this recursion.
        let item = &self.0[id];
        if item.built_in {
            return Ok(());
        }
        write_docs(f, item.docs.as_deref(), depth)?;
        self.write_annotations(f, &item.annotations, depth)?;
        indent(f, depth)?;
        write!(f, "{}{} {}", modifier(&item.kind), item.kind.keyword(), item.name)?;
        self.write_head(f, item)?;
        write!(f, "  // {}", item.repository_id)?;
        if let Some(by) = item.implied_by {
            write!(f, " (implied by {})", self.0.scoped_name(by))?;
        }
        if item.from_include {
            f.write_str(" (included)")?;
        }
        f.write_char('\n')?;
        self.write_body(f, item, depth + 1)
    }

    fn write_head(&self, f: &mut Formatter<'_>, item: &Definition) -> fmt::Result {
        match &item.kind {
            DefinitionKind::Interface(interface) => self.write_list(f, ": ", &interface.bases),
            DefinitionKind::Component(item) => self.write_list(f, ": ", &item.interface.bases),
            DefinitionKind::Connector(item) => self.write_list(f, ": ", item.base.as_slice()),
            DefinitionKind::Home(item) => {
                self.write_list(f, ": ", &item.interface.bases)?;
                self.write_list(f, " manages ", item.manages.as_slice())?;
                self.write_list(f, " primarykey ", item.primary_key.as_slice())
            }
            DefinitionKind::TemplateModule(item) => {
                let list: Vec<String> =
                    item.parameters.iter().map(|it| format!("{} {}", it.kind, it.name)).collect();
                write!(f, "<{}>", list.join(", "))
            }
            DefinitionKind::Module(Module { instance: Some(instance), .. }) => {
                let list: Vec<String> = instance
                    .arguments
                    .iter()
                    .map(|argument| match argument {
                        TemplateArgument::Type(ty) => self.0.type_name(ty),
                        TemplateArgument::Value(value) => self.0.value_text(value),
                    })
                    .collect();
                write!(f, " = {}<{}>", self.0.scoped_name(instance.template), list.join(", "))
            }
            DefinitionKind::Event(EventType { value, .. }) | DefinitionKind::Value(value) => {
                let colon = if value.is_truncatable { ": truncatable " } else { ": " };
                self.write_list(f, colon, &value.bases)?;
                self.write_list(f, " supports ", &value.supports)
            }
            DefinitionKind::Struct(item) => self.write_list(f, ": ", item.base.as_slice()),
            DefinitionKind::Bitset(item) => {
                self.write_list(f, ": ", item.base.as_slice())?;
                write!(f, " bits {}", item.size)
            }
            DefinitionKind::Bitmask(item) => write!(f, " bits {}", item.bit_bound),
            DefinitionKind::ValueBox(item) => write!(f, " = {}", self.0.type_name(&item.ty)),
            DefinitionKind::Union(union) => {
                write!(f, " switch ({})", self.0.type_name(&union.discriminator))?;
                if union.implicit_default { f.write_str(" implicit-default") } else { Ok(()) }
            }
            DefinitionKind::Typedef(typedef) => write!(f, " = {}", self.0.type_name(&typedef.ty)),
            DefinitionKind::Const(item) => {
                write!(f, ": {} = {}", self.0.type_name(&item.ty), self.0.value_text(&item.value))
            }
            DefinitionKind::Module(_)
            | DefinitionKind::Enum(_)
            | DefinitionKind::Exception(_)
            | DefinitionKind::Annotation(_)
            | DefinitionKind::PortType(_)
            | DefinitionKind::Native => Ok(()),
        }?;
        if item.kind.is_forward_only() {
            f.write_str(" forward")?;
        }
        if self.0.is_recursive(item.id) { f.write_str(" recursive") } else { Ok(()) }
    }

    fn write_body(&self, f: &mut Formatter<'_>, item: &Definition, depth: usize) -> fmt::Result {
        match &item.kind {
            DefinitionKind::Module(module) => {
                module.children.iter().try_for_each(|id| self.write_definition(f, *id, depth))
            }
            DefinitionKind::PortType(PortType { ports, attributes })
            | DefinitionKind::Connector(Connector { ports, attributes, .. }) => {
                self.write_ports(f, ports, depth)?;
                attributes.iter().try_for_each(|item| self.write_attribute(f, item, depth))
            }
            DefinitionKind::TemplateModule(_) => Ok(()),
            DefinitionKind::Interface(_)
            | DefinitionKind::Value(_)
            | DefinitionKind::Event(_)
            | DefinitionKind::Component(_)
            | DefinitionKind::Home(_) => {
                if let Some(value) = self.0.value(item.id) {
                    self.write_state(f, value, depth)?;
                }
                if let DefinitionKind::Component(component) = &item.kind {
                    self.write_ports(f, &component.ports, depth)?;
                }
                self.0.exports(item.id).iter().try_for_each(|export| match export {
                    Export::Operation(operation) => self.write_operation(f, operation, depth),
                    Export::Attribute(attribute) => self.write_attribute(f, attribute, depth),
                    Export::Definition(id) => self.write_definition(f, *id, depth),
                })
            }
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                item.children.iter().try_for_each(|id| self.write_definition(f, *id, depth))?;
                item.members.iter().try_for_each(|member| self.write_member(f, member, depth))
            }
            DefinitionKind::Union(item) => {
                item.children.iter().try_for_each(|id| self.write_definition(f, *id, depth))?;
                for case in &item.cases {
                    write_docs(f, case.docs.as_deref(), depth)?;
                    self.write_annotations(f, &case.annotations, depth)?;
                    indent(f, depth)?;
                    for label in &case.labels {
                        match label {
                            Label::Default => f.write_str("default: ")?,
                            Label::Value(value) => write!(f, "{}: ", self.0.value_text(value))?,
                        }
                    }
                    writeln!(f, "{} {}", self.0.type_name(&case.ty), case.name)?;
                }
                Ok(())
            }
            DefinitionKind::Enum(item) => {
                for (index, enumerator) in item.enumerators.iter().enumerate() {
                    write_docs(f, enumerator.docs.as_deref(), depth)?;
                    self.write_annotations(f, &enumerator.annotations, depth)?;
                    indent(f, depth)?;
                    writeln!(f, "{} = {index}", enumerator.name)?;
                }
                Ok(())
            }
            DefinitionKind::ValueBox(item) => {
                item.children.iter().try_for_each(|id| self.write_definition(f, *id, depth))
            }
            DefinitionKind::Bitmask(item) => item.bits.iter().try_for_each(|bit| {
                write_docs(f, bit.docs.as_deref(), depth)?;
                indent(f, depth)?;
                writeln!(f, "{} = {}", bit.name, bit.position)
            }),
            DefinitionKind::Bitset(item) => item.fields.iter().try_for_each(|field| {
                write_docs(f, field.docs.as_deref(), depth)?;
                self.write_annotations(f, &field.annotations, depth)?;
                indent(f, depth)?;
                let (name, ty) =
                    (field.name.as_deref().unwrap_or("-"), self.0.type_name(&field.ty));
                writeln!(f, "{ty} {name} = {}..{}", field.offset, field.offset + field.bits)
            }),
            DefinitionKind::Annotation(item) => {
                item.children.iter().try_for_each(|id| self.write_definition(f, *id, depth))?;
                item.members.iter().try_for_each(|member| {
                    indent(f, depth)?;
                    write!(f, "{} {}", self.0.type_name(&member.ty), member.name)?;
                    if let Some(default) = &member.default {
                        write!(f, " default {}", self.0.value_text(default))?;
                    }
                    f.write_char('\n')
                })
            }
            DefinitionKind::Typedef(_) | DefinitionKind::Const(_) | DefinitionKind::Native => {
                Ok(())
            }
        }
    }

    /// Writes annotations on one line, before the annotated definition.
    fn write_annotations(
        &self,
        f: &mut Formatter<'_>,
        list: &[Annotation],
        depth: usize,
    ) -> fmt::Result {
        if list.is_empty() {
            return Ok(());
        }
        indent(f, depth)?;
        let texts: Vec<String> = list.iter().map(|item| self.annotation_text(item)).collect();
        writeln!(f, "{}", texts.join(" "))
    }

    fn annotation_text(&self, item: &Annotation) -> String {
        let value =
            |(name, value): &(String, ConstValue)| format!("{name}={}", self.0.value_text(value));
        let arguments: Vec<String> = item.arguments.iter().map(value).collect();
        let unknown = if item.is_known { "" } else { "?" };
        format!("@{}{unknown}({})", item.name, arguments.join(", "))
    }

    fn write_list(&self, f: &mut Formatter<'_>, word: &str, list: &[DefId]) -> fmt::Result {
        if list.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = list.iter().map(|id| self.0.scoped_name(*id)).collect();
        write!(f, "{word}{}", names.join(", "))
    }

    fn write_ports(&self, f: &mut Formatter<'_>, ports: &[Port], depth: usize) -> fmt::Result {
        for port in ports {
            write_docs(f, port.docs.as_deref(), depth)?;
            self.write_annotations(f, &port.annotations, depth)?;
            indent(f, depth)?;
            let (word, ty) = (port.kind.keyword(), self.0.type_name(&port.kind.ty()));
            let part = port.part_of.as_ref().map(|it| format!(" of {it}")).unwrap_or_default();
            writeln!(f, "{word} {ty} {}{part}", port.name)?;
        }
        Ok(())
    }

    fn write_state(&self, f: &mut Formatter<'_>, value: &ValueType, depth: usize) -> fmt::Result {
        for state in &value.members {
            let member = &state.member;
            write_docs(f, member.docs.as_deref(), depth)?;
            self.write_annotations(f, &member.annotations, depth)?;
            indent(f, depth)?;
            let (word, ty) = (state.visibility.keyword(), self.0.type_name(&member.ty));
            writeln!(f, "{word} {ty} {}", member.name)?;
        }
        for initializer in &value.initializers {
            write_docs(f, initializer.docs.as_deref(), depth)?;
            indent(f, depth)?;
            write!(f, "factory {}(", initializer.name)?;
            self.write_params(f, &initializer.params)?;
            self.write_raises(f, "raises", &initializer.raises)?;
            f.write_char('\n')?;
        }
        Ok(())
    }

    fn write_member(&self, f: &mut Formatter<'_>, member: &Member, depth: usize) -> fmt::Result {
        write_docs(f, member.docs.as_deref(), depth)?;
        self.write_annotations(f, &member.annotations, depth)?;
        indent(f, depth)?;
        writeln!(f, "{} {}", self.0.type_name(&member.ty), member.name)
    }

    fn write_operation(&self, f: &mut Formatter<'_>, op: &Operation, depth: usize) -> fmt::Result {
        write_docs(f, op.docs.as_deref(), depth)?;
        self.write_annotations(f, &op.annotations, depth)?;
        indent(f, depth)?;
        let oneway = if op.oneway { "oneway " } else { "" };
        write!(f, "{oneway}{} {}(", self.0.type_name(&op.result), op.name)?;
        self.write_params(f, &op.params)?;
        self.write_raises(f, "raises", &op.raises)?;
        if !op.contexts.is_empty() {
            write!(f, " context({})", op.contexts.join(", "))?;
        }
        f.write_char('\n')
    }

    fn write_params(&self, f: &mut Formatter<'_>, params: &[Param]) -> fmt::Result {
        for (position, param) in params.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            let (direction, ty) = (param.direction.keyword(), self.0.type_name(&param.ty));
            for annotation in &param.annotations {
                write!(f, "{} ", self.annotation_text(annotation))?;
            }
            write!(f, "{comma}{direction} {ty} {}", param.name)?;
            if let Some(docs) = &param.docs {
                write!(f, " /** {} */", docs.replace('\n', " "))?;
            }
        }
        f.write_char(')')
    }

    fn write_attribute(
        &self,
        f: &mut Formatter<'_>,
        item: &Attribute,
        depth: usize,
    ) -> fmt::Result {
        write_docs(f, item.docs.as_deref(), depth)?;
        self.write_annotations(f, &item.annotations, depth)?;
        indent(f, depth)?;
        let readonly = if item.readonly { "readonly " } else { "" };
        write!(f, "{readonly}attribute {} {}", self.0.type_name(&item.ty), item.name)?;
        self.write_raises(f, "getraises", &item.get_raises)?;
        self.write_raises(f, "setraises", &item.set_raises)?;
        f.write_char('\n')
    }

    fn write_raises(&self, f: &mut Formatter<'_>, word: &str, raises: &[DefId]) -> fmt::Result {
        if raises.is_empty() {
            return Ok(());
        }
        self.write_list(f, &format!(" {word}("), raises)?;
        f.write_char(')')
    }
}

/// One line per definition, member, operation or enumerator, indented by nesting; docs as `///`
/// lines; repository ids after `//`. Omits the definitions of built-in files.
impl Display for Dump<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.roots().iter().try_for_each(|id| self.write_definition(f, *id, 0))
    }
}

/// The modifiers before a definition's keyword.
fn modifier(kind: &DefinitionKind) -> &'static str {
    match kind {
        DefinitionKind::Interface(item) if item.is_abstract => "abstract ",
        DefinitionKind::Interface(item) if item.is_local => "local ",
        DefinitionKind::Value(item) | DefinitionKind::Event(EventType { value: item, .. }) => {
            match item {
                ValueType { is_abstract: true, .. } => "abstract ",
                ValueType { is_custom: true, .. } => "custom ",
                _ => "",
            }
        }
        _ => "",
    }
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn write_docs(f: &mut Formatter<'_>, docs: Option<&str>, depth: usize) -> fmt::Result {
    for line in docs.into_iter().flat_map(str::lines) {
        indent(f, depth)?;
        writeln!(f, "{}", format!("/// {line}").trim_end())?;
    }
    Ok(())
}
