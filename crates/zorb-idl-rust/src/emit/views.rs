//! Views of structs, and methods that pass views of results.

use zorb_idl::model::Definition;
use zorb_idl::{DefinitionKind, Type};

use super::Emitter;
use super::methods::Signature;
use super::pending::plain_name;
use crate::docs;
use crate::layout::Call;
use crate::names::{Case, Method, Scope};
use crate::types::array;

impl<'m> Emitter<'_, 'm> {
    /// Writes the view of a struct, if it has one.
    pub(super) fn view(&mut self, definition: &'m Definition) {
        let names = self.names;
        let (id, own) = (definition.id, names.own(definition.id));
        let Some(view) = names.view(id) else { return };
        let otherwise = format!(
            "The view of a [`{own}`], which is read in place from received octets. `{own}::from` copies it."
        );
        self.lead(None, &otherwise);
        let position = self.types().codegen("Position");
        self.push(&format!("#[derive(Clone, Copy)]\npub struct {view}<'a>({position}<'a>);\n"));
        let mut scope = Scope::default();
        let (mut rows, mut methods) = (Vec::new(), String::new());
        let (implementation, access) = match self.viewed.has_fixed_size(id) {
            true => ("view", "member"),
            false => ("variable_view", "variable_member"),
        };
        for (number, member) in names.model.all_members(id).into_iter().enumerate() {
            let field = scope.assign(&member.name, Case::Snake, member.span, &mut Vec::new());
            let wire = self.viewed_wire(&member.ty);
            let docs =
                docs::attributes(member.docs.as_deref(), &format!("The member `{}`.", member.name));
            let body = self.layout.place(Call::List {
                path: self.types().codegen(access),
                parts: vec![format!("self: {view}"), format!("{number} {wire}")],
            });
            let result = self.in_place(&member.ty);
            methods.push_str(&format!("{docs}pub fn {field}(self) -> {result} {{ {body} }}\n"));
            rows.push(format!("{number} {field}: {wire}"));
        }
        self.table(implementation, format!("{own}, {view}"), rows);
        self.allow();
        self.push(&format!("impl<'a> {view}<'a> {{\n{methods}}}\n"));
    }

    /// The type by which a value is read in place: its own, except that arrays of elements of different sizes have another.
    pub(super) fn viewed_wire(&self, ty: &Type) -> String {
        let types = self.types();
        match self.names.model.resolve(ty) {
            Type::Array { element, dims } => self.viewed_array(element, dims),
            Type::Sequence { element, bound } if types.octets(ty).is_none() => {
                types.sequence_of(&self.viewed_wire(element), *bound)
            }
            _ => types.wire(ty),
        }
    }

    fn viewed_array(&self, element: &Type, dims: &[u32]) -> String {
        let types = self.types();
        if self.viewed.is_fixed(element) {
            return array(types.wire(element), dims);
        }
        dims.iter().rev().fold(self.viewed_wire(element), |inner, dim| {
            types.codegen(&format!("ViewedArray<{inner}, {dim}>"))
        })
    }

    /// What reading a member in place yields.
    fn in_place(&self, ty: &Type) -> String {
        let types = self.types();
        if types.octets(ty).is_some() {
            return "&'a [u8]".to_owned();
        }
        match self.names.model.resolve(ty) {
            Type::String { .. } => "&'a str".to_owned(),
            Type::WString { .. } => format!("{}::WideStringView<'a>", self.options.runtime_path()),
            Type::Sequence { element, .. } => {
                let element = self.viewed_wire(element);
                format!("{}::SequenceView<'a, {element}>", self.options.runtime_path())
            }
            Type::Array { element, dims } => {
                let element = self.viewed_array(element, dims.get(1..).unwrap_or_default());
                format!("{}::SequenceView<'a, {element}>", self.options.runtime_path())
            }
            Type::Named(id) if matches!(self.names.model[*id].kind, DefinitionKind::Struct(_)) => {
                let path = self.names.view_path(*id, self.module).unwrap_or_default();
                format!("{path}<'a>")
            }
            _ => types.value(ty),
        }
    }

    /// The type of the view of an argument, if its receiver gets one.
    pub(super) fn argument_view(&self, item: &Signature<'_>, ty: &Type) -> Option<String> {
        if !item.has_views || !self.viewed.has(ty) {
            return None;
        }
        match self.names.model.resolve(ty) {
            Type::Sequence { element, .. } => {
                let (runtime, element) = (self.options.runtime_path(), self.viewed_wire(element));
                Some(format!("{runtime}::SequenceView<'_, {element}>"))
            }
            Type::Named(id) => {
                let path = self.names.view_path(*id, self.module)?;
                Some(format!("{path}<'_>"))
            }
            _ => None,
        }
    }

    /// The type of a string or octets among results that are viewed, unless the octets are loaned. Servants get these
    /// arguments in place anyway.
    fn text_in_place(&self, item: &Signature<'_>, ty: &Type) -> Option<String> {
        if self.loaned(item, ty).is_some() {
            return None;
        }
        match self.names.model.resolve(ty) {
            Type::String { .. } => Some("&str".to_owned()),
            _ => self.types().octets(ty).map(|_| "&[u8]".to_owned()),
        }
    }

    /// The method that makes the call of `method` and passes views of the results to a function, if it is to have one.
    pub(super) fn viewing_stub(
        &mut self,
        definition: &'m Definition,
        method: &Method,
        signature: &Signature<'_>,
    ) {
        let is_viewed = |(_, ty): &(String, &Type)| self.argument_view(signature, ty).is_some();
        if !signature.results.iter().any(is_viewed) {
            return;
        }
        let name = self.sending_name(definition, method, ["view_", ""]);
        let mut read = "read".to_owned();
        while signature.parameter_names().any(|other| other == read) {
            read.push('_');
        }
        let (mut seen, mut rows) = (Vec::new(), Vec::new());
        for (result, ty) in &signature.results {
            let view =
                self.argument_view(signature, ty).or_else(|| self.text_in_place(signature, ty));
            rows.push(match view {
                Some(_) => format!("view {result}: {}", self.viewed_wire(ty)),
                None => format!("own {result}: {}", self.result_wire(signature, ty)),
            });
            seen.push(view.unwrap_or_else(|| self.result_value(signature, ty)));
        }
        let mut parameters = self.stub_parameters(signature);
        parameters.push(format!("{read}: impl ::core::ops::FnOnce({}) -> __T", seen.join(", ")));
        let runtime = self.options.runtime_path();
        let error = signature.error.iter().map(|error| format!(", {error}")).collect::<String>();
        let function = format!(
            "fn {name}<__T>(&self, {}) -> {runtime}::Result<__T{error}>",
            parameters.join(", ")
        );
        let call = self.layout.place(Call::List {
            path: self.types().codegen("view_results"),
            parts: vec![
                "self".to_owned(),
                format!("{:?}", signature.wire),
                self.sent(signature),
                format!("[{}]", rows.join(", ")),
                read.clone(),
            ],
        });
        let body = match &signature.context {
            Some((name, wanted)) => format!("let {name} = &{name}.only(&{wanted:?});\n{call}"),
            None => call,
        };
        let docs = format!(
            "/// Calls [`{}`](Self::{}) and passes the results to `{read}`, as views of the octets received. The connection \
             is\n/// in use until it returns.\n",
            method.name,
            plain_name(method)
        );
        self.push(&format!("{docs}pub {function} {{ {body} }}\n"));
    }
}
