//! Servers that have hung up before the client watches the connection.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::Weak;
use std::sync::mpsc::channel;
use std::time::Duration;

use zorb_base::connection_count::Counted;
use zorb_base::options::Options;
use zorb_giop::{GiopVersion, ProfileTag, TaggedComponent, TaggedProfile};
use zorb_transport::inproc::InprocProtocol;
use zorb_transport::{
    Acceptor, ConnectError, ConnectOptions, Endpoint, EndpointError, ListenError, ListenOptions,
    PeerShares, ProfileError, Protocol, ResolvedProfile, Stream, Transport, process_budget,
};

use super::*;
use crate::client::connect_time::ConnectTime;
use crate::client::connection::Receiving;
use crate::client::connection_settings::ConnectionClass;
use crate::client::endpoint_cache::OtherConnections;

/// A stream whose peer has hung up. It calls the notification at once.
#[derive(Debug)]
struct HungUp;

impl Stream for HungUp {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.send_all(&[])
    }

    fn try_send(&self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        true
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &'static str {
        ""
    }

    fn local(&self) -> &'static str {
        ""
    }

    fn notify_of_hangup(&self, notify: Box<dyn FnOnce() + Send>) -> bool {
        notify();
        true
    }
}

/// Connects to nobody.
#[derive(Debug, Default)]
struct Connects(InprocProtocol);

impl Transport for Connects {
    fn scheme(&self) -> &'static str {
        "gone"
    }

    fn parse_endpoint(&self, text: &str) -> Result<Endpoint, EndpointError> {
        self.0.transport().parse_endpoint(text)
    }

    fn connect(&self, _: &Endpoint, _: &ConnectOptions) -> Result<Arc<dyn Stream>, ConnectError> {
        Ok(Arc::new(HungUp))
    }

    fn listen(&self, url: &str, options: &ListenOptions) -> Result<Arc<dyn Acceptor>, ListenError> {
        self.0.transport().listen(url, options)
    }

    fn beside(&self, acceptor: &dyn Acceptor) -> String {
        self.0.transport().beside(acceptor)
    }
}

impl Protocol for Connects {
    fn transport(&self) -> &dyn Transport {
        self
    }

    fn profile_tag(&self) -> ProfileTag {
        self.0.profile_tag()
    }

    fn decode_profile(&self, profile: &TaggedProfile) -> Result<ResolvedProfile, ProfileError> {
        self.0.decode_profile(profile)
    }

    fn encode_profile(
        &self,
        endpoints: &[Endpoint],
        version: GiopVersion,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> Result<TaggedProfile, ProfileError> {
        self.0.encode_profile(endpoints, version, object_key, components)
    }
}

struct NoOthers;

impl OtherConnections for NoOthers {
    fn before_connecting(&self, _: Option<Duration>) {}

    fn make_room(&self, _: usize, _: Wanted<'_>) -> Option<Counted> {
        None
    }

    fn make_room_of_upcall(&self) -> Option<Counted> {
        None
    }

    fn close_all(&self) -> bool {
        false
    }
}

#[test]
fn a_server_may_have_hung_up_before_the_connection_is_watched() {
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let endpoint = Endpoint::new("gone", "away").unwrap();
        let options = Options::default();
        let mut settings = ConnectionClass::plain(&options).settings;
        settings.max_calls = 1;
        let protocol: Arc<dyn Protocol> = Arc::new(Connects::default());
        let receiving = Receiving::new(&options, &PeerShares::new(process_budget(), 0));
        let others = Weak::<NoOthers>::new();
        let cache = EndpointCache::new(&endpoint, &settings, &protocol, &receiving, others);
        let time = ConnectTime::default();
        let wanted = Wanted::new(Duration::from_secs(10), &options, &time, None);
        tell.send(cache.pending_connection(wanted, 10).is_ok()).unwrap();
    });
    assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(true));
}
