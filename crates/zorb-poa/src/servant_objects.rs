//! A servant as callers in the same process see it: the trait objects of its interfaces.

use std::any::TypeId;
use std::sync::{Arc, OnceLock};

use crate::skeleton::{ServantObject, Skeleton};

/// Entries of a table. Most servants are called through one interface or two.
pub const ENTRIES: usize = 8;

/// The trait objects of one servant that have been asked for.
#[derive(Default)]
pub(crate) struct ServantObjects(OnceLock<Box<Table>>);

#[derive(Default)]
struct Table {
    objects: [OnceLock<ServantObject>; ENTRIES],
    /// For servants of very many interfaces.
    more: ServantObjects,
}

impl ServantObjects {
    /// The servant as an `S`, if it is in the entry where the search begins.
    #[inline]
    pub(crate) fn first<S: ?Sized + 'static>(&self, entry: usize) -> Option<&S> {
        let object = self.0.get()?.objects.get(entry)?.get()?;
        object.downcast_ref::<Arc<S>>().map(Arc::as_ref)
    }

    /// The servant as an `S`, searched for from `entry` on; `None` when it does not implement that.
    #[inline(never)]
    pub(crate) fn find<S: ?Sized + 'static>(
        &self,
        entry: usize,
        skeleton: &dyn Skeleton,
    ) -> Option<&S> {
        let make = || skeleton.servant_object(TypeId::of::<S>());
        let mut made = None;
        let mut objects = self;
        loop {
            if objects.0.get().is_none() && made.is_none() {
                // A servant that has no trait object for `S` needs no table.
                made = Some(make()?);
            }
            let table = objects.0.get_or_init(Box::default);
            let (before, from) = table.objects.split_at(entry.min(ENTRIES));
            for entry in from.iter().chain(before) {
                if entry.get().is_none() {
                    let object = match made.take() {
                        Some(object) => object,
                        None => make()?,
                    };
                    // If another thread was faster, this object goes into the next entry.
                    made = entry.set(object).err();
                }
                let object = entry.get().and_then(|object| object.downcast_ref::<Arc<S>>());
                if object.is_some() {
                    return object.map(Arc::as_ref);
                }
            }
            objects = &table.more;
        }
    }
}
