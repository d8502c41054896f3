//! The policies of a client for one request.

use super::{Policies, TypedPolicy};

/// The policy overrides of a client for one request, by level.
#[derive(Clone, Copy, Debug, Default)]
pub struct EffectivePolicies<'a> {
    levels: [Option<&'a Policies>; 4],
}

impl<'a> EffectivePolicies<'a> {
    /// Creates a view of the overrides, strongest level first: call, reference, thread, ORB.
    #[doc(hidden)]
    pub fn new(levels: [Option<&'a Policies>; 4]) -> Self {
        Self { levels }
    }

    /// The override of type `P` of the strongest level that has one.
    pub fn value<P: TypedPolicy>(&self) -> Option<&'a P> {
        self.levels.iter().flatten().find_map(|policies| policies.value())
    }
}
