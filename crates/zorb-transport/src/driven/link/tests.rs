use super::super::connection::Route;
use super::super::settings::{Micros, Settings};
use super::*;

const LIMIT: usize = 100_000;
/// A datagram with this many octets.
const LARGE: usize = 1_000;
/// One without many.
const SMALL: usize = 40;

/// Keeps what it is given.
#[derive(Clone, Copy, Debug, Default)]
struct Keeping {
    to_send: usize,
    received: usize,
}

impl Driven for Keeping {
    const SCHEME: &'static str = "keeping";
    const DEFAULT_PORT: u16 = 1;
    const THREADS: &'static str = "keeping";

    fn connect(_: SocketAddr, _: Settings, _: Micros) -> Self {
        Self::default()
    }

    fn accept(_: &[u8], _: SocketAddr, _: Settings, _: Micros) -> Option<Self> {
        None
    }

    fn route(_: &[u8]) -> Option<Route> {
        None
    }

    fn refuse(_: &[u8], _: &mut Vec<u8>) -> bool {
        false
    }

    fn id(&self) -> u64 {
        1
    }

    fn receive(&mut self, datagram: &[u8], _: Micros) {
        self.received += datagram.len();
    }

    fn receive_without_octets(&mut self, _: &[u8], _: Micros) {
        self.to_send = 0;
    }

    fn transmit(&mut self, _: Micros, _: &mut Vec<u8>) -> bool {
        false
    }

    fn deadline(&self) -> Option<Micros> {
        None
    }

    fn is_established(&self) -> bool {
        true
    }

    fn buffered(&mut self) -> usize {
        self.to_send + self.received
    }

    fn send(&mut self, octets: &[u8]) -> Result<usize, Failure> {
        self.to_send += octets.len();
        Ok(octets.len())
    }

    fn recv(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Failure> {
        let count = buffer.len().min(self.received);
        self.received -= count;
        Ok((count > 0).then_some(count))
    }

    fn is_readable(&self) -> bool {
        self.received > 0
    }

    fn has_hung_up(&self) -> bool {
        false
    }

    fn finish(&mut self) {}

    fn stop_receiving(&mut self) {}

    fn abort(&mut self) {}

    fn unreachable(&mut self) {}

    fn failure(&self) -> Option<Failure> {
        None
    }

    fn is_over(&self, _: Micros) -> bool {
        false
    }
}

fn link(budget: &Arc<MessageBudget>) -> Arc<Link<Keeping>> {
    let socket = LinkSocket::Own(UdpSocket::bind("127.0.0.1:0").unwrap());
    Link::new(socket, Keeping::default(), &Timers::shared("test"), Arc::clone(budget))
}

#[test]
fn buffers_of_connections_share_a_budget() {
    let budget = Arc::new(MessageBudget::new(LIMIT));
    let [one, other] = [(); 2].map(|()| link(&budget));
    // As much as the budget has, and what is free for each connection.
    let sent = one.state().send(&[0; 1 << 20]).unwrap();
    assert!((LIMIT..=LIMIT + FREE).contains(&sent), "{sent}");
    let received = || other.state().connection.received;
    while received() + LARGE <= FREE {
        other.take(&[0; LARGE]);
    }
    for _ in 0..1000 {
        other.take(&[0; LARGE]);
    }
    assert!(received() <= FREE + (LIMIT + FREE - sent) && budget.used() <= LIMIT);
    let full = received();
    other.take(&[0; LARGE]);
    assert_eq!(received(), full, "treated as lost");
    assert_eq!(other.state().send(&[0; LARGE]), Ok(0));
    // What one has sent is free for the other.
    one.change(|connection| connection.to_send = 0);
    assert!(budget.used() < LARGE * 2);
    other.take(&[0; LARGE]);
    assert_eq!(received(), full + LARGE);
    // An acknowledgement is handled, whatever comes with it.
    assert!(one.state().send(&[0; 1 << 20]).unwrap() > 0);
    for _ in 0..LIMIT / SMALL {
        other.take(&[0; SMALL]);
    }
    let full = received();
    one.take(&[0; LARGE]);
    let Keeping { to_send, received: kept, .. } = one.state().connection;
    assert_eq!((to_send, kept), (0, 0));
    other.take(&[0; SMALL]);
    assert_eq!(received(), full + SMALL);
    assert!(budget.used() <= LIMIT);
    drop((one, other));
    assert_eq!(budget.used(), 0);
}
