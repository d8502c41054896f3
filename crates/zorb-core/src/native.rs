//! IDL `native` types, which the program defines.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value of an IDL `native` type without a configured Rust type: any Rust value, or none. Clones share it. It is
/// never sent.
///
/// ```
/// let cookie = zorb_core::Native::new(7_u32);
/// assert_eq!(cookie.get::<u32>(), Some(&7));
/// assert_eq!(cookie.get::<String>(), None);
/// ```
#[derive(Clone, Default)]
pub struct Native(Option<Arc<dyn Any + Send + Sync>>);

impl Native {
    /// Wraps `value`.
    pub fn new<T: Send + Sync + 'static>(value: T) -> Self {
        Self(Some(Arc::new(value)))
    }

    /// The value, if it is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.as_ref()?.downcast_ref()
    }
}

/// Compares by identity: whether both share one value.
impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Native {}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Native" } else { "Native(none)" })
    }
}
