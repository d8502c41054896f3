//! From the client to the server.

use std::io;
use std::sync::Arc;

use zorb_giop::{MessageHeader, MessageKind, ProtocolErrorKind, TargetAddress};
use zorb_transport::Stream;
use zorb_types::{CompletionStatus, SystemException, minor};

use crate::beginning::{Beginning, Refusal};
use crate::link::Link;
use crate::parts::{Held, fragment_id, id_in};
use crate::relay::{Ending, Side, Verdict};

/// The most fragmented requests that are refused or undecided, and not all here.
const MOST_PARTIAL: usize = 16;

/// The direction from the client.
#[derive(Debug)]
pub(crate) struct Requests<'l> {
    pub(crate) link: &'l Arc<Link>,
    /// Once a request was to be passed on.
    pub(crate) target: Option<Arc<dyn Stream>>,
    /// Whose fragments do not go over: the ids of refused requests, in GIOP 1.1 none.
    refused: Vec<Option<u32>>,
    /// Fragmented requests of whose header not all is here.
    held: Vec<Held>,
    answer: Vec<u8>,
}

impl<'l> Requests<'l> {
    pub(crate) fn new(link: &'l Arc<Link>) -> Self {
        Self { link, target: None, refused: Vec::new(), held: Vec::new(), answer: Vec::new() }
    }

    fn judge_request(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        let form = self.link.framing.form(header.version);
        match Beginning::read(form, header, seen) {
            Ok(request) => self.answer_or_pass(header, &request),
            Err(_) if !whole => Ok(Verdict::More),
            Err(_) if header.more_fragments => self.hold(header, seen),
            Err(error) => Err(Ending::Broken(error)),
        }
    }

    /// Keeps the first part of a request, until it is known whether it goes over.
    fn hold(&mut self, header: &MessageHeader, seen: &[u8]) -> Result<Verdict, Ending> {
        self.check_room()?;
        self.held.push(Held::begin(header, seen).map_err(Ending::Broken)?);
        Ok(Verdict::Drop)
    }

    /// Sees to it that not too many fragmented requests are under way here.
    fn check_room(&self) -> Result<(), Ending> {
        if self.refused.len() + self.held.len() < MOST_PARTIAL {
            return Ok(());
        }
        Err(Ending::Broken(ProtocolErrorKind::TooManyPartialMessages(MOST_PARTIAL).into()))
    }

    /// Passes a request on whose header is here, or answers it.
    fn answer_or_pass(
        &mut self,
        header: &MessageHeader,
        request: &Beginning<'_>,
    ) -> Result<Verdict, Ending> {
        self.link.note_version(header.version);
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
                self.refuse(header, (id, wanted), refusal)?;
                Ok(Verdict::Drop)
            }
        }
    }

    /// Whether the request goes over, which it does when there is a connection for it.
    pub(crate) fn find(&mut self, target: &TargetAddress<'_>) -> Result<(), Refusal> {
        let TargetAddress::Key(key) = target else { return Err(Refusal::WantsKey) };
        if !self.link.shared.leads_to(key) {
            let minor = minor::object_not_exist::UNKNOWN_KEY;
            let exception = SystemException::object_not_exist(minor, CompletionStatus::No);
            return Err(Refusal::Exception(exception));
        }
        if self.target.is_none() {
            let stream = self.link.reach_target().map_err(Refusal::Exception)?;
            self.target = Some(stream);
        }
        Ok(())
    }

    /// Answers a request that does not go over, if it wants an answer.
    pub(crate) fn refuse(
        &mut self,
        header: &MessageHeader,
        (request_id, expects_reply): (u32, bool),
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
        // There is nothing in it that could not be written.
        let written = refusal.write(form, header, request_id, &mut self.answer);
        debug_assert!(written.is_ok());
        self.link.tell_client(&self.answer).map_err(Ending::Lost)
    }

    /// A part of a request goes where its beginning went.
    fn judge_fragment(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        if self.refused.is_empty() && self.held.is_empty() {
            return Ok(self.pass_or_drop());
        }
        let Some(id) = id_in(header, seen) else {
            let error = ProtocolErrorKind::BadFragment.into();
            return if whole { Err(Ending::Broken(error)) } else { Ok(Verdict::More) };
        };
        if let Some(place) = self.refused.iter().position(|refused| *refused == id) {
            if !header.more_fragments {
                self.refused.swap_remove(place);
            }
            return Ok(Verdict::Drop);
        }
        match self.held.iter().position(|held| held.id == id) {
            Some(place) => self.judge_held(place, header, seen, whole),
            None => Ok(self.pass_or_drop()),
        }
    }

    /// Looks whether with this part the header of a request is all here.
    fn judge_held(
        &mut self,
        place: usize,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        let mut held = self.held.swap_remove(place);
        held.append(header, seen).map_err(Ending::Broken)?;
        let first = held.header();
        let form = self.link.framing.form(first.version);
        let outcome = match Beginning::read(form, &first, held.joined()) {
            Ok(request) => {
                // What comes after this part is refused as well, or not.
                let first = MessageHeader { more_fragments: header.more_fragments, ..first };
                self.answer_or_pass(&first, &request)
            }
            Err(_) if !whole => {
                held.take_back();
                self.held.push(held);
                return Ok(Verdict::More);
            }
            Err(_) if header.more_fragments => {
                held.keep(seen).map_err(Ending::Broken)?;
                self.held.push(held);
                return Ok(Verdict::Drop);
            }
            Err(error) => return Err(Ending::Broken(error)),
        };
        match outcome? {
            Verdict::Pass => Ok(Verdict::PassAfter(held.into_parts())),
            other => Ok(other),
        }
    }

    /// A request that is given up before it was passed on never was.
    fn judge_cancel(
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
        match self.held.iter().position(|held| held.id == id) {
            Some(place) => {
                self.held.swap_remove(place);
                Ok(Verdict::Drop)
            }
            None => Ok(self.pass_or_drop()),
        }
    }

    /// What is about a request goes where that went.
    fn pass_or_drop(&self) -> Verdict {
        if self.target.is_some() { Verdict::Pass } else { Verdict::Drop }
    }
}

impl Side for Requests<'_> {
    fn judge(
        &mut self,
        header: &MessageHeader,
        seen: &[u8],
        whole: bool,
    ) -> Result<Verdict, Ending> {
        match header.kind {
            MessageKind::Request | MessageKind::LocateRequest => {
                self.judge_request(header, seen, whole)
            }
            MessageKind::Fragment => self.judge_fragment(header, seen, whole),
            MessageKind::CancelRequest if !self.held.is_empty() => {
                self.judge_cancel(header, seen, whole)
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

    fn waits_on(&self) -> bool {
        self.link.owes_replies()
    }
}
