//! Destroys adapters.

use std::sync::Arc;

use super::ObjectAdapter;

impl ObjectAdapter {
    /// Answers held requests of this adapter and its descendants with `TRANSIENT`.
    pub fn release_held(&self) {
        self.manager.release_held();
        if let Some(turns) = &self.turns {
            turns.release();
        }
        if let Some(changing) = self.provider.changing() {
            changing.release();
        }
        self.children().iter().for_each(|child| child.release_held());
    }

    /// Makes collocated references to objects of this adapter and its descendants release their servants.
    pub fn end_collocation(&self) {
        let changing = self.provider.changing().map(|changing| changing.all());
        for object in self.objects.all().into_iter().chain(changing.into_iter().flatten()) {
            object.end_collocation();
        }
        self.children().iter().for_each(|child| child.end_collocation());
    }

    /// Destroys the adapter and its descendants; `unregister` removes each from the ORB's tables. Requests in
    /// progress complete. `etherealize` tells whether servant activators etherealize their objects. Returns all
    /// destroyed adapters, to [wait](Self::wait_for_completion) for.
    pub fn destroy(
        self: &Arc<Self>,
        etherealize: bool,
        unregister: &dyn Fn(&Arc<Self>),
    ) -> Vec<Arc<Self>> {
        let mut destroyed = vec![Arc::clone(self)];
        {
            // Servants are activated under this lock; after it no further servant is.
            let mut servants = self.servants.lock();
            // The first call's.
            let _ = self.destroyed.set(etherealize);
            servants.clear();
        }
        let children = {
            let mut children = self.children.lock();
            std::mem::take(&mut *children)
        };
        for child in children.into_values() {
            destroyed.extend(child.destroy(etherealize, unregister));
        }
        unregister(self);
        if let Some(parent) = self.parent() {
            let mut siblings = parent.children.lock();
            // Another adapter of this name may have been created in the meantime.
            if siblings.get(&self.name).is_some_and(|known| Arc::ptr_eq(known, self)) {
                siblings.remove(&self.name);
            }
        }
        self.membership.lock().take();
        // Dropping a servant may call the adapter, so no lock is held here.
        let changing = self.provider.changing().map(|changing| changing.take()).unwrap_or_default();
        for object in self.objects.take().into_iter().chain(changing) {
            self.end(&object, etherealize.then_some(true));
        }
        destroyed
    }

    /// Blocks the calling thread until all requests of the adapter, which has been destroyed, have completed, and its
    /// objects have been etherealized.
    pub fn wait_for_completion(&self) {
        self.completion.wait_while(|| true);
    }
}
