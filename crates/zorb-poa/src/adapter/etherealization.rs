//! Etherealizes objects that are no longer active, with a servant activator.

use std::sync::Arc;
use std::time::Instant;

use zorb_base::object_id::ObjectId;
use zorb_base::upcall_thread::CollocatedUpcall;

use super::ObjectAdapter;
use crate::active_object::ActiveObject;
use crate::completion::InProgress;
use crate::hold_queue::{Arrival, Holdable, ResumePass, Stopped};
use crate::skeleton::Skeleton;

impl ObjectAdapter {
    /// Sets what happens after the last request of an object that is no longer active: if there is a servant activator,
    /// it is etherealized, with this `cleanup_in_progress`; `None` for not at all.
    pub(super) fn set_end(&self, object: &ActiveObject, cleanup_in_progress: Option<bool>) {
        let in_progress = self.completion.begin();
        let changing = self.provider.changing();
        let has_activator = changing.is_some_and(|changing| changing.activator().is_set());
        match (cleanup_in_progress.filter(|_| has_activator), self.this.upgrade()) {
            (Some(cleanup_in_progress), Some(adapter)) => {
                let etherealization = Etherealization {
                    adapter,
                    id: object.id.clone(),
                    skeleton: object.skeleton.without_policies(),
                    cleanup_in_progress,
                    in_progress,
                };
                object.set_at_end(Box::new(AtEnd(Some(Box::new(etherealization)))));
            }
            _ => {
                changing.inspect(|changing| {
                    changing.uncount(object.skeleton.identity());
                });
                object.set_at_end(Box::new(in_progress));
            }
        }
    }
}

/// Etherealizes an object when it is dropped.
struct AtEnd(Option<Box<Etherealization>>);

impl Drop for AtEnd {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|etherealization| etherealization.begin());
    }
}

/// The last that happens to an object.
struct Etherealization {
    /// It lives until then, also if it has been destroyed.
    adapter: Arc<ObjectAdapter>,
    id: ObjectId,
    skeleton: Box<dyn Skeleton>,
    cleanup_in_progress: bool,
    in_progress: InProgress,
}

impl Etherealization {
    /// Etherealizes the object now, or when it has the permit, if the adapter makes one upcall at a time.
    fn begin(self: Box<Self>) {
        let adapter = Arc::clone(&self.adapter);
        let Some(serializer) = adapter.serializer() else { return (*self).run() };
        match serializer.acquire_permit(Arrival::Collocated) {
            Ok(_permit) => (*self).run(),
            Err(Stopped::Refused(_)) => (*self).run(),
            Err(Stopped::Held(queue)) => {
                // There is always room for it.
                if let Err((refused, _)) = queue.hold(self, Arrival::New, Instant::now()) {
                    refused.run();
                }
            }
        }
    }

    fn run(self) {
        let Self { adapter, id, skeleton, cleanup_in_progress, in_progress } = self;
        if let Some(changing) = adapter.provider.changing() {
            // What waits for the requests of the ORB would wait for this.
            let _upcall = CollocatedUpcall::begin(&adapter.core);
            changing.etherealize(&id, skeleton, cleanup_in_progress);
        }
        drop((in_progress, adapter));
    }

    /// Runs with the permit, or waits for it again.
    fn resumed(self: Box<Self>, pass: ResumePass) {
        let adapter = Arc::clone(&self.adapter);
        let Some(serializer) = adapter.serializer() else { return (*self).run() };
        match serializer.acquire_permit(Arrival::Resumed(&pass)) {
            Ok(_permit) => {
                drop(pass);
                (*self).run();
            }
            Err(Stopped::Refused(_)) => (*self).run(),
            Err(Stopped::Held(queue)) => {
                let again = queue.hold(self, Arrival::Resumed(&pass), pass.since());
                if let Err((refused, _)) = again {
                    refused.run();
                }
            }
        }
    }
}

impl Holdable for Etherealization {
    fn size(&self) -> usize {
        size_of::<Self>()
    }

    /// The process itself.
    fn peer(&self) -> usize {
        0
    }

    /// An object must be etherealized, and not beside an upcall.
    fn is_unlimited(&self) -> bool {
        true
    }

    fn resume(self: Box<Self>, pass: ResumePass) {
        self.resumed(pass);
    }

    fn serve(self: Box<Self>, pass: ResumePass) {
        self.resumed(pass);
    }

    /// Never called: it does not expire.
    fn discard(self: Box<Self>) {
        (*self).run();
    }
}
