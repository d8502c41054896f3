//! What a reader needs to know beyond the octets.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::{Any, TypeId};

/// What some types need to decode their values, such as the ORB for object references.
pub trait ReadContext: Any + Send + Sync {
    /// The TypeCode of the valuetype with this repository id: a `zorb_types::TypeCode`, which this crate
    /// does not know. Decoders use it if the TypeCode does not describe the type.
    fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        let _ = id;
        None
    }

    /// The part of it that is of the type `part`: decoders that need only this part ask for it.
    fn part(&self, part: TypeId) -> Option<&dyn Any> {
        let _ = part;
        None
    }

    /// Whether messages may have octets behind their last value, from peers with other IDL. Default: no.
    fn allows_extra_octets(&self) -> bool {
        false
    }

    /// Charges octets of memory for decoded values to a budget, until the result is dropped; `None` if it does not have
    /// them. A reader charges what exceeds 256 KiB, at least 1 MiB at a time. Default: there is no budget.
    fn charge(&self, octets: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        let _ = octets;
        Some(Arc::new(()))
    }
}

impl<T: ReadContext> ReadContext for Arc<T> {
    fn value_type(&self, id: &str) -> Option<Box<dyn Any>> {
        (**self).value_type(id)
    }

    fn part(&self, part: TypeId) -> Option<&dyn Any> {
        (**self).part(part)
    }

    fn allows_extra_octets(&self) -> bool {
        (**self).allows_extra_octets()
    }

    fn charge(&self, octets: usize) -> Option<Arc<dyn Any + Send + Sync>> {
        (**self).charge(octets)
    }
}
