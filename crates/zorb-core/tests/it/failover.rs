//! Which address of a reference calls use, and when an address that could not be reached is tried again.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{Echo, Servant, builder, until};
use zorb_cdr::ByteOrder;
use zorb_core::flow::WhenFull;
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{Policies, SyncScope};
use zorb_core::{Interface, OnewayQueue, Orb};
use zorb_giop::{AlternateIiopAddress, IiopProfile, Ior};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport};
use zorb_transport::{ConnectError, ConnectOptions, ConnectPhase, Endpoint, Stream, Transport};
use zorb_types::{SystemExceptionKind, minor};

/// What a client's connections see of the network.
#[derive(Debug, Default)]
pub(crate) struct Network {
    /// The endpoints that nobody reaches.
    down: Mutex<Vec<String>>,
    /// The endpoints of all attempts to connect.
    attempts: Mutex<Vec<String>>,
}

impl Network {
    fn set_down(&self, endpoints: &[&str]) {
        *self.down.lock().unwrap() = endpoints.iter().map(|&it| it.to_owned()).collect();
    }

    pub(crate) fn attempts(&self) -> Vec<String> {
        self.attempts.lock().unwrap().clone()
    }

    pub(crate) fn take_attempts(&self) -> Vec<String> {
        std::mem::take(&mut self.attempts.lock().unwrap())
    }
}

/// Connects over a [`Network`].
#[derive(Debug)]
pub(crate) struct Over(pub(crate) Arc<Network>);

impl Around for Over {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        self.0.attempts.lock().unwrap().push(endpoint.to_string());
        if self.0.down.lock().unwrap().contains(&endpoint.to_string()) {
            let error = io::ErrorKind::ConnectionRefused.into();
            return Err(ConnectError::single(endpoint, ConnectPhase::Connect, error));
        }
        inner.connect(endpoint, options)
    }
}

/// Two servers with the same persistent object, whose `noted` is the number of the server.
struct Servers {
    _orbs: [Orb; 2],
    endpoints: [String; 2],
    ior: Ior,
}

fn servers() -> Servers {
    let both = [0, 1].map(|number| {
        let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
        let policies = PoaPolicies::new().persistent().user_ids();
        let poa = orb.root_poa().create("lasting", policies).unwrap();
        let servant = Servant::default();
        servant.noted.store(number, Ordering::SeqCst);
        let echo: Echo = poa.activate_with_id("one", servant).unwrap();
        (orb, echo)
    });
    let endpoints = both.each_ref().map(|(orb, _)| orb.endpoints()[0].clone());
    let mut ior = both[0].1.object().ior().clone();
    ior.profiles.extend(both[1].1.object().ior().profiles.clone());
    Servers { _orbs: both.map(|(orb, _)| orb), endpoints, ior }
}

/// A client over a network, with these options.
fn client(servers: &Servers, options: &[(&str, &str)]) -> (Orb, Arc<Network>, Echo) {
    let network = Arc::<Network>::default();
    let over = WithTransport::new(IiopProtocol::new(), Over(Arc::clone(&network)));
    let orb = Orb::builder().without_environment().protocol(Arc::new(over));
    let orb = options.iter().fold(orb, |orb, &(name, value)| orb.option(name, value));
    let orb = orb.build().unwrap();
    let echo = orb.resolve(&servers.ior.to_stringified().unwrap()).unwrap();
    (orb, network, echo)
}

#[test]
fn calls_stay_at_the_address_that_works() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let options = [("ReconnectDelay", "0"), ("FailbackTime", "0"), ("IdleTimeout", "0")];
    let (_client, network, echo) = client(&servers, &options);
    network.set_down(&[first]);
    assert_eq!(echo.noted(), Ok(1));
    assert_eq!(network.take_attempts(), [first, second]);
    network.set_down(&[]);
    for _ in 0..100 {
        assert_eq!(echo.noted(), Ok(1));
    }
    // Another thread needs a connection of its own, to the same address.
    std::thread::scope(|scope| scope.spawn(|| assert_eq!(echo.noted(), Ok(1))).join().unwrap());
    assert_eq!(network.take_attempts(), [second]);
}

#[test]
fn calls_use_the_alternate_addresses_of_a_profile() {
    let mut servers = servers();
    let profiles = servers.ior.profiles.iter();
    let mut profiles = profiles.map(|profile| IiopProfile::decode(&profile.data).unwrap());
    let (mut one, other) = (profiles.next().unwrap(), profiles.next().unwrap());
    assert_eq!(one.object_key, other.object_key);
    let alternate = AlternateIiopAddress { host: other.host, port: other.port };
    one.add(&alternate, ByteOrder::Big).unwrap();
    servers.ior.profiles = vec![one.encode(ByteOrder::Big).unwrap()];
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let (_client, network, echo) = client(&servers, &[("FailbackTime", "0")]);
    network.set_down(&[first]);
    assert_eq!(echo.noted(), Ok(1));
    assert_eq!(network.take_attempts(), [first, second]);
}

