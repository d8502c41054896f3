//! A servant as callers in the same process see it: the trait objects of its interfaces.

use std::any::TypeId;
use std::sync::{Arc, OnceLock};

use crate::skeleton::{ServantObject, Skeleton};

/// Places in a table. Most servants are called through one interface or two.
pub const PLACES: usize = 8;

/// The trait objects of one servant that have been asked for.
#[derive(Default)]
pub(crate) struct ServantObjects(OnceLock<Box<Table>>);

#[derive(Default)]
struct Table {
    objects: [OnceLock<ServantObject>; PLACES],
    /// For servants of very many interfaces.
    more: ServantObjects,
}

impl ServantObjects {
    /// The servant as an `S`, if it is at `place`, where it is looked for first.
    #[inline]
    pub(crate) fn first<S: ?Sized + 'static>(&self, place: usize) -> Option<&S> {
        let object = self.0.get()?.objects.get(place)?.get()?;
        object.downcast_ref::<Arc<S>>().map(Arc::as_ref)
    }

    /// The servant as an `S`, which is looked for at `place` first; `None` when it does not serve that.
    #[inline(never)]
    pub(crate) fn find<S: ?Sized + 'static>(
        &self,
        place: usize,
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
            let (before, from) = table.objects.split_at(place.min(PLACES));
            for place in from.iter().chain(before) {
                if place.get().is_none() {
                    let object = match made.take() {
                        Some(object) => object,
                        None => make()?,
                    };
                    // When another thread was faster, this one goes to the next place.
                    made = place.set(object).err();
                }
                let object = place.get().and_then(|object| object.downcast_ref::<Arc<S>>());
                if object.is_some() {
                    return object.map(Arc::as_ref);
                }
            }
            objects = &table.more;
        }
    }
}
