//! One-way calls to groups of objects, by multicast within this machine.
//!
//! Groups of IPv6 take an interface that has it. Where there is none, their test is shown as ignored.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::net::{Ipv6Addr, UdpSocket};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use socket2::SockRef;
use support::{Notice, NoticeServant};
use zorb::giop::{GiopLite, ProfileTag};
use zorb::poa::{PoaError, PoaPolicies};
use zorb::protocols::{IiopProtocol, MiopProtocol, MiopSettings};
use zorb::transport::{Composed, ConnectOptions, ListenOptions, Transport};
use zorb::{CompletionStatus, ObjectRef, Orb, OrbBuilder, SystemExceptionKind};

const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let test = |name, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    let name = "groups_of_ipv6_are_reached_too";
    let of_ipv6 = match interface_with_ipv6() {
        Some(interface) => Trial::test(name, move || {
            groups_of_ipv6_are_reached_too(interface);
            Ok(())
        }),
        None => {
            let name = format!("{name} (no interface of this machine has IPv6)");
            Trial::test(name, || Ok(())).with_ignored_flag(true)
        }
    };
    let trials = vec![
        of_ipv6,
        test("one_send_reaches_all_members_everywhere", one_send_reaches_all_members_everywhere),
        test("members_come_and_go", members_come_and_go),
        test("groups_at_one_address_are_told_apart", groups_at_one_address_are_told_apart),
        test(
            "two_way_calls_go_to_the_one_that_takes_them",
            two_way_calls_go_to_the_one_that_takes_them,
        ),
        test(
            "invalid_requests_to_groups_are_refused_before_sending",
            invalid_requests_to_groups_are_refused_before_sending,
        ),
        test(
            "objects_do_not_join_groups_whose_address_a_rule_excludes",
            objects_do_not_join_groups_whose_address_a_rule_excludes,
        ),
        test("garbage_is_counted_and_nothing_else", garbage_is_counted_and_nothing_else),
        test("other_messaging_does_not_go_to_groups", other_messaging_does_not_go_to_groups),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// An ORB whose packets stay in this machine.
fn builder() -> OrbBuilder {
    builder_with(MiopSettings::default()).option("MiopInterface", "127.0.0.1")
}

fn builder_with(options: MiopSettings) -> OrbBuilder {
    let miop = MiopProtocol::with(options);
    let builder = OrbBuilder::new().without_environment();
    builder.protocol(Arc::new(IiopProtocol::new())).protocol(Arc::new(miop))
}

/// Sockets whose ports nobody else gets; members of groups are bound to the addresses of these.
static HOLDERS: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());

/// A group of its own for each test, at a port that nobody has.
fn url(group: u32) -> String {
    let holder = UdpSocket::bind("127.0.0.1:0").unwrap();
    let free = holder.local_addr().unwrap().port();
    HOLDERS.lock().unwrap().push(holder);
    format!("corbaloc:miop:1.0@1.0-zorb-{group}/239.255.80.{group}:{free}")
}

fn group(orb: &Orb, url: &str) -> ObjectRef {
    orb.string_to_object(url).unwrap().unwrap()
}

/// Tells what it is told, and who it is.
struct Member(u32, Sender<(u32, u32, usize)>);

impl NoticeServant for Member {
    fn post(&self, number: u32, data: &[u8]) {
        assert!(data.iter().zip(0_u8..=255).all(|(octet, place)| *octet == place));
        let _ = self.1.send((self.0, number, data.len()));
    }

    fn count(&self) -> zorb::Result<i32> {
        Ok(7)
    }
}

type Posted = Receiver<(u32, u32, usize)>;

/// An ORB with `members` objects in the group.
fn server(url: &str, first: u32, members: u32, posted: &Sender<(u32, u32, usize)>) -> Orb {
    server_of(builder(), url, first, members, posted)
}

