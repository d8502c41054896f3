//! One constructor for each kind of system exception.

use super::kind::for_each_kind;
use super::{CompletionStatus, MinorCode, SystemException, SystemExceptionKind};

macro_rules! constructors {
    ($($(#[$doc:meta])* $variant:ident, $name:literal, $short:ident;)*) => {
        impl SystemException {
            $(
                #[doc = concat!("A `", $name, "`.")]
                #[cold]
                pub const fn $short(minor: MinorCode, completed: CompletionStatus) -> Self {
                    Self::new(SystemExceptionKind::$variant, minor, completed)
                }
            )*
        }
    };
}

for_each_kind!(constructors);
