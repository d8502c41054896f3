//! What a client has sent before does not change what it sends.

use zorb_nano::{Client, Limits, Os, OsError, Reference, Socket, Writer};

use crate::simulated::{Network, Simulated, at};

/// A machine that only receives.
struct Sink {
    os: Simulated,
    listener: Socket,
    streams: Vec<Socket>,
}

impl Sink {
    fn new(network: &Network) -> Self {
        let mut os = network.machine(usize::MAX, 8);
        let listener = os.listen(at("192.0.2.9:0")).unwrap();
        Self { os, listener, streams: Vec::new() }
    }

    /// The message that has arrived, with 0 for its id.
    fn take(&mut self) -> Vec<u8> {
        while let Ok(stream) = self.os.accept(self.listener) {
            self.streams.push(stream);
        }
        let mut message = Vec::new();
        for stream in &self.streams {
            let mut space = [0; 256];
            match self.os.read(*stream, &mut space) {
                Ok(count) => message.extend_from_slice(&space[..count]),
                Err(error) => assert_eq!(error, OsError::WouldBlock),
            }
        }
        message[12..16].fill(0);
        message
    }
}

#[test]
fn a_request_is_the_same_whatever_was_sent_before() {
    let network = Network::default();
    let mut sink = Sink::new(&network);
    let address = sink.os.bound(sink.listener).unwrap();
    let client = || Client::new(network.machine(usize::MAX, 8), Limits::DEFAULT);
    let mut one = client();
    let requests = ["a", "b", "add", "addition", "größe"].map(|operation| {
        ["k", "l", "key", "longer key"]
            .map(|key| (operation, Reference::new(address, key.as_bytes()).unwrap()))
    });
    let requests = requests.as_flattened();
    for (operation, target) in requests {
        // After each other one, after itself, with arguments and without.
        for (before, other) in requests {
            for count in [0, 1, 3] {
                let mut numbers = |writer: &mut Writer<'_>| {
                    (0..count).try_for_each(|number| writer.write::<u32>(&number))
                };
                one.send(other, before, &mut |writer| writer.write::<u8>(&1)).unwrap();
                sink.take();
                one.send(target, operation, &mut numbers).unwrap();
                let sent = sink.take();
                one.send(target, operation, &mut numbers).unwrap();
                assert_eq!(sink.take(), sent, "{operation} after itself");
                let mut fresh = client();
                fresh.send(target, operation, &mut numbers).unwrap();
                assert_eq!(sink.take(), sent, "{operation} after {before}");
                fresh.close();
                sink.streams.retain(|stream| {
                    let is_over = sink.os.read(*stream, &mut [0]) == Ok(0);
                    if is_over {
                        sink.os.close(*stream);
                    }
                    !is_over
                });
            }
        }
    }
}
