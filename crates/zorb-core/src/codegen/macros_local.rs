//! The macros of generated code for types that are never sent.

/// Completes the trait of a local interface: `local!(Cache, "Cache");`
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_local {
    ($name:ident, $idl:literal) => {
        impl ::core::fmt::Debug for dyn $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($idl)
            }
        }
    };
}

/// Implements `Error` for an exception whose members cannot be sent, or for a native type.
#[macro_export]
#[doc(hidden)]
macro_rules! __zorb_local_error {
    ($name:ident, $idl:literal) => {
        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.write_str($idl)
            }
        }

        impl ::core::error::Error for $name {}
    };
}
