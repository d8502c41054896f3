//! The SCTP stack: one association.

use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sctp_proto::{
    Association, AssociationHandle, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ServerConfig, Stream, TransportConfig,
};
use zorb_transport::driven::{Micros, Settings};

/// The maximum size of a user message in octets.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;
/// The only stream.
const STREAM: u16 = 0;
/// The retransmission timeouts in milliseconds: initial, minimum and maximum.
const WAIT: (u64, u64, u64) = (500, 100, 2000);
/// The maximum size of a segment, so that it fits into a packet of 1228 octets: the stack does not
/// count the last segment's header.
pub(crate) const MAX_PIECE: u32 = 1184;
/// The number of retransmissions of `INIT` and `COOKIE ECHO`.
const REPEATS: usize = 8;

/// The result of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Update {
    pub(crate) is_established: bool,
    pub(crate) has_failed: bool,
    /// The number of unread segments.
    pub(crate) pieces: usize,
}

/// A user message.
#[derive(Debug)]
pub(crate) enum Message {
    Octets {
        octets: Vec<u8>,
        /// The number of its segments.
        pieces: usize,
    },
    /// The peer has ended its direction.
    End,
}

/// One association. An error of the stack ends only this association.
#[derive(Debug)]
pub(crate) struct Stack {
    endpoint: Endpoint,
    association: Association,
    handle: AssociationHandle,
    remote: SocketAddr,
    /// The same time on the stack's clock and on the connection's.
    begun: (Instant, Micros),
    is_faulty: bool,
}

fn endpoint(server: Option<Arc<ServerConfig>>) -> Endpoint {
    let mut config = EndpointConfig::new();
    config.max_payload_size(MAX_PIECE);
    Endpoint::new(Arc::new(config), server)
}

fn transport(settings: &Settings) -> Arc<TransportConfig> {
    let (initial, least, most) = WAIT;
    let room = u32::try_from(settings.receive_buffer).unwrap_or(u32::MAX).max(4096);
    let config = TransportConfig::default()
        .with_max_receive_buffer_size(room)
        .with_max_send_message_size(MAX_MESSAGE as u32)
        .with_max_receive_message_size(MAX_MESSAGE as u32)
        .with_max_num_outbound_streams(1)
        .with_max_num_inbound_streams(1)
        .with_max_init_retransmits(Some(REPEATS))
        .with_max_data_retransmits(None)
        .with_rto_initial_ms(initial)
        .with_rto_min_ms(least)
        .with_rto_max_ms(most);
    Arc::new(config)
}

impl Stack {
    pub(crate) fn connect(to: SocketAddr, settings: &Settings, now: Micros) -> Option<Self> {
        let begun = (Instant::now(), now);
        let mut endpoint = endpoint(None);
        let mut config = ClientConfig::new();
        config.transport = transport(settings);
        let (handle, association) = endpoint.connect(config, to).ok()?;
        Some(Self { endpoint, association, handle, remote: to, begun, is_faulty: false })
    }

    /// The side of a server that has received this `INIT`.
    pub(crate) fn accept(
        init: &[u8],
        from: SocketAddr,
        settings: &Settings,
        now: Micros,
    ) -> Option<Self> {
        let begun = (Instant::now(), now);
        let mut config = ServerConfig::new();
        config.transport = transport(settings);
        let mut endpoint = endpoint(Some(Arc::new(config)));
        let init = Bytes::copy_from_slice(init);
        let (handle, event) = endpoint.handle(begun.0, from, None, None, init)?;
        let DatagramEvent::NewAssociation(association) = event else { return None };
        Some(Self { endpoint, association, handle, remote: from, begun, is_faulty: false })
    }

    fn instant(&self, now: Micros) -> Instant {
        let (instant, micros) = self.begun;
        instant + Duration::from_micros(now.saturating_sub(micros))
    }

