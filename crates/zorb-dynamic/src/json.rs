//! IDL values as JSON, for people and scripts.
//!
//! | IDL | JSON |
//! |---|---|
//! | integers, `octet`, bit masks | a number; 64-bit ones exactly, also as a string of digits |
//! | `float`, `double` | a number, or `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | `long double` | a number if `double` has it exactly, else a string |
//! | `fixed` | a string of its digits, `"12.50"`; a number is read too |
//! | `boolean` | `true`, `false` |
//! | `char`, `wchar`, `string`, `wstring` | a string |
//! | `enum` | the name of the value, as a string |
//! | `struct`, exception | an object with every member |
//! | union | an object with the one member that is selected; `"$case"` has the discriminator, and may be omitted if the member determines it |
//! | sequence, array | an array |
//! | sequence or array of `octet` | a string in base64 (RFC 4648, 4); an array of numbers is read too |
//! | `any` | `{"type": TYPE, "value": VALUE}`; `null` for one without a value |
//! | `TypeCode` | a type as a string, as in `any` |
//! | references | a string (`IOR:`, `corbaloc:`, ...), `null` for nil |
//! | valuetypes | an object with every member, `null` for null; boxes are their contents; `{"$ref": PATH}` refers to an earlier value |
//! | abstract interfaces | a reference, or a value with its `"$type"` |
//!
//! A TYPE is written as in IDL: `long`, `sequence<string<10>>`, `double[3]`. Named types are written as
//! scoped names, `Bank::Account`, or repository ids, which a [`Scope`] resolves.
//!
//! A value of a type derived from the expected one has the member `"$type"`, its TYPE; an unexpected box
//! has `"$type"` and `"$value"`. A reference to a value that occurred before is an object with the only
//! member `"$ref"`, a path: `$` is the whole value, `$.next` and `$.parts[3].next` are parts of it.

mod encoder;
mod error;
mod input;
mod notation;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod valuetype;
mod write;

use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zorb_giop::Ior;
use zorb_types::TypeCode;

pub use error::JsonError;
pub use notation::{type_name, type_named};
pub use read::to_any;
pub use text::{Json, escape_controls};
pub use write::from_any;

/// The member that names the type of a value.
const TYPE: &str = "$type";
/// The member that refers to an earlier value.
const REFERENCE: &str = "$ref";
/// The member with the contents of a box with a `$type`.
const BOXED: &str = "$value";

/// Octets as text. Padding may be missing when it is read.
static BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Resolves type names and references in JSON.
pub trait Scope {
    /// The type of a scoped name, `Bank::Account`, or a repository id, `IDL:Bank/Account:1.0`.
    fn type_named(&self, name: &str) -> Option<TypeCode>;

    /// The reference of a URL or a stringified reference.
    ///
    /// # Errors
    /// Why it is invalid.
    fn reference(&self, text: &str) -> Result<Ior, String>;
}

/// A scope without type names, in which references are stringified ones only (`IOR:`).
#[derive(Clone, Copy, Debug, Default)]
pub struct NoScope;

impl Scope for NoScope {
    fn type_named(&self, _: &str) -> Option<TypeCode> {
        None
    }

    fn reference(&self, text: &str) -> Result<Ior, String> {
        Ior::from_stringified(text).map_err(|error| error.to_string())
    }
}
