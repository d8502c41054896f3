//! Types in the syntax of IDL.

use zorb_types::{TcKind, TypeCode};

use super::Scope;

/// The maximum nesting depth of types.
const MAX_DEPTH: u32 = 32;

/// Parses a type: `unsigned long`, `sequence<octet, 4>`, `string[2]`,
/// `Bank::Account`, `IDL:Bank/Account:1.0`.
///
/// # Errors
/// Why the text is not a type.
pub fn type_named(text: &str, scope: &dyn Scope) -> Result<TypeCode, String> {
    let text = text.trim();
    let mut parser = Parser { rest: text, scope, depth: 0 };
    let type_code = parser.parse()?;
    if parser.rest.is_empty() {
        Ok(type_code)
    } else {
        Err(format!("{:?} after the type", parser.rest))
    }
}

/// The text of a type for [`type_named`]: named types are repository ids.
pub fn type_name(type_code: &TypeCode) -> String {
    use TcKind::{Array, Fixed, ObjRef, Sequence, String, WString};
    let bound = |kind: &str| match type_code.length() {
        Ok(0) | Err(_) => kind.to_owned(),
        Ok(bound) => format!("{kind}<{bound}>"),
    };
    match type_code.kind() {
        String => bound("string"),
        WString => bound("wstring"),
        Fixed => {
            let (digits, scale) = type_code.digits_and_scale().unwrap_or_default();
            format!("fixed<{digits}, {scale}>")
        }
        Sequence => {
            let element = type_name(&type_code.content_type().unwrap_or_default());
            match type_code.length() {
                Ok(0) | Err(_) => format!("sequence<{element}>"),
                Ok(bound) => format!("sequence<{element}, {bound}>"),
            }
        }
        Array => {
            let mut lengths = std::string::String::new();
            let mut element = type_code.clone();
            while element.kind() == Array {
                lengths += &format!("[{}]", element.length().unwrap_or_default());
                element = element.content_type().unwrap_or_default();
            }
            type_name(&element) + &lengths
        }
        ObjRef if type_code.id() == zorb_core::OBJECT_ID || type_code.id().is_empty() => {
            "Object".to_owned()
        }
        // An incomplete type has no kind yet.
        _ if !type_code.id().is_empty() => type_code.id().to_owned(),
        kind => kind.idl_name().to_owned(),
    }
}

fn unknown(name: &str) -> String {
    format!("no type {name:?} is known here")
}

struct Parser<'a> {
    rest: &'a str,
    scope: &'a dyn Scope,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn parse(&mut self) -> Result<TypeCode, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("types nested too deep".to_owned());
        }
        let base = self.base()?;
        let mut lengths = Vec::new();
        while self.sign('[') {
            lengths.push(self.number()?);
            self.require(']')?;
        }
        self.depth -= 1;
        lengths.into_iter().rev().try_fold(base, |element, length| {
            TypeCode::array(&element, length).map_err(|error| error.to_string())
        })
    }

    fn base(&mut self) -> Result<TypeCode, String> {
        use TcKind::{
            Any, Boolean, Char, Double, Float, Long, LongDouble, LongLong, Null, Octet, Short,
            ULong, ULongLong, UShort, Void, WChar,
        };
        let word = self.word();
        Ok(TypeCode::plain(match word {
            "null" => Null,
            "void" => Void,
            "short" | "int16" => Short,
            "uint16" => UShort,
            "int32" => Long,
            "uint32" => ULong,
            "int64" => LongLong,
            "uint64" => ULongLong,
            "float" => Float,
            "double" => Double,
            "boolean" => Boolean,
            "char" => Char,
            "wchar" => WChar,
            "octet" | "uint8" => Octet,
            "any" => Any,
            "TypeCode" | "CORBA::TypeCode" | "::CORBA::TypeCode" => TcKind::TypeCode,
            "long" if self.next_is("double") => LongDouble,
            "long" if self.next_is("long") => LongLong,
            "long" => Long,
            "unsigned" => match self.word() {
                "short" => UShort,
                "long" if self.next_is("long") => ULongLong,
                "long" => ULong,
                _ => return Err("unsigned short, unsigned long or unsigned long long".to_owned()),
            },
            "Object" => {
                let made = TypeCode::interface(zorb_core::OBJECT_ID, "Object");
                return made.map_err(|error| error.to_string());
            }
            "string" => return self.bound().map(TypeCode::string),
            "wstring" => return self.bound().map(TypeCode::wstring),
            "fixed" => {
                self.require('<')?;
                let digits = self.number()?;
                self.require(',')?;
                let scale = self.number()?;
                self.require('>')?;
                let digits = u16::try_from(digits).unwrap_or(u16::MAX);
                let scale = i16::try_from(scale).unwrap_or(i16::MAX);
                return TypeCode::fixed(digits, scale).map_err(|error| error.to_string());
            }
            "sequence" => {
                self.require('<')?;
                let element = self.parse()?;
                let bound = if self.sign(',') { self.number()? } else { 0 };
                self.require('>')?;
                return TypeCode::sequence(&element, bound).map_err(|error| error.to_string());
            }
            "" => return Err(format!("expected a type at {:?}", self.rest)),
            name => return self.scope.type_named(name).ok_or_else(|| unknown(name)),
        }))
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// A word, a scoped name or a repository id.
    fn word(&mut self) -> &'a str {
        self.skip_space();
        let is_id = self.rest.starts_with("IDL:") || self.rest.starts_with("RMI:");
        let ends = |c: char| match is_id {
            true => c.is_whitespace() || "<>[],".contains(c),
            false => !(c.is_ascii_alphanumeric() || c == '_' || c == ':'),
        };
        let end = self.rest.find(ends);
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        self.skip_space();
        word
    }

    fn next_is(&mut self, word: &str) -> bool {
        let before = self.rest;
        let is_it = self.word() == word;
        if !is_it {
            self.rest = before;
        }
        is_it
    }

    fn sign(&mut self, sign: char) -> bool {
        self.skip_space();
        let stripped = self.rest.strip_prefix(sign);
        self.rest = stripped.unwrap_or(self.rest);
        stripped.is_some()
    }

    fn require(&mut self, sign: char) -> Result<(), String> {
        if self.sign(sign) { Ok(()) } else { Err(format!("expected {sign:?} at {:?}", self.rest)) }
    }

    fn number(&mut self) -> Result<u32, String> {
        let word = self.word();
        word.parse().map_err(|_| format!("expected a number, not {word:?}"))
    }

    fn bound(&mut self) -> Result<u32, String> {
        if !self.sign('<') {
            return Ok(0);
        }
        let bound = self.number()?;
        self.require('>')?;
        Ok(bound)
    }
}
