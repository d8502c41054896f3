//! The thread that notices when peers go away.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Weak};
use std::thread;

use zorb_os::lock::Lock;
use zorb_os::poll::HangupWatch;
use zorb_os::priority::{self, MAX_PRIORITY, Schedule};
use zorb_os::socket::peer_process;
use zorb_os::thread::{id, run_anywhere};

use crate::connection::Connection;

/// The thread's stack, in octets. It does little.
const STACK: usize = 128 << 10;

/// A connection that is watched, until this is dropped.
#[derive(Debug)]
pub(crate) struct Watched {
    key: u64,
    /// The priority of the thread that opened it; 0 for a shared one.
    level: u8,
    watch: Arc<Watch>,
    /// The peer's. Children that it has forked may hold its end of the socket longer than it lives.
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
    /// How many of them there are of each priority.
    levels: [usize; MAX_PRIORITY as usize + 1],
    /// The watch's thread, once it is there, and the priority that it has.
    thread: Option<u32>,
    level: u8,
}

impl Connections {
    /// Has the thread run at the highest priority of the connections: whoever waits for a peer that is
    /// no more hears of it however busy those of lower priority are.
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
            // A process without the privilege has no such priorities, or had it once: then it stays.
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

/// Tells `connection` when the peer of its socket has gone, its process or the socket's other end, also when the
/// latter is so already: on a thread of no
/// lower priority than the calling one.
pub(crate) fn watch(connection: &Arc<Connection>) -> io::Result<Watched> {
    let watch = running()?;
    let process = peer_process(connection.socket.as_fd())?;
    let level = priority::last_set().min(MAX_PRIORITY);
    let key = {
        let mut connections = watch.connections.lock();
        connections.last_key += 1;
        let key = connections.last_key;
        connections.by_key.insert(key, Arc::downgrade(connection));
        connections.count(level, |count| count + 1);
        key
    };
    // From here on it is taken out again, whatever happens.
    let watched = Watched { key, level, watch, process };
    watched.watch.hangups.add(connection.socket.as_fd(), key)?;
    if let Some(process) = &watched.process {
        watched.watch.hangups.add_process(process.as_fd(), key)?;
    }
    Ok(watched)
}

/// The process's one watch, with its thread.
fn running() -> io::Result<Arc<Watch>> {
    static WATCH: Lock<Option<Arc<Watch>>> = Lock::new(None);
    let mut place = WATCH.lock();
    if let Some(watch) = &*place {
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
    Ok(Arc::clone(place.insert(watch)))
}

impl Watch {
    fn run(&self) {
        // It may have been started by a thread that is kept on some of the processors.
        let _ = run_anywhere();
        {
            let mut connections = self.connections.lock();
            connections.thread = Some(id());
            connections.level = priority::current().map_or(0, Schedule::level);
            connections.follow();
        }
        // The wait fails only when its arguments are wrong.
        while let Ok(key) = self.hangups.next() {
            let connection = self.connections.lock().by_key.get(&key).and_then(Weak::upgrade);
            if let Some(connection) = connection {
                connection.peer_is_gone();
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The system forgets the socket and the process when they are closed.
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

    /// Both ends of a connection that threads of this priority have opened.
    fn connection(level: u8) -> [Arc<dyn Stream>; 2] {
        let acceptor = ShmTransport::new().listen("shmiop://", &ListenOptions::default()).unwrap();
        let endpoint = acceptor.endpoint().clone();
        let at_level = move || {
            if level > 0 {
                // Without the privilege the level is not this one either.
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

    /// How the watch is scheduled, once its thread has begun.
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

    // The other tests of this binary open connections at no priority.
    #[test]
    fn the_watch_has_the_highest_priority_of_those_that_it_watches_for() {
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
