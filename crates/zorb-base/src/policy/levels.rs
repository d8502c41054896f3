//! The levels at which policies can be set.

use std::ops::BitOr;

/// A set of the levels at which policies can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Levels(u8);

impl Levels {
    /// The ORB, by its policy manager.
    pub const ORB: Self = Self(1);
    /// A thread, by its policy current.
    pub const THREAD: Self = Self(2);
    /// A reference or a single call.
    pub const OBJECT: Self = Self(4);
    /// An object adapter.
    pub const ADAPTER: Self = Self(8);
    /// All levels of a client: ORB, thread, reference, call.
    pub const CLIENT: Self = Self(1 | 2 | 4);
    /// All levels of a server: ORB and object adapter. An adapter inherits the ORB's policies when it is
    /// created.
    pub const SERVER: Self = Self(1 | 8);

    /// Whether all of `others` are in this set.
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// The levels of both sets.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl BitOr for Levels {
    type Output = Self;

    fn bitor(self, others: Self) -> Self {
        self.and(others)
    }
}

/// How overrides of a level are set (`CORBA::SetOverrideType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOverrideType {
    /// All existing overrides are removed (`SET_OVERRIDE`).
    SetOverride,
    /// Existing overrides of other types remain (`ADD_OVERRIDE`).
    AddOverride,
}
