//! Whether a request is served while the upcall of another one is blocked.

use super::bed::{Host, joined};
use super::placement::boxed;
use super::servant::until;
use crate::error::Result;

/// Calls that show that the server is not busy.
const PROBES: usize = 20;

/// A call of a client at a priority.
pub(super) struct Request<'a> {
    pub(super) client: &'a Host,
    pub(super) priority: i16,
    pub(super) call: &'a (dyn Fn() -> Result<()> + Sync),
}

impl Request<'_> {
    /// Makes `times` calls.
    fn run(&self, times: usize) -> Result<()> {
        self.client.at(self.priority, || (0..times).try_for_each(|_| (self.call)()))
    }
}

/// Two requests: 0, whose upcall is blocked, and then 1.
pub(super) struct Blocked<'a> {
    pub(super) server: &'a Host,
    pub(super) first: Request<'a>,
    pub(super) second: Request<'a>,
    /// Whether the second one must be served. If not, the result does not depend on times either: it is
    /// taken after probes have been served.
    pub(super) must_be_served: bool,
    pub(super) probe: Request<'a>,
}

impl Blocked<'_> {
    /// Whether the second request is served while the upcall of the first one is blocked.
    pub(super) fn second_is_served(&self) -> Result<bool> {
        let servant = &self.server.servant;
        servant.shut([0]);
        std::thread::scope(|scope| {
            let first = scope.spawn(boxed(|| self.first.run(1)));
            let begun = until("the blocked upcall starts", || servant.log.has_begun(0));
            let second = scope.spawn(boxed(|| self.second.run(1)));
            let waited = begun.and_then(|()| match self.must_be_served {
                true => until("the second request is served", || servant.log.has_ended(1)),
                false => self.probe.run(PROBES),
            });
            let served = servant.log.has_ended(1);
            servant.open([0]);
            joined(first.join())?;
            joined(second.join())?;
            waited?;
            Ok(served)
        })
    }
}
