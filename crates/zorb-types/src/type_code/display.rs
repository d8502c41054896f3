//! TypeCodes as IDL.

use core::fmt;

use super::digits::digits_and_scale;
use super::view::TypeRef;
use super::{TcKind, TypeCode};

/// The maximum number of nested anonymous types to show; `...` stands for the rest.
const MAX_NESTING: u16 = 16;

impl fmt::Display for TypeCode {
    /// The definition of a named type: `struct Person { string name; }`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let type_ref = self.view();
        match type_ref.kind() {
            TcKind::Struct | TcKind::Except | TcKind::Value | TcKind::Event => {
                head(type_ref, f)?;
                f.write_str(" {")?;
                for member in type_ref.members() {
                    f.write_str(" ")?;
                    declaration(member.type_ref, member.name, f)?;
                    f.write_str(";")?;
                }
                f.write_str(" }")
            }
            TcKind::Union => union(type_ref, f),
            TcKind::Enum => {
                head(type_ref, f)?;
                f.write_str(" {")?;
                for (index, member) in type_ref.members().enumerate() {
                    f.write_str(if index == 0 { " " } else { ", " })?;
                    f.write_str(member.name)?;
                }
                f.write_str(" }")
            }
            TcKind::Alias => {
                f.write_str("typedef ")?;
                declaration(type_ref.content(), label(type_ref), f)
            }
            TcKind::ValueBox => {
                head(type_ref, f)?;
                f.write_str(" ")?;
                declaration(type_ref.content(), "", f)
            }
            kind if kind.has_id() => head(type_ref, f),
            _ => declaration(Some(type_ref), "", f),
        }
    }
}

impl fmt::Debug for TypeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypeCode({self})")
    }
}

/// The name, or the id if the TypeCode is compact.
fn label(type_ref: TypeRef<'_>) -> &str {
    if type_ref.name().is_empty() { type_ref.id() } else { type_ref.name() }
}

fn head(type_ref: TypeRef<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(type_ref.kind().idl_name())?;
    match label(type_ref) {
        "" => Ok(()),
        name => write!(f, " {name}"),
    }
}

fn union(type_ref: TypeRef<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    head(type_ref, f)?;
    f.write_str(" switch (")?;
    declaration(type_ref.content(), "", f)?;
    f.write_str(") {")?;
    let discriminator = type_ref.content().map(TypeRef::resolved);
    let default_index = usize::try_from(type_ref.number()).ok();
    for (index, member) in type_ref.members().enumerate() {
        if default_index == Some(index) {
            f.write_str(" default: ")?;
        } else {
            f.write_str(" case ")?;
            case(discriminator, member.label, f)?;
            f.write_str(": ")?;
        }
        declaration(member.type_ref, member.name, f)?;
        f.write_str(";")?;
    }
    f.write_str(" }")
}

fn case(discriminator: Option<TypeRef<'_>>, label: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let character = || u32::try_from(label).ok().and_then(char::from_u32);
    match discriminator.map(|discriminator| (discriminator, discriminator.kind())) {
        Some((_, TcKind::Boolean)) => f.write_str(if label == 0 { "FALSE" } else { "TRUE" }),
        Some((_, TcKind::ULongLong)) => write!(f, "{}", label.cast_unsigned()),
        Some((_, TcKind::Char | TcKind::WChar)) => match character() {
            Some(character) => write!(f, "{character:?}"),
            None => write!(f, "{label}"),
        },
        Some((discriminator, TcKind::Enum)) => {
            let member = usize::try_from(label).ok().and_then(|index| discriminator.member(index));
            match member {
                Some(member) if !member.name.is_empty() => f.write_str(member.name),
                _ => write!(f, "{label}"),
            }
        }
        _ => write!(f, "{label}"),
    }
}

/// A declaration of a name with this type: `long matrix[2][3]`.
fn declaration(
    type_ref: Option<TypeRef<'_>>,
    name: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let Some(mut type_ref) = type_ref else { return f.write_str(name) };
    let outer = type_ref;
    for _ in 0..MAX_NESTING {
        match (type_ref.kind(), type_ref.content()) {
            (TcKind::Array, Some(element)) => type_ref = element,
            _ => break,
        }
    }
    usage(type_ref, MAX_NESTING, f)?;
    if !name.is_empty() {
        write!(f, " {name}")?;
    }
    let mut dimension = outer;
    for _ in 0..MAX_NESTING {
        match (dimension.kind(), dimension.content()) {
            (TcKind::Array, Some(element)) => {
                write!(f, "[{}]", dimension.number())?;
                dimension = element;
            }
            _ => break,
        }
    }
    Ok(())
}

/// The use of a type: the name of a named type.
fn usage(type_ref: TypeRef<'_>, nesting: u16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let kind = type_ref.kind();
    match kind {
        TcKind::String | TcKind::WString if type_ref.number() != 0 => {
            write!(f, "{}<{}>", kind.idl_name(), type_ref.number())
        }
        TcKind::Fixed => {
            let (digits, scale) = digits_and_scale(type_ref.number());
            write!(f, "fixed<{digits}, {scale}>")
        }
        TcKind::Sequence | TcKind::Array if nesting == 0 => f.write_str("..."),
        TcKind::Sequence => {
            f.write_str("sequence<")?;
            if let Some(element) = type_ref.content() {
                usage(element, nesting - 1, f)?;
            }
            match type_ref.number() {
                0 => f.write_str(">"),
                bound => write!(f, ", {bound}>"),
            }
        }
        TcKind::Array => {
            if let Some(element) = type_ref.content() {
                usage(element, nesting - 1, f)?;
            }
            write!(f, "[{}]", type_ref.number())
        }
        kind if kind.has_id() => match label(type_ref) {
            "" => f.write_str(kind.idl_name()),
            name => f.write_str(name),
        },
        kind => f.write_str(kind.idl_name()),
    }
}
