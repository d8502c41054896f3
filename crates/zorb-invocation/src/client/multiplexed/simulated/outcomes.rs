//! The pending requests of a simulation, and how often each outcome was seen.

use std::sync::{Arc, Mutex};

use crate::client::connection::NoReply;
use crate::client::multiplexed::pending_request::{Ended, PendingRequest};

/// A pending request, and how it has ended.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) value: i32,
    pub(super) is_timed: bool,
    /// Whether it is being sent, and whether the reader has left it to who sends it.
    pub(super) sending: Mutex<(bool, bool)>,
    /// The results; without a reply, whether the reason was its deadline.
    pub(super) ends: Mutex<Vec<Result<i32, bool>>>,
}

impl PendingRequest for Sent {
    fn end(self: Arc<Self>, ended: Ended) -> Option<Arc<dyn PendingRequest>> {
        let result = match ended {
            Ended::Reply(reply) => {
                let body = &reply.received().message[reply.start.body_start..];
                Ok(i32::from_ne_bytes(body[..4].try_into().unwrap()))
            }
            Ended::NoReply { reason, .. } => Err(matches!(reason, NoReply::TimedOut)),
        };
        self.ends.lock().unwrap().push(result);
        None
    }

    fn call_back(&self) {}

    fn leave(&self) -> bool {
        let mut sending = self.sending.lock().unwrap();
        sending.1 |= sending.0;
        sending.0
    }
}

/// How often each outcome was seen.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) replies: u64,
    pub(super) timed_out: u64,
    pub(super) lost: u64,
    pub(super) cancelled: u64,
    pub(super) waited: u64,
    pub(super) connections: u64,
}

impl Tally {
    /// Counts the outcome of a request that is over: its own reply or a reason, once.
    pub(super) fn count(&mut self, sent: &Sent, is_cancelled: bool) {
        let ends = sent.ends.lock().unwrap();
        match ends[..] {
            [] if is_cancelled => self.cancelled += 1,
            [Ok(value)] => {
                assert_eq!(value, sent.value * 2);
                self.replies += 1;
            }
            [Err(true)] => {
                assert!(sent.is_timed);
                self.timed_out += 1;
            }
            [Err(false)] => self.lost += 1,
            _ => panic!("{sent:?} has ended {} times", ends.len()),
        }
    }
}
