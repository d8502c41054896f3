//! Bitmasks and bitsets.

use zorb_idl::DefinitionKind;
use zorb_idl::model::{Bitfield, Bitmask, Bitset, Definition};

use super::{Emitter, otherwise};
use crate::docs;
use crate::names::{Case, Scope};

impl Emitter<'_, '_> {
    pub(super) fn bitmask(&mut self, definition: &Definition, item: &Bitmask) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let name = self.names.own(definition.id);
        let number = unsigned(item.bit_bound);
        self.push("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\n");
        self.push(&format!("pub struct {name}({number});\n"));
        self.allow();
        self.push(&format!("impl {name} {{\n"));
        let mut scope = Scope::default();
        for bit in &item.bits {
            let constant = scope.assign(&bit.name, Case::Screaming, bit.span, &mut self.warnings);
            let docs = docs::attributes(bit.docs.as_deref(), &format!("The bit `{}`.", bit.name));
            let position = bit.position;
            self.push(&format!("{docs}pub const {constant}: Self = Self(1 << {position});\n"));
        }
        self.push("}\n");
        let head =
            format!("{name}, {number}, {:?}, {:?}", definition.repository_id, definition.name);
        self.list("bitmask", head);
    }

    pub(super) fn bitset(&mut self, definition: &Definition, item: &Bitset) {
        self.lead(definition.docs.as_deref(), &otherwise(definition));
        let name = self.names.own(definition.id);
        self.push("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]\n");
        self.push(&format!("pub struct {name} {{\n"));
        let mut scope = Scope::default();
        let mut rows = Vec::new();
        for field in self.bit_fields(item) {
            let Some(idl) = &field.name else { continue };
            let member = scope.assign(idl, Case::Snake, field.span, &mut self.warnings);
            let bits = if field.bits == 1 { "bit" } else { "bits" };
            let otherwise = format!("The field `{idl}`, {} {bits}.", field.bits);
            let docs = docs::attributes(field.docs.as_deref(), &otherwise);
            let ty = self.types().value(&field.ty);
            self.push(&format!("{docs}pub {member}: {ty},\n"));
            rows.push(format!("{member}: {ty} = {} {}", field.offset, field.bits));
        }
        self.push("}\n");
        let number = unsigned(item.size);
        let head =
            format!("{name}, {number}, {:?}, {:?}", definition.repository_id, definition.name);
        self.table("bitset", head, rows);
    }

    /// All fields; those of the bases come first.
    fn bit_fields(&self, item: &Bitset) -> Vec<Bitfield> {
        let mut line = vec![item];
        while let Some(DefinitionKind::Bitset(base)) =
            line.last().and_then(|item| item.base).map(|id| &self.names.model[id].kind)
        {
            line.push(base);
        }
        line.iter().rev().flat_map(|item| item.fields.clone()).collect()
    }
}

/// The smallest unsigned integer type with this many bits.
const fn unsigned(bits: u16) -> &'static str {
    match bits {
        0..=8 => "u8",
        9..=16 => "u16",
        17..=32 => "u32",
        _ => "u64",
    }
}
