//! When a server applies connection properties, and for which priority.

use zorb::giop::ProfileTag;
use zorb::poa::{Poa, PoaPolicies};
use zorb::policy::{ConnectionProperties, Policies, PrivateConnection, ProtocolChoice};
use zorb::policy::{ServerProtocols, TypedPolicy};
use zorb::{Interface as _, ObjectRef, Orb};
use zorb_rt::{LaneBuilder, LinearNetwork, NetworkPriorityMapping as _, Priority, RtOrb};

use super::mirror::{Board, Mirror, Posted};
use super::sockets::{Seen, seen};
use super::spy::Spied;
use super::{Family, Pair, protocols, scheme, spied};

fn dscp(class: u8) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    properties.dscp = Some(class);
    properties
}

fn served(poa: &Poa) -> (Mirror, Posted) {
    let (servant, board) = Board::new();
    (poa.activate(servant).unwrap(), board)
}

fn adapter(orb: &Orb, name: &str, policies: PoaPolicies) -> Poa {
    orb.root_poa().create(name, policies).unwrap()
}

/// The class of service of the connection that was accepted last.
fn class(serving: &Spied) -> Option<u32> {
    seen(&*serving.accepted()).unwrap().class
}

const OF_46: Option<u32> = Some(46 << 2);
const OF_10: Option<u32> = Some(10 << 2);
const NONE: Option<u32> = Some(0);

/// Connects to the endpoint of `object` without calling an adapter: the object key is unknown.
fn connect_without_adapter(client: &Orb, object: &Mirror) {
    let text = object.as_object().ior().profiles.iter().find_map(|profile| {
        let protocol = client.protocols().by_profile_tag(profile.tag)?;
        let resolved = protocol.decode_profile(profile).ok()?;
        let address = resolved.endpoints[0].address().to_owned();
        Some(format!("corbaloc:iiop:1.2@{address}/nobody"))
    });
    let nobody = client.string_to_object(&text.unwrap()).unwrap().unwrap();
    let private = nobody.with_policies(&Policies::new().with(PrivateConnection)).unwrap();
    assert_eq!(private.non_existent(), Ok(true));
}

/// The ORB's own policies apply from accept on, those of an adapter from its first request on.
#[test]
fn the_orbs_policies_apply_from_accept_on() {
    for (url, family) in protocols().filter(|(_, family)| *family != Family::Other) {
        let (builder, serving) = spied(url);
        let server = builder.listen(url).build().unwrap();
        server.serve().unwrap();
        // An adapter without connection properties, whose calls change nothing.
        let quiet = served(&adapter(&server, "quiet", PoaPolicies::new()));
        let mut properties = dscp(10);
        properties.send_buffer = Some(40_000);
        server.policy_manager().add(&Policies::new().with(properties)).unwrap();
        let loud = served(&adapter(&server, "loud", PoaPolicies::new().with(dscp(46))));
        let client = spied(url).0.build().unwrap();
        let there = |(object, _): &(Mirror, Posted)| -> Mirror {
            client.resolve(&object.as_object().to_ior_string()).unwrap()
        };
        let (quiet_there, loud_there) = (there(&quiet), there(&loud));
        quiet.1.first_call(&quiet_there, url);
        let Seen { send_buffer, class, .. } = seen(&*serving.accepted()).unwrap();
        let of = |value| (family == Family::Tcp).then_some(value).flatten();
        assert_eq!((send_buffer, class), (80_000, of(OF_10)), "{url}");
        loud.1.first_call(&loud_there, url);
        let Seen { send_buffer, class, .. } = seen(&*serving.accepted()).unwrap();
        assert_eq!((send_buffer, class), (80_000, of(OF_46)), "{url}: combined with the ORB's");
        assert_eq!(serving.count(), 1, "{url}");
        client.shutdown(true).unwrap();
        server.shutdown(true).unwrap();
    }
}

const URL: &str = "iiop://127.0.0.1:0";

fn server() -> (Orb, std::sync::Arc<Spied>, RtOrb) {
    let (builder, serving) = spied(URL);
    let orb = builder.listen(URL).build().unwrap();
    orb.serve().unwrap();
    let rt = RtOrb::builder().attach(&orb).unwrap();
    (orb, serving, rt)
}

