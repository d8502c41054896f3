//! The subject of the suite, and its servers and clients.

use zorb::giop::Ior;
use zorb::policy::Policies;
use zorb::{Interface, Orb, OrbBuilder};
use zorb_bridge::{Bridge, Settings};

use crate::idl;
use crate::servant::Servant;

/// The subject of the suite: a protocol, given by one of its endpoints.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    pub(crate) url: &'static str,
    /// The endpoint of the bridge between clients and server, if any.
    bridge: Option<&'static str>,
    plug_in: fn(OrbBuilder) -> OrbBuilder,
    /// The policies of clients.
    policies: fn() -> Policies,
}

impl Subject {
    /// A protocol of the facade, by a URL at which any number of servers can listen at the same
    /// time, each at its own endpoint, which the transport chooses (in TCP: port 0). Tests whose
    /// servers end listen at `127.0.0.2` instead of `127.0.0.1`.
    #[must_use]
    pub fn at(url: &'static str) -> Self {
        Self::built(url, |builder| builder)
    }

    /// A protocol that the facade does not register and `plug_in` does.
    #[must_use]
    pub fn built(url: &'static str, plug_in: fn(OrbBuilder) -> OrbBuilder) -> Self {
        Self { url, bridge: None, plug_in, policies: Policies::new }
    }

    /// The same, with a bridge between clients and server that listens at `url`.
    #[must_use]
    pub fn bridged(self, url: &'static str) -> Self {
        Self { bridge: Some(url), ..self }
    }

    /// The same, with these policies of clients.
    #[must_use]
    pub fn under(self, policies: fn() -> Policies) -> Self {
        Self { policies, ..self }
    }

    /// The same, at an IPv4 address where no other test takes the port after the server has
    /// stopped.
    pub(crate) fn at_an_address_of_its_own(&self) -> Self {
        let url = match self.url.split_once("127.0.0.1:") {
            Some((scheme, port)) => format!("{scheme}127.0.0.2:{port}").leak(),
            None => self.url,
        };
        Self { url, ..*self }
    }

    /// The endpoints of the server, and of the bridge.
    pub(crate) fn urls(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.url), self.bridge].into_iter().flatten()
    }

    pub(crate) fn builder(&self) -> OrbBuilder {
        (self.plug_in)(Orb::builder().without_environment())
    }

    /// An ORB for clients.
    pub(crate) fn client(&self) -> Orb {
        let orb = self.builder().build().expect("a client");
        orb.policy_manager().add(&(self.policies)()).expect("policies");
        orb
    }

    /// A server.
    pub(crate) fn server(&self) -> Server {
        self.server_of(self.builder())
    }

    /// A server that processes the requests of a connection in order, however slow the machine is:
    /// it reads no request while an upcall runs.
    pub(crate) fn server_in_order(&self) -> Server {
        self.server_of(self.builder().option("StallTakeover", "3600000"))
    }

    pub(crate) fn server_of(&self, builder: OrbBuilder) -> Server {
        let orb = builder.listen(self.url).build().expect("a server");
        let subject: idl::suite::Subject =
            orb.root_poa().activate(Servant::default()).expect("active");
        let way = self.way_to(&subject.as_object().to_ior_string());
        Server { orb, subject, way }
    }

    /// The route of clients to an object.
    pub(crate) fn way_to(&self, reference: &str) -> Way {
        let orb = self.client();
        let object = orb.string_to_object(reference).expect("a reference").expect("an object");
        let object = object.ior();
        let bridge = self.bridge.map(|url| {
            let settings = Settings::default();
            Bridge::open(orb.protocols(), object, &[url], settings).expect("a bridge")
        });
        let ior = match &bridge {
            Some(bridge) => bridge.reference().expect("a reference"),
            None => object.clone(),
        };
        Way { ior, _bridge: bridge }
    }
}

/// A server with one object. Dropping it shuts it down, so that its sockets leave no file.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) orb: Orb,
    pub(crate) subject: idl::suite::Subject,
    pub(crate) way: Way,
}

/// The route to an object, possibly over a bridge.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) ior: Ior,
    _bridge: Option<Bridge>,
}

impl Way {
    /// A client's reference to the object.
    pub(crate) fn seen_by(&self, client: &Orb) -> idl::suite::Subject {
        client.resolve(&self.ior.to_stringified().expect("a reference")).expect("a subject")
    }
}

impl Server {
    /// A client's reference to the object.
    pub(crate) fn seen_by(&self, client: &Orb) -> idl::suite::Subject {
        self.way.seen_by(client)
    }

    /// Deactivates the object.
    pub(crate) fn deactivate(&self) {
        let poa = self.orb.root_poa();
        let id = poa.id_of(&self.subject).expect("its id");
        poa.deactivate(&id).expect("active");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.orb.shutdown(true);
    }
}
