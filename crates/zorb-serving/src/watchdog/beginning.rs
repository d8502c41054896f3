//! Lets connections begin that wait until others have ended.

use std::sync::Arc;
use std::time::Instant;

use zorb_os::thread_count::ThreadEnds;

use super::Watchdog;
use super::newcomers::{Begins, try_all};

impl Watchdog {
    /// Lets a connection begin when others have ended. Returns it if the ORB shuts down.
    #[cold]
    pub(crate) fn begin_later(
        self: &Arc<Self>,
        newcomer: Box<dyn Begins>,
    ) -> Option<Box<dyn Begins>> {
        let mut watched = self.state.lock();
        if watched.stopped {
            return Some(newcomer);
        }
        let watchdog = Arc::downgrade(self);
        watched.newcomers.add(newcomer, || {
            ThreadEnds::new(move || watchdog.upgrade().iter().for_each(|it| it.try_again()))
        });
        drop(watched);
        self.changed.notify_all();
        None
    }

    /// Lets connections that wait to begin try again: something has ended.
    #[cold]
    pub(crate) fn try_again(&self) {
        let mut watched = self.state.lock();
        let is_news = watched.newcomers.try_again();
        drop(watched);
        if is_news {
            self.changed.notify_all();
        }
    }

    /// Lets connections begin that wait until others have ended, unless they give up at `now`.
    pub(crate) fn begin_waiting(&self, now: Instant) {
        let mut watched = self.state.lock();
        let is_stopping = watched.stopped;
        let mut waiting = watched.newcomers.take();
        drop(watched);
        let refused = try_all(&mut waiting, is_stopping, now);
        self.state.lock().newcomers.put_back(waiting, &refused, now);
    }
}
