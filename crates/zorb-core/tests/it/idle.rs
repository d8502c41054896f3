//! Idle connections of a server.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};

use crate::support::{Echo, Servant, client, until};
use zorb_core::Orb;
use zorb_os::poll::wait_readable;
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, CLOSE_CONNECTION, WithTransport};
use zorb_transport::{
    AcceptError, Acceptor, Endpoint, ListenError, ListenOptions, Stream, Transport,
};

/// The expected connections. Those that will send something are served once it has arrived.
#[derive(Debug, Default)]
struct Coming {
    talkative: Mutex<VecDeque<bool>>,
    changed: Condvar,
}

impl Coming {
    fn expect(&self, talkative: bool) {
        self.talkative.lock().unwrap().push_back(talkative);
        self.changed.notify_all();
    }

    fn pass(&self, stream: &dyn Stream) {
        let coming = self.talkative.lock().unwrap();
        let mut coming = self.changed.wait_while(coming, |coming| coming.is_empty()).unwrap();
        if coming.pop_front() == Some(true) {
            wait_readable(&[stream.readiness_fd().unwrap()], None).unwrap();
        }
    }
}

/// Passes connections on as expected.
#[derive(Debug)]
struct Gated(Arc<Coming>);

impl Around for Gated {
    fn listen(
        &self,
        inner: &dyn Transport,
        url: &str,
        options: &ListenOptions,
    ) -> Result<Arc<dyn Acceptor>, ListenError> {
        let inner = inner.listen(url, options)?;
        Ok(Arc::new(Behind { inner, coming: Arc::clone(&self.0) }))
    }
}

#[derive(Debug)]
struct Behind {
    inner: Arc<dyn Acceptor>,
    coming: Arc<Coming>,
}

impl Acceptor for Behind {
    fn listen(&self) -> std::io::Result<()> {
        self.inner.listen()
    }

    fn accept(&self) -> Result<Arc<dyn Stream>, AcceptError> {
        let stream = self.inner.accept()?;
        self.coming.pass(&*stream);
        Ok(stream)
    }

    fn close(&self) {
        self.inner.close();
    }

    fn endpoint(&self) -> &Endpoint {
        self.inner.endpoint()
    }

    fn published(&self) -> &[Endpoint] {
        self.inner.published()
    }
}

fn server() -> (Orb, String, Arc<Coming>) {
    let coming = Arc::<Coming>::default();
    let gated = WithTransport::new(IiopProtocol::new(), Gated(Arc::clone(&coming)));
    let orb = Orb::builder().without_environment().protocol(Arc::new(gated));
    let orb = orb.listen("iiop://127.0.0.1:0").option("IdleTimeout", "40").build().unwrap();
    orb.serve().unwrap();
    let address = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    (orb, address, coming)
}

#[test]
fn a_silent_connection_is_closed_in_an_orderly_way() {
    let (_orb, address, coming) = server();
    let mut silent = TcpStream::connect(&address).unwrap();
    coming.expect(false);
    let mut last = Vec::new();
    silent.read_to_end(&mut last).unwrap();
    assert_eq!(last[..4], *b"GIOP");
    assert_eq!(last[7], CLOSE_CONNECTION);
    // No CloseConnection follows half a message. It arrives before its connection is served.
    let mut stuck = TcpStream::connect(&address).unwrap();
    stuck.write_all(b"GIOP\x01\x02").unwrap();
    coming.expect(true);
    let mut nothing = Vec::new();
    stuck.read_to_end(&mut nothing).unwrap();
    assert_eq!(nothing, []);
}

#[test]
fn a_running_request_keeps_its_connection() {
    let (orb, address, coming) = server();
    coming.expect(true);
    let servant = Arc::new(Servant::default());
    let echo: Echo = orb.root_poa().activate_shared(&servant).unwrap();
    let (_client, there) = client(&echo);
    std::thread::scope(|scope| {
        let call = scope.spawn(|| there.wait_for(3));
        until(|| servant.waiting.load(Ordering::SeqCst));
        // Time passes: another connection goes idle and is closed meanwhile.
        for _ in 0..3 {
            coming.expect(false);
            TcpStream::connect(&address).unwrap().read_to_end(&mut Vec::new()).unwrap();
        }
        crate::support::EchoServant::note(&*servant, 3);
        call.join().unwrap().unwrap();
    });
    // Its connection may have ended since.
    coming.expect(true);
    assert_eq!(there.twice(4).unwrap(), 8);
}
