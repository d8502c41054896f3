//! Priority bands: each has its own connections.

use std::sync::{Arc, Mutex};

use zorb_cdr::{CdrReader, CdrResult, CdrWriter};
use zorb_core::ObjectRef;
use zorb_core::interceptor::{ServerRequestInfo, ServerRequestInterceptor};
use zorb_core::poa::PoaPolicies;
use zorb_core::policy::{Levels, Policies, PolicyType, SetOverrideType, TypedPolicy};
use zorb_giop::ServiceId;
use zorb_rt::{Buffering, PriorityBand, PriorityBands, Strategy, Threadpool};
use zorb_types::{SystemException, SystemExceptionKind, minor};

use super::fixture::{Desk, Side, lane, number, side, side_with};

fn bands(of: &[(i16, i16)]) -> PriorityBands {
    let band = |&(low, high): &(i16, i16)| PriorityBand::new(number(low), number(high)).unwrap();
    PriorityBands::new(of.iter().map(band)).unwrap()
}

/// A client with one connection for each band that it uses.
fn client() -> Side {
    side_with(&[("MaxConnectionsPerEndpoint", "1")])
}

fn pool_without_lanes(server: &Side) -> Threadpool {
    server.pool().without_lanes(lane(0, 1)).create().unwrap()
}

fn banded(desk: &Desk, of: &[(i16, i16)]) -> Desk {
    Desk(desk.0.with_policies(&Policies::new().with(bands(of))).unwrap())
}

/// Makes calls at these priorities, each on its own thread. Returns the number of connections afterwards.
fn connections_after(client: &Side, desk: &Desk, pool: &Threadpool, at: &[i16]) -> usize {
    for &priority in at {
        assert_eq!(client.call(desk, priority, 7).join().unwrap(), Ok(7), "{priority}");
    }
    pool.counts().iter().map(|lane| lane.connections).sum()
}

#[test]
fn each_band_has_connections_of_its_own() {
    let (server, client) = (side(), client());
    let pool = pool_without_lanes(&server);
    let desk = server.desk(&pool, 0, &client);
    assert_eq!(connections_after(&client, &desk, &pool, &[5, 10, 20]), 1, "without bands");
    let there = banded(&desk, &[(0, 10), (11, 30)]);
    assert_eq!(connections_after(&client, &there, &pool, &[0, 5, 10]), 2);
    assert_eq!(connections_after(&client, &there, &pool, &[11, 30, 4]), 3);
    // References with the same bands share their connections.
    let other = banded(&server.desk_again(&desk, &client), &[(0, 10), (11, 30)]);
    assert_eq!(connections_after(&client, &other, &pool, &[3, 12]), 3);
    assert_eq!(server.clerk.wait_for(7).priority, Some(5), "the priority itself is what it was");
}

#[test]
fn bands_are_policies_of_all_levels_of_a_client() {
    let (server, client) = (side(), client());
    let pool = pool_without_lanes(&server);
    let desk = server.desk(&pool, 0, &client);
    let at = |of: &[(i16, i16)]| Policies::new().with(bands(of));
    let connections = || pool.counts()[0].connections;
    let call = |priority, policies: Option<&Policies>| {
        std::thread::scope(|scope| {
            let made = scope.spawn(|| {
                client.rt.current().set_priority(number(priority)).unwrap();
                policies.inspect(|it| client.orb.policy_current().add(it).unwrap());
                desk.serve(1)
            });
            made.join().unwrap()
        })
    };
    call(5, None).unwrap();
    assert_eq!(connections(), 1);
    client.orb.policy_manager().add(&at(&[(0, 9), (10, 40)])).unwrap();
    call(5, None).unwrap();
    call(15, None).unwrap();
    assert_eq!(connections(), 3);
    // Those of a thread are stronger.
    let of_thread = at(&[(0, 40)]);
    call(5, Some(&of_thread)).unwrap();
    call(15, Some(&of_thread)).unwrap();
    assert_eq!(connections(), 4);
    let refused = call(5, Some(&at(&[(6, 40)]))).unwrap_err();
    assert_eq!((refused.kind, refused.minor), (INV_POLICY, minor::inv_policy::NO_BAND));
    // Those of a call take precedence.
    let once = Desk(desk.0.for_call(&at(&[(1, 39)])).unwrap());
    assert_eq!(client.call(&once, 20, 2).join().unwrap(), Ok(2));
    assert_eq!(connections(), 5);
    client.orb.policy_manager().set_policy_overrides(&Policies::new(), SET).unwrap();
    call(5, None).unwrap();
    assert_eq!(connections(), 5, "as it was at first");
}

