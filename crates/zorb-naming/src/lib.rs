//! CosNaming: hierarchical names for objects.
//!
//! The stubs and servant traits in [`cos_naming`] are generated from the standard's IDL, so they
//! are compatible with the naming service of any vendor; [`name`] and [`name_to_string`] convert
//! names from and to strings (OMG Naming Service 1.3, 2.4). [`naming_extensions`] is what Zorb's own service can do beyond
//! that.
//!
//! ```no_run
//! use zorb_naming::{cos_naming::NamingContext, name};
//!
//! let orb = zorb::Orb::builder().init_ref("NameService", "corbaloc::localhost/NameService").build()?;
//! let root: NamingContext = orb.initial_reference("NameService")?;
//! let object = root.resolve(&name("plant/pump.device")?)?;
//! # let _ = object;
//! # Ok::<(), zorb::Error>(())
//! ```
#![forbid(unsafe_code)]

zorb::include_idl!("NamingExtensions");

pub mod import;
#[cfg(feature = "server")]
pub mod server;

use cos_naming::{Name, NameComponent};
use zorb::giop::StringName;

/// Parses a stringified name: components separated by `/`, id and kind by `.`; `\` escapes a
/// character.
///
/// # Errors
/// `BAD_PARAM` (OMG 15, invalid name) if `text` is not a valid name.
pub fn name(text: &str) -> zorb::Result<Name> {
    let parsed: StringName = text.parse().map_err(|_| {
        let minor = zorb::minor::bad_param::INVALID_NAME;
        zorb::SystemException::bad_param(minor, zorb::CompletionStatus::No)
    })?;
    let components = parsed.components.into_iter();
    Ok(components
        .map(|component| NameComponent { id: component.id, kind: component.kind })
        .collect())
}

/// The stringified form of `name`.
pub fn name_to_string(name: &[NameComponent]) -> String {
    let components = name.iter().map(|component| zorb::giop::StringNameComponent {
        id: component.id.clone(),
        kind: component.kind.clone(),
    });
    StringName { components: components.collect() }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelt_and_read() {
        for text in ["a", "a/b.c", r"a\.b/c\/d.e", ".k", "."] {
            assert_eq!(name_to_string(&name(text).unwrap()), text);
        }
        assert!(name("a//b").is_err());
        assert!(name("").is_err());
    }
}
