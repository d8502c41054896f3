//! Calls of objects of this ORB that go by a request and a reply, in memory.

use std::cell::Cell;
use std::io::IoSlice;
use std::sync::Arc;
use std::time::Instant;

use zorb_base::buffers::trim;
use zorb_base::gather::Gather;
use zorb_base::upcall_thread::about_to_block;
use zorb_cdr::{ByteOrder, TextCoding};
use zorb_giop::{Form, GiopVersion, MessageHeader, ProtocolError, ReplyStart, ServedRequest};
use zorb_poa::{
    Access, Answer, InParts, NotAdmitted, ReplyTo, RequestSource, ServerCall, answer_absent,
    dispatch, find_target,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::attempt::{Attempt, OutgoingRequest, judge};
use super::call::Call;
use super::contexts::Contexts;
use super::reply::{ReadReply, Reply};
use crate::client::core::ClientCore;
use crate::collocation::{Upcall, hold};
use crate::object::ObjectRef;

/// The text coding of calls inside this ORB: nothing is lost in it.
pub(crate) const LOCAL_TEXT: TextCoding = TextCoding::UNICODE;

thread_local! {
    /// The buffers of calls inside this ORB: request and reply. A nested call makes its own.
    static LOCAL_BUFFERS: Cell<(Vec<u8>, Vec<u8>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// Makes a call to an object of this ORB: no connection, the upcall on the calling thread.
pub(super) fn call_here(
    object: &ObjectRef,
    key: &[u8],
    call: &Call<'_>,
    read: ReadReply<'_>,
) -> Attempt {
    let core = object.core();
    let _bond = hold(object);
    let _upcall = Upcall::enter(core);
    let form = Form::Giop(GiopVersion::HIGHEST);
    let text = LOCAL_TEXT;
    let (mut request, mut buffer) = LOCAL_BUFFERS.take();
    let mut copy = Gather::runs_from(usize::MAX);
    let contexts = Contexts { info: call.info, band: None };
    let message = OutgoingRequest { form, request_id: 0, key, text, call };
    let written = contexts.write(None, |contexts| message.write(contexts, &mut request, &mut copy));
    if let Err(exception) = written {
        LOCAL_BUFFERS.set((request, buffer));
        return Attempt::Failed(exception);
    }
    let broken =
        || SystemException::internal(minor::internal::BROKEN_INVARIANT, CompletionStatus::Maybe);
    let Ok(Some(header)) = MessageHeader::parse_prefix(&request) else {
        return Attempt::Failed(broken());
    };
    let deadline = call.time_limit.deadline();
    let answer = answer_here(core, &request, &header, form, deadline, &mut buffer);
    // From here on the reply finds its own way back, however it ends.
    trim(&mut request);
    LOCAL_BUFFERS.set((request, Vec::new()));
    let reply = LocalReply(buffer);
    match answer {
        Ok(Answer::Nothing) => Attempt::Done,
        Ok(Answer::Reply) => match read_start(&reply.0) {
            Some((order, start)) => {
                let message = &reply.0[..];
                let reply = Reply {
                    core,
                    operation: call.operation,
                    route: None,
                    message,
                    seams: &[],
                    #[cfg(feature = "buffers")]
                    end: None,
                    order,
                    start,
                    text,
                };
                judge(&reply, read)
            }
            None => Attempt::Failed(broken()),
        },
        Err(_) => Attempt::Failed(broken()),
    }
}

/// Answers the request in `message` on the calling thread, which waits while the object's manager holds
/// requests, until `deadline` at the latest.
fn answer_here(
    core: &Arc<ClientCore>,
    message: &[u8],
    header: &MessageHeader,
    form: Form<'_>,
    deadline: Option<Instant>,
    buffer: &mut Vec<u8>,
) -> Result<Answer, ProtocolError> {
    let reply = ReplyTo { buffer, copy_threshold: usize::MAX, source: &NotSent };
    let mut call = ServerCall::new(message, header.order, form, reply);
    call.read_header(header)?;
    call.set_text(LOCAL_TEXT);
    let mut since = None;
    let target = loop {
        match find_target(core.adapters(), None, call.request(), Access::LOCAL) {
            Err(NotAdmitted::Held(manager)) => {
                about_to_block();
                let since = *since.get_or_insert_with(Instant::now);
                if let Err(exception) = manager.wait_while_holding(since, deadline) {
                    break Err(NotAdmitted::Refused(exception));
                }
            }
            target => break target,
        }
    };
    let found = match target {
        Ok(found) => found,
        Err(absent) => match answer_absent(core.adapters(), absent, &mut call) {
            Ok(answer) => return Ok(answer),
            Err(found) => found,
        },
    };
    call.set_context(core);
    Ok(dispatch(core.adapters(), &mut call, &found, &InParts::default()))
}

/// The reply stays in its buffer.
struct NotSent;

impl RequestSource for NotSent {
    fn send_parts(&self, _: ServedRequest, _: &mut [IoSlice<'_>]) {}
}

fn read_start(message: &[u8]) -> Option<(ByteOrder, ReplyStart)> {
    let header = MessageHeader::parse_prefix(message).ok()??;
    Some((header.order, ReplyStart::read(message, &header).ok()?))
}

/// The buffer of a reply; it goes back to its thread when dropped.
struct LocalReply(Vec<u8>);

impl Drop for LocalReply {
    fn drop(&mut self) {
        let (request, _) = LOCAL_BUFFERS.take();
        trim(&mut self.0);
        LOCAL_BUFFERS.set((request, std::mem::take(&mut self.0)));
    }
}
