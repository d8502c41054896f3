//! The steps in which the program of a simulation begins and sends requests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_base::threads::ThreadCount;
use zorb_giop::{
    BegunRequest, MessageFormat, NewRequest, PlainRequest, RequestKind, ResponseFlags,
};

use super::outcomes::Sent;
use super::{MOST, ORDER, Run, VERSION};
use crate::client::connection::Connection;
use crate::client::multiplexed::{BegunPending, Joining, MultiplexedCall};
use crate::client::time_limit::TimeLimit;
use crate::client::wait_queue::WaitLimits;

/// A request that has begun.
pub(super) enum Beginning {
    Joined(MultiplexedCall, BegunRequest),
    AtOnce(BegunPending),
}

impl Beginning {
    fn id(&self) -> u32 {
        match self {
            Self::Joined(_, begun) => begun.request_id,
            Self::AtOnce(begun) => begun.id(),
        }
    }
}

impl Run {
    /// Begins a request; `None` if the connection takes none.
    pub(super) fn begin(&mut self, pending: Option<Arc<Sent>>, value: i32) -> Option<Beginning> {
        let is_timed = pending.as_ref().is_some_and(|sent| sent.is_timed);
        let request = NewRequest {
            kind: RequestKind::Twoway,
            form: MessageFormat::Giop(VERSION),
            key: b"key",
            operation: "twice",
            code_sets: None,
            announced: 0,
            // Its time is over when the reader looks next.
            deadline: is_timed.then_some(Duration::ZERO),
        };
        let mut beginning = match &pending {
            Some(sent) if self.chance.below(2) == 0 => {
                let connection = Arc::clone(&self.connection);
                Beginning::AtOnce(connection.begin_pending(MOST, &request, sent)?)
            }
            _ => self.join(pending, &request)?,
        };
        let key = Arc::new(b"key".to_vec());
        let plain = PlainRequest {
            request_id: beginning.id(),
            response: ResponseFlags::SyncWithTarget,
            key: &key,
            operation: "twice",
        };
        let outgoing = match &mut beginning {
            Beginning::Joined(call, _) => call.outgoing().unwrap(),
            Beginning::AtOnce(begun) => begun.outgoing(),
        };
        let mut message = outgoing.request(MessageFormat::Giop(VERSION), ORDER, plain).unwrap();
        message.body(zorb_cdr::TextCoding::default()).write_i32(value);
        message.finish().unwrap();
        Some(beginning)
    }

    /// Begins a request in two steps.
    fn join(&self, pending: Option<Arc<Sent>>, request: &NewRequest<'_>) -> Option<Beginning> {
        let limits = WaitLimits { deadline: None, max_waiting: 0, max_wait: None };
        let most = pending.is_some().then_some(MOST);
        let joining = Joining { in_upcall: false, in_waker: false, limits, pending: most };
        let mut call = self.connection.join(&joining).ok()?;
        if let Some(sent) = pending {
            call.reply_to(sent, &ThreadCount::new(0), Duration::MAX).unwrap();
        }
        let begun = call.begin(request, None).ok()?;
        Some(Beginning::Joined(call, begun))
    }

    /// Begins a pending request, and sends it now or later.
    pub(super) fn send(&mut self) {
        self.numbers += 1;
        let is_timed = self.chance.below(6) == 0;
        let sending = Mutex::new((true, false));
        let (told, ends) = (Mutex::default(), Mutex::default());
        let sent = Sent { value: self.numbers, is_timed, sending, told, ends };
        let sent = Arc::new(sent);
        let Some(beginning) = self.begin(Some(Arc::clone(&sent)), sent.value) else {
            // It was not sent, and ends nowhere else.
            assert!(sent.ends.lock().unwrap().is_empty());
            return;
        };
        self.begun.push((beginning, sent, false));
        if self.chance.below(3) > 0 {
            let last = self.begun.len() - 1;
            self.go_on(last);
            if self.begun.len() > last {
                self.go_on(last);
            }
        }
    }

    /// Does the next step of sending a request: sending its octets, or leaving it to the reader.
    pub(super) fn go_on(&mut self, at: usize) {
        let Some((beginning, _, is_sent)) = self.begun.get_mut(at) else { return };
        if !*is_sent {
            *is_sent = true;
            let is_sent = match beginning {
                Beginning::Joined(call, begun) => call.send(begun, &TimeLimit::NONE, None).is_ok(),
                Beginning::AtOnce(begun) => begun.send(&TimeLimit::NONE).is_ok(),
            };
            if is_sent {
                return;
            }
            let (beginning, sent, _) = self.begun.swap_remove(at);
            let mut call = match beginning {
                Beginning::Joined(call, _) => call,
                Beginning::AtOnce(begun) => begun.into_call().unwrap(),
            };
            // It ends here, or the reader ends it.
            match call.take_back() {
                true => assert!(sent.ends.lock().unwrap().is_empty()),
                false => self.over.push((sent, false)),
            }
            return;
        }
        let (beginning, sent, _) = self.begun.swap_remove(at);
        let is_left = std::mem::take(&mut *sent.sending.lock().unwrap()).1;
        if is_left {
            self.connection.end_left();
        }
        let id = beginning.id();
        match beginning {
            Beginning::Joined(mut call, _) => call.detach(),
            Beginning::AtOnce(begun) => drop(begun.sent()),
        }
        self.sent.insert(id, sent);
    }
}
