//! The trait objects of a servant's interfaces, for collocated calls.

use std::any::TypeId;
use std::sync::{Arc, OnceLock};

use zorb_os::typed::TypedBox;

use crate::skeleton::Skeleton;

/// The number of entries of a table. Most servants are called through one or two interfaces.
pub const ENTRIES: usize = 8;

/// A cache of the trait objects of one servant.
#[derive(Default)]
pub(crate) struct ServantObjects(OnceLock<Box<Table>>);

#[derive(Default)]
struct Table {
    objects: [OnceLock<TypedBox>; ENTRIES],
    /// The next table, for servants of more interfaces.
    more: ServantObjects,
}

impl ServantObjects {
    /// The servant as the trait object `S`, if it is in this entry.
    #[inline]
    pub(crate) fn first<S: ?Sized + 'static>(&self, entry: usize) -> Option<&S> {
        let object = self.0.get()?.objects.get(entry)?.get()?;
        object.downcast_ref::<Arc<S>>().map(Arc::as_ref)
    }

    /// The servant as the trait object `S`, which is searched for from `entry` on and added if it is missing; `None`
    /// if the servant does not implement it.
    #[inline(never)]
    pub(crate) fn find<S: ?Sized + 'static>(
        &self,
        entry: usize,
        skeleton: &dyn Skeleton,
    ) -> Option<&S> {
        let make = || skeleton.servant_object(TypeId::of::<S>()).map(TypedBox::new);
        let mut made = None;
        let mut objects = self;
        loop {
            if objects.0.get().is_none() && made.is_none() {
                // A servant without a trait object for `S` needs no table.
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
                    // If another thread was faster, try the next entry.
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