const INV_POLICY: SystemExceptionKind = SystemExceptionKind::InvPolicy;
const SET: SetOverrideType = SetOverrideType::SetOverride;

/// The reason why a thread of this priority cannot call, determined from the reference and by a call.
fn refused(client: &Side, desk: &Desk, priority: i16) -> (Vec<PolicyType>, SystemExceptionKind) {
    let (rt, object) = (client.rt.clone(), desk.0.clone());
    let asked = std::thread::spawn(move || {
        rt.current().set_priority(number(priority)).unwrap();
        let refused = object.validate_connection().unwrap_err();
        (object.inconsistent_policies().unwrap(), refused.kind)
    });
    asked.join().unwrap()
}

#[test]
fn a_call_that_is_in_no_band_is_not_made() {
    let (server, client) = (side(), client());
    let pool = pool_without_lanes(&server);
    let desk = server.desk(&pool, 0, &client);
    let no_band = (vec![PolicyType::PRIORITY_BANDED_CONNECTION], INV_POLICY);
    let there = banded(&desk, &[(10, 20), (30, 40)]);
    for outside in [0, 9, 21, 29] {
        assert_eq!(refused(&client, &there, outside), no_band, "{outside}");
    }
    assert_eq!(client.call(&there, 15, 1).join().unwrap(), Ok(1));
    assert_eq!(there.0.inconsistent_policies(), Ok(no_band.0.clone()), "this thread has none: 0");
    // A reference without a priority model.
    let plain: Desk = server.orb.root_poa().activate_shared(&server.clerk).unwrap();
    let plain: Desk = client.orb.resolve(&plain.0.to_ior_string()).unwrap();
    assert_eq!(client.call(&plain, 15, 2).join().unwrap(), Ok(2));
    assert_eq!(refused(&client, &banded(&plain, &[(0, 40)]), 15), no_band);
    assert!(PriorityBand::new(number(2), number(1)).is_err());
    assert!(PriorityBands::new([]).is_err());
}

#[test]
fn the_server_can_have_clients_use_bands() {
    let (server, client) = (side(), client());
    let pool = pool_without_lanes(&server);
    let policies = PoaPolicies::new().multiple_ids().with(pool.policy());
    let policies = policies.with(server.rt.client_propagated(number(0)));
    let policies = policies.with(bands(&[(0, 9), (10, 40)]));
    let poa = server.orb.root_poa().create("banded", policies).unwrap();
    let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
    let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
    assert_eq!(desk.0.exposed_policy(), Ok(Some(bands(&[(0, 9), (10, 40)]))));
    assert_eq!(connections_after(&client, &desk, &pool, &[3, 9]), 1);
    assert_eq!(connections_after(&client, &desk, &pool, &[10, 40]), 2);
    // Bands on both sides contradict each other, even if they are equal.
    let both = banded(&desk, &[(0, 9), (10, 40)]);
    let conflict = (vec![PolicyType::PRIORITY_BANDED_CONNECTION], INV_POLICY);
    assert_eq!(refused(&client, &both, 3), conflict);
    assert_eq!(both.0.policy::<PriorityBands>().unwrap_err().kind, INV_POLICY);
}

