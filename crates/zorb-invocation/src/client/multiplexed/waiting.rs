//! Waiting for the reply to a call over a multiplexed connection.

use std::sync::Arc;

use zorb_giop::{FailureCause, MessageHeader, ReplyStart, RequestFailure};
use zorb_os::lock::Locked;

use super::leader::Led;
use super::{CallBuffers, FollowerReply, MultiplexedCall, State, notify, wait_until};
use crate::client::connection::{Connection as _, NoReply, machine_time};
use crate::client::longest_wait::Wait;
use crate::client::time_limit::TimeLimit;

impl MultiplexedCall {
    /// Waits for the reply, as leader if there is none. Afterwards it is in the buffers.
    pub(super) fn wait(
        &mut self,
        time_limit: TimeLimit,
    ) -> Result<(MessageHeader, Option<ReplyStart>), NoReply> {
        let connection = &*self.connection;
        let Some(id) = self.id else { return Err(NoReply::Lost(None)) };
        let deadline_of_request = time_limit.deadline();
        let wait = Wait::since(self.begun(), time_limit, connection.longest_wait);
        let timed_out = |mut state: Locked<'_, State>| {
            // If this caller has been promoted just now, another one has to lead.
            state.wake(id);
            // The wait ended at the deadline.
            match deadline_of_request {
                Some(deadline) => {
                    state.machine.handle_timeout(machine_time(connection.opened, deadline));
                }
                None => drop(state.machine.cancel(id)),
            }
            let promoted = connection.promote(&mut state);
            drop(state);
            notify(promoted);
            NoReply::TimedOut
        };
        let mut state = connection.state();
        loop {
            state.wake(id);
            let Some(caller) = state.caller(id) else { return Err(NoReply::Lost(None)) };
            if let Some(reply) = caller.reply.take() {
                return Ok(into_buffers(reply, self.buffers.as_deref_mut()));
            }
            match state.machine.failure(id) {
                Some(RequestFailure { cause: FailureCause::TimedOut, .. }) => {
                    return Err(timed_out(state));
                }
                Some(_) => {
                    // This caller may have been promoted instead of the reader, which has to end.
                    connection.wake_reader(&mut state);
                    return Err(state.no_reply());
                }
                None => {}
            }
            if let Some(mut inbound) = connection.begin_to_lead(&mut state) {
                drop(state);
                let mut ending = None;
                let Led { state: locked, led } =
                    connection.lead_for(&mut inbound, id, &wait, &mut ending);
                state = locked;
                state.end_leading(inbound);
                match led {
                    Ok(()) => {
                        let promoted = connection.promote(&mut state);
                        let reply = state.caller(id).and_then(|caller| caller.reply.take());
                        drop(state);
                        notify(promoted);
                        drop(ending);
                        if let Some(reply) = reply {
                            return Ok(into_buffers(reply, self.buffers.as_deref_mut()));
                        }
                        state = connection.state();
                    }
                    Err(NoReply::TimedOut) => return Err(timed_out(state)),
                    Err(reason) => connection.end(&mut state, reason),
                }
                continue;
            }
            let Some(caller) = state.caller(id) else { return Err(NoReply::Lost(None)) };
            let wake = Arc::clone(&caller.wake);
            state.sleep(id);
            state.leader.inherit();
            let in_time;
            (state, in_time) = wait_until(&wake, state, wait.deadline());
            if !in_time {
                return Err(timed_out(state));
            }
        }
    }
}

/// Moves a reply into the caller's buffers.
fn into_buffers(
    reply: FollowerReply,
    buffers: Option<&mut CallBuffers>,
) -> (MessageHeader, Option<ReplyStart>) {
    if let Some(buffers) = buffers {
        buffers.received = reply.octets;
        buffers.tail = reply.tail;
    }
    (reply.header, reply.start)
}
