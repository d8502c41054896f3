//! `zorb idl dump`: the resolved model as JSON.
//!
//! The book specifies the format in the chapter on the IDL compiler. Absent values (no bound, no
//! docs, false) are omitted.

mod object;
mod parts;
mod types;

use serde_json::{Value, json};
use zorb_idl::model::{
    Definition, Export, Label, Member, StateMember, Struct, TemplateArgument, Union, ValueType,
};
use zorb_idl::{Compilation, DefId, DefinitionKind};

use self::object::Object;

/// The definitions of a compilation, nested as in the IDL.
pub(super) fn model(compilation: &Compilation, built_in: bool) -> Value {
    let dump = Dump { compilation, built_in };
    dump.definitions(compilation.model.roots())
}

struct Dump<'c> {
    compilation: &'c Compilation,
    built_in: bool,
}

impl Dump<'_> {
    fn name(&self, id: DefId) -> String {
        self.compilation.model.scoped_name(id)
    }

    fn names(&self, list: &[DefId]) -> Value {
        list.iter().map(|id| self.name(*id)).collect()
    }

    fn definitions(&self, list: &[DefId]) -> Value {
        let model = &self.compilation.model;
        let shown = list.iter().filter(|id| self.built_in || !model[**id].built_in);
        shown.map(|id| self.definition(&model[*id])).collect()
    }

    fn definition(&self, item: &Definition) -> Value {
        let model = &self.compilation.model;
        let location = self.compilation.sources.location(item.span);
        let mut object = Object::default();
        object
            .put("kind", Self::kind(&item.kind))
            .put("name", item.name.as_str())
            .put("scoped_name", self.name(item.id))
            .put("id", item.repository_id.as_str())
            .put("file", location.path.as_str())
            .put("line", location.line)
            .put("included", item.from_include)
            .put("built_in", item.built_in)
            .put("implied_by", item.implied_by.map(|id| self.name(id)))
            .put("docs", item.docs.as_deref())
            .put("annotations", self.annotations(&item.annotations))
            .put("recursive", model.is_recursive(item.id))
            .put("forward_only", item.kind.is_forward_only());
        self.details(item, &mut object);
        object.take()
    }

    fn details(&self, item: &Definition, object: &mut Object) {
        match &item.kind {
            DefinitionKind::Module(module) => {
                if let Some(instance) = &module.instance {
                    let argument = |argument: &TemplateArgument| match argument {
                        TemplateArgument::Type(ty) => json!({ "type": self.ty(ty) }),
                        TemplateArgument::Value(value) => json!({ "value": self.value(value) }),
                    };
                    let arguments: Value = instance.arguments.iter().map(argument).collect();
                    object.put("template", self.name(instance.template));
                    object.put("arguments", arguments);
                }
                object.put("definitions", self.definitions(&module.children));
            }
            DefinitionKind::Interface(interface) => {
                object.put("abstract", interface.is_abstract).put("local", interface.is_local);
                self.interface(item.id, object);
            }
            DefinitionKind::Value(value) => self.value_type(item.id, value, object),
            DefinitionKind::Event(event) => {
                object.put("consumer", event.consumer.map(|id| self.name(id)));
                self.value_type(item.id, &event.value, object);
            }
            DefinitionKind::ValueBox(item) => {
                object.put("type", self.ty(&item.ty));
                object.put("definitions", self.definitions(&item.children));
            }
            DefinitionKind::Struct(item) | DefinitionKind::Exception(item) => {
                self.structure(item, object);
            }
            DefinitionKind::Union(item) => self.union(item, object),
            DefinitionKind::Enum(item) => {
                let enumerator = |item: &zorb_idl::model::Enumerator| {
                    let mut object = Object::default();
                    object.put("name", item.name.as_str());
                    object.put("docs", item.docs.as_deref());
                    object.put("annotations", self.annotations(&item.annotations)).take()
                };
                object
                    .put("enumerators", item.enumerators.iter().map(enumerator).collect::<Value>());
            }
            DefinitionKind::Typedef(item) => {
                object.put("type", self.ty(&item.ty));
            }
            DefinitionKind::Const(item) => {
                object
                    .put("type", self.ty(&item.ty))
                    .put_constant("value", Some(self.value(&item.value)));
            }
            DefinitionKind::Native => {}
            DefinitionKind::Bitmask(item) => {
                let bit = |bit: &zorb_idl::model::Bit| {
                    let mut object = Object::default();
                    object.put("name", bit.name.as_str()).put("position", bit.position);
                    object.put("docs", bit.docs.as_deref());
                    object.put("annotations", self.annotations(&bit.annotations)).take()
                };
                object.put("bit_bound", item.bit_bound);
                object.put("bits", item.bits.iter().map(bit).collect::<Value>());
            }
            DefinitionKind::Bitset(item) => {
                let field = |field: &zorb_idl::model::Bitfield| {
                    let mut object = Object::default();
                    object.put("name", field.name.as_deref()).put("bits", field.bits);
                    object.put("offset", field.offset).put("type", self.ty(&field.ty));
                    object.put("docs", field.docs.as_deref());
                    object.put("annotations", self.annotations(&field.annotations)).take()
                };
                object.put("base", item.base.map(|id| self.name(id))).put("size", item.size);
                object.put("fields", item.fields.iter().map(field).collect::<Value>());
            }
            DefinitionKind::Annotation(item) => {
                let member = |member: &zorb_idl::model::AnnotationMember| {
                    let mut object = Object::default();
                    object.put("name", member.name.as_str()).put("type", self.ty(&member.ty));
                    let default = member.default.as_ref().map(|value| self.value(value));
                    object.put_constant("default", default).take()
                };
                object.put("members", item.members.iter().map(member).collect::<Value>());
                object.put("definitions", self.definitions(&item.children));
            }
            DefinitionKind::Component(component) => {
                object.put("base", component.base.map(|id| self.name(id)));
                object.put("ports", self.ports(&component.ports));
                self.interface(item.id, object);
                object.put("supports", self.names(&component.supports));
            }
            DefinitionKind::Home(home) => {
                object
                    .put("base", home.base.map(|id| self.name(id)))
                    .put("manages", home.manages.map(|id| self.name(id)))
                    .put("primary_key", home.primary_key.map(|id| self.name(id)))
                    .put("factories", self.initializers(&home.factories))
                    .put("finders", self.initializers(&home.finders))
                    .put("explicit", home.explicit.map(|id| self.name(id)))
                    .put("implicit", home.implicit.map(|id| self.name(id)));
                self.interface(item.id, object);
                object.put("supports", self.names(&home.supports));
            }
            DefinitionKind::PortType(item) => {
                object.put("ports", self.ports(&item.ports));
                object.put("attributes", self.attributes(&item.attributes));
            }
            DefinitionKind::Connector(item) => {
                object.put("base", item.base.map(|id| self.name(id)));
                object.put("ports", self.ports(&item.ports));
                object.put("attributes", self.attributes(&item.attributes));
            }
            DefinitionKind::TemplateModule(item) => {
                let parameters = item.parameters.iter();
                let parameters = parameters.map(|it| json!({ "name": it.name, "kind": it.kind }));
                object.put("parameters", parameters.collect::<Value>());
            }
        }
    }

    /// The bases, operations, attributes and definitions of an interface or valuetype.
    fn interface(&self, id: DefId, object: &mut Object) {
        let model = &self.compilation.model;
        if let Some(interface) = model.interface(id) {
            object.put("bases", self.names(&interface.bases));
        }
        let (mut operations, mut attributes) = (Vec::new(), Vec::new());
        for export in model.exports(id) {
            match export {
                Export::Operation(item) => operations.push(self.operation(item)),
                Export::Attribute(item) => attributes.push(self.attribute(item)),
                Export::Definition(_) => {}
            }
        }
        object.put("operations", operations).put("attributes", attributes);
        object.put("definitions", self.definitions(&model.children(id)));
    }

    fn value_type(&self, id: DefId, value: &ValueType, object: &mut Object) {
        let model = &self.compilation.model;
        object
            .put("abstract", value.is_abstract)
            .put("custom", value.is_custom)
            .put("truncatable", value.is_truncatable)
            .put("bases", self.names(&value.bases))
            .put("concrete_base", model.concrete_base(id).map(|id| self.name(id)))
            .put("supports", self.names(&value.supports))
            .put("supported_interface", model.supported_interface(id).map(|id| self.name(id)))
            .put("truncatable_ids", model.truncatable_ids(id))
            .put("chunked", model.is_chunked(id))
            .put("factories", self.initializers(&value.initializers));
        let state = |state: &StateMember| {
            let mut object = self.member(&state.member);
            object.put("visibility", state.visibility.keyword()).take()
        };
        object.put("state", value.members.iter().map(state).collect::<Value>());
        self.interface(id, object);
    }

    fn structure(&self, item: &Struct, object: &mut Object) {
        object.put("base", item.base.map(|id| self.name(id)));
        let members = item.members.iter().map(|member| self.member(member).take());
        object.put("members", members.collect::<Value>());
        object.put("definitions", self.definitions(&item.children));
    }

    fn member(&self, member: &Member) -> Object {
        let mut object = Object::default();
        object.put("name", member.name.as_str()).put("type", self.ty(&member.ty));
        object.put("docs", member.docs.as_deref());
        object.put("annotations", self.annotations(&member.annotations));
        object
    }

    fn union(&self, item: &Union, object: &mut Object) {
        let label = |label: &Label| match label {
            Label::Default => json!("default"),
            Label::Value(value) => json!({ "value": self.value(value) }),
        };
        let cases = item.cases.iter().map(|case| {
            let mut object = Object::default();
            object.put("labels", case.labels.iter().map(label).collect::<Value>());
            object.put("name", case.name.as_str()).put("type", self.ty(&case.ty));
            object.put("docs", case.docs.as_deref());
            object.put("annotations", self.annotations(&case.annotations)).take()
        });
        let cases: Value = cases.collect();
        let annotations = self.annotations(&item.discriminator_annotations);
        object.put("discriminator", self.ty(&item.discriminator));
        object.put("discriminator_annotations", annotations);
        object.put("cases", cases).put("implicit_default", item.implicit_default);
        object.put("definitions", self.definitions(&item.children));
    }
}
