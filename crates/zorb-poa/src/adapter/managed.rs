//! What the manager of an adapter does with it.

use std::sync::Weak;

use super::ObjectAdapter;
use crate::manager::Managed;

impl ObjectAdapter {
    /// The adapter, as its manager sees it.
    pub(crate) fn managed(&self) -> Weak<dyn Managed> {
        let this: Weak<Self> = Weak::clone(&self.this);
        this
    }
}

impl Managed for ObjectAdapter {
    fn count_running(&self) {
        let changing = self.provider.changing().map(|changing| changing.succeed());
        // In this order: an object may get into the map in the meantime.
        for object in changing.into_iter().flatten().chain(self.objects.succeed()) {
            object.drop_at_end(Box::new(self.completion.begin()));
            object.end_collocation();
        }
    }

    fn etherealize_objects(&self) {
        let changing = self.provider.changing();
        let Some(changing) = changing.filter(|all| all.activator().is_set()) else { return };
        let objects = {
            // Objects become active under this lock. Those that do so after it find the manager inactive.
            let _servants = self.servants.lock();
            [changing.all(), self.objects.all()].concat()
        };
        for object in objects {
            // Another thread may have deactivated it.
            let _ = self.deactivate_for(&object.id, true);
        }
    }

    fn wait_while(&self, is_wanted: &dyn Fn() -> bool) {
        self.completion.wait_while(is_wanted);
    }

    fn wake(&self) {
        self.completion.wake();
    }
}