#[test]
fn a_band_leads_to_a_lane_inside_it() {
    let (server, client) = (side(), client());
    let pool = server.pool().lane(lane(10, 1)).lane(lane(20, 1)).lane(lane(30, 1));
    let pool = pool.create().unwrap();
    let desk = server.desk(&pool, 10, &client);
    // Without bands there is no lane for it.
    assert_eq!(client.call(&desk, 25, 1).join().unwrap().unwrap_err().kind, INV_POLICY);
    let there = banded(&desk, &[(0, 15), (16, 25), (26, 40)]);
    for (id, priority, lane) in [(2, 25, 1), (3, 5, 0), (4, 35, 2), (5, 16, 1)] {
        assert_eq!(client.call(&there, priority, id).join().unwrap(), Ok(id));
        assert_eq!(server.clerk.wait_for(id).priority, Some(priority));
        assert_eq!(pool.counts()[lane].connections, 1);
    }
    // A band without a lane.
    let nowhere = banded(&desk, &[(0, 15), (16, 19)]);
    let none = (vec![PolicyType::PRIORITY_BANDED_CONNECTION], INV_POLICY);
    assert_eq!(refused(&client, &nowhere, 17), none);
    // Where the server declares the priority, it is that of calls.
    let poa = server.poa_named("declared", &pool, server.rt.server_declared(number(30)));
    let declared: Desk = poa.activate_shared(&server.clerk).unwrap();
    let declared: Desk = client.orb.resolve(&declared.0.to_ior_string()).unwrap();
    let fits = banded(&declared, &[(0, 15), (26, 40)]);
    assert_eq!(client.call(&fits, 5, 6).join().unwrap(), Ok(6));
    assert_eq!(server.clerk.wait_for(6).priority, Some(30));
    assert_eq!(refused(&client, &banded(&declared, &[(0, 15)]), 5), none);
}

/// A policy that records the bands that requests declare.
#[derive(Clone, Debug, Default)]
struct Watch(Arc<Mutex<Vec<Option<Vec<u8>>>>>);

impl PartialEq for Watch {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl TypedPolicy for Watch {
    const POLICY_TYPE: PolicyType = PolicyType(0x4558_0001);
    const LEVELS: Levels = Levels::ADAPTER;

    fn write(&self, _: &mut CdrWriter<'_>) -> CdrResult<()> {
        Ok(())
    }

