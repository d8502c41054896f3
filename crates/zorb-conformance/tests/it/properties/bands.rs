//! The DSCP of private connections and of connections for priority bands, outside lanes, read from
//! the sockets of both sides.

use zorb::Interface as _;
use zorb::poa::PoaPolicies;
use zorb::policy::{Policies, PrivateConnection};
use zorb_rt::{LinearNetwork, NetworkPriorityMapping as _, Priority, RtOrb};
use zorb_rt::{PriorityBand, PriorityBands};

use super::mirror::{Board, Mirror};
use super::sockets::seen;
use super::{Family, protocols, spied};

fn priority(value: i16) -> Priority {
    Priority::new(value).unwrap()
}

fn class_of(value: i16) -> u32 {
    LinearNetwork.to_network(priority(value)).dscp.map_or(0, |dscp| u32::from(dscp) << 2)
}

const LOW: (i16, i16) = (0, 9_999);
const HIGH: (i16, i16) = (10_000, 32_767);

fn bands() -> Policies {
    let band = |(low, high)| PriorityBand::new(priority(low), priority(high)).unwrap();
    Policies::new().with(PriorityBands::new([band(LOW), band(HIGH)]).unwrap())
}

/// The policies of a client, and the DSCPs of the connections for its calls at two priorities, at
/// the client and at the server.
fn classes(
    url: &str,
    declared: Option<i16>,
    policies: &Policies,
) -> Vec<(Option<u32>, Option<u32>)> {
    let (builder, serving) = spied(url);
    let server = builder.listen(url).build().unwrap();
    let serving_rt = RtOrb::builder().network(LinearNetwork).attach(&server).unwrap();
    let adapter = match declared {
        Some(value) => PoaPolicies::new().with(serving_rt.server_declared(priority(value))),
        None => PoaPolicies::new().with(serving_rt.client_propagated(priority(0))),
    };
    let (servant, board) = Board::new();
    let poa = server.root_poa().create("adapter", adapter).unwrap();
    let object: Mirror = poa.activate(servant).unwrap();
    let (builder, calling) = spied(url);
    let client = builder.build().unwrap();
    let calling_rt = RtOrb::builder().network(LinearNetwork).attach(&client).unwrap();
    let there: Mirror = client.resolve(&object.as_object().to_ior_string()).unwrap();
    let there: Mirror = there.as_object().with_policies(policies).unwrap().unchecked_narrow();
    // On a separate thread, whose priority no other test changes.
    let found = std::thread::scope(|scope| {
        let (there, rt, calling, serving) = (&there, &calling_rt, &calling, &serving);
        let calls = scope.spawn(move || {
            [5_000, 20_000].map(|value| {
                rt.current().set_priority(priority(value)).unwrap();
                board.first_call(there, url);
                let [ours, theirs] = [calling.connected(), serving.accepted()];
                (seen(&*ours).unwrap().class, seen(&*theirs).unwrap().class)
            })
        });
        calls.join().unwrap()
    });
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
    found.into()
}

#[test]
fn connections_for_a_band_are_in_the_class_of_its_highest_priority() {
    assert!(class_of(LOW.1) > 0 && class_of(LOW.1) < class_of(HIGH.1));
    // Other messaging protocols carry no priorities outside lanes.
    for (url, family) in
        protocols().filter(|(url, _)| url.starts_with("iiop") || url.starts_with("uiop"))
    {
        let of = |value| (family == Family::Tcp).then(|| class_of(value));
        let expected = [(of(LOW.1), of(LOW.1)), (of(HIGH.1), of(HIGH.1))];
        assert_eq!(classes(url, None, &bands()), expected, "{url}");
        let private = bands().with(PrivateConnection);
        assert_eq!(classes(url, None, &private), expected, "{url}: private ones");
        // Connections for all priorities have no class, private or not.
        let none = (family == Family::Tcp).then_some(0);
        let expected = [(none, none); 2];
        for all in [Policies::new(), Policies::new().with(PrivateConnection)] {
            assert_eq!(classes(url, None, &all), expected, "{url}: {all:?}");
        }
    }
}

/// A server-declared priority applies to all calls, over every messaging protocol.
#[test]
fn private_connections_have_the_class_of_the_declared_priority() {
    for (url, family) in protocols().filter(|(_, family)| *family != Family::Other) {
        let of = |value| (family == Family::Tcp).then(|| class_of(value));
        let private = Policies::new().with(PrivateConnection);
        for declared in [9_000, 30_000] {
            for policies in [&Policies::new(), &private] {
                for (ours, theirs) in classes(url, Some(declared), policies) {
                    assert_eq!(ours, of(declared), "{url}: {policies:?}");
                    // Servers learn only the bands of a client, and set up lanes.
                    assert_eq!(theirs, of(0), "{url}: {policies:?}");
                }
            }
        }
    }
}
