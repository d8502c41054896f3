//! TypeCodes as text: one line for each type that has a name, as `peers/omniorb/random/typecodes.py` writes it.

use zorb::{TcKind, TypeCode, TypeCodeError};

/// The line of the type with this absolute name.
pub(super) fn line(name: &str, type_code: &TypeCode) -> Result<String, TypeCodeError> {
    let mut words =
        vec![name.to_owned(), String::new(), type_code.id().into(), type_code.name().into()];
    let member = |index| {
        let ty = expression(&type_code.member_type(index)?)?;
        Ok::<_, TypeCodeError>(format!("{}={ty}", type_code.member_name(index)?))
    };
    let members = 0..type_code.member_count();
    words[1] = match type_code.kind() {
        TcKind::Struct => {
            words.extend(members.map(member).collect::<Result<Vec<_>, _>>()?);
            "struct"
        }
        TcKind::Enum => {
            for index in members {
                words.push(type_code.member_name(index)?.to_owned());
            }
            "enum"
        }
        TcKind::Union => {
            words.push(expression(&type_code.discriminator_type()?)?);
            let default = type_code.default_index()?;
            for index in members {
                let label = match default == Some(index) {
                    true => "default".to_owned(),
                    false => label(type_code, index)?,
                };
                words.push(format!("{label}:{}", member(index)?));
            }
            "union"
        }
        TcKind::Alias => {
            words.push(expression(&type_code.content_type()?)?);
            "alias"
        }
        _ => "another",
    }
    .to_owned();
    Ok(words.join(" "))
}

fn label(union: &TypeCode, index: usize) -> Result<String, TypeCodeError> {
    let label = union.member_label(index)?;
    Ok(match union.discriminator_type()?.resolved_kind() {
        TcKind::ULongLong => label.cast_unsigned().to_string(),
        _ => label.to_string(),
    })
}

/// A type inside another: a named one by its id.
fn expression(ty: &TypeCode) -> Result<String, TypeCodeError> {
    Ok(match ty.kind() {
        TcKind::Short => "short".to_owned(),
        TcKind::Long => "long".to_owned(),
        TcKind::UShort => "ushort".to_owned(),
        TcKind::ULong => "ulong".to_owned(),
        TcKind::LongLong => "longlong".to_owned(),
        TcKind::ULongLong => "ulonglong".to_owned(),
        TcKind::Float => "float".to_owned(),
        TcKind::Double => "double".to_owned(),
        TcKind::Boolean => "boolean".to_owned(),
        TcKind::Char => "char".to_owned(),
        TcKind::WChar => "wchar".to_owned(),
        TcKind::Octet => "octet".to_owned(),
        TcKind::Any => "any".to_owned(),
        TcKind::String => format!("string({})", ty.length()?),
        TcKind::WString => format!("wstring({})", ty.length()?),
        TcKind::Fixed => {
            let (digits, scale) = ty.digits_and_scale()?;
            format!("fixed({digits} {scale})")
        }
        TcKind::Sequence => {
            format!("sequence({} {})", expression(&ty.content_type()?)?, ty.length()?)
        }
        TcKind::Array => format!("array({} {})", expression(&ty.content_type()?)?, ty.length()?),
        _ => ty.id().to_owned(),
    })
}
