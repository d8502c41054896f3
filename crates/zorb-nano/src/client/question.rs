//! What a client sends, and its encoding.

use zorb_cdr::ByteOrder;
use zorb_giop::{RequestStart, ResponseFlags, ServiceContext, ServiceId, TargetAddress};
use zorb_types::{SystemExceptionKind, Transfer, minor};

use crate::endpoint::Encoding;
use crate::head::Head;
use crate::link::Link;
use crate::{Endpoint, Reference, SystemException, Writer};

/// Writes the arguments of a call. It is called again if the call is forwarded, or sent again.
pub type Arguments<'a> = dyn FnMut(&mut Writer<'_>) -> Result<(), SystemException> + 'a;

/// What the client sends.
pub(super) enum Question<'q, 'a> {
    Request(Request<'q, 'a>),
    Locate,
}

pub(super) struct Request<'q, 'a> {
    operation: &'q str,
    arguments: &'q mut Arguments<'a>,
    response: ResponseFlags,
    encoded: Option<Encoded>,
}

/// The message that the arguments have been encoded in.
struct Encoded {
    /// The link whose buffer has it.
    link: usize,
    encoding: Encoding,
    body_start: usize,
}

/// Where a message goes.
pub(super) struct To<'t> {
    pub(super) endpoint: &'t Endpoint,
    key: &'t [u8],
    /// The priority that the request says.
    priority: Option<i16>,
}

const NO_LANE: SystemException =
    SystemException::before(SystemExceptionKind::InvPolicy, minor::inv_policy::NO_LANE);
const ONE_WAY_ONLY: SystemException = SystemException::before(
    SystemExceptionKind::NoImplement,
    minor::no_implement::UNSUPPORTED_OPERATION,
);
const NO_LINK: SystemException =
    SystemException::before(SystemExceptionKind::Transient, minor::transient::CONNECT_FAILED);

/// The contents of an IPv4 datagram, in octets.
const MAX_DATAGRAM: usize = 65_507;

impl<'t> To<'t> {
    /// The first endpoint of the target for a priority; one with replies if there is to be an answer.
    pub(super) fn select(
        target: &'t Reference,
        expects_answer: bool,
        priority: Option<i16>,
    ) -> Result<Self, SystemException> {
        let serves = |endpoint: &&Endpoint| match (priority, endpoint.priority()) {
            (Some(wanted), Some(served)) => wanted == served,
            _ => true,
        };
        let mut serving = target.endpoints().iter().filter(serves).peekable();
        if serving.peek().is_none() {
            return Err(NO_LANE);
        }
        let answers = |endpoint: &&Endpoint| !(expects_answer && endpoint.address.is_datagram());
        let endpoint = serving.find(answers).ok_or(ONE_WAY_ONLY)?;
        // The lane's endpoint implies its priority.
        let priority = priority.filter(|_| endpoint.priority().is_none());
        Ok(Self { endpoint, key: target.key(), priority })
    }
}

impl<'q, 'a> Question<'q, 'a> {
    pub(super) fn request(
        operation: &'q str,
        arguments: &'q mut Arguments<'a>,
        response: ResponseFlags,
    ) -> Self {
        Self::Request(Request { operation, arguments, response, encoded: None })
    }

    pub(super) fn expects_answer(&self) -> bool {
        !matches!(self, Self::Request(Request { response: ResponseFlags::NoResponse, .. }))
    }

    /// Writes the message to the buffer of the link `at` this index.
    pub(super) fn write(
        &mut self,
        (links, at): (&mut [Link], usize),
        to: &To<'_>,
        id: u32,
        limit: usize,
    ) -> Result<(), SystemException> {
        let Self::Request(request) = self else {
            let Some(link) = links.get_mut(at) else { return Err(NO_LINK) };
            link.head = None;
            let form = to.endpoint.encoding(to.endpoint.version).form();
            let key = TargetAddress::Key(to.key);
            let written = form.locate_request(&mut link.outbound, ByteOrder::NATIVE, id, &key);
            let written = written.and_then(|message| message.finish());
            return written.map_err(|error| SystemException::of_cdr(error, Transfer::SendRequest));
        };
        request.write((links, at), to, id, limit)
    }
}

impl Request<'_, '_> {
    fn write(
        &mut self,
        (links, at): (&mut [Link], usize),
        to: &To<'_>,
        id: u32,
        limit: usize,
    ) -> Result<(), SystemException> {
        let encoded = self.encoded.take().filter(|encoded| encoded.link != at);
        let (link, encoded) = match encoded {
            Some(encoded) => {
                let both = links.get_disjoint_mut([at, encoded.link]);
                let [link, other] = both.map_err(|_| NO_LINK)?;
                (link, Some((encoded, &*other.outbound)))
            }
            None => (links.get_mut(at).ok_or(NO_LINK)?, None),
        };
        let value = to.priority.map(encapsulated);
        let context = value
            .as_ref()
            .map(|value| ServiceContext::new(ServiceId::RT_CORBA_PRIORITY, value.as_slice()));
        let start = RequestStart {
            request_id: id,
            response: self.response,
            target: TargetAddress::Key(to.key),
            operation: self.operation,
            service_contexts: context.as_slice(),
        };
        let limit = match to.endpoint.address.is_datagram() {
            true => limit.min(MAX_DATAGRAM),
            false => limit,
        };
        let encoding = to.endpoint.encoding(to.endpoint.version);
        let kind = (encoding, to.key);
        let head = link.head.take().filter(|head| head.serves(&link.outbound, &start, kind));
        let mut writer = match head {
            Some(head) => Writer::request_again(&mut link.outbound, limit, &head, (encoding, id)),
            None => Writer::request(&mut link.outbound, limit, encoding, &start, to.key.len())?,
        };
        let body_start = writer.body_start();
        link.head = head.or_else(|| Head::of(&start, kind, (writer.header_end(), body_start)));
        match encoded {
            Some((encoded, message)) if encoded.fits(encoding, body_start) => {
                // Without arguments, the message ends before.
                writer.copy(message.get(encoded.body_start..).unwrap_or_default())?;
            }
            _ => (self.arguments)(&mut writer)?,
        }
        if let Some(failed) = writer.failed() {
            return Err(failed);
        }
        writer.finish();
        self.encoded = Some(Encoded { link: at, encoding, body_start });
        Ok(())
    }
}

impl Encoded {
    /// Whether the arguments are encoded alike there.
    fn fits(&self, encoding: Encoding, body_start: usize) -> bool {
        self.encoding.is_lite() == encoding.is_lite() && (self.body_start ^ body_start) & 7 == 0
    }
}

/// A priority as an encapsulated `short`.
fn encapsulated(priority: i16) -> [u8; 4] {
    let [first, second] = priority.to_be_bytes();
    [0, 0, first, second]
}