fn server_of(
    builder: OrbBuilder,
    url: &str,
    first: u32,
    members: u32,
    posted: &Sender<(u32, u32, usize)>,
) -> Orb {
    let orb = builder.listen("iiop://127.0.0.1:0").build().unwrap();
    let group = group(&orb, url);
    for number in first..first + members {
        let member: Notice = orb.root_poa().activate(Member(number, posted.clone())).unwrap();
        let id = orb.root_poa().id_of(&member).unwrap();
        orb.root_poa().associate(&group, &id).unwrap();
    }
    orb
}

/// Posts until all members have heard of it: any packet may be lost.
fn post(notice: &Notice, number: u32, size: usize, members: &[u32], posted: &Posted) {
    let data: Vec<u8> = (0_u8..=255).cycle().take(size).collect();
    for _ in 0..100 {
        notice.post(number, &data).unwrap();
        let mut heard = Vec::new();
        while heard.len() < members.len() {
            match posted.recv_timeout(LIMIT / 100) {
                Ok((member, found, length)) if found == number => {
                    assert_eq!(length, size.min(length));
                    heard.push(member);
                }
                // One that was posted before, and again.
                Ok(_) => {}
                Err(_) => break,
            }
        }
        heard.sort_unstable();
        if heard == members {
            return;
        }
    }
    panic!("none of 100 messages arrived everywhere");
}

fn one_send_reaches_all_members_everywhere() {
    let url = url(1);
    let (sender, posted) = channel();
    let servers = [server(&url, 0, 2, &sender), server(&url, 2, 1, &sender)];
    let client = builder().build().unwrap();
    let notice: Notice = group(&client, &url).unchecked_narrow();
    // In one packet, in several, with the data sent from where it lies or not.
    for (number, size) in (0..).zip([0, 1, 100, 1400, 5000, 60_000, 80_000]) {
        post(&notice, number, size, &[0, 1, 2], &posted);
    }
    // A member may send to its own group, and gets what it sends.
    let notice: Notice = group(&servers[1], &url).unchecked_narrow();
    post(&notice, 77, 10, &[0, 1, 2], &posted);
    servers.iter().for_each(|orb| orb.shutdown(true).unwrap());
}

/// An interface over which groups of IPv6 are reached: that of the machine itself cannot do it.
fn interface_with_ipv6() -> Option<u32> {
    let all = std::fs::read_to_string("/proc/net/if_inet6").ok()?;
    let numbers = all.lines().filter_map(|line| line.split_whitespace().nth(1));
    let mut numbers = numbers.filter_map(|number| u32::from_str_radix(number, 16).ok());
    numbers.find(|&number| {
        let Ok(socket) = UdpSocket::bind("[::]:0") else { return false };
        socket.join_multicast_v6(&GROUP_OF_IPV6, number).is_ok()
            && SockRef::from(&socket).set_multicast_if_v6(number).is_ok()
            && socket.connect((GROUP_OF_IPV6, 9)).is_ok()
    })
}

const GROUP_OF_IPV6: Ipv6Addr = Ipv6Addr::new(0xff15, 0, 0, 0, 0, 0, 0x5a, 8);

fn groups_of_ipv6_are_reached_too(interface_index: u32) {
    let free = UdpSocket::bind("[::]:0").unwrap().local_addr().unwrap().port();
    let url = format!("corbaloc:miop:1.0@1.0-zorb-8/[{GROUP_OF_IPV6}]:{free}");
    // No hop: nothing leaves this machine.
    let mut settings = MiopSettings::default();
    (settings.hops, settings.interface_index) = (0, interface_index);
    let orb = || builder_with(settings);
    let (sender, posted) = channel();
    let servers = [server_of(orb(), &url, 0, 2, &sender), server_of(orb(), &url, 2, 1, &sender)];
    let client = orb().build().unwrap();
    let notice: Notice = group(&client, &url).unchecked_narrow();
    for (number, size) in (0..).zip([0, 1400, 5000]) {
        post(&notice, number, size, &[0, 1, 2], &posted);
    }
    servers.iter().for_each(|orb| orb.shutdown(true).unwrap());
}

