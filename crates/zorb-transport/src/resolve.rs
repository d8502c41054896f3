//! Host names are looked up within a time limit.
//!
//! The system's resolver has none of its own, so a lookup runs on a thread. The number of threads is limited: a
//! lookup that nobody waits for any more goes on until the resolver gives up.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zorb_os::clock::MonotonicTime;
use zorb_os::lock::{Condition, Lock};

/// The name of this machine, which is not looked up.
const LOCAL: &str = "localhost";
/// The maximum number of addresses tried of one host.
const MAX_ADDRESSES: usize = 16;
/// The maximum number of lookups of the process at a time.
const MAX_LOOKUPS: usize = 32;

static LOOKUPS: Lookups = Lookups(AtomicUsize::new(0));

/// The addresses of a host in the order of attempts: for a name as the system's lookup returns them, until `deadline` at
/// the latest; for `localhost` 127.0.0.1 and `::1`. At most 16. `host` is a name or an address, without brackets. For
/// authors of transports.
///
/// # Errors
/// The lookup fails, `TimedOut` at the deadline, or `WouldBlock` if too many names are being looked up.
pub fn resolve(
    host: &str,
    port: u16,
    deadline: Option<MonotonicTime>,
) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![(address, port).into()]);
    }
    if host == LOCAL {
        return Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()]);
    }
    let host = host.to_owned();
    let look_up =
        move || (host, port).to_socket_addrs().map(|found| found.take(MAX_ADDRESSES).collect());
    match deadline {
        None => look_up(),
        Some(deadline) if deadline.time_left().is_zero() => Err(not_in_time()),
        Some(deadline) => LOOKUPS.run(deadline, look_up),
    }
}

fn not_in_time() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the name was not found in time")
}

/// The lookups that run.
struct Lookups(AtomicUsize);

impl Lookups {
    /// The result of `lookup`, or `TimedOut` at the deadline; `WouldBlock` if too many run.
    fn run<T: Send + 'static>(
        &'static self,
        deadline: MonotonicTime,
        lookup: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let running = Running::begin(self)?;
        let shared = Arc::new((Lock::new(None), Condition::new()));
        let found = Arc::clone(&shared);
        std::thread::Builder::new().name("zorb-resolve".to_owned()).spawn(move || {
            *found.0.lock() = Some(lookup());
            found.1.notify_one();
            drop(running);
        })?;
        let (result, changed) = &*shared;
        let is_missing = |result: &mut Option<_>| result.is_none();
        let mut result = changed.wait_while(result.lock(), deadline.time_left(), is_missing);
        result.take().unwrap_or_else(|| Err(not_in_time()))
    }
}

/// A lookup that counts until this is dropped.
struct Running(&'static Lookups);

impl Running {
    fn begin(lookups: &'static Lookups) -> io::Result<Self> {
        let one_more = |running: usize| (running < MAX_LOOKUPS).then_some(running + 1);
        match lookups.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more) {
            Ok(_) => Ok(Self(lookups)),
            Err(_) => {
                let reason = "too many host names are being looked up";
                Err(io::Error::new(io::ErrorKind::WouldBlock, reason))
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn now() -> MonotonicTime {
        MonotonicTime::now()
    }

    #[test]
    fn addresses_and_this_machine_are_not_looked_up() {
        let resolve = |host| resolve(host, 9, Some(now())).map(|found| found.len());
        assert_eq!([resolve("::1").ok(), resolve("10.0.0.1").ok()], [Some(1); 2]);
        assert_eq!(resolve("localhost").ok(), Some(2));
        assert_eq!(resolve("host.invalid").unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn lookups_end_at_the_deadline_and_are_few() {
        static LOOKUPS: Lookups = Lookups(AtomicUsize::new(0));
        let until_running = |count: usize| {
            while LOOKUPS.0.load(Ordering::Acquire) != count {
                std::thread::yield_now();
            }
        };
        let hour = now() + Duration::from_secs(3600);
        assert_eq!(LOOKUPS.run(hour, || Ok(7)).unwrap(), 7);
        until_running(0);
        // Resolvers that do not answer until the senders are dropped.
        let mut unanswered = Vec::new();
        for _ in 0..MAX_LOOKUPS {
            let (answer, answered) = mpsc::channel::<()>();
            unanswered.push(answer);
            let error = LOOKUPS.run(now(), move || Ok(answered.recv())).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        }
        let error = LOOKUPS.run(hour, || Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        drop(unanswered);
        until_running(0);
        assert!(LOOKUPS.run(hour, || Ok(())).is_ok());
    }
}