    fn read(_: &mut CdrReader<'_>) -> CdrResult<Self> {
        Ok(Self::default())
    }
}

impl ServerRequestInterceptor for Watch {
    fn around_upcall(&self, info: &mut ServerRequestInfo<'_>) -> Result<(), SystemException> {
        let told = info.request_service_context(ServiceId::RT_CORBA_PRIORITY_RANGE);
        self.0.lock().unwrap().push(told.map(<[u8]>::to_vec));
        info.proceed()
    }
}

#[test]
fn the_first_request_over_a_connection_declares_its_band() {
    let flag = u8::from(cfg!(target_endian = "little"));
    let told = |low: i16, high: i16| {
        let octets = [&[flag, 0][..], &low.to_ne_bytes(), &high.to_ne_bytes()].concat();
        Some(octets)
    };
    // Over connections of one call at a time, and over those that calls share.
    for calls in ["1", "4"] {
        let server = side();
        let client =
            side_with(&[("MaxConnectionsPerEndpoint", "1"), ("MaxCallsPerConnection", calls)]);
        let watch = Watch::default();
        server.orb.add_server_request_interceptor("watch", |policies| {
            Some(Arc::new(policies.value::<Watch>()?.clone()))
        });
        let policies = PoaPolicies::new().multiple_ids().with(watch.clone());
        let policies = policies.with(server.rt.client_propagated(number(0)));
        let poa = server.orb.root_poa().create("watched", policies).unwrap();
        let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
        let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
        let there = banded(&desk, &[(0, 9), (10, 40)]);
        for (id, priority) in [(1, 5), (2, 6), (3, 20), (4, 20), (5, 5)] {
            client.call(&there, priority, id).join().unwrap().unwrap();
        }
        client.call(&desk, 5, 6).join().unwrap().unwrap();
        let seen = std::mem::take(&mut *watch.0.lock().unwrap());
        assert_eq!(seen, [told(0, 9), None, told(10, 40), None, None, None]);
    }
}

/// Locates the object of this reference; the reading thread answers that, not a serving one.
fn is_read(object: &ObjectRef) {
    assert_eq!(object.locate(), Ok(true));
}

#[test]
fn requests_that_wait_are_served_by_priority_unless_they_are_not_to_be() {
    let by_priority = [1, 4, 5, 2, 3];
    for (ordered, order) in
        [(Some(false), [1, 2, 3, 4, 5]), (Some(true), by_priority), (None, by_priority)]
    {
        for declared in [false, true] {
            let (server, client) = (side(), side());
            let room = Buffering { max_requests: 16, max_octets: None };
            let pool = server.pool().without_lanes(lane(0, 1)).buffering(room);
            let pool = match ordered {
                Some(ordered) => pool.by_priority(ordered),
                None => pool,
            };
            let pool = pool.create().unwrap();
            assert_eq!(pool.strategy(), Strategy::HalfSync);
            // If the server declares the priority, calls of other objects declare their bands.
            let object = |name: &str, priority| {
                let model = match declared {
                    true => server.rt.server_declared(number(priority)),
                    false => server.rt.client_propagated(number(0)),
                };
                let poa = server.poa_named(name, &pool, model);
                let desk: Desk = poa.activate_shared(&server.clerk).unwrap();
                let desk: Desk = client.orb.resolve(&desk.0.to_ior_string()).unwrap();
                banded(&desk, &[(0, 9), (10, 40)])
            };
            let (low, high) = (object("low", 5), object("high", 20));
            server.clerk.shut(&[1]);
            let busy = client.call(&low, 5, 1);
            server.clerk.wait_for(1);
            for (desk, priority, ids) in [(&low, 5, [2, 3]), (&high, 20, [4, 5])] {
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        client.rt.current().set_priority(number(priority)).unwrap();
                        ids.iter().for_each(|id| desk.leave(*id).unwrap());
                        is_read(&desk.0);
                    });
                });
            }
            server.clerk.open(1);
            busy.join().unwrap().unwrap();
            for id in order {
                server.clerk.wait_for(id);
            }
            assert_eq!(server.clerk.order(), order, "{ordered:?} {declared}");
        }
    }
}

#[test]
fn the_priority_of_a_request_is_that_of_its_upcall() {
    let (server, client) = (side(), side());
    let room = Buffering { max_requests: 16, max_octets: None };
    let pool = server.pool().without_lanes(lane(0, 1)).buffering(room).create().unwrap();
    // Connections without bands: each object is called by its own ORB.
    let callers: Vec<_> = (0..3).map(|_| side()).collect();
    let object = |name: &str, model, caller: &Side| {
        let desk: Desk =
            server.poa_named(name, &pool, model).activate_shared(&server.clerk).unwrap();
        let desk: Desk = caller.orb.resolve(&desk.0.to_ior_string()).unwrap();
        desk
    };
    let first = object("first", server.rt.client_propagated(number(0)), &client);
    let low = object("low", server.rt.server_declared(number(5)), &callers[0]);
    let middle = object("middle", server.rt.client_propagated(number(10)), &callers[1]);
    let high = object("high", server.rt.server_declared(number(20)), &callers[2]);
    server.clerk.shut(&[1]);
    let busy = client.call(&first, 5, 1);
    server.clerk.wait_for(1);
    std::thread::scope(|scope| {
        // A thread without a priority.
        scope.spawn(|| {
            for (desk, ids) in [(&low, [2, 3]), (&middle, [4, 5]), (&high, [6, 7])] {
                ids.iter().for_each(|id| desk.leave(*id).unwrap());
                is_read(&desk.0);
            }
        });
    });
    server.clerk.open(1);
    busy.join().unwrap().unwrap();
    for id in 1..=7 {
        server.clerk.wait_for(id);
    }
    assert_eq!(server.clerk.order(), [1, 6, 7, 4, 5, 2, 3]);
}