fn priority(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

/// Properties of an adapter with its own endpoints apply from accept on. If several adapters share
/// the endpoints, the first request determines the adapter.
#[test]
fn policies_of_an_adapter_with_its_own_endpoints_apply_from_accept_on() {
    let (server, serving, rt) = server();
    let client = spied(URL).0.build().unwrap();
    let pool = rt.threadpool("pool").lane(LaneBuilder::new(priority(10), 1)).create().unwrap();
    let in_pool = |name: &str, class: u8| {
        let model = rt.server_declared(priority(10));
        let policies = PoaPolicies::new().with(model).with(pool.policy()).with(dscp(class));
        adapter(&server, name, policies)
    };
    let first = in_pool("first", 46);
    let (object, board) = served(&first);
    connect_without_adapter(&client, &object);
    assert_eq!(class(&serving), OF_46);
    let there: Mirror = client.resolve(&object.as_object().to_ior_string()).unwrap();
    // With a second adapter, the owner of a connection is unknown.
    let second = in_pool("second", 10);
    connect_without_adapter(&client, &object);
    assert_eq!(class(&serving), NONE);
    let private = Policies::new().with(PrivateConnection);
    let own: ObjectRef = there.as_object().with_policies(&private).unwrap();
    board.first_call(&own.unchecked_narrow(), URL);
    assert_eq!(class(&serving), OF_46, "from the first request on");
    // It is destroyed, and the first is the only one again.
    second.destroy();
    connect_without_adapter(&client, &object);
    assert_eq!(class(&serving), OF_46);
    first.destroy();
    pool.destroy().unwrap();
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}

fn by_priority(yes: bool) -> ConnectionProperties {
    let mut properties = ConnectionProperties::default();
    properties.network_priority = Some(yes);
    properties
}

/// The DSCP of a priority, if properties request it: on both sides, for declared priorities and for
/// lanes, for one protocol or for all; otherwise none.
#[test]
fn connections_have_the_class_of_their_priority_on_request() {
    let high = priority(30_000);
    let class_of_high = LinearNetwork.to_network(high).dscp.map(|dscp| u32::from(dscp) << 2);
    assert!(class_of_high.is_some_and(|class| class > 0));
    let iiop = |yes| ProtocolChoice {
        profile: ProfileTag::INTERNET_IOP,
        properties: Some(by_priority(yes)),
    };
    fn with<P: TypedPolicy>(policies: PoaPolicies, policy: Option<P>) -> PoaPolicies {
        match policy {
            Some(policy) => policies.with(policy),
            None => policies,
        }
    }
    for network in [false, true] {
        for lanes in [false, true] {
            for (said, of_protocol) in
                [(None, false), (Some(true), false), (Some(false), false), (Some(true), true)]
            {
                let (builder, serving) = spied(URL);
                let server = builder.listen(URL).build().unwrap();
                let set_up = |orb: &Orb| {
                    let builder = RtOrb::builder();
                    let builder = if network { builder.network(LinearNetwork) } else { builder };
                    builder.attach(orb).unwrap()
                };
                let rt = set_up(&server);
                let pool = lanes.then(|| {
                    rt.threadpool("pool").lane(LaneBuilder::new(high, 1)).create().unwrap()
                });
                let policies = PoaPolicies::new().with(rt.server_declared(high));
                let policies = with(policies, pool.as_ref().map(|pool| pool.policy()));
                let for_all = said.filter(|_| !of_protocol).map(by_priority);
                let for_iiop = said.filter(|_| of_protocol).map(iiop);
                let policies = with(policies, for_all);
                let policies = with(policies, for_iiop.map(|it| ServerProtocols::new([it])));
                let (object, board) = served(&adapter(&server, "adapter", policies));
                let (builder, calling) = spied(URL);
                let client = builder.build().unwrap();
                set_up(&client);
                if let Some(properties) = said.map(by_priority) {
                    client.policy_manager().add(&Policies::new().with(properties)).unwrap();
                }
                let there: Mirror = client.resolve(&object.as_object().to_ior_string()).unwrap();
                board.first_call(&there, URL);
                let what = format!("network {network}, lanes {lanes}, {said:?} {of_protocol}");
                let connected = seen(&*calling.connected()).unwrap().class;
                let expected = if said.unwrap_or(network) { class_of_high } else { NONE };
                assert_eq!(connected, expected, "client, {what}");
                // Without properties, servers apply only the class of lanes.
                let expected = if said.unwrap_or(network && lanes) { class_of_high } else { NONE };
                assert_eq!(class(&serving), expected, "server, {what}");
                // An explicit DSCP takes precedence.
                let mut named = by_priority(true);
                named.dscp = Some(10);
                let named = there.as_object().with_policies(&Policies::new().with(named)).unwrap();
                board.first_call(&named.unchecked_narrow(), URL);
                assert_eq!(seen(&*calling.connected()).unwrap().class, OF_10, "{what}");
                client.shutdown(true).unwrap();
                server.shutdown(true).unwrap();
            }
        }
    }
}

/// Without policies, neither side changes its sockets.
#[test]
fn sockets_are_unchanged_without_policies() {
    let met = Pair::new(URL, None, None);
    assert_eq!(scheme(URL), "iiop");
    for stream in [&met.connected, &met.accepted] {
        let Seen { class, priority, pacing, dont_route, .. } = seen(&**stream).unwrap();
        assert_eq!((class, priority, pacing, dont_route), (NONE, 0, None, false));
    }
}
