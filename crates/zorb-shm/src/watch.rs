//! The thread that detects disconnected peers.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::thread;

use socket2::Socket;
use zorb_os::lock::Lock;
use zorb_os::poll::HangupWatch;
use zorb_os::priority::{self, MAX_PRIORITY, Schedule};
use zorb_os::socket::peer_process;
use zorb_os::thread::{id, run_anywhere};

use crate::connection::Connection;

/// The thread's stack size in octets.
const STACK: usize = 128 << 10;

/// A connection that is watched until this is dropped.
#[derive(Debug)]
pub(crate) struct Watched {
    key: u64,
    /// The priority of the thread that opened it; 0 for a time-sharing thread.
    level: u8,
    watch: Arc<Watch>,
    /// The peer's process. Children that it has forked may keep its socket open longer.
    process: Option<OwnedFd>,
}

#[derive(Debug)]
struct Watch {
    hangups: HangupWatch,
    connections: Lock<Connections>,
}

#[derive(Debug)]
struct Connections {
    by_key: HashMap<u64, Weak<Connection>>,
    last_key: u64,
    /// The number of connections by priority.
    levels: [usize; MAX_PRIORITY as usize + 1],
    /// The watch's thread, once it runs, and its priority.
    thread: Option<u32>,
    level: u8,
}

impl Connections {
    /// Gives the thread the highest priority of the connections, so that threads of lower priority
    /// cannot delay the notification of a waiting thread.
    fn follow(&mut self) {
        let highest = self.levels.iter().rposition(|count| *count > 0).unwrap_or(0);
        let highest = u8::try_from(highest).unwrap_or(MAX_PRIORITY);
        if let Some(thread) = self.thread
            && highest != self.level
        {
            self.level = highest;
            let schedule = match highest {
                0 => Schedule::Shared,
                level => Schedule::Fifo(level),
            };
            // A process without the privilege (or that has lost it) cannot set the priority, which
            // stays as it is.
            let _ = priority::set_of(thread, schedule);
        }
    }

    fn count(&mut self, level: u8, count: impl FnOnce(usize) -> usize) {
        if let Some(known) = self.levels.get_mut(usize::from(level)) {
            *known = count(*known);
        }
        self.follow();
    }
}

/// What the peer of a connection is watched with.
#[derive(Debug)]
pub(crate) struct PeerWatch {
    watch: Arc<Watch>,
    process: Option<OwnedFd>,
}

impl PeerWatch {
    /// Takes the descriptors that watching the peer of `socket` needs.
    pub(crate) fn new(socket: &Socket) -> io::Result<Self> {
        Ok(Self { watch: running()?, process: peer_process(socket.as_fd())? })
    }

    /// Calls [`Connection::record_peer_end`] when the peer's process ends or its socket is closed, also if
    /// it is closed already, on a thread of at least the calling thread's priority.
    pub(crate) fn begin(self, connection: &Arc<Connection>) -> io::Result<Watched> {
        let Self { watch, process } = self;
        let level = priority::last_set().min(MAX_PRIORITY);
        let key = {
            let mut connections = watch.connections.lock();
            connections.last_key += 1;
            let key = connections.last_key;
            connections.by_key.insert(key, Arc::downgrade(connection));
            connections.count(level, |count| count + 1);
            key
        };
        // From here on, dropping it undoes the registration.
        let watched = Watched { key, level, watch, process };
        watched.watch.hangups.add(connection.socket.as_fd(), key)?;
        if let Some(process) = &watched.process {
            watched.watch.hangups.add_process(process.as_fd(), key)?;
        }
        Ok(watched)
    }
}

/// The watch of the process, with its thread.
fn running() -> io::Result<Arc<Watch>> {
    static WATCH: Lock<Option<Arc<Watch>>> = Lock::new(None);
    let mut shared = WATCH.lock();
    if let Some(watch) = &*shared {
        return Ok(Arc::clone(watch));
    }
    let connections = Connections {
        by_key: HashMap::new(),
        last_key: 0,
        levels: [0; MAX_PRIORITY as usize + 1],
        thread: None,
        level: 0,
    };
    let watch =
        Arc::new(Watch { hangups: HangupWatch::new()?, connections: Lock::new(connections) });
    let at_work = Arc::clone(&watch);
    thread::Builder::new()
        .name("zorb-shm".to_owned())
        .stack_size(STACK)
        .spawn(move || at_work.run())?;
    Ok(Arc::clone(shared.insert(watch)))
}

impl Watch {
    fn run(&self) {
        // The thread that started it may be restricted to some processors.
        let _ = run_anywhere();
        {
            let mut connections = self.connections.lock();
            connections.thread = Some(id());
            connections.level = priority::current().map_or(0, Schedule::level);
            connections.follow();
        }
        // The wait fails only with invalid arguments.
        while let Ok(key) = self.hangups.next() {
            let connection = self.connections.lock().by_key.get(&key).and_then(Weak::upgrade);
            if let Some(connection) = connection {
                connection.record_peer_end();
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The system stops watching the socket and the process when they are closed.
        let mut connections = self.watch.connections.lock();
        connections.by_key.remove(&self.key);
        connections.count(self.level, |count| count.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use zorb_transport::{ConnectOptions, ListenOptions, Stream, Transport};

    use super::*;
    use crate::ShmTransport;

    /// Both ends of a connection opened by threads of this priority.
    fn connection(level: u8) -> [Arc<dyn Stream>; 2] {
        let acceptor = ShmTransport::new().listen("shmiop://", &ListenOptions::default()).unwrap();
        let endpoint = acceptor.endpoint().clone();
        let at_level = move || {
            if level > 0 {
                // Without the privilege the thread has no such priority.
                let _ = priority::set(Schedule::Fifo(level));
            }
        };
        let server = thread::spawn(move || {
            at_level();
            acceptor.accept().unwrap()
        });
        let client = thread::spawn(move || {
            at_level();
            ShmTransport::new().connect(&endpoint, &ConnectOptions::default()).unwrap()
        });
        [server.join().unwrap(), client.join().unwrap()]
    }

    /// The scheduling of the watch's thread, once it runs.
    fn schedule() -> Schedule {
        let end = Instant::now() + std::time::Duration::from_secs(60);
        loop {
            let thread = running().unwrap().connections.lock().thread;
            match thread {
                Some(thread) => return priority::of(thread).unwrap(),
                None => assert!(Instant::now() < end, "it does not begin"),
            }
            thread::yield_now();
        }
    }

    // The other tests of this binary open connections without a priority.
    #[test]
    fn the_watch_has_the_highest_priority_of_its_connections() {
        let may = thread::spawn(|| priority::set(Schedule::Fifo(1)).is_ok()).join().unwrap();
        let at = |level| if may { Schedule::Fifo(level) } else { Schedule::Shared };
        let first = connection(0);
        assert_eq!(schedule(), Schedule::Shared);
        let low = connection(5);
        assert_eq!(schedule(), at(5));
        let high = connection(9);
        assert_eq!(schedule(), at(9));
        let other = connection(7);
        assert_eq!(schedule(), at(9));
        drop(high);
        assert_eq!(schedule(), at(7));
        drop((other, low));
        assert_eq!(schedule(), Schedule::Shared);
        drop(first);
    }
}
