//! Every property at every level, checked on the sockets: the most specific level that sets it
//! wins.

use std::sync::Arc;

use zorb::poa::PoaPolicies;
use zorb::policy::{ConnectionProperties, Policies};
use zorb::{Interface as _, Orb};

use super::mirror::{Board, Mirror, Posted};
use super::sockets::{Seen, seen};
use super::spy::{Spied, SpyStream};
use super::{Family, protocols, spied};

/// A property of sockets: the option that sets it, if there is one, how a level sets the value for
/// a number, and the expected value of the socket.
struct Row {
    name: &'static str,
    option: &'static str,
    /// The value of the option.
    option_value: &'static str,
    say: fn(&mut ConnectionProperties, u32),
    /// The socket's value for a number; 0 is the option's.
    expected: fn(u32, Family) -> i64,
    read: fn(&Seen) -> i64,
}

fn only_tcp(value: i64, otherwise: i64, family: Family) -> i64 {
    if family == Family::Tcp { value } else { otherwise }
}

fn flag(number: u32) -> bool {
    number.is_multiple_of(2)
}

/// Numbers from 1 on are for levels; 0 is for the option.
const ROWS: [Row; 8] = [
    Row {
        name: "send_buffer",
        option: "SendBuffer",
        option_value: "20000",
        say: |it, number| it.send_buffer = Some(20_000 + 1000 * number),
        expected: |number, _| i64::from(2 * (20_000 + 1000 * number)),
        read: |seen| seen.send_buffer as i64,
    },
    Row {
        name: "receive_buffer",
        option: "ReceiveBuffer",
        option_value: "20000",
        say: |it, number| it.receive_buffer = Some(20_000 + 1000 * number),
        expected: |number, _| i64::from(2 * (20_000 + 1000 * number)),
        read: |seen| seen.receive_buffer as i64,
    },
    Row {
        name: "no_delay",
        option: "NoDelay",
        option_value: "yes",
        say: |it, number| it.no_delay = Some(flag(number)),
        expected: |number, family| only_tcp(i64::from(flag(number)), -1, family),
        read: |seen| seen.no_delay.map_or(-1, i64::from),
    },
    Row {
        name: "keep_alive",
        option: "KeepAlive",
        option_value: "yes",
        say: |it, number| it.keep_alive = Some(flag(number)),
        expected: |number, family| only_tcp(i64::from(flag(number)), 0, family),
        read: |seen| i64::from(seen.keep_alive),
    },
    Row {
        name: "dont_route",
        option: "DontRoute",
        option_value: "yes",
        say: |it, number| it.dont_route = Some(flag(number)),
        expected: |number, family| only_tcp(i64::from(flag(number)), 0, family),
        read: |seen| i64::from(seen.dont_route),
    },
    Row {
        name: "dscp",
        option: "Dscp",
        option_value: "8",
        say: |it, number| it.dscp = Some(8 + number as u8),
        expected: |number, family| only_tcp(i64::from((8 + number) << 2), -1, family),
        read: |seen| seen.class.map_or(-1, i64::from),
    },
    Row {
        name: "socket_priority",
        option: "SocketPriority",
        option_value: "1",
        say: |it, number| it.socket_priority = Some(1 + number),
        expected: |number, family| only_tcp(i64::from(1 + number), 0, family),
        read: |seen| i64::from(seen.priority),
    },
    Row {
        name: "pacing_rate",
        option: "PacingRate",
        option_value: "1048576",
        say: |it, number| it.pacing_rate = Some((1 << 20) + u64::from(number)),
        expected: |number, family| only_tcp((1 << 20) + i64::from(number), -1, family),
        read: |seen| seen.pacing.map_or(-1, |rate| rate as i64),
    },
];

impl Row {
    fn policies(&self, number: u32) -> Policies {
        let mut properties = ConnectionProperties::default();
        (self.say)(&mut properties, number);
        Policies::new().with(properties)
    }

    /// Checks the socket against the value for this number.
    fn check(&self, stream: &SpyStream, number: u32, family: Family, what: &str) {
        let found = (self.read)(&seen(stream).unwrap());
        assert_eq!(found, (self.expected)(number, family), "{}, {what}", self.name);
    }
}

/// One transport for each kind of socket; the layers above make no difference.
fn kinds() -> impl Iterator<Item = (&'static str, Family)> {
    protocols().filter(|(url, _)| ["iiop://127", "uiop://"].iter().any(|it| url.starts_with(it)))
}

fn orb(url: &str, row: &Row, listens: bool) -> (Orb, Arc<Spied>) {
    let (builder, spied) = spied(url);
    let builder = builder.option(row.option, row.option_value);
    let builder = if listens { builder.listen(url) } else { builder };
    (builder.build().unwrap(), spied)
}

/// Call, reference, thread and ORB, the most specific first; then the option.
#[test]
fn clients_use_the_most_specific_level() {
    for (url, family) in kinds() {
        for row in ROWS {
            let (server, _) = orb(url, &row, true);
            let (servant, board) = Board::new();
            let object: Mirror = server.root_poa().activate(servant).unwrap();
            let text = object.as_object().to_ior_string();
            for levels in 0..1_u32 << 4 {
                let (client, calling) = orb(url, &row, false);
                let has = |level: u32| levels & (1 << (level - 1)) != 0;
                let mut there: Mirror = client.resolve(&text).unwrap();
                if has(2) {
                    let own = there.as_object().with_policies(&row.policies(2)).unwrap();
                    there = own.unchecked_narrow();
                }
                if has(3) {
                    client.policy_current().add(&row.policies(3)).unwrap();
                }
                if has(4) {
                    client.policy_manager().add(&row.policies(4)).unwrap();
                }
                if has(1) {
                    let call = there.as_object().for_call(&row.policies(1)).unwrap();
                    there = call.unchecked_narrow();
                }
                board.first_call(&there, url);
                let strongest = (1..=4).find(|level| has(*level)).unwrap_or(0);
                let what = format!("{url}, levels {levels:04b}");
                row.check(&calling.connected(), strongest, family, &what);
                client.shutdown(true).unwrap();
            }
            server.shutdown(true).unwrap();
        }
    }
}

/// Object, adapter and ORB, the most specific first; then the option.
#[test]
fn servers_use_the_most_specific_level() {
    for (url, family) in kinds() {
        for row in ROWS {
            for levels in 0..1_u32 << 3 {
                let (server, serving) = orb(url, &row, true);
                let has = |level: u32| levels & (1 << (level - 1)) != 0;
                let said =
                    |level: u32| if has(level) { row.policies(level) } else { Policies::new() };
                server.policy_manager().add(&said(3)).unwrap();
                let mut policies = PoaPolicies::new();
                policies.others = said(2);
                let poa = server.root_poa().create("adapter", policies).unwrap();
                let (servant, board): (Board, Posted) = Board::new();
                let object: Mirror =
                    poa.activate_with_policies(&Arc::new(servant), None, &said(1)).unwrap();
                let (client, _) = orb(url, &row, false);
                let there: Mirror = client.resolve(&object.as_object().to_ior_string()).unwrap();
                board.first_call(&there, url);
                let strongest = (1..=3).find(|level| has(*level)).unwrap_or(0);
                let what = format!("{url}, levels {levels:03b}");
                row.check(&serving.accepted(), strongest, family, &what);
                client.shutdown(true).unwrap();
                server.shutdown(true).unwrap();
            }
        }
    }
}
