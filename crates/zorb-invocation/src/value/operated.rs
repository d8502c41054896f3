//! The conversion of a state to the trait object of its operations.

use std::any::Any;
use std::fmt;

/// A state with its conversion to a trait object. Generated code creates it.
pub struct Operated<'a> {
    state: &'a dyn Any,
    cast: &'static dyn Any,
}

/// The conversion of a state to the trait object `O`.
#[derive(Clone, Copy)]
pub struct Cast<O: ?Sized>(pub fn(&dyn Any) -> Option<&O>);

impl<'a> Operated<'a> {
    /// A state with a [`Cast`] of its type.
    pub const fn new(state: &'a dyn Any, cast: &'static dyn Any) -> Self {
        Self { state, cast }
    }

    pub(super) fn to<O: ?Sized + 'static>(self) -> Option<&'a O> {
        let Cast(cast) = *self.cast.downcast_ref::<Cast<O>>()?;
        cast(self.state)
    }
}

impl fmt::Debug for Operated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operated").finish_non_exhaustive()
    }
}

impl<O: ?Sized> fmt::Debug for Cast<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cast")
    }
}
