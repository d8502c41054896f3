//! Bitmasks, bitsets and maps.

use super::{Failed, Parsed, Parser};
use crate::diagnostics::Code;
use crate::lexer::{Punct, TokenKind};
use crate::syntax::{BitfieldItem, BitmaskItem, BitsetItem, Item, TypeKind};

impl Parser<'_> {
    /// Whether the current token is this identifier, which is not a keyword in older IDL.
    pub(super) fn at_word(&self, word: &str) -> bool {
        matches!(self.kind(), TokenKind::Ident(text) if &**text == word)
    }

    /// Whether the current tokens are `word Name`: a keyword of a later standard is an identifier
    /// unless a name follows.
    pub(super) fn at_definition_word(&self, word: &str) -> bool {
        self.at_word(word) && matches!(self.kind_at(1), TokenKind::Ident(_))
    }

    /// `bitmask M { a, b }` up to the semicolon.
    pub(super) fn bitmask(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the bitmask's name")?;
        let bits = self.enumerators("a bitmask", "a bit's name")?;
        if bits.is_empty() {
            self.sink.error(Code::EmptyDefinition, name.span, "a bitmask needs at least one bit");
        }
        Ok(Item::Bitmask(BitmaskItem { name, bits, docs }))
    }

    /// `bitset S : Base { bitfield<3> a; }` up to the semicolon.
    pub(super) fn bitset(&mut self) -> Parsed<Item> {
        let docs = self.docs();
        self.bump();
        let name = self.ident("the bitset's name")?;
        let base =
            if self.eat(Punct::Colon) { Some(self.scoped_name("a base bitset")?) } else { None };
        let mut fields = Vec::new();
        self.body("a bitset", |parser| parser.bitfield(&mut fields))?;
        if fields.is_empty() && base.is_none() {
            self.sink.error(Code::EmptyDefinition, name.span, "a bitset needs at least one field");
        }
        Ok(Item::Bitset(BitsetItem { name, base, fields, docs }))
    }

    fn bitfield(&mut self, fields: &mut Vec<BitfieldItem>) -> Parsed<()> {
        let annotations = self.annotations()?;
        let docs = self.docs();
        if !self.at_word("bitfield") {
            return Err(self.unexpected("`bitfield<bits>`"));
        }
        let span = self.span();
        self.bump();
        self.require(Punct::Less)?;
        let bits = self.bound()?;
        let mut ty = None;
        if self.eat(Punct::Comma) {
            ty = Some(self.type_spec(false)?);
        }
        self.require(Punct::Greater)?;
        let mut names = Vec::new();
        if !self.at(Punct::Semicolon) {
            names.push(self.ident("a field's name")?);
            while self.eat(Punct::Comma) {
                names.push(self.ident("a field's name")?);
            }
        }
        fields.push(BitfieldItem { span, bits, ty, names, docs, annotations });
        self.semicolon("a bitfield")
    }

    /// `map<K, V, bound>`
    pub(super) fn map(&mut self) -> Parsed<TypeKind> {
        self.bump();
        self.require(Punct::Less)?;
        self.angles += 1;
        let key = Box::new(self.element_type()?);
        if !self.eat(Punct::Comma) {
            let found = self.unexpected_diagnostic("`,`");
            self.sink.push(found.hint("a map has a key and a value type: `map<string, long>`"));
            return Err(Failed);
        }
        let value = Box::new(self.element_type()?);
        self.angles = self.angles.saturating_sub(1);
        let mut bound = None;
        if self.eat(Punct::Comma) {
            bound = Some(Box::new(self.bound()?));
        }
        self.require(Punct::Greater)?;
        Ok(TypeKind::Map { key, value, bound })
    }

    /// A definition of IDL 4, if there is one.
    pub(super) fn idl4_definition(&mut self) -> Parsed<Option<Item>> {
        if self.at_definition_word("bitmask") {
            return self.bitmask().map(Some);
        }
        if self.at_definition_word("bitset") {
            return self.bitset().map(Some);
        }
        Ok(None)
    }
}
