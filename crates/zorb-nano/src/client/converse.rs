//! A client's connections: sending a message, and receiving the answer.

use alloc::vec::Vec;
use zorb_giop::{MessageHeader, MessageKind, ReplyStart};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

use super::question::{Question, To};
use crate::endpoint::Encoding;
use crate::link::{Flushed, Link};
use crate::time::Moment;
use crate::{Endpoint, Interest, Limits, Os, Reference, SystemException};

/// The connections of a client, each of which carries one call at a time.
#[derive(Debug)]
pub(super) struct Connections<O> {
    pub(super) os: O,
    limits: Limits,
    links: Vec<Link>,
    last_id: u32,
    /// Whether the current call has waited.
    has_waited: bool,
}

/// An answer that has been received: the current message of a link.
pub(super) struct Received {
    pub(super) link: usize,
    pub(super) header: MessageHeader,
    /// If it is a Reply.
    pub(super) reply: Option<ReplyStart>,
}

/// Why a message has no answer.
enum Failure {
    /// The server has not taken it: it may be sent again.
    NotTaken(SystemException),
    Final(SystemException),
}

const CONNECT_FAILED: SystemException =
    SystemException::before(SystemExceptionKind::Transient, minor::transient::CONNECT_FAILED);
const CLOSED_BY_PEER: SystemException =
    SystemException::before(SystemExceptionKind::Transient, minor::transient::CLOSED_BY_PEER);
const LOST: SystemException =
    SystemException::maybe(SystemExceptionKind::CommFailure, minor::comm_failure::CONNECTION_LOST);
const TIMEOUT: SystemException =
    SystemException::maybe(SystemExceptionKind::Timeout, minor::timeout::ROUND_TRIP);
pub(super) const BROKEN: SystemException =
    SystemException::maybe(SystemExceptionKind::CommFailure, minor::comm_failure::PROTOCOL_ERROR);
const REFUSED: SystemException =
    SystemException::maybe(SystemExceptionKind::CommFailure, minor::comm_failure::MESSAGE_ERROR);

impl<O: Os> Connections<O> {
    /// No connection yet. All buffers are allocated here, as far as there is memory.
    pub(super) fn new(os: O, limits: Limits) -> Self {
        let limits = limits.normalized();
        let links = Link::several(limits.max_connections, &limits);
        Self { os, limits, links, last_id: 0, has_waited: false }
    }

    /// Sends a message that needs no answer.
    pub(super) fn tell(
        &mut self,
        target: &Reference,
        question: &mut Question<'_, '_>,
    ) -> Result<(), SystemException> {
        let deadline = self.deadline();
        self.twice(|all| all.send_question(target, question, deadline).map(|_| ()))
    }

    /// Sends a message, and receives the answer until the [deadline](Self::deadline).
    pub(super) fn converse(
        &mut self,
        target: &Reference,
        mut question: Question<'_, '_>,
        deadline: Moment,
    ) -> Result<Received, SystemException> {
        self.twice(|all| {
            let (at, id) = all.send_question(target, &mut question, deadline)?;
            match all.receive_answer(at, id, deadline) {
                Ok((header, reply)) => {
                    let begun = all.begun(deadline);
                    if let Some(link) = all.links.get_mut(at) {
                        link.note_alive(begun);
                    }
                    Ok(Received { link: at, header, reply })
                }
                Err(failure) => {
                    all.close_link(at);
                    Err(failure)
                }
            }
        })
    }

    /// The current message of a link, and its encoding.
    pub(super) fn message(&self, at: usize) -> (&[u8], Encoding) {
        match self.links.get(at) {
            Some(link) => (link.inbound.current(), link.encoding()),
            None => (&[], Encoding::GIOP),
        }
    }

    /// Closes all connections.
    pub(super) fn close(&mut self) {
        let Self { os, links, .. } = self;
        links.iter_mut().for_each(|link| link.close(os));
    }

    /// When a call that begins now has to end, with all its forwards.
    pub(super) fn deadline(&mut self) -> Moment {
        self.has_waited = false;
        Moment::now(&mut self.os).after(self.limits.timeout)
    }

    /// When the call with this deadline began.
    fn begun(&self, deadline: Moment) -> Moment {
        deadline.before(self.limits.timeout)
    }

    /// Tries again, on another connection, if the server did not take the message. A server that closes an idle connection
    /// makes that necessary.
    fn twice<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, SystemException> {
        match attempt(self) {
            Err(Failure::NotTaken(_)) => {}
            Ok(done) => return Ok(done),
            Err(Failure::Final(error)) => return Err(error),
        }
        attempt(self).map_err(|failure| match failure {
            Failure::NotTaken(error) | Failure::Final(error) => error,
        })
    }

