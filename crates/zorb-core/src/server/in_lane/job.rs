//! Requests that have been read, and wait for the threads of a lane that make upcalls.

use std::cell::Cell;
use std::io::IoSlice;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use zorb_cdr::{ByteOrder, CdrReader, TextCoding};
use zorb_giop::{
    Detached, Form, MessageHeader, Messaging, ProtocolError, ReplyStatus, RequestHeader,
    ResponseFlags,
};
use zorb_types::{CompletionStatus, SystemException, minor};

use super::{InLane, Reading, ServerConnection, Upcall};
use crate::buffers::trim;
use crate::gather::SendParts;
use crate::server::Kept;
use crate::server::request::{Answer, InParts, answer_request};

/// A request that has been read, and waits for a thread that makes its upcall.
#[derive(Debug)]
pub(crate) struct Job {
    connection: Arc<ServerConnection>,
    detached: Detached,
    header: MessageHeader,
    /// What reads it, where it leaves something out.
    recalled: Option<Arc<dyn Messaging>>,
    request_id: u32,
    text: Result<TextCoding, SystemException>,
    wanted: bool,
    urgency: i16,
    /// Its end, where the stream has lent it.
    #[cfg(feature = "buffers")]
    lent: Option<zorb_transport::ReceivedBuffer>,
}

impl ServerConnection {
    /// Takes note of a request in its turn on the wire, and leaves its header to the thread that serves it;
    /// `None` where that cannot be.
    fn begin_unread(
        &self,
        reading: &mut Reading,
        message: &[u8],
        header: &MessageHeader,
    ) -> Option<(u32, ResponseFlags, TextCoding)> {
        let (request_id, response) = RequestHeader::glance(message, header)?;
        let text = reading.agreed.begin_unread(header.version)?;
        self.sending.begin_request(request_id, reading.agreed.highest_version());
        Some((request_id, response, text))
    }

    /// Gives the Request that is the current message to the threads that make upcalls.
    pub(super) fn hand_on(
        self: &Arc<Self>,
        home: &InLane,
        mut reading: Box<Reading>,
        header: &MessageHeader,
    ) -> Result<Box<Reading>, ProtocolError> {
        let detached = reading.inbound.take(home.lane.spare_buffer());
        let mut recalled = None;
        let form = match self.messaging {
            None => Form::Giop(header.version),
            Some(messaging) => {
                let message = (detached.message(), header);
                match self.recall(messaging, &mut reading, message, &mut recalled)? {
                    Some(form) => form,
                    None => return Ok(reading),
                }
            }
        };
        let begun = match form {
            Form::Giop(_) if !home.lane.orders() => {
                self.begin_unread(&mut reading, detached.message(), header)
            }
            _ => None,
        };
        let (request_id, wanted, text, urgency) = match begun {
            Some((id, response, text)) => (id, response.expects_reply(), Ok(text), 0),
            None => {
                let mut request = RequestHeader::EMPTY;
                let mut reader = CdrReader::new(detached.message(), header.order);
                form.read_request_with(&mut request, &mut reader, header)?;
                let text = self.begin_request(Some(&mut reading), &request, form);
                let orders = home.lane.orders();
                let urgency = if orders { home.urgency(&self.core, &request) } else { 0 };
                (request.request_id, request.response.expects_reply(), text, urgency)
            }
        };
        home.present.fetch_add(1, Ordering::AcqRel);
        let connection = Arc::clone(self);
        let header = *header;
        #[cfg(feature = "buffers")]
        let lent = reading.lent.take();
        let job = Job {
            connection,
            detached,
            header,
            recalled,
            request_id,
            text,
            wanted,
            urgency,
            #[cfg(feature = "buffers")]
            lent,
        };
        if let Err(job) = home.lane.hand_on(job) {
            job.refuse();
        }
        Ok(reading)
    }
}

impl Job {
    /// The octets of the request.
    pub(crate) fn size(&self) -> usize {
        let size = self.detached.message().len();
        #[cfg(feature = "buffers")]
        let size = size + self.lent.as_ref().map_or(0, |end| end.len());
        size
    }

    /// Its priority, where the lane orders requests.
    pub(crate) fn urgency(&self) -> i16 {
        self.urgency
    }

    /// Makes the upcall and sends the reply; the request's buffer comes back.
    pub(crate) fn serve(self, kept: &mut Kept) -> Vec<u8> {
        let Self { connection, detached, header, recalled, request_id, text, .. } = self;
        #[cfg(feature = "buffers")]
        let lent = self.lent;
        let Some(home) = &connection.lane else { return detached.buffer };
        let (id, Kept { reply, adapters, .. }) = (Cell::new(request_id), kept);
        connection.guarded(home, |_| {
            let text = |_: &RequestHeader<'_>, _: Form<'_>| {
                Upcall::begin();
                text
            };
            let mut send = |parts: &mut [IoSlice<'_>]| connection.send_parts(id.get(), parts);
            let form = match recalled.as_deref() {
                None => Form::new(connection.messaging, header.version),
                Some(reads) => Form::Other(reads),
            };
            let form = (form, &header);
            let (message, parts) = (detached.message(), InParts::new(&detached.seams));
            #[cfg(feature = "buffers")]
            let parts = parts.with_end(lent.as_ref());
            let by = (&connection.core, Some(adapters));
            let into = (&mut *reply, connection.copy_threshold());
            let answer = answer_request(
                by,
                message,
                &parts,
                form,
                &text,
                into,
                &mut (&mut send as SendParts<'_>),
            );
            // The client may write there again when it has its answer.
            #[cfg(feature = "buffers")]
            drop(lent);
            Upcall::end();
            match answer {
                Ok(Answer::Reply) => connection.send_reply(id.get(), reply),
                Ok(Answer::Nothing) => {}
                Err(error) => {
                    connection.refuse(&error);
                    connection.end(home, false);
                    // Has who waits for more find out.
                    let _ = connection.stream.shutdown(std::net::Shutdown::Both);
                }
            }
        });
        trim(reply);
        connection.part(home);
        detached.buffer
    }

    /// Answers that there is no room for it.
    #[cold]
    fn refuse(self) {
        let Self { connection, detached, header, request_id, wanted, .. } = self;
        let Some(home) = &connection.lane else { return };
        if wanted {
            let exception =
                SystemException::transient(minor::transient::QUEUE_FULL, CompletionStatus::No);
            let mut octets = detached.buffer;
            octets.clear();
            let form = Form::new(connection.messaging, header.version);
            let status = ReplyStatus::SystemException;
            let written = form
                .reply(&mut octets, ByteOrder::NATIVE, request_id, status, &[])
                .and_then(|mut message| {
                    exception.write(&mut message.body(TextCoding::default()))?;
                    message.finish()
                });
            // Its encoding cannot fail: ids are short and ASCII.
            if written.is_ok() {
                connection.send_reply(request_id, &octets);
            }
        }
        connection.part(home);
    }
}
