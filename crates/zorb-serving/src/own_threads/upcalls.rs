//! Whether a connection's threads make upcalls, and how many of these have ended: what shows whether a server is alive.
//!
//! Probes do not count, as they are no sign of that. They begin and end while others count, so each count is read in an
//! order in which it is never too high for what has ended, and never too low for what runs.

use std::sync::atomic::Ordering;

use crate::connection::ServerConnection;

/// How often the counts of a connection are read again because they have changed meanwhile.
const TRIES: u32 = 16;

/// What a connection's threads have begun and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counts {
    probes_begun: u32,
    /// Upcalls, those of probes and of requests that were held included.
    begun: u32,
    /// Requests that are being served.
    outstanding: u32,
    probes_ended: u32,
}

impl Counts {
    /// How many upcalls have ended at least, without those of probes. A request counts as ended when it is no longer
    /// outstanding, which is after its upcall.
    fn ended(self) -> u32 {
        self.begun.wrapping_sub(self.outstanding).wrapping_sub(self.probes_ended)
    }
}

impl ServerConnection {
    /// Whether one of its threads makes an upcall, other than those of probes. Calls exclude each other.
    pub(crate) fn has_upcall(&self) -> bool {
        let mut tries = TRIES;
        let mut counts = self.counts();
        loop {
            let running = counts.begun.wrapping_sub(counts.probes_begun);
            // Not during a handshake.
            if running == self.note_ended(counts) {
                return false;
            }
            let threads = self.threads_with_requests() + self.own_threads.resumed.running();
            let now = self.counts();
            if now == counts {
                // Deferred requests, for example, have no thread.
                return threads > counts.probes_begun.wrapping_sub(counts.probes_ended);
            }
            if tries == 0 {
                return true;
            }
            (counts, tries) = (now, tries - 1);
        }
    }

    /// How many upcalls have ended, without those of probes: never less than before. Calls exclude each other.
    pub(crate) fn upcalls_ended(&self) -> u32 {
        self.note_ended(self.counts())
    }

    /// Reads the counts in the order in which they matter: see the [module](self).
    fn counts(&self) -> Counts {
        let threads = &self.own_threads;
        let probes_begun = threads.probes.begun();
        let resumed = threads.resumed.begun();
        let begun = threads.upcalls.load(Ordering::Acquire).wrapping_add(resumed);
        let outstanding = self.requests.outstanding();
        let probes_ended = threads.probes.ended();
        Counts { probes_begun, begun, outstanding, probes_ended }
    }

    /// Between the end of a probe and that of its request, fewer upcalls seem to have ended: the highest number counts.
    fn note_ended(&self, counts: Counts) -> u32 {
        let highest = &self.own_threads.upcalls_ended;
        let (known, ended) = (highest.load(Ordering::Relaxed), counts.ended());
        if ended.wrapping_sub(known).cast_signed() <= 0 {
            return known;
        }
        highest.store(ended, Ordering::Relaxed);
        ended
    }

    /// How many of its own threads neither wait for requests nor for the client to read.
    fn threads_with_requests(&self) -> u32 {
        let members = self.own_threads.members.lock();
        let is_reading = self.input.is_empty() && !self.requests.has_ended();
        let others = members.idle + usize::from(is_reading);
        let others = u32::try_from(members.threads.saturating_sub(others)).unwrap_or(u32::MAX);
        others.saturating_sub(self.own_threads.sending())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zorb_base::upcall_thread::{ServedConnection, end_upcall};
    use zorb_giop::{GiopVersion, MessageFormat, RequestHeader};

    use super::*;
    use crate::tests::own_thread::connection;

    /// Serves a request that is a probe or another one; `look` is called after each step. Returns before the upcall ends,
    /// if it `is_stuck`.
    fn serve(connection: &Arc<ServerConnection>, kind: Kind, mut look: impl FnMut()) {
        let mut input = connection.input.take().unwrap();
        let form = MessageFormat::new(None, GiopVersion::V1_2);
        let request = RequestHeader::EMPTY;
        input.receiver.begin_request(&connection.requests, &request, form).1.unwrap();
        look();
        let _ = connection.leave_input(input, false);
        end_upcall();
        match kind {
            Kind::Stuck => return look(),
            Kind::Usual => look(),
            Kind::Probe => {
                connection.begin_probe();
                look();
                connection.end_probe();
                look();
            }
        }
        assert!(!connection.requests.finish());
        look();
    }

    #[derive(Clone, Copy)]
    enum Kind {
        Usual,
        Probe,
        /// One whose upcall does not end.
        Stuck,
    }

    #[test]
    fn probes_hide_no_stuck_upcall_of_their_connection() {
        let (connection, _client) = connection([], 0);
        connection.own_threads.members.lock().threads = 2;
        serve(&connection, Kind::Usual, || ());
        serve(&connection, Kind::Stuck, || ());
        let look = || assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (true, 1));
        look();
        serve(&connection, Kind::Probe, look);
        // At the same time.
        std::thread::scope(|scope| {
            let probe = || serve(&connection, Kind::Probe, || ());
            let probes = scope.spawn(move || (0..20_000).for_each(|_| probe()));
            while !probes.is_finished() {
                look();
            }
        });
        assert!(!connection.requests.finish());
        assert_eq!(connection.upcalls_ended(), 2);
    }

    #[test]
    fn what_has_ended_is_seen_beside_probes() {
        let (connection, _client) = connection([], 0);
        connection.own_threads.members.lock().threads = 1;
        for ended in 0..3 {
            serve(&connection, Kind::Probe, || {
                assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (false, ended));
            });
            serve(&connection, Kind::Usual, || ());
            assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (false, ended + 1));
        }
        // One that was held, and is served by a thread of the lane, while that of the connection reads.
        let _reading = connection.input.take();
        assert!(connection.requests.resume());
        let resumed = connection.own_threads.resumed.enter();
        assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (true, 3));
        drop(resumed);
        assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (false, 3));
        assert!(!connection.requests.finish());
        assert_eq!((connection.has_upcall(), connection.upcalls_ended()), (false, 4));
    }

    #[test]
    fn threads_that_wait_for_the_client_make_no_upcall() {
        let (connection, _client) = connection([], 0);
        connection.own_threads.members.lock().threads = 3;
        (0..3).for_each(|_| serve(&connection, Kind::Stuck, || ()));
        let sending = [(); 2].map(|()| connection.own_threads.begin_sending());
        assert!(connection.has_upcall(), "one of the three runs");
        let _other = connection.own_threads.begin_sending();
        assert!(!connection.has_upcall());
        drop(sending);
        assert!(connection.has_upcall());
    }
}
