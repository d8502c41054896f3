//! The pending requests of a simulation, and how often each outcome was seen.

use std::sync::{Arc, Mutex};

use crate::client::connection::NoReply;
use crate::client::multiplexed::pending_reply::SmallReply;
use crate::client::multiplexed::pending_request::{Ended, PendingRequest, Stored};

/// A pending request, and how it has ended.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) value: i32,
    pub(super) is_timed: bool,
    /// Whether it is being sent, and whether the reader has left it to who sends it.
    pub(super) sending: Mutex<(bool, bool)>,
    /// How often it is to be told that its reply is stored, and how often it was.
    pub(super) told: Mutex<(u32, u32)>,
    /// The results; without a reply, whether the reason was its deadline.
    pub(super) ends: Mutex<Vec<Result<i32, bool>>>,
}

impl PendingRequest for Sent {
    fn store(&self, reply: SmallReply<'_>) -> Stored {
        if self.sending.lock().unwrap().0 && self.value % 3 == 0 {
            return Stored::Nothing;
        }
        let body = &reply.message[reply.start.body_start..];
        let result = i32::from_ne_bytes(body[..4].try_into().unwrap());
        self.ends.lock().unwrap().push(Ok(result));
        if self.value % 2 == 0 {
            return Stored::Reply;
        }
        self.told.lock().unwrap().0 += 1;
        Stored::Awaited
    }

    fn tell(self: Arc<Self>) -> Option<Arc<dyn PendingRequest>> {
        self.told.lock().unwrap().1 += 1;
        None
    }

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
        let (to_be_told, told) = *sent.told.lock().unwrap();
        assert_eq!(to_be_told, told, "{sent:?}");
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