fn members_come_and_go() {
    let url = url(2);
    let (sender, posted) = channel();
    let orb = server(&url, 0, 2, &sender);
    let (poa, whole) = (orb.root_poa(), group(&orb, &url));
    let ids = poa.ids_in(&whole).unwrap();
    assert_eq!(ids.len(), 2);
    let client = builder().build().unwrap();
    let notice: Notice = group(&client, &url).unchecked_narrow();
    post(&notice, 0, 10, &[0, 1], &posted);
    poa.dissociate(&whole, &ids[0]).unwrap();
    assert_eq!(poa.dissociate(&whole, &ids[0]).unwrap_err(), PoaError::ObjectNotActive);
    assert_eq!(poa.ids_in(&whole).unwrap(), [ids[1].clone()]);
    post(&notice, 1, 10, &[1], &posted);
    // References of single objects do not tell of the group, and are no groups.
    let member: Notice = poa.reference(&ids[1]).unwrap();
    let tags: Vec<_> = member.object().ior().profiles.iter().map(|p| p.tag).collect();
    assert_eq!(tags, [ProfileTag::INTERNET_IOP]);
    assert_eq!(poa.associate(member.object(), &ids[1]).unwrap_err(), PoaError::NotAGroupObject);
    let child = poa.create("child", PoaPolicies::new()).unwrap();
    child.destroy();
    for refused in [child.associate(&whole, &ids[0]), child.ids_in(&whole).map(drop)] {
        let Err(PoaError::System(gone)) = refused else { panic!("{refused:?}") };
        assert_eq!(gone.kind, SystemExceptionKind::ObjectNotExist);
    }
    orb.shutdown(true).unwrap();
}

fn objects_do_not_join_groups_whose_address_a_rule_excludes() {
    let url = url(9);
    let joined = |rules| {
        let orb = builder().listen("iiop://127.0.0.1:0").option("PublishRules", rules);
        let orb = orb.build().unwrap();
        let member: Notice = orb.root_poa().activate(Member(0, channel().0)).unwrap();
        let (group, id) = (group(&orb, &url), orb.root_poa().id_of(&member).unwrap());
        let joined = orb.root_poa().associate(&group, &id);
        assert_eq!(orb.root_poa().ids_in(&group).unwrap().len(), usize::from(joined.is_ok()));
        orb.shutdown(true).unwrap();
        joined
    };
    // Rules that allow addresses of servers need not allow those of groups.
    joined("loopback").unwrap();
    joined("-interface=docker*,loopback,239.255.80.9,-239.0.0.0/8").unwrap();
    let PoaError::System(exception) = joined("-239.255.80.0/24,loopback").unwrap_err() else {
        panic!("not a system exception")
    };
    assert_eq!(exception.kind, SystemExceptionKind::Initialize);
    assert_eq!(exception.completed, CompletionStatus::No);
    let text = zorb::Report(&exception).to_string();
    assert!(text.contains("-239.255.80.0/24") && text.contains("PublishRules"), "{text}");
}

fn groups_at_one_address_are_told_apart() {
    let one = url(3);
    let two = one.replace("1.0-zorb-3/", "1.0-zorb-4/");
    let (sender, posted) = channel();
    let orb = server(&one, 0, 1, &sender);
    let other = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let member: Notice = other.root_poa().activate(Member(5, sender)).unwrap();
    let id = other.root_poa().id_of(&member).unwrap();
    other.root_poa().associate(&group(&other, &two), &id).unwrap();
    let client = builder().build().unwrap();
    let [one, two] = [one, two].map(|url| group(&client, &url).unchecked_narrow::<Notice>());
    post(&one, 0, 10, &[0], &posted);
    post(&two, 1, 10, &[5], &posted);
    orb.shutdown(true).unwrap();
    other.shutdown(true).unwrap();
}

