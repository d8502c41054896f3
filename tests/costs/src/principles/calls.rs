//! Patterns of routing and dispatching. The calls are collocated, with messages in memory, so that nothing else is
//! measured.

use std::collections::HashMap;
use std::hint::black_box;

use zorb::codegen::Operations;
use zorb::poa::PoaPolicies;
use zorb::transport::{Endpoint, Protocol as _};
use zorb::{Interface as _, Orb};
use zorb_tcp::IiopProtocol;

use super::{Pair, Wrong, same, spend};
use crate::{Counted, Servant};

/// The operations of the interface that is counted.
const NAMES: [&str; 11] = [
    "nothing",
    "echo_long",
    "echo_struct",
    "note",
    "echo_string",
    "take_octets",
    "give_octets",
    "take_structs",
    "take_parts",
    "refuse",
    "mark",
];

static OPERATIONS: Operations<11> = Operations::new(&NAMES);

/// The numbers of all operations are looked up.
pub(super) fn precompute() -> Result<Pair, Wrong> {
    let map: HashMap<&'static [u8], usize> =
        NAMES.iter().enumerate().map(|(number, name)| (name.as_bytes(), number)).collect();
    for name in NAMES {
        same(&map.get(name.as_bytes()).copied(), &OPERATIONS.find(name.as_bytes()))?;
    }
    Ok(Pair {
        before: Box::new(move || {
            for name in NAMES {
                black_box(map.get(black_box(name.as_bytes())).copied());
            }
        }),
        after: Box::new(|| {
            for name in NAMES {
                black_box(OPERATIONS.find(black_box(name.as_bytes())));
            }
        }),
    })
}

/// An ORB that calls its own objects by messages in memory, as if they were elsewhere.
fn by_messages() -> Result<Orb, Wrong> {
    let builder = Orb::builder().without_environment().listen("iiop://127.0.0.1:0");
    Ok(builder.option("CollocationStrategy", "marshalled").build()?)
}

/// A void call is made.
pub(super) fn cache() -> Result<Pair, Wrong> {
    let orb = by_messages()?;
    let counted: Counted = orb.root_poa().activate(Servant)?;
    let protocol = IiopProtocol::new();
    let ior = counted.as_object().ior().clone();
    let profile = ior.profiles.first().ok_or("no profile")?.clone();
    // The connections of an ORB by endpoint.
    let mut connections: HashMap<Endpoint, u32> = HashMap::new();
    connections.extend(protocol.decode_profile(&profile)?.endpoints.into_iter().zip(1..));
    let find = move || -> Option<u32> {
        let resolved = protocol.decode_profile(black_box(&profile)).ok()?;
        black_box(&resolved.object_key);
        connections.get(resolved.endpoints.first()?).copied()
    };
    same(&find(), &Some(1))?;
    counted.nothing()?;
    let there = counted.clone();
    Ok(Pair {
        before: Box::new(move || {
            black_box(find());
            spend(counted.nothing());
        }),
        after: Box::new(move || {
            let _ = &orb;
            spend(there.nothing());
        }),
    })
}

/// A void call is made to one of 100 objects.
pub(super) fn layers() -> Result<Pair, Wrong> {
    let orb = by_messages()?;
    let policies = PoaPolicies::new().persistent().user_ids();
    let named = orb.root_poa().create("accounts", policies)?;
    let mut by_name: Option<Counted> = None;
    let mut by_number: Option<Counted> = None;
    for number in 0..100 {
        by_name = Some(named.activate_with_id(format!("account {number}").as_str(), Servant)?);
        by_number = Some(orb.root_poa().activate(Servant)?);
    }
    let (by_name, by_number) = by_name.zip(by_number).ok_or("no objects")?;
    same(&by_name.echo_long(5)?, &by_number.echo_long(5)?)?;
    Ok(Pair {
        before: Box::new(move || spend(by_name.nothing())),
        after: Box::new(move || {
            let _ = &orb;
            spend(by_number.nothing());
        }),
    })
}
