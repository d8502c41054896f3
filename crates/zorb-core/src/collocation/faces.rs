//! A servant as the callers of its interfaces see it.

use std::any::TypeId;
use std::sync::{Arc, OnceLock};

use crate::interface::Interface;
use crate::servant::{Face, Skeleton};

/// Faces in a table. Most servants are called by one interface or two.
const FACES: usize = 8;

/// An interface whose servants can be called without a message: generated code says what they are.
pub trait HasServant: Interface {
    /// The object type of the servant trait.
    type Servant: ?Sized + Send + Sync + 'static;

    /// Where a servant's face of this interface is looked for first, among [`FACES`] places.
    #[doc(hidden)]
    const PLACE: usize = place(Self::REPOSITORY_ID.as_bytes());
}

/// Spreads the interfaces of a program (FNV-1a).
const fn place(id: &[u8]) -> usize {
    let mut hash = 0x811c_9dc5_u32;
    let mut rest = id;
    while let [octet, tail @ ..] = rest {
        hash = (hash ^ *octet as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    (hash ^ (hash >> 16)) as usize % FACES
}

/// The faces of one servant that have been asked for.
#[derive(Default)]
pub(crate) struct Faces(OnceLock<Box<Table>>);

#[derive(Default)]
struct Table {
    faces: [OnceLock<Face>; FACES],
    /// For servants of very many interfaces.
    more: Faces,
}

impl Faces {
    /// The servant as callers of `I` see it, if its face is where it is looked for first.
    #[inline]
    pub(crate) fn first<I: HasServant>(&self) -> Option<&I::Servant> {
        let face = self.0.get()?.faces.get(I::PLACE)?.get()?;
        face.downcast_ref::<Arc<I::Servant>>().map(Arc::as_ref)
    }

    /// The servant as callers of `I` see it; `None` when it does not serve that.
    #[inline(never)]
    pub(crate) fn find<I: HasServant>(&self, skeleton: &dyn Skeleton) -> Option<&I::Servant> {
        let make = || skeleton.face(TypeId::of::<I::Servant>());
        let mut made = None;
        let mut faces = self;
        loop {
            if faces.0.get().is_none() && made.is_none() {
                // Nothing is kept of faces that there are not.
                made = Some(make()?);
            }
            let table = faces.0.get_or_init(Box::default);
            let (before, from) = table.faces.split_at(I::PLACE);
            for place in from.iter().chain(before) {
                if place.get().is_none() {
                    let face = match made.take() {
                        Some(face) => face,
                        None => make()?,
                    };
                    // When another thread was faster, this face goes to the next place.
                    made = place.set(face).err();
                }
                let face = place.get().and_then(|face| face.downcast_ref::<Arc<I::Servant>>());
                if face.is_some() {
                    return face.map(Arc::as_ref);
                }
            }
            faces = &table.more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn interfaces_of_a_module_are_spread() {
        let ids = ["Echo", "Cubit", "Sink", "Suite", "Account", "Savings", "Node", "Named"];
        let mut places: Vec<usize> =
            ids.iter().map(|name| place(format!("IDL:Bench/{name}:1.0").as_bytes())).collect();
        assert!(places.iter().all(|place| *place < super::FACES));
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 3, "{places:?}");
    }
}
