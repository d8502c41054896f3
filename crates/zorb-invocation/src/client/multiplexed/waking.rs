//! What wakes the reader: something to look at in the state, and what arrives while no caller receives.

use super::pending_request::Reader;
use super::{MultiplexedConnection, State};

impl MultiplexedConnection {
    /// Makes the reader look at the state again.
    #[cold]
    pub(super) fn wake_reader(&self, state: &mut State) {
        match state.pending.reader {
            Reader::Missing | Reader::Runs => return,
            Reader::Idle | Reader::Sleeps => self.reader_wake.notify_one(),
            Reader::Polls | Reader::Gathers => {
                self.arrivals.get().into_iter().for_each(|it| it.interrupt())
            }
        }
        state.pending.reader = Reader::Runs;
    }

    /// Lets the reader receive after a caller has stopped.
    pub(super) fn resume_reader(&self, state: &mut State) {
        // The caller may have received what made the descriptor readable, and left it in the stream's own buffer.
        match state.pending.reader {
            // It looks soon.
            Reader::Gathers => {}
            Reader::Sleeps => self.wake_reader(state),
            _ if self.reads_ahead => self.wake_reader(state),
            _ => self.arm(state),
        }
    }

    /// Makes what arrives wake the reader, if it waits for that.
    pub(super) fn arm(&self, state: &mut State) {
        if state.pending.is_armed || state.pending.reader != Reader::Polls {
            return;
        }
        if let (Some(stream), Some(arrivals)) = (self.stream.readiness_fd(), self.arrivals.get()) {
            state.pending.is_armed = arrivals.arm(stream).is_ok();
        }
    }

    /// Leaves what arrives to the leader.
    pub(super) fn disarm(&self, state: &mut State) {
        if std::mem::take(&mut state.pending.is_armed)
            && let (Some(stream), Some(arrivals)) =
                (self.stream.readiness_fd(), self.arrivals.get())
        {
            // Otherwise the reader wakes in vain.
            let _ = arrivals.disarm(stream);
        }
    }
}
