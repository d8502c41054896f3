//! Constants of IDL as Rust expressions.

use zorb_idl::Type;
use zorb_idl::model::ConstValue;

use super::Types;

impl Types<'_, '_> {
    /// A constant's value or a union's label, as an expression that is also a pattern.
    pub(crate) fn constant(&self, value: &ConstValue) -> String {
        match value {
            // Occurs only in constants, never in labels: see `constant_of`.
            ConstValue::Fixed(value) => value.unscaled().to_string(),
            ConstValue::Boolean(value) => value.to_string(),
            ConstValue::Integer(value) => value.to_string(),
            ConstValue::Float(value) => format!("{value:?}"),
            ConstValue::Char(value) => format!("{value:?}"),
            ConstValue::WChar(unit) => {
                format!(
                    "{:?}",
                    char::from_u32((*unit).into()).unwrap_or(char::REPLACEMENT_CHARACTER)
                )
            }
            ConstValue::String(value) => format!("{value:?}"),
            ConstValue::WString(units) => format!("{:?}", String::from_utf16_lossy(units)),
            ConstValue::Enumerator { enumeration, index } => {
                let variants = self.names.enumerators(*enumeration);
                let variant = variants.get(*index as usize).map_or("", String::as_str);
                format!("{}::{variant}", self.path(*enumeration))
            }
            ConstValue::Error => "()".into(),
        }
    }

    /// The value of a constant of this type, with typedefs resolved.
    pub(crate) fn constant_of(&self, ty: &Type, value: &ConstValue) -> String {
        match (value, ty) {
            #[allow(clippy::cast_possible_truncation, reason = "the value has single precision")]
            (ConstValue::Float(value), Type::Float) => format!("{:?}", *value as f32),
            (ConstValue::Float(value), Type::LongDouble) => {
                format!("{}::from_f64({value:?})", self.codegen("LongDouble"))
            }
            (ConstValue::Fixed(value), Type::Fixed { digits, scale }) => {
                let shift =
                    u32::try_from(i32::from(*scale) - i32::from(value.scale())).unwrap_or(0);
                let unscaled = value.unscaled().saturating_mul(10_i128.saturating_pow(shift));
                format!("{}::<{digits}, {scale}>::constant({unscaled})", self.codegen("Fixed"))
            }
            (ConstValue::Integer(value), Type::Named(id)) => {
                format!("{}::from_bits({value})", self.path(*id))
            }
            (value, _) => self.constant(value),
        }
    }
}

/// Whether a constant contains a lone surrogate, which Rust's `char` cannot represent.
pub(crate) fn has_lone_surrogate(value: &ConstValue) -> bool {
    match value {
        ConstValue::WChar(unit) => char::from_u32((*unit).into()).is_none(),
        ConstValue::WString(units) => String::from_utf16(units).is_err(),
        _ => false,
    }
}
