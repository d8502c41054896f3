//! Message framing.

use zorb_cdr::ByteOrder;
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageFormat, MessageHeader, MessageKind, Messaging, ProtocolError,
    ProtocolErrorKind,
};

/// The framing of messages on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Framing(pub(crate) Option<&'static dyn Messaging>);

impl Framing {
    /// The header at the start of `octets`, and the size of the whole message; `None` if more
    /// octets are needed.
    pub(crate) fn header(
        self,
        octets: &[u8],
    ) -> Result<Option<(MessageHeader, usize)>, ProtocolError> {
        let Some(messaging) = self.0 else {
            let header = MessageHeader::parse_prefix(octets)?;
            return Ok(header.map(|header| (header, header.total_size())));
        };
        let own = usize::from(messaging.header_size());
        let Some(octets) = octets.get(..own) else { return Ok(None) };
        let frame = messaging.read_header(octets)?;
        if frame.kind == MessageKind::Fragment {
            return Err(ProtocolErrorKind::UnknownMessageType(frame.kind as u8).into());
        }
        let header = MessageHeader {
            version: GiopVersion::HIGHEST,
            order: frame.order,
            more_fragments: false,
            kind: frame.kind,
            size: frame.size,
        };
        Ok(Some((header, own.saturating_add(frame.size as usize))))
    }

    /// Whether the meaning of a request depends on earlier requests.
    pub(crate) fn has_state(self) -> bool {
        self.0.is_some_and(|messaging| messaging.server_state().is_some())
    }

    /// The message form for `version`.
    pub(crate) fn form(self, version: GiopVersion) -> MessageFormat<'static> {
        MessageFormat::new(self.0, version)
    }

    /// An encoded MessageError.
    pub(crate) fn message_error(self) -> Vec<u8> {
        let mut octets = Vec::with_capacity(HEADER_SIZE);
        self.form(GiopVersion::HIGHEST).message_error(&mut octets, ByteOrder::NATIVE);
        octets
    }

    /// An encoded CloseConnection.
    pub(crate) fn close_connection(self, version: GiopVersion) -> Vec<u8> {
        let mut octets = Vec::with_capacity(HEADER_SIZE);
        self.form(version).close_connection(&mut octets, ByteOrder::NATIVE);
        octets
    }
}
