//! The connection as a driven protocol.

use std::net::SocketAddr;

use zorb_os::random;
use zorb_transport::driven::{Driven, Failure, Micros, Route, Settings};

use crate::{ARQ_SCHEME, Connection, DEFAULT_PORT, Packet};

impl Driven for Connection {
    const SCHEME: &'static str = ARQ_SCHEME;
    const DEFAULT_PORT: u16 = DEFAULT_PORT;
    const THREADS: &'static str = "zorb-arq";

    fn connect(_: SocketAddr, settings: Settings, now: Micros) -> Self {
        Self::connect(random::number(), settings, now)
    }

    fn accept(datagram: &[u8], _: SocketAddr, settings: Settings, now: Micros) -> Option<Self> {
        let Some(Packet::Open { id }) = Packet::parse(datagram) else { return None };
        let mut connection = Self::accept(random::number(), id, settings, now);
        connection.receive(&Packet::Open { id }, now);
        Some(connection)
    }

    fn route(datagram: &[u8]) -> Option<Route> {
        match Packet::parse(datagram)? {
            Packet::Open { id } => Some(Route::Opens(id)),
            Packet::Accept { .. } => None,
            Packet::Refuse { id } => Some(Route::From(id)),
            Packet::Data(data) => Some(Route::To(data.to)),
        }
    }

    fn refuse(datagram: &[u8], out: &mut Vec<u8>) -> bool {
        let id = match Packet::parse(datagram) {
            Some(Packet::Open { id }) => id,
            Some(Packet::Data(data)) => data.to,
            _ => return false,
        };
        Packet::Refuse { id }.write(out);
        true
    }

    fn id(&self) -> u64 {
        self.id()
    }

    fn receive(&mut self, datagram: &[u8], now: Micros) {
        if let Some(packet) = Packet::parse(datagram) {
            self.receive(&packet, now);
        }
    }

    fn receive_without_octets(&mut self, datagram: &[u8], now: Micros) {
        if let Some(packet) = Packet::parse(datagram) {
            self.receive(&packet.without_octets(), now);
        }
    }

    fn transmit(&mut self, now: Micros, out: &mut Vec<u8>) -> bool {
        self.transmit(now, out)
    }

    fn deadline(&self) -> Option<Micros> {
        self.deadline()
    }

    fn is_established(&self) -> bool {
        self.is_established()
    }

    fn buffered(&mut self) -> usize {
        Self::buffered(self)
    }

    fn send(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        self.send(octets)
    }

    fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure> {
        self.recv(buffer)
    }

    fn is_readable(&self) -> bool {
        self.is_readable()
    }

    fn has_hung_up(&self) -> bool {
        self.has_hung_up()
    }

    fn finish(&mut self) {
        self.finish();
    }

    fn stop_receiving(&mut self) {
        self.stop_receiving();
    }

    fn abort(&mut self) {
        self.abort();
    }

    fn unreachable(&mut self) {
        self.unreachable();
    }

    fn failure(&self) -> Option<Failure> {
        self.failure()
    }

    fn is_over(&self, now: Micros) -> bool {
        self.is_over(now)
    }
}
