//! Servants of TypeCodes, of anys and wide text inside other types, and of contexts.

use zorb::{Any, Context, TypeCode};

use super::data::Echo;
use super::echo::echo;
use crate::interop::wide_types::ReadError;
use crate::interop::{ContextsServant, TypesServant, Unreadable, WideTypesServant, data, values};
use crate::samples;

impl TypesServant for Echo {
    echo! { struct
        echo_type: TypeCode;
        echo_described: data::Described;
        echo_variant: data::Variant;
        echo_any_pair: data::AnyPair;
        echo_property: data::Property;
    }
    echo! { sequence
        echo_types: TypeCode;
        echo_any_seq: Any;
        echo_properties: data::Property;
    }

    fn make_type(&self, kind: &str) -> zorb::Result<TypeCode> {
        Ok(samples::any_of(kind).unwrap_or_default().type_code().clone())
    }

    fn kind_of_type(&self, r#type: &TypeCode) -> zorb::Result<String> {
        Ok(samples::first_of_type(r#type).unwrap_or("unknown").into())
    }

    fn type_of(&self, value: &Any) -> zorb::Result<TypeCode> {
        Ok(value.type_code().clone())
    }
}

impl WideTypesServant for Echo {
    echo! { struct
        echo_sign: data::Sign;
        echo_wide_code: data::WideCode;
        echo_wide_or_not: data::WideOrNot;
    }
    echo! { sequence echo_wchars: char; }

    fn read(&self, text: &str) -> zorb::Result<(), ReadError> {
        if text.is_empty() {
            return Ok(());
        }
        Err(Unreadable { what: text.into(), at: values::KATAKANA }.into())
    }
}

impl ContextsServant for Echo {
    fn property(&self, name: &str, context: &Context) -> zorb::Result<String> {
        Ok(context.value(name).unwrap_or_default().into())
    }

    fn none(&self, text: &str) -> zorb::Result<String> {
        Ok(text.into())
    }
}
