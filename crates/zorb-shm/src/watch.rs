//! The thread that notices when peers go away.

use std::collections::HashMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::{Arc, Weak};
use std::thread;

use zorb_os::lock::Lock;
use zorb_os::poll::HangupWatch;

use crate::stream::Line;

/// The thread's stack, in octets. It does little.
const STACK: usize = 128 << 10;

/// A connection that is watched, until this is dropped.
#[derive(Debug)]
pub(crate) struct Watched {
    key: u64,
    watch: Arc<Watch>,
}

#[derive(Debug)]
struct Watch {
    hangups: HangupWatch,
    lines: Lock<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    by_key: HashMap<u64, Weak<Line>>,
    last_key: u64,
}

/// Tells `line` when the peer of its socket has gone, also when that is so already.
pub(crate) fn watch(line: &Arc<Line>) -> io::Result<Watched> {
    let watch = running()?;
    let key = {
        let mut lines = watch.lines.lock();
        lines.last_key += 1;
        let key = lines.last_key;
        lines.by_key.insert(key, Arc::downgrade(line));
        key
    };
    // From here on it is taken out again, whatever happens.
    let watched = Watched { key, watch };
    watched.watch.hangups.add(line.socket.as_fd(), key)?;
    Ok(watched)
}

/// The process's one watch, with its thread.
fn running() -> io::Result<Arc<Watch>> {
    static WATCH: Lock<Option<Arc<Watch>>> = Lock::new(None);
    let mut place = WATCH.lock();
    if let Some(watch) = &*place {
        return Ok(Arc::clone(watch));
    }
    let watch = Arc::new(Watch { hangups: HangupWatch::new()?, lines: Lock::default() });
    let at_work = Arc::clone(&watch);
    thread::Builder::new()
        .name("zorb-shm".to_owned())
        .stack_size(STACK)
        .spawn(move || at_work.run())?;
    Ok(Arc::clone(place.insert(watch)))
}

impl Watch {
    fn run(&self) {
        // The wait fails only when its arguments are wrong.
        while let Ok(key) = self.hangups.next() {
            let line = self.lines.lock().by_key.get(&key).and_then(Weak::upgrade);
            if let Some(line) = line {
                line.peer_is_gone();
            }
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The system forgets the socket when it is closed.
        self.watch.lines.lock().by_key.remove(&self.key);
    }
}
