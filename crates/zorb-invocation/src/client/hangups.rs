//! The thread that notices when servers hang up.
//!
//! A client that makes no calls does not read from its connections, so it would keep those that their servers have
//! closed. One thread of the process waits for that (epoll with `EPOLLRDHUP`): each connection is registered once, when
//! it is opened, calls cost nothing, and received data does not wake the thread.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;

use zorb_os::lock::Lock;
use zorb_os::poll::HangupWatch;
use zorb_os::priority::{self, Schedule};
use zorb_os::thread::run_anywhere;
use zorb_transport::Stream;

/// The thread's stack size in octets.
const STACK: usize = 128 << 10;

/// Whether the server has hung up.
pub(super) type HungUp = AtomicBool;

/// Closes connections whose servers have hung up.
pub(super) trait ClosesHungUp: Send + Sync {
    /// The server of the connection with this flag, which is set, has hung up. Must not wait for a peer.
    fn close_hung_up(&self, connection: &Arc<HungUp>);
}

/// A connection whose server is watched until this is dropped.
#[derive(Debug)]
pub(super) struct WatchedConnection {
    key: u64,
    hung_up: Arc<HungUp>,
    watch: Arc<Watch>,
}

impl WatchedConnection {
    /// Whether the server has hung up.
    pub(super) fn has_hung_up(&self) -> bool {
        self.hung_up.load(Ordering::Acquire)
    }
}

impl Drop for WatchedConnection {
    fn drop(&mut self) {
        // The system stops watching the descriptor when it is closed.
        self.watch.connections.lock().by_key.remove(&self.key);
    }
}

/// Watches a new connection, which `closer` closes when its server hangs up; `None` if its transport cannot tell, or
/// the system is short of resources.
pub(super) fn watch(
    stream: &dyn Stream,
    closer: Weak<dyn ClosesHungUp>,
) -> Option<WatchedConnection> {
    let descriptor = stream.hangup_fd()?;
    let watched = running().map(|watch| watch.register(closer));
    let added = watched.and_then(|watched| {
        watched.watch.hangups.add(descriptor, watched.key)?;
        Ok(watched)
    });
    match added {
        Ok(watched) => Some(watched),
        Err(error) => {
            tracing::debug!(peer = stream.peer(), %error, "the connection is not watched");
            None
        }
    }
}

#[derive(Debug)]
struct Watch {
    hangups: HangupWatch,
    connections: Lock<Connections>,
}

#[derive(Default)]
struct Connections {
    by_key: HashMap<u64, (Weak<HungUp>, Weak<dyn ClosesHungUp>)>,
    last_key: u64,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.by_key.keys()).finish()
    }
}

/// The watch of the process, with its thread, which ends with the process.
fn running() -> io::Result<Arc<Watch>> {
    static WATCH: Lock<Option<Arc<Watch>>> = Lock::new(None);
    let mut running = WATCH.lock();
    if let Some(watch) = &*running {
        return Ok(Arc::clone(watch));
    }
    let watch = Arc::new(Watch { hangups: HangupWatch::new()?, connections: Lock::default() });
    let waiting = Arc::clone(&watch);
    thread::Builder::new()
        .name("zorb-hangups".to_owned())
        .stack_size(STACK)
        .spawn(move || waiting.run())?;
    Ok(Arc::clone(running.insert(watch)))
}

impl Watch {
    fn register(self: Arc<Self>, closer: Weak<dyn ClosesHungUp>) -> WatchedConnection {
        let hung_up = Arc::<HungUp>::default();
        let mut connections = self.connections.lock();
        connections.last_key += 1;
        let key = connections.last_key;
        connections.by_key.insert(key, (Arc::downgrade(&hung_up), closer));
        drop(connections);
        WatchedConnection { key, hung_up, watch: self }
    }

    fn run(&self) {
        // The thread that started it may be urgent, or restricted to some processors. Locks inherit priorities.
        let _ = priority::set(Schedule::Shared);
        let _ = run_anywhere();
        // The wait fails only with invalid arguments.
        while let Ok(key) = self.hangups.next() {
            let watched = self.connections.lock().by_key.get(&key).cloned();
            let Some((hung_up, closer)) = watched else { continue };
            if let Some((hung_up, closer)) = hung_up.upgrade().zip(closer.upgrade()) {
                hung_up.store(true, Ordering::Release);
                closer.close_hung_up(&hung_up);
            }
        }
    }
}
