//! The adapters that a pool serves.

use std::sync::Arc;

use zorb_os::lock::Lock;
use zorb_poa::ConnectionSetup;

/// The adapters that a pool serves, and how they have their connections set up.
#[derive(Debug, Default)]
pub(crate) struct ServedAdapters(Lock<Known>);

#[derive(Debug, Default)]
struct Known {
    next: usize,
    list: Vec<(usize, Option<Arc<ConnectionSetup>>)>,
}

impl ServedAdapters {
    /// One more, which is known by the number that comes back.
    pub(crate) fn add(&self) -> usize {
        let mut known = self.0.lock();
        known.next += 1;
        let number = known.next;
        known.list.push((number, None));
        number
    }

    /// How one has its connections set up.
    pub(crate) fn set_up_by(&self, number: usize, setup: Option<Arc<ConnectionSetup>>) {
        let mut known = self.0.lock();
        if let Some((_, slot)) = known.list.iter_mut().find(|(of, _)| *of == number) {
            *slot = setup;
        }
    }

    pub(crate) fn remove(&self, number: usize) {
        self.0.lock().list.retain(|(of, _)| *of != number);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().list.is_empty()
    }

    /// How the only one has its connections set up; `None` where there are several, or none.
    pub(crate) fn only(&self) -> Option<Option<Arc<ConnectionSetup>>> {
        match &self.0.lock().list[..] {
            [(_, only)] => Some(only.clone()),
            _ => None,
        }
    }
}
