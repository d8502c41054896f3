//! Locks that parts of a program find by their names.

use std::sync::Arc;

use super::{PiMutex, RtOrb};

impl RtOrb {
    /// The lock of that name in this ORB, made when it is first asked for; whether it was
    /// (`create_named_mutex`, which TAO has as well).
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

    /// The lock of that name, if it has been made (`open_named_mutex`).
    pub fn open_named_mutex(&self, name: &str) -> Option<Arc<PiMutex>> {
        let mutexes = self.settings.mutexes.lock();
        mutexes.get(name).cloned()
    }

    /// Forgets the lock of that name (`destroy_mutex`); whoever has it keeps it. Whether there was one.
    /// A lock without a name ends when it is dropped.
    #[doc(alias = "destroy_mutex")]
    pub fn forget_named_mutex(&self, name: &str) -> bool {
        let mut mutexes = self.settings.mutexes.lock();
        mutexes.remove(name).is_some()
    }
}
