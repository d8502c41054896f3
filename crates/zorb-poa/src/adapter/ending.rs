//! Destroys adapters.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_base::callback::call_back;

use super::ObjectAdapter;
use crate::completion::InProgress;

impl ObjectAdapter {
    /// Answers held requests of this adapter and its descendants with `TRANSIENT`.
    pub fn release_held(&self) {
        self.manager.release_held();
        if let Some(serializer) = &self.serializer {
            serializer.release();
        }
        if let Some(changing) = self.provider.changing() {
            changing.release();
        }
        self.known_children().iter().for_each(|child| child.release_held());
    }

    /// Makes collocated references to objects of this adapter and its descendants release their servants.
    pub fn end_collocation(&self) {
        self.end_own_collocation();
        self.known_children().iter().for_each(|child| child.end_collocation());
    }

    fn end_own_collocation(&self) {
        let changing = self.provider.changing().map(|changing| changing.all());
        for object in self.objects.all().into_iter().chain(changing.into_iter().flatten()) {
            object.end_collocation();
        }
    }

    /// Destroys the adapter and its descendants; `unregister` removes each from the ORB's tables. Requests in
    /// progress complete. Then the objects end, those of descendants first, and the adapter's name is free.
    /// `etherealize` tells whether servant activators etherealize them. A later call changes nothing.
    pub fn destroy(self: &Arc<Self>, etherealize: bool, unregister: &dyn Fn(&Arc<Self>)) {
        let in_progress = self.completion.begin();
        {
            // Servants are activated under this lock; after it no further servant is.
            let mut servants = self.servants.lock();
            if self.destroyed.set(etherealize).is_err() {
                return;
            }
            servants.clear();
        }
        let end =
            EndOfObjects { adapter: Arc::clone(self), etherealize, _in_progress: in_progress };
        let end = Arc::new(end);
        // Also those that are being destroyed already. No more are created.
        for child in self.known_children() {
            child.destroy(etherealize, unregister);
            child.completion.then(Box::new(Arc::clone(&end)));
        }
        unregister(self);
        self.membership.lock().take();
        self.completion.then(Box::new(LastUse(Arc::clone(self))));
        self.end_own_collocation();
    }

    /// Blocks the calling thread until all requests of the adapter, which is being destroyed, and of its descendants have
    /// completed, and their objects have been etherealized.
    pub fn wait_for_completion(&self) {
        self.completion.wait_while(|| true);
    }
}

/// Ends the objects of an adapter that is being destroyed, when it is dropped by the last of its children.
struct EndOfObjects {
    adapter: Arc<ObjectAdapter>,
    etherealize: bool,
    /// Dropped after that.
    _in_progress: InProgress,
}

impl Drop for EndOfObjects {
    fn drop(&mut self) {
        let adapter = &self.adapter;
        let changing = adapter.provider.changing().map(|changing| changing.take());
        // Dropping a servant may call the adapter, so no lock is held here.
        for object in adapter.objects.take().into_iter().chain(changing.into_iter().flatten()) {
            adapter.end(&object, self.etherealize.then_some(true));
            call_back("the drop of a servant", || drop(object));
        }
    }
}

/// The use of its name and of what serves its objects by an adapter that is being destroyed, until this is dropped.
struct LastUse(Arc<ObjectAdapter>);

impl Drop for LastUse {
    fn drop(&mut self) {
        self.0.provider.end();
        self.0.has_ended.store(true, Ordering::Release);
        if let Some(parent) = self.0.parent() {
            parent.children.lock().remove(&self.0.name);
        }
    }
}
