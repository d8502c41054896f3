//! The direction from the client to the server.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_giop::{MessageHeader, MessageKind, ProtocolErrorKind, TargetAddress};
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::fragments::{PendingRequest, fragment_id, id_in};
use crate::link::Link;
use crate::relay::{Ending, Side, Verdict};
use crate::request_head::{Refusal, RequestHead};
use crate::server_side;
use crate::timing::Awaited;

/// The maximum number of incomplete fragmented requests that are rejected or undecided.
const MAX_PARTIAL: usize = 16;

/// The handler of the direction from the client.
#[derive(Debug)]
pub(crate) struct Requests<'l> {
    pub(crate) link: &'l Arc<Link>,
    /// Set when the first request is forwarded.
    pub(crate) target: Option<Arc<dyn Stream>>,
    /// The ids of rejected requests, whose fragments are dropped; in GIOP 1.1 without an id.
    refused: Vec<Option<u32>>,
    /// Fragmented requests with an incomplete header.
    pending: Vec<PendingRequest>,
    answer: Vec<u8>,
    pub(crate) awaited: Awaited<'l>,
}

impl<'l> Requests<'l> {
    pub(crate) fn new(link: &'l Arc<Link>) -> Self {
        Self {
            link,
            target: None,
            refused: Vec::new(),
            pending: Vec::new(),
            answer: Vec::new(),
            awaited: Awaited::new(&link.progress, &link.context.timing),
        }
    }

    fn inspect_request(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        let form = self.link.framing.form(header.version);
        match RequestHead::read(form, header, seen) {
            Ok(request) => self.answer_or_pass(header, &request),
            Err(_) if !whole => Ok(Verdict::More),
            Err(_) if header.more_fragments => self.hold(header, seen),
            Err(error) => Err(Ending::Broken(error)),
        }
    }

    /// Buffers the first fragment of a request until it is decided.
    fn hold(&mut self, header: &MessageHeader, seen: &[u8]) -> Result<Verdict, Ending> {
        self.check_room()?;
        let ordinal = self.awaited.messages();
        self.pending.push(
            PendingRequest::begin(header, seen, ordinal, &self.link.budget)
                .map_err(Ending::Broken)?,
        );
        Ok(Verdict::Drop)
    }

    /// Limits the number of fragmented requests in progress.
    fn check_room(&self) -> Result<(), Ending> {
        if self.refused.len() + self.pending.len() < MAX_PARTIAL {
            return Ok(());
        }
        Err(Ending::Broken(ProtocolErrorKind::TooManyPartialMessages(MAX_PARTIAL).into()))
    }

    /// Forwards a request whose header is complete, or rejects it.
    fn answer_or_pass(
        &mut self,
        header: &MessageHeader,
        request: &RequestHead<'_>,
    ) -> Result<Verdict, Ending> {
        self.link.record_version(header.version);
        let counts = &self.link.from_client;
        match self.find(&request.target) {
            Ok(()) => {
                counts.messages.add(1);
                counts.awaited.add(u64::from(request.expects_reply));
                Ok(Verdict::Pass)
            }
            Err(refusal) => {
                counts.refused.add(1);
                let (id, wanted) = (request.request_id, request.expects_reply);
                self.refuse(header, id, wanted, refusal)?;
                Ok(Verdict::Drop)
            }
        }
    }

    /// Whether the request is forwarded: it is if the bridge serves the object and there is a
    /// connection.
    pub(crate) fn find(&mut self, target: &TargetAddress<'_>) -> Result<(), Refusal> {
        let TargetAddress::Key(key) = target else { return Err(Refusal::WantsKey) };
        if !self.link.context.serves(key) {
            let minor = minor::object_not_exist::UNKNOWN_KEY;
            let exception = SystemException::object_not_exist(minor, CompletionStatus::No);
            return Err(Refusal::Exception(exception));
        }
        if self.target.is_none() {
            self.link.is_connecting.store(true, Ordering::SeqCst);
            let connected = server_side::connect(self.link);
            self.link.is_connecting.store(false, Ordering::SeqCst);
            self.target = Some(connected.map_err(Refusal::Exception)?);
        }
        Ok(())
    }

    /// Sends the reply to a rejected request, if it expects one.
    pub(crate) fn refuse(
        &mut self,
        header: &MessageHeader,
        request_id: u32,
        expects_reply: bool,
        refusal: Refusal,
    ) -> Result<(), Ending> {
        if header.more_fragments {
            self.check_room()?;
            self.refused.push(fragment_id(header, request_id));
        }
        if !expects_reply {
            return Ok(());
        }
        let form = self.link.framing.form(header.version);
        // Nothing in it can fail to encode.
        let written = refusal.write(form, header, request_id, &mut self.answer);
        debug_assert!(written.is_ok());
        self.link.send_to_client(&self.answer).map_err(Ending::Lost)
    }

