//! A servant manager of an adapter.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

/// A servant manager, which is set once, and released when its adapter has ended: it may refer to the adapter.
pub(crate) struct Registered<T: ?Sized>(ArcSwapOption<Arc<T>>);

impl<T: ?Sized> Default for Registered<T> {
    fn default() -> Self {
        Self(ArcSwapOption::empty())
    }
}

impl<T: ?Sized> Registered<T> {
    /// Sets it; `false` if it was set before.
    #[must_use]
    pub(crate) fn set(&self, manager: Arc<T>) -> bool {
        let none: Option<Arc<Arc<T>>> = None;
        self.0.compare_and_swap(&none, Some(Arc::new(manager))).is_none()
    }

    pub(crate) fn get(&self) -> Option<Arc<T>> {
        self.0.load().as_deref().map(Arc::clone)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load().is_some()
    }

    /// Returns it, so that the caller drops it.
    pub(crate) fn take(&self) -> Option<Arc<Arc<T>>> {
        self.0.swap(None)
    }
}