#[test]
fn after_a_time_calls_go_back_to_the_first_address() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    for calls in ["1", "2"] {
        let options =
            [("ReconnectDelay", "0"), ("FailbackTime", "1"), ("MaxCallsPerConnection", calls)];
        let (_client, network, echo) = client(&servers, &options);
        network.set_down(&[first]);
        assert_eq!(echo.noted(), Ok(1));
        // It is tried again, and does not answer; no call fails.
        until(|| {
            assert_eq!(echo.noted(), Ok(1));
            network.attempts().len() >= 4
        });
        assert_eq!(network.attempts()[..2], [first, second]);
        assert!(network.attempts()[2..].iter().all(|attempt| attempt == first));
        network.set_down(&[]);
        until(|| echo.noted().unwrap() == 0);
        network.take_attempts();
        for _ in 0..100 {
            assert_eq!(echo.noted(), Ok(0));
        }
        assert!(network.attempts().is_empty());
    }
}

#[test]
fn queued_one_way_calls_choose_their_address_as_others_do() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let queued = |failback| {
        let options = [("ReconnectDelay", "0"), ("FailbackTime", failback), ("IdleTimeout", "0")];
        let (client, network, echo) = client(&servers, &options);
        // A caller that is faster than its queue waits for it.
        let queue = OnewayQueue::default().when_full(WhenFull::Wait(Duration::from_secs(300)));
        let policies = Policies::new().with(SyncScope::None).with(queue);
        let queued: Echo = echo.object().with_policies(&policies).unwrap().unchecked_narrow();
        network.set_down(&[first]);
        queued.note(7).unwrap();
        assert_eq!(network.take_attempts(), [first, second]);
        (client, network, queued)
    };
    // They stay at the address that works.
    let (_client, network, echo) = queued("0");
    network.set_down(&[]);
    for _ in 0..100 {
        echo.note(7).unwrap();
    }
    assert!(network.attempts().is_empty());
    // After a time they go back to the first.
    let (_client, network, echo) = queued("1");
    until(|| {
        echo.note(7).unwrap();
        network.attempts().len() >= 2
    });
    assert!(network.take_attempts().iter().all(|attempt| attempt == first));
    network.set_down(&[]);
    until(|| {
        echo.note(7).unwrap();
        !network.attempts().is_empty()
    });
    for _ in 0..100 {
        echo.note(7).unwrap();
    }
    assert_eq!(network.attempts(), [first]);
}

#[test]
fn an_address_that_could_not_be_reached_is_not_tried_all_the_time() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let hour = ["ReconnectDelay", "MaxReconnectDelay", "ConnectTimeout", "MaxConnectTime"]
        .map(|option| (option, "3600000"));
    let (client, network, echo) = client(&servers, &hour);
    network.set_down(&[first, second]);
    let refused = echo.noted().unwrap_err();
    assert_eq!(refused.minor, minor::transient::CONNECT_FAILED);
    assert_eq!(network.take_attempts(), [first, second]);
    // Calls that cannot wait so long fail at once.
    let refused = echo.with_timeout(Duration::from_secs(1000)).noted().unwrap_err();
    assert_eq!(refused.minor, minor::transient::CONNECT_FAILED);
    assert!(format!("{refused:?}").contains("next attempt"), "{refused:?}");
    assert!(network.attempts().is_empty());
    // Others wait, until the ORB shuts down at the latest.
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| echo.noted());
        client.shutdown(true).unwrap();
        assert_eq!(waits.join().unwrap().unwrap_err().kind, SystemExceptionKind::BadInvOrder);
    });
    assert!(network.attempts().is_empty());
}

#[test]
fn addresses_that_work_need_not_wait_for_those_that_do_not() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let options = [("ReconnectDelay", "3600000"), ("MaxReconnectDelay", "3600000")];
    let (client, network, echo) = client(&servers, &options);
    network.set_down(&[first]);
    assert_eq!(echo.noted(), Ok(1));
    // Another reference to the same object has no memory of its own.
    let again: Echo = client.resolve(&servers.ior.to_stringified().unwrap()).unwrap();
    std::thread::scope(|scope| scope.spawn(|| assert_eq!(again.noted(), Ok(1))).join().unwrap());
    assert_eq!(network.attempts(), [first, second, second]);
}

#[test]
fn no_call_fails_without_an_attempt() {
    let servers = servers();
    let [first, second] = servers.endpoints.each_ref().map(String::as_str);
    let (_client, network, echo) =
        client(&servers, &[("ReconnectDelay", "1"), ("MaxReconnectDelay", "2")]);
    network.set_down(&[first, second]);
    for _ in 0..10 {
        assert_eq!(echo.noted().unwrap_err().minor, minor::transient::CONNECT_FAILED);
    }
    assert_eq!(network.take_attempts().len(), 20);
    network.set_down(&[]);
    assert!(matches!(echo.noted(), Ok(0 | 1)));
}
