//! Calls that are sent without waiting.
//!
//! What they cost depends on how many replies the reader finds each time it is woken, and so on the speed of the server.
//! Under a tool that slows the client down by fifty, it would be woken for nearly each reply. So the server is stopped
//! while requests are sent, and continues when the client waits for them.

use std::cell::{Cell, RefCell};

use rustix::process::{Pid, Signal, kill_process};
use zorb::{CdrResult, CdrWriter, ObjectRef, Pending};

use crate::operation::wrong;

/// The number of pending calls that are sent before the result of the first one is taken. The number of calls that are
/// counted is a multiple.
const IN_FLIGHT: usize = 125;

/// The size of the client's send buffer, which holds the requests of so many calls with arguments.
pub const SEND_BUFFER: &str = "200000";

/// The number of objects to which calls are sent at once.
pub const TARGETS: usize = 100;

/// The calls whose results have not been taken.
#[derive(Debug)]
pub(crate) struct InFlight {
    server: Option<Pid>,
    pending: RefCell<Vec<Pending<()>>>,
    /// How many calls the next ones that are sent to all stand for.
    to_all: Cell<usize>,
}

impl InFlight {
    /// `server`: the process that is stopped while requests are sent.
    pub(crate) fn new(server: Option<Pid>) -> Self {
        let pending = RefCell::new(Vec::with_capacity(IN_FLIGHT));
        Self { server, pending, to_all: Cell::default() }
    }

    /// Sends a call, and waits for all once there are [`IN_FLIGHT`].
    pub(crate) fn send(&self, call: impl FnOnce() -> Pending<()>) -> zorb::Result<()> {
        let before = self.pending.borrow().len();
        if before == 0 {
            self.tell_server(Signal::STOP)?;
        }
        self.pending.borrow_mut().push(call());
        if before + 1 == IN_FLIGHT { self.wait() } else { Ok(()) }
    }

    /// Waits for all calls.
    pub(crate) fn wait(&self) -> zorb::Result<()> {
        self.tell_server(Signal::CONT)?;
        self.pending.borrow_mut().drain(..).try_for_each(Pending::wait)
    }

    /// Sends a call to many objects, once for as many calls of this.
    pub(crate) fn send_to_all(
        &self,
        object: &ObjectRef,
        operation: &'static str,
        arguments: impl Fn(&mut CdrWriter<'_>) -> CdrResult<()>,
    ) -> zorb::Result<()> {
        let before = self.to_all.replace((self.to_all.get() + 1) % TARGETS);
        if before > 0 {
            return Ok(());
        }
        let targets = std::iter::repeat_n(object, TARGETS);
        self.tell_server(Signal::STOP)?;
        let calls = ObjectRef::send_to_all(targets, operation, arguments, |_| Ok(()));
        self.tell_server(Signal::CONT)?;
        calls.into_iter().try_for_each(Pending::wait)
    }

    fn tell_server(&self, signal: Signal) -> zorb::Result<()> {
        self.server.map_or(Ok(()), |server| kill_process(server, signal)).map_err(|_| wrong())
    }
}
