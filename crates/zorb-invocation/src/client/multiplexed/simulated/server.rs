//! The server of a simulated connection, and the connection's client end.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zorb_cdr::TextCoding;
use zorb_giop::{Inbound, Limits, MessageKind, MessageWriter, ReplyStatus, RequestHeader};
use zorb_transport::Stream;

use super::{ORDER, VERSION};

/// The client's end of a simulated connection.
#[derive(Debug, Default)]
pub(super) struct SimulatedStream(Mutex<Network>);

#[derive(Debug, Default)]
struct Network {
    to_server: Vec<u8>,
    to_client: VecDeque<u8>,
    has_ended: bool,
}

impl Stream for SimulatedStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut network = self.0.lock().unwrap();
        if network.to_client.is_empty() && !network.has_ended {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let count = buffer.len().min(network.to_client.len());
        for (to, from) in buffer.iter_mut().zip(network.to_client.drain(..count)) {
            *to = from;
        }
        Ok(count)
    }

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut network = self.0.lock().unwrap();
        if network.has_ended {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        network.to_server.extend_from_slice(bytes);
        Ok(())
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        parts.iter().try_for_each(|part| self.send_all(part))
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.send_all(bytes).map(|()| bytes.len())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        let network = self.0.lock().unwrap();
        network.has_ended || !network.to_client.is_empty()
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        self.0.lock().unwrap().has_ended = true;
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "a simulated server"
    }

    fn local(&self) -> &'static str {
        ""
    }
}

/// The server, which answers in any order.
#[derive(Debug)]
pub(super) struct SimulatedServer {
    pub(super) stream: Arc<SimulatedStream>,
    inbound: Inbound,
    /// The requests that it has, with their numbers.
    pub(super) held: Vec<(u32, i32)>,
    /// Octets that are on their way to the client.
    on_the_way: Vec<u8>,
}

impl SimulatedServer {
    pub(super) fn new() -> Self {
        Self {
            stream: Arc::default(),
            inbound: Inbound::new(Limits::default()),
            held: Vec::new(),
            on_the_way: Vec::new(),
        }
    }

    /// Receives what there is.
    pub(super) fn receive(&mut self) {
        let octets = std::mem::take(&mut self.stream.0.lock().unwrap().to_server);
        for piece in octets.chunks(512) {
            self.inbound.space()[..piece.len()].copy_from_slice(piece);
            self.inbound.advance(piece.len());
            while let Some(header) = self.inbound.poll().unwrap() {
                if header.kind == MessageKind::Request {
                    let message = self.inbound.current();
                    let (request, mut body) = RequestHeader::read(message, &header).unwrap();
                    self.held.push((request.request_id, body.read_i32().unwrap()));
                }
            }
        }
    }

    /// Answers one of its requests.
    pub(super) fn answer(&mut self, at: usize) {
        if self.held.is_empty() {
            return;
        }
        let (id, value) = self.held.swap_remove(at);
        let (mut octets, status) = (Vec::new(), ReplyStatus::NoException);
        let mut message =
            MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, &[]).unwrap();
        message.body(TextCoding::default()).write_i32(value * 2);
        message.finish().unwrap();
        self.on_the_way.extend(octets);
    }

    /// Some of its octets arrive.
    pub(super) fn deliver(&mut self, most: usize) {
        let count = most.min(self.on_the_way.len());
        self.stream.0.lock().unwrap().to_client.extend(self.on_the_way.drain(..count));
    }

    /// Closes the connection in order, behind its replies.
    pub(super) fn close(&mut self) {
        let mut octets = Vec::new();
        MessageWriter::close_connection(&mut octets, VERSION, ORDER);
        self.on_the_way.extend(octets);
        self.deliver(usize::MAX);
    }

    /// Goes on in another protocol, behind its replies.
    pub(super) fn send_invalid(&mut self) {
        self.on_the_way.extend(b"HTTP/1.1 400 Bad Request");
        self.deliver(usize::MAX);
    }

    /// Cuts the connection.
    pub(super) fn cut(&self) {
        self.stream.0.lock().unwrap().has_ended = true;
    }
}
