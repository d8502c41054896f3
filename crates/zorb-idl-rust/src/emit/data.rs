//! Structs, exceptions, enumerations, typedefs and constants.

use zorb_idl::model::{Const, Definition, Enum, Struct};
use zorb_idl::{DefId, DefinitionKind, Type};

use super::{Emitter, idl_name, otherwise};
use crate::layout::Call;
use crate::names::{Case, Scope};
use crate::types::has_lone_surrogate;
use crate::{derives, docs, numbers};

impl<'m> Emitter<'_, 'm> {
    pub(super) fn structure(&mut self, definition: &'m Definition, item: &'m Struct) {
        let rows = self.record(definition);
        let engine = match self.is_numbers(definition.id) {
            true => "numbers ".to_owned(),
            false => self.engine_and_nesting(definition.id),
        };
        let head = format!("{engine}{}", self.head(definition));
        if self.names.is_sendable(definition.id) {
            self.table("structure", head, rows);
        }
        self.view(definition);
        self.nested(definition, &item.children);
    }

    /// Whether sequences of a struct are moved as a whole.
    fn is_numbers(&self, id: DefId) -> bool {
        let is_struct = matches!(self.names.model[id].kind, DefinitionKind::Struct(_));
        is_struct && self.engine(id).is_empty() && numbers::is_row(self.names.model, id)
    }

    pub(super) fn exception(&mut self, definition: &'m Definition, item: &'m Struct) {
        let rows = self.record(definition);
        if self.names.is_sendable(definition.id) {
            let head = format!("{}{}", self.engine(definition.id), self.head(definition));
            self.table("exception", head, rows);
        } else {
            self.local_error(definition);
        }
        self.nested(definition, &item.children);
    }

    /// The first arguments of every definition macro: Rust name, repository id, IDL name.
    pub(super) fn head(&self, definition: &Definition) -> String {
        let name = self.names.own(definition.id);
        format!("{name}, {:?}, {:?}", definition.repository_id, definition.name)
    }

    /// Writes a Rust struct; returns its members for the macro.
    fn record(&mut self, definition: &'m Definition) -> Vec<String> {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        self.push(&derives::of(self.names.model, definition.id));
        if self.is_numbers(definition.id) {
            self.push("#[repr(C)]\n");
        }
        let types = self.types();
        self.members(definition, |ty| (types.value(ty), types.typed(ty)))
    }

    /// Writes a Rust struct after its attributes; returns its members for the macro. `render` returns the type of a member
    /// in the struct, and in the macro.
    pub(super) fn members(
        &mut self,
        definition: &'m Definition,
        render: impl Fn(&Type) -> (String, String),
    ) -> Vec<String> {
        let name = self.names.own(definition.id);
        let members = self.names.model.all_members(definition.id);
        if members.is_empty() {
            self.push(&format!("pub struct {name};\n"));
            return Vec::new();
        }
        self.push(&format!("pub struct {name} {{\n"));
        let mut scope = Scope::default();
        let mut rows = Vec::new();
        for member in members {
            let field = scope.assign(&member.name, Case::Snake, member.span, &mut self.warnings);
            let docs =
                docs::attributes(member.docs.as_deref(), &format!("The member `{}`.", member.name));
            let (stored, marshalled) = render(&member.ty);
            self.push(&format!("{docs}pub {field}: {stored},\n"));
            rows.push(format!("{field}: {marshalled} = {:?}", member.name));
        }
        self.push("}\n");
        rows
    }

    pub(super) fn enumeration(&mut self, definition: &Definition, item: &Enum) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        self.push("#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n");
        let name = self.names.own(definition.id);
        self.push(&format!("#[repr(u32)]\npub enum {name} {{\n"));
        let mut rows = Vec::new();
        let variants = self.names.enumerators(definition.id);
        for (enumerator, variant) in item.enumerators.iter().zip(variants) {
            let docs = docs::attributes(
                enumerator.docs.as_deref(),
                &format!("The value `{}`.", enumerator.name),
            );
            self.push(&format!("{docs}{variant},\n"));
            rows.push(format!("{variant} = {:?}", enumerator.name));
        }
        self.push("}\n");
        let head = format!("{}{}", self.engine(definition.id), self.head(definition));
        self.table("enumeration", head, rows);
    }

    pub(super) fn typedef(&mut self, definition: &Definition, ty: &Type) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let name = self.names.own(definition.id);
        let text = format!("pub type {name} = {};\n", self.types().alias(ty));
        self.push(&text);
        let names = self.names;
        if let Some(alias) = names.alias(definition.id) {
            let (path, original) = (self.types().codegen("typedef"), self.types().typed(ty));
            let id = format!("{:?}", definition.repository_id);
            let parts = vec![alias.to_owned(), id, format!("{:?}", definition.name), original];
            self.item(Call::List { path, parts });
        }
    }

    pub(super) fn constant(&mut self, definition: &Definition, item: &Const) {
        if has_lone_surrogate(&item.value) {
            self.warn(
                definition.span,
                format!(
                    "`{}` contains a lone surrogate, which Rust cannot represent: it is replaced by U+FFFD",
                    idl_name(definition)
                ),
            );
        }
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let types = self.types();
        let resolved = self.names.model.resolve(&item.ty);
        let ty = match resolved {
            Type::String { .. } | Type::WString { .. } => "&str".to_owned(),
            _ => types.value(&item.ty),
        };
        let value = types.constant_of(resolved, &item.value);
        let name = self.names.own(definition.id);
        self.push(&format!("pub const {name}: {ty} = {value};\n"));
    }

    /// The paths of some definitions, from the current module.
    pub(super) fn paths(&self, list: &[DefId]) -> Vec<String> {
        list.iter().map(|&id| self.names.path(id, self.module)).collect()
    }
}