    /// Handles a fragment of a request like its first fragment.
    fn inspect_fragment(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        if self.refused.is_empty() && self.pending.is_empty() {
            return Ok(self.pass_or_drop());
        }
        let Some(id) = id_in(header, seen) else {
            let error = ProtocolErrorKind::BadFragment.into();
            return if whole { Err(Ending::Broken(error)) } else { Ok(Verdict::More) };
        };
        if let Some(index) = self.refused.iter().position(|refused| *refused == id) {
            if !header.more_fragments {
                self.refused.swap_remove(index);
            }
            return Ok(Verdict::Drop);
        }
        match self.pending.iter().position(|pending| pending.id == id) {
            Some(index) => self.inspect_pending(index, header, seen, whole),
            None => Ok(self.pass_or_drop()),
        }
    }

    /// Checks whether this fragment completes the header of a request.
    fn inspect_pending(
        &mut self,
        index: usize,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        let mut pending = self.pending.swap_remove(index);
        pending.append(header, seen).map_err(Ending::Broken)?;
        let first = pending.header();
        let form = self.link.framing.form(first.version);
        let outcome = match RequestHead::read(form, &first, pending.joined()) {
            Ok(request) => {
                // Later fragments are handled in the same way.
                let first = MessageHeader { more_fragments: header.more_fragments, ..first };
                self.answer_or_pass(&first, &request)
            }
            Err(_) if !whole => {
                pending.take_back();
                self.pending.push(pending);
                return Ok(Verdict::More);
            }
            Err(_) if header.more_fragments => {
                pending.store(seen).map_err(Ending::Broken)?;
                self.pending.push(pending);
                return Ok(Verdict::Drop);
            }
            Err(error) => return Err(Ending::Broken(error)),
        };
        match outcome? {
            Verdict::Pass => Ok(Verdict::PassAfter(pending.into_fragments())),
            other => Ok(other),
        }
    }

    /// Handles a CancelRequest: a request cancelled before it was forwarded is dropped.
    fn inspect_cancel(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        if !whole {
            return Ok(Verdict::More);
        }
        let form = self.link.framing.form(header.version);
        let cancel = form.read_cancel_request(seen, header).map_err(Ending::Broken)?;
        let id = Some(cancel.request_id);
        match self.pending.iter().position(|pending| pending.id == id) {
            Some(index) => {
                self.pending.swap_remove(index);
                Ok(Verdict::Drop)
            }
            None => Ok(self.pass_or_drop()),
        }
    }

    /// The message with which the oldest of the undecided requests began.
    fn oldest_pending(&self) -> Option<u32> {
        self.pending.iter().map(|pending| pending.ordinal).min()
    }

    /// Handles a message about a request like the request itself.
    fn pass_or_drop(&self) -> Verdict {
        if self.target.is_some() { Verdict::Pass } else { Verdict::Drop }
    }
}

impl Side for Requests<'_> {
    fn inspect(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        match header.kind {
            MessageKind::Request | MessageKind::LocateRequest => {
                self.inspect_request(header, seen, whole)
            }
            MessageKind::Fragment => self.inspect_fragment(header, seen, whole),
            MessageKind::CancelRequest if !self.pending.is_empty() => {
                self.inspect_cancel(header, seen, whole)
            }
            MessageKind::CancelRequest | MessageKind::Reply | MessageKind::LocateReply => {
                Ok(self.pass_or_drop())
            }
            MessageKind::CloseConnection | MessageKind::MessageError => match self.target {
                Some(_) => Ok(Verdict::PassLast),
                None => Err(Ending::Last),
            },
        }
    }

    fn send(&mut self, octets: &[u8], _complete: bool) -> io::Result<()> {
        let Some(target) = &self.target else { return Ok(()) };
        target.send_all(octets)?;
        self.link.from_client.octets.add(octets.len() as u64);
        Ok(())
    }

    fn about_to_wait(&mut self, has_part: bool) {
        let oldest = self.oldest_pending();
        self.awaited.about_to_wait(has_part, oldest);
    }

    fn message_complete(&mut self) {
        let oldest = self.oldest_pending();
        self.awaited.message_complete(oldest);
    }

    fn keeps_waiting(&self) -> bool {
        self.link.has_pending_replies()
    }
}
