//! What definitions consist of, as JSON: operations, attributes, initializers, ports, annotations.

use serde_json::{Map, Value};
use zorb_idl::model::{
    Annotation, Attribute, ConstValue, Initializer, Operation, Param, Port, PortKind,
};

use super::Dump;
use super::object::Object;

impl Dump<'_> {
    pub(super) fn operation(&self, item: &Operation) -> Value {
        let mut object = Object::default();
        object
            .put("name", item.name.as_str())
            .put("oneway", item.oneway)
            .put("result", self.ty(&item.result))
            .put("parameters", self.params(&item.params))
            .put("raises", self.names(&item.raises))
            .put("contexts", item.contexts.clone())
            .put("docs", item.docs.as_deref())
            .put("annotations", self.annotations(&item.annotations))
            .take()
    }

    pub(super) fn params(&self, list: &[Param]) -> Value {
        let param = |item: &Param| {
            let mut object = Object::default();
            object.put("direction", item.direction.keyword()).put("name", item.name.as_str());
            object.put("type", self.ty(&item.ty)).put("docs", item.docs.as_deref());
            object.put("annotations", self.annotations(&item.annotations)).take()
        };
        list.iter().map(param).collect()
    }

    pub(super) fn attributes(&self, list: &[Attribute]) -> Value {
        list.iter().map(|item| self.attribute(item)).collect()
    }

    pub(super) fn attribute(&self, item: &Attribute) -> Value {
        let mut object = Object::default();
        object
            .put("name", item.name.as_str())
            .put("readonly", item.readonly)
            .put("type", self.ty(&item.ty))
            .put("get_raises", self.names(&item.get_raises))
            .put("set_raises", self.names(&item.set_raises))
            .put("docs", item.docs.as_deref())
            .put("annotations", self.annotations(&item.annotations))
            .take()
    }

    pub(super) fn initializers(&self, list: &[Initializer]) -> Value {
        let initializer = |item: &Initializer| {
            let mut object = Object::default();
            object.put("name", item.name.as_str()).put("parameters", self.params(&item.params));
            object.put("raises", self.names(&item.raises)).put("docs", item.docs.as_deref());
            object.put("annotations", self.annotations(&item.annotations)).take()
        };
        list.iter().map(initializer).collect()
    }

    pub(super) fn ports(&self, list: &[Port]) -> Value {
        let port = |item: &Port| {
            let (word, multiple) = match &item.kind {
                PortKind::Uses { multiple, .. } => ("uses", *multiple),
                kind => (kind.keyword(), false),
            };
            let mut object = Object::default();
            object.put("kind", word).put("multiple", multiple).put("name", item.name.as_str());
            object.put("type", self.ty(&item.kind.ty())).put("part_of", item.part_of.as_deref());
            object.put("docs", item.docs.as_deref());
            object.put("annotations", self.annotations(&item.annotations)).take()
        };
        list.iter().map(port).collect()
    }

    pub(super) fn annotations(&self, list: &[Annotation]) -> Value {
        let annotation = |item: &Annotation| {
            let argument = |(name, value): &(String, ConstValue)| (name.clone(), self.value(value));
            let arguments: Map<String, Value> = item.arguments.iter().map(argument).collect();
            let mut object = Object::default();
            object.put("name", item.name.as_str()).put("unknown", !item.is_known);
            object.put("arguments", arguments).take()
        };
        list.iter().map(annotation).collect()
    }
}
