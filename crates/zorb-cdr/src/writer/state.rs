//! The values of a stream.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::any::Any;

use crate::value::Nesting;

/// The values of a stream so far.
#[derive(Clone, Default)]
pub(super) struct Values {
    offsets: Option<Box<dyn Offsets>>,
    /// Owners of the values, so that no address is used again.
    pub(super) retained: Vec<Rc<dyn Any>>,
    pub(super) nesting: Nesting,
    /// How many chunked values are open.
    pub(super) level: u32,
    /// Buffer index of the size of the open chunk.
    pub(super) chunk: Option<usize>,
    /// Buffer index of the last end tag.
    pub(super) end: Option<usize>,
}

impl Values {
    /// The targets of indirections so far, if there are any.
    pub(super) fn targets(&self) -> Option<&Targets> {
        self.offsets.as_ref().map(|offsets| offsets.targets())
    }

    /// The same, to be changed.
    pub(super) fn targets_mut(&mut self) -> &mut Targets {
        self.offsets.get_or_insert_with(|| Box::new(Targets::default())).targets_mut()
    }
}

/// The targets of indirections so far.
#[derive(Clone, Default)]
pub(super) struct Targets {
    /// Offsets of values by their address.
    pub(super) values: BTreeMap<usize, usize>,
    /// Offsets of repository ids.
    pub(super) ids: BTreeMap<Cow<'static, str>, usize>,
    /// Offsets of lists of repository ids, by the first id.
    pub(super) lists: BTreeMap<Cow<'static, str>, usize>,
}

/// Keeps the maps out of programs that write no values: to drop a writer, these would need their code, 545 octets of the
/// small ORB's image, with places that could panic.
trait Offsets {
    fn targets(&self) -> &Targets;
    fn targets_mut(&mut self) -> &mut Targets;
    fn copy(&self) -> Box<dyn Offsets>;
}

impl Offsets for Targets {
    fn targets(&self) -> &Targets {
        self
    }

    fn targets_mut(&mut self) -> &mut Targets {
        self
    }

    fn copy(&self) -> Box<dyn Offsets> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Offsets> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
