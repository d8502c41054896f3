//! What the small ORB does not support.

use zorb_idl::model::{Definition, Export, Interface};
use zorb_idl::{Code, DefinitionKind, Diagnostic, Model, Span, Type};

/// Where a type is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A parameter or a result, which is not copied.
    Call,
    /// In a struct, an array or a sequence, whose values have a fixed size in memory.
    Inside,
}

/// The constructs in a definition that the small ORB does not support.
pub(crate) fn unsupported(model: &Model, definition: &Definition) -> Vec<Diagnostic> {
    let mut check = Check { model, findings: Vec::new() };
    check.definition(definition);
    check.findings
}

struct Check<'m> {
    model: &'m Model,
    findings: Vec<Diagnostic>,
}

impl Check<'_> {
    fn definition(&mut self, definition: &Definition) {
        let span = definition.span;
        match &definition.kind {
            DefinitionKind::Interface(item) if item.is_local => {
                self.refuse("local interface", span)
            }
            DefinitionKind::Interface(item) if item.is_abstract => {
                self.refuse("abstract interface", span);
            }
            DefinitionKind::Interface(item) => self.interface(item),
            DefinitionKind::Struct(_) if self.model.is_recursive(definition.id) => {
                self.refuse("struct that contains itself", span);
            }
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                for member in &item.members {
                    self.ty(&member.ty, Place::Inside, member.span);
                }
            }
            // A string constant needs no memory of its own.
            DefinitionKind::Const(item) => self.ty(&item.ty, Place::Call, span),
            // A type is checked where it is used.
            DefinitionKind::Typedef(_)
            | DefinitionKind::Module(_)
            | DefinitionKind::Enum(_)
            | DefinitionKind::Annotation(_)
            | DefinitionKind::TemplateModule(_) => {}
            other => self.refuse(other.keyword(), span),
        }
    }

    fn interface(&mut self, item: &Interface) {
        for export in &item.exports {
            match export {
                Export::Operation(operation) => {
                    if !operation.contexts.is_empty() {
                        self.refuse("context", operation.span);
                    }
                    self.ty(&operation.result, Place::Call, operation.span);
                    for param in &operation.params {
                        self.ty(&param.ty, Place::Call, param.span);
                    }
                }
                Export::Attribute(attribute) => {
                    self.ty(&attribute.ty, Place::Call, attribute.span);
                }
                Export::Definition(_) => {}
            }
        }
    }

    fn ty(&mut self, ty: &Type, place: Place, span: Span) {
        match self.model.resolve(ty) {
            Type::WChar => self.refuse("wchar", span),
            Type::WString { .. } => self.refuse("wstring", span),
            Type::LongDouble => self.refuse("long double", span),
            Type::Fixed { .. } => self.refuse("fixed", span),
            Type::Any => self.refuse("any", span),
            Type::TypeCode => self.refuse("TypeCode", span),
            Type::ValueBase => self.refuse("ValueBase", span),
            Type::Map { .. } => self.refuse("map", span),
            Type::String { bound: None } if place == Place::Inside => {
                self.needs_bound("string", "string<64>", span);
            }
            Type::Sequence { bound: None, .. } if place == Place::Inside => {
                self.needs_bound("sequence", "sequence<long, 16>", span);
            }
            Type::Sequence { element, .. } | Type::Array { element, .. } => {
                self.ty(element, Place::Inside, span);
            }
            // A definition is checked itself.
            _ => {}
        }
    }

    fn refuse(&mut self, construct: &str, span: Span) {
        let message = format!("`{construct}` is not supported by the small ORB");
        self.findings.push(Diagnostic::new(Code::NanoUnsupported, span, message));
    }

    fn needs_bound(&mut self, construct: &str, example: &str, span: Span) {
        let message = format!(
            "a `{construct}` in a struct, an array or a sequence needs a bound for the small ORB"
        );
        let found = Diagnostic::new(Code::NanoUnbounded, span, message);
        self.findings.push(found.hint(format!("set its maximum length, as in `{example}`")));
    }
}
