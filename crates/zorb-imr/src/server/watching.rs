//! Waits for the ends of the processes that the repository has started: all on one thread.

use std::collections::HashMap;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use zorb_os::poll::HangupWatch;
use zorb_os::process::ProcessId;

/// How often processes are looked at that the system has no descriptors for.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The children of the repository's process. Its thread ends with the last of them.
#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<Children>);

#[derive(Debug, Default)]
struct Children {
    ends: Option<Arc<HangupWatch>>,
    has_thread: bool,
    known: HashMap<u64, Watched>,
    next: u64,
}

#[derive(Debug)]
struct Watched {
    name: String,
    child: Child,
    process: ProcessId,
    /// `None` if the system has no such descriptors.
    descriptor: Option<OwnedFd>,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, Children> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a process. `ended` is told how it, or one that was added later, has ended.
    ///
    /// # Errors
    /// The child: there is no thread or no descriptor to watch it.
    pub(super) fn add(
        self: &Arc<Self>,
        name: &str,
        child: Child,
        process: ProcessId,
        ended: impl Fn(ProcessId, &str) + Send + 'static,
    ) -> Result<(), Box<Child>> {
        let mut children = self.lock();
        if children.ends.is_none() {
            children.ends = HangupWatch::new().ok().map(Arc::new);
        }
        let Some(ends) = children.ends.clone() else { return Err(Box::new(child)) };
        let descriptor = process.descriptor().ok();
        let key = children.next;
        if !children.has_thread {
            let (this, ends) = (Arc::clone(self), Arc::clone(&ends));
            let thread = std::thread::Builder::new().name("imr-watch".to_owned());
            // It waits for the lock first.
            if thread.spawn(move || this.run(&ends, &ended)).is_err() {
                return Err(Box::new(child));
            }
            children.has_thread = true;
        }
        let is_watched = descriptor.as_ref().is_some_and(|descriptor| {
            // It may be one of too many.
            ends.add_process(descriptor.as_fd(), key).is_ok()
        });
        let descriptor = descriptor.filter(|_| is_watched);
        children.next += 1;
        children.known.insert(key, Watched { name: name.to_owned(), child, process, descriptor });
        Ok(())
    }

    fn run(&self, ends: &HangupWatch, tell: &impl Fn(ProcessId, &str)) {
        loop {
            {
                let mut children = self.lock();
                if children.known.is_empty() {
                    children.has_thread = false;
                    return;
                }
            }
            let ended = match ends.next_within(Some(LOOK_AGAIN)) {
                Ok(ended) => ended,
                Err(error) => {
                    tracing::error!(%error, "cannot wait for the ends of servers");
                    std::thread::park_timeout(LOOK_AGAIN);
                    None
                }
            };
            let mut children = self.lock();
            let mut over: Vec<Watched> =
                ended.and_then(|key| children.known.remove(&key)).into_iter().collect();
            over.extend(children.take_unwatched());
            drop(children);
            for watched in over {
                let (process, how) = watched.wait();
                tell(process, &how);
            }
        }
    }
}

impl Children {
    /// Those that have ended, among those without a descriptor.
    fn take_unwatched(&mut self) -> Vec<Watched> {
        let has_ended = |_: &u64, watched: &mut Watched| {
            let is_unwatched = watched.descriptor.is_none();
            is_unwatched && !matches!(watched.child.try_wait(), Ok(None))
        };
        self.known.extract_if(has_ended).map(|(_, watched)| watched).collect()
    }
}

impl Watched {
    /// Waits for its end, which has come.
    fn wait(mut self) -> (ProcessId, String) {
        let how = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::info!(server = self.name, process = self.process.id(), how, "a server has ended");
        (self.process, how)
    }
}
