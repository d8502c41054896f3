//! Named mutexes.

use std::sync::Arc;

use super::{PiMutex, RtOrb};

impl RtOrb {
    /// The mutex of this name in this ORB, created if there is none, and whether it was created (TAO's
    /// `create_named_mutex`).
    #[doc(alias = "create_named_mutex")]
    pub fn named_mutex(&self, name: &str) -> (Arc<PiMutex>, bool) {
        let mut mutexes = self.settings.mutexes.lock();
        if let Some(mutex) = mutexes.get(name) {
            return (Arc::clone(mutex), false);
        }
        let mutex = Arc::<PiMutex>::default();
        mutexes.insert(name.to_owned(), Arc::clone(&mutex));
        (mutex, true)
    }

    /// The mutex of this name, if there is one (`open_named_mutex`).
    pub fn open_named_mutex(&self, name: &str) -> Option<Arc<PiMutex>> {
        let mutexes = self.settings.mutexes.lock();
        mutexes.get(name).cloned()
    }

    /// Removes the name of a mutex (`destroy_mutex`) and returns whether there was one. Its owners can continue to use
    /// it.
    #[doc(alias = "destroy_mutex")]
    pub fn remove_named_mutex(&self, name: &str) -> bool {
        let mut mutexes = self.settings.mutexes.lock();
        mutexes.remove(name).is_some()
    }
}