    /// Sends the message on a connection to the target. Returns the index of the link, and the request id.
    fn send_question(
        &mut self,
        target: &Reference,
        question: &mut Question<'_, '_>,
        deadline: Moment,
    ) -> Result<(usize, u32), Failure> {
        let priority = if cfg!(feature = "lanes") { self.os.priority() } else { None };
        let to = To::select(target, question.expects_answer(), priority);
        let to = to.map_err(Failure::Final)?;
        let (at, was_open) = self.link_to(to.endpoint, deadline)?;
        self.last_id = self.last_id.wrapping_add(1);
        let id = self.last_id;
        let limit = self.limits.max_message_size;
        let written = question.write((&mut self.links, at), &to, id, limit);
        written.map_err(Failure::Final)?;
        if let Some(link) = self.links.get_mut(at) {
            link.begin_output(deadline);
        }
        let sent = self.flush(at, deadline);
        if sent.is_err() {
            let has_sent = self.links.get(at).is_some_and(Link::has_sent);
            self.close_link(at);
            // No server carries out a part of a request.
            let completed = CompletionStatus::No;
            return sent.map(|()| (at, id)).map_err(|error| match (has_sent, was_open) {
                _ if error == TIMEOUT => Failure::Final(SystemException { completed, ..error }),
                (false, true) => Failure::NotTaken(CLOSED_BY_PEER),
                (false, false) => Failure::Final(CONNECT_FAILED),
                (true, _) => Failure::Final(SystemException { completed, ..error }),
            });
        }
        Ok((at, id))
    }

    /// Sends all of the message.
    fn flush(&mut self, at: usize, deadline: Moment) -> Result<(), SystemException> {
        loop {
            let Some(link) = self.links.get_mut(at) else { return Err(LOST) };
            match link.flush(&mut self.os) {
                Ok(Flushed::All) => return Ok(()),
                Ok(Flushed::Blocked) => self.wait(at, true, deadline)?,
                Err(_) => return Err(LOST),
            }
        }
    }

    /// Receives octets until the answer to the request `id` is the current message.
    fn receive_answer(
        &mut self,
        at: usize,
        id: u32,
        deadline: Moment,
    ) -> Result<(MessageHeader, Option<ReplyStart>), Failure> {
        loop {
            let Some(link) = self.links.get_mut(at) else { return Err(Failure::Final(LOST)) };
            if let Some(header) = link.next_message().map_err(|_| Failure::Final(BROKEN))? {
                let (message, form) = (link.inbound.current(), link.encoding().form());
                let found = match header.kind {
                    MessageKind::CloseConnection => return Err(Failure::NotTaken(CLOSED_BY_PEER)),
                    MessageKind::MessageError => return Err(Failure::Final(REFUSED)),
                    MessageKind::Reply => {
                        let reply = form.read_reply_start(message, &header).ok();
                        reply.filter(|it| it.request_id == id).map(Some)
                    }
                    MessageKind::LocateReply => {
                        let reply = form.read_locate_reply(message, &header).ok();
                        reply.filter(|(it, _)| it.request_id == id).map(|_| None)
                    }
                    _ => None,
                };
                return found.map(|reply| (header, reply)).ok_or(Failure::Final(BROKEN));
            }
            // To wait first saves a system call: the answer is hardly ever there yet. The first time all of the timeout is
            // left.
            let is_first = !core::mem::replace(&mut self.has_waited, true);
            if !is_first {
                self.wait(at, false, deadline).map_err(Failure::Final)?;
            }
            let Some(link) = self.links.get_mut(at) else { return Err(Failure::Final(LOST)) };
            let received = match is_first {
                true => link.receive_within(&mut self.os, self.limits.timeout),
                false => link.receive(&mut self.os, deadline),
            };
            received.map_err(|_| Failure::Final(LOST))?;
        }
    }

    /// Waits until the link can be written to, or else read.
    fn wait(&mut self, at: usize, write: bool, deadline: Moment) -> Result<(), SystemException> {
        let socket = self.links.get(at).and_then(Link::socket).ok_or(LOST)?;
        let left = Moment::now(&mut self.os).until(deadline);
        if left.is_zero() {
            return Err(TIMEOUT);
        }
        let mut interests = [Interest { socket, read: !write, write, is_ready: false }];
        self.has_waited = true;
        self.os.poll(&mut interests, Some(left)).map_err(|_| LOST)
    }

    fn close_link(&mut self, at: usize) {
        if let Some(link) = self.links.get_mut(at) {
            link.close(&mut self.os);
        }
    }

    /// A connection to an endpoint: an open one, or a new one in a free place or in that of the one that has been
    /// idle for the longest time. Returns its index, and whether it was open before.
    fn link_to(&mut self, endpoint: &Endpoint, deadline: Moment) -> Result<(usize, bool), Failure> {
        let begun = self.begun(deadline);
        let Self { os, links, .. } = self;
        if let Some((at, link)) = (0..).zip(links).find(|(_, link)| link.is_to(endpoint)) {
            if link.is_quiet(os, begun) {
                return Ok((at, true));
            }
            // The server has closed it, or is about to: a one-way call would be lost.
            link.close(os);
        }
        let oldest =
            (0..).zip(&self.links).min_by_key(|(_, link)| (link.socket().is_some(), link.active()));
        let Some((at, _)) = oldest else { return Err(Failure::Final(SystemException::NO_MEMORY)) };
        self.close_link(at);
        let Ok(socket) = self.os.connect(endpoint.address) else {
            return Err(Failure::Final(CONNECT_FAILED));
        };
        if let Some(link) = self.links.get_mut(at) {
            link.open(socket, *endpoint, deadline);
        }
        Ok((at, false))
    }
}