fn two_way_calls_go_to_the_one_that_takes_them() {
    let url = url(5);
    let (sender, posted) = channel();
    let orb = server(&url, 0, 1, &sender);
    let member: Notice =
        orb.root_poa().reference(&orb.root_poa().ids_in(&group(&orb, &url)).unwrap()[0]).unwrap();
    orb.publish("leader", &member).unwrap();
    let client = builder().build().unwrap();
    let alone: Notice = group(&client, &url).unchecked_narrow();
    let exception = alone.count().unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::NoImplement);
    assert_eq!(exception.completed, CompletionStatus::No);
    let place = orb.endpoints()[0].trim_start_matches("iiop://").to_owned();
    let url = format!("{url};iiop:1.2@{place}/leader");
    for orb in [&client, &orb] {
        let notice: Notice = group(orb, &url).unchecked_narrow();
        assert_eq!(notice.count().unwrap(), 7);
        post(&notice, 3, 10, &[0], &posted);
    }
    orb.shutdown(true).unwrap();
}

fn invalid_requests_to_groups_are_refused_before_sending() {
    let url = url(6);
    let (sender, posted) = channel();
    let orb = server(&url, 0, 1, &sender);
    let client = builder().build().unwrap();
    let notice: Notice = group(&client, &url).unchecked_narrow();
    let exception = notice.post(1, &vec![0; 2 << 20]).unwrap_err();
    assert_eq!(exception.kind, SystemExceptionKind::ImpLimit);
    assert_eq!(exception.completed, CompletionStatus::No);
    post(&notice, 2, 2, &[0], &posted);
    for bad in [
        "corbaloc:miop:1.0@1.0-zorb-1/127.0.0.1:5000",
        "corbaloc:miop:1.0@1.0-zorb/239.255.80.1:5000",
        "corbaloc:miop:1.0@1.0-zorb-1/",
        "corbaloc:miop:1.0@1.0-zorb-1/239.255.80.1:5000;uiop:/path",
    ] {
        let error = client.string_to_object(bad).unwrap_err();
        assert_eq!(error.system_exception().unwrap().kind, SystemExceptionKind::BadParam, "{bad}");
    }
    orb.shutdown(true).unwrap();
}

fn garbage_is_counted_and_nothing_else() {
    let url = url(7);
    let (sender, posted) = channel();
    let orb = server(&url, 0, 1, &sender);
    let client = builder().build().unwrap();
    let notice: Notice = group(&client, &url).unchecked_narrow();
    let (_, address) = url.rsplit_once('/').unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for garbage in [
        &b""[..],
        b"MIOP",
        b"GIOP\x01\x02\x01\0\0\0\0\0",
        b"MIOP\x10\x02\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\xff",
        b"MIOP\x10\0\0\x01\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\xff",
    ] {
        socket.send_to(garbage, address).unwrap();
    }
    post(&notice, 1, 10, &[0], &posted);
    let counters = orb.protocols().by_scheme("miop").unwrap().counters();
    let counted = |what| counters.iter().find(|(name, _)| *name == what).unwrap().1;
    assert!(counted("requests") >= 1);
    for (what, most) in [("no packet", 3), ("not for a group", 1), ("too large", 0), ("again", 1)] {
        assert!(counted(what) <= most, "{what}");
    }
    orb.shutdown(true).unwrap();
}

/// A request to a group is GIOP; its target is replaced by that of a member.
fn other_messaging_does_not_go_to_groups() {
    let lite = || Composed::new(&GiopLite, MiopProtocol::new(), ProfileTag(0x7a6c_0001));
    let error = format!("{:?}", builder().protocol(Arc::new(lite())).build().unwrap_err());
    assert!(
        error.contains(
            "lite+miop: groups require GIOP: miop cannot carry another messaging protocol"
        ),
        "{error}"
    );
    // Nor where it comes later.
    let transport = lite().into_transport();
    let endpoint = transport.parse_endpoint("lite+miop://239.255.80.8:5000").unwrap();
    let refused = transport.connect(&endpoint, &ConnectOptions::default()).unwrap_err();
    assert!(format!("{refused:?}").contains("groups require GIOP"), "{refused}");
    let listens = transport.listen("lite+miop://239.255.80.8:5000", &ListenOptions::default());
    let refused = listens.unwrap_err();
    assert!(format!("{refused:?}").contains("groups require GIOP"), "{refused}");
}
