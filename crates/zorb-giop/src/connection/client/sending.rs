//! Requests: their ids, and whether they were sent.

use super::outstanding::{Outstanding, State};
use super::{Announcement, BeginError, BegunRequest, ClientConnection, NewRequest, RequestKind};

impl<C> ClientConnection<C> {
    /// Whether a request would announce something that later requests rely on: then send it before any other
    /// request is [begun](Self::begin).
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn must_be_sent_first(&mut self, request: &NewRequest<'_>) -> Result<bool, BeginError> {
        let announcement = self.session.prepare(request, false)?.1;
        Ok(announcement.must_be_sent_first() || self.session.announced_by(request) != 0)
    }

    /// Begins a request: allocates its id, and determines how to write it. Unless it is one-way, it is
    /// outstanding until the driver [finishes](Self::finish) it, [cancels](Self::cancel) it or takes it from
    /// [`poll_failed`](Self::poll_failed). `is_next` is whether it is the next message on the wire.
    ///
    /// # Errors
    /// The connection has ended, too many requests are outstanding, or the two sides have no code set in
    /// common.
    #[inline(always)] // as `Inbound::poll`
    pub fn begin(
        &mut self,
        request: &NewRequest<'_>,
        is_next: bool,
        call: C,
    ) -> Result<BegunRequest, BeginError> {
        if self.closing {
            return Err(BeginError::Ended);
        }
        let (text, announcement) = self.session.prepare(request, is_next)?;
        let announced = self.session.announced_by(request);
        let request_id = match self.requests.is_empty() {
            true => self.ids.allocate(),
            false => self.allocate_free()?,
        };
        let version = request.form.version();
        self.highest = self.highest.max(version);
        if request.kind != RequestKind::Oneway {
            self.requests.insert(Outstanding {
                id: request_id,
                kind: request.kind,
                state: State::Unsent,
                version,
                partly_answered: false,
                deadline: request.deadline,
                call,
            });
        }
        Ok(BegunRequest { request_id, text, announcement, announced })
    }

    /// [Begins](Self::begin) a two-way request that announces nothing, and reports it [sent ahead](Self::sent_ahead); `None`
    /// if it would announce something, or cannot begin. `call` is called if it begins.
    #[inline]
    pub fn begin_sent(
        &mut self,
        request: &NewRequest<'_>,
        call: impl FnOnce() -> C,
    ) -> Option<BegunRequest> {
        if self.closing {
            return None;
        }
        let (text, announcement) = self.session.prepare(request, false).ok()?;
        if announcement != Announcement::Nothing || self.session.announced_by(request) != 0 {
            return None;
        }
        if self.requests.len() >= self.max_outstanding {
            return None;
        }
        let id = self.requests.free_id(&mut self.ids)?;
        let version = request.form.version();
        self.highest = self.highest.max(version);
        self.requests.insert(Outstanding {
            id,
            kind: RequestKind::Twoway,
            state: State::Sent,
            version,
            partly_answered: false,
            deadline: request.deadline,
            call: call(),
        });
        Some(BegunRequest { request_id: id, text, announcement, announced: 0 })
    }

    #[inline(never)]
    fn allocate_free(&mut self) -> Result<u32, BeginError> {
        let limit = self.max_outstanding;
        if self.requests.len() >= limit {
            return Err(BeginError::TooManyRequests { limit });
        }
        self.requests.free_id(&mut self.ids).ok_or(BeginError::TooManyRequests { limit })
    }

    /// Reports that the whole request was passed to the transport.
    #[inline]
    pub fn sent(&mut self, begun: &BegunRequest) {
        if begun.must_be_sent_first() {
            self.announced(begun);
        }
        match self.requests.get_mut(begun.request_id) {
            Some(request) if request.state == State::Unsent => request.state = State::Sent,
            Some(_) => self.sent_late(begun.request_id),
            // A one-way request is not outstanding.
            None => {}
        }
    }

    /// As [`sent`](Self::sent) for a request that the driver is about to send, without what it announces.
    pub fn sent_ahead(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == State::Unsent
        {
            request.state = State::Sent;
        }
    }

    /// Reports that a request was not passed to the transport, which was reported [ahead](Self::sent_ahead).
    #[cold]
    pub fn unsent(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == State::Sent
        {
            request.state = State::Unsent;
        }
    }

    #[cold]
    fn announced(&mut self, begun: &BegunRequest) {
        if begun.announcement.must_be_sent_first() {
            self.session.announced();
        }
        self.session.sent_number(begun.announced);
    }

    /// Cancels a request that was passed to the transport after its time limit.
    #[cold]
    fn sent_late(&mut self, request_id: u32) {
        if let Some(request) = self.requests.get_mut(request_id)
            && request.state == (State::TimedOut { sent: false })
        {
            request.state = State::TimedOut { sent: true };
            let version = request.version;
            self.queue_cancel(request_id, version);
        }
    }
}