    /// Runs `act` on the stack, unless that has failed.
    fn with<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.is_faulty {
            return None;
        }
        let done = panic::catch_unwind(AssertUnwindSafe(|| f(self)));
        self.is_faulty = done.is_err();
        done.ok()
    }

    pub(crate) fn receive(&mut self, packet: &[u8], now: Micros) -> Update {
        let at = self.instant(now);
        self.with(|stack| {
            let packet = Bytes::copy_from_slice(packet);
            match stack.endpoint.handle(at, stack.remote, None, None, packet) {
                Some((handle, DatagramEvent::AssociationEvent(event)))
                    if handle == stack.handle =>
                {
                    stack.association.handle_event(event);
                }
                _ => {}
            }
        });
        self.news()
    }

    pub(crate) fn on_time(&mut self, now: Micros) -> Update {
        let at = self.instant(now);
        if self.association.poll_timeout().is_none_or(|due| due > at) {
            return Update::default();
        }
        self.with(|stack| stack.association.handle_timeout(at));
        self.news()
    }

    fn news(&mut self) -> Update {
        let mut news = Update::default();
        self.with(|stack| {
            while let Some(event) = stack.association.poll() {
                match event {
                    Event::Connected => news.is_established = true,
                    Event::HandshakeFailed { .. } => news.has_failed = true,
                    Event::DatagramReceived => news.pieces += 1,
                    _ => {}
                }
            }
            // Informs the endpoint that it may remove it: it has no other, and is dropped with it.
            while stack.association.poll_endpoint_event().is_some() {}
            if news.is_established && stack.association.stream(STREAM).is_err() {
                let binary = PayloadProtocolIdentifier::Binary;
                let _ = stack.association.open_stream(STREAM, binary);
            }
        });
        news.has_failed |= self.is_faulty;
        news
    }

    /// Whether it has ended without a request of this side: an established one because of an error.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_faulty || self.association.is_closed()
    }

    /// The packets to send now.
    pub(crate) fn transmit(&mut self, now: Micros) -> Vec<Bytes> {
        let at = self.instant(now);
        let transmit = self.with(|stack| stack.association.poll_transmit(at)).flatten();
        match transmit.map(|transmit| transmit.payload) {
            Some(Payload::RawEncode(packets)) => packets,
            _ => Vec::new(),
        }
    }

    pub(crate) fn deadline(&self) -> Option<Micros> {
        let (instant, micros) = self.begun;
        let after = self.association.poll_timeout()?.saturating_duration_since(instant);
        // Rounds fractions of a microsecond up.
        Some(micros + u64::try_from(after.as_nanos().div_ceil(1000)).unwrap_or(u64::MAX / 2))
    }

    fn stream(&mut self) -> Option<Stream<'_>> {
        self.association.stream(STREAM).ok()
    }

    /// Octets that the peer has not acknowledged.
    pub(crate) fn buffered(&mut self) -> usize {
        self.stream().and_then(|stream| stream.buffered_amount().ok()).unwrap_or(0)
    }

    /// Sends a message; returns whether that was possible.
    pub(crate) fn send(&mut self, octets: &[u8]) -> bool {
        let binary = PayloadProtocolIdentifier::Binary;
        self.write(octets, binary)
    }

    /// Ends this side's direction; returns whether that was possible.
    pub(crate) fn send_end(&mut self) -> bool {
        self.write(&[0], PayloadProtocolIdentifier::BinaryEmpty)
    }

    fn write(&mut self, octets: &[u8], kind: PayloadProtocolIdentifier) -> bool {
        let written = self.with(|stack| Some(stack.stream()?.write_with_ppi(octets, kind)));
        matches!(written, Some(Some(Ok(count))) if count == octets.len())
    }

    /// The next complete message.
    pub(crate) fn read(&mut self) -> Option<Message> {
        let read = self.with(|stack| stack.stream()?.read().ok().flatten());
        let chunks = read.flatten()?;
        if chunks.ppi == PayloadProtocolIdentifier::BinaryEmpty {
            return Some(Message::End);
        }
        let mut octets = vec![0; chunks.len()];
        // Sized for the maximum message.
        let _ = chunks.read(&mut octets);
        Some(Message::Octets { octets, pieces: chunks.chunks.len() })
    }

    /// Ends it. Everything sent has been acknowledged.
    pub(crate) fn shut_down(&mut self) {
        self.with(|stack| stack.association.shutdown().is_ok());
    }
}
