//! Calls that are sent, waited for, cancelled and timed out in an order that follows from a seed, with a server that
//! answers in any order, not at all, closes and hangs up: each ends once, with its own result or the reason why it has
//! none. With odd seeds, their connection is one for pending calls only; with even ones, calls that wait share it.
//! `PENDING_SEEDS` sets the number of seeds.

use std::net::TcpListener;
use std::time::Duration;

use super::send_twice;
use crate::sharing::{answer, closing, scripted_for, sharing_orb};
use crate::support::builder;
use zorb_core::Pending;
use zorb_giop::{MessageKind, RequestHeader};
use zorb_testkit::read_message;
use zorb_types::{SystemException, SystemExceptionKind};

/// Numbers that follow from a seed (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// The next request; `None` at the end of the stream.
fn next_request(stream: &mut std::net::TcpStream) -> Option<(u32, i32)> {
    loop {
        let (header, message) = read_message(stream).ok()?;
        if header.kind == MessageKind::Request {
            let (request, mut body) = RequestHeader::read(&message, &header).unwrap();
            return Some((request.request_id, body.read_i32().unwrap()));
        }
    }
}

/// Serves connections until it has answered the request -1.
fn serve(listener: &TcpListener, mut chance: Chance) {
    use std::io::Write;
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut held = Vec::new();
        while let Some((id, value)) = next_request(&mut stream) {
            if value == -1 {
                answer_if_open(&mut stream, held.drain(..).chain([(id, value)]).collect());
                // Closing with octets that it has not read would discard the answer.
                while next_request(&mut stream).is_some() {}
                return;
            }
            held.push((id, value));
            match chance.below(40) {
                0 => break,
                1 => {
                    // What it holds was not processed.
                    let _ = stream.write_all(&closing());
                    break;
                }
                2..=5 => drop(held.swap_remove(chance.below(held.len() as u64) as usize)),
                6..=20 => {
                    let at = chance.below(held.len() as u64) as usize;
                    let answered: Vec<_> = held.drain(at..).rev().collect();
                    answer_if_open(&mut stream, answered);
                }
                _ => {}
            }
        }
    }
}

/// Answers, unless the client has closed the connection.
fn answer_if_open(stream: &mut std::net::TcpStream, requests: Vec<(u32, i32)>) {
    let open = stream.try_clone().unwrap();
    let answered = std::panic::catch_unwind(move || {
        let mut open = open;
        answer(&mut open, requests);
    });
    drop(answered);
}

fn check(value: i32, result: Result<i32, SystemException>) {
    use SystemExceptionKind::{CommFailure, Timeout, Transient};
    match result {
        Ok(result) => assert_eq!(result, 2 * value),
        Err(exception) => {
            let expected = matches!(exception.kind, CommFailure | Timeout | Transient);
            assert!(expected, "{exception}");
        }
    }
}

fn run(seed: u64) {
    let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let servers = Chance(chance.below(u64::MAX) | 1);
    let shares = seed.is_multiple_of(2);
    let orb = if shares { sharing_orb() } else { builder().build().unwrap() };
    let (orb, echo, served) = scripted_for(orb, move |listener| serve(&listener, servers));
    let hasty = echo.object().with_timeout(Duration::from_millis(20));
    let (tell, told) = std::sync::mpsc::channel();
    let mut called_back = 0;
    let mut pending: Vec<(i32, Pending<i32, SystemException>)> = Vec::new();
    for value in 0..200 {
        let at = chance.below(pending.len() as u64 + 1) as usize;
        match chance.below(8) {
            0 if at < pending.len() => drop(pending.swap_remove(at)),
            1 => {
                let tell = tell.clone();
                called_back += 1;
                send_twice(&hasty, value)
                    .on_reply(move |result| tell.send((value, result)).unwrap());
            }
            2 if at < pending.len() => {
                let (value, call) = &mut pending[at];
                if let Some(result) = call.try_take() {
                    check(*value, result);
                    drop(pending.swap_remove(at));
                }
            }
            3 if at < pending.len() => {
                let (value, call) = pending.swap_remove(at);
                check(value, call.wait());
            }
            4 if shares => check(
                value,
                zorb_core::Interface::with_timeout(&echo, Duration::from_millis(20)).twice(value),
            ),
            _ => pending.push((value, send_twice(&hasty, value))),
        }
    }
    for (value, call) in pending {
        check(value, call.wait());
    }
    drop(tell);
    let results: Vec<_> = told.iter().collect();
    assert_eq!(results.len(), called_back, "each has ended once");
    results.into_iter().for_each(|(value, result)| check(value, result));
    // The server may have closed just before it would get this.
    while send_twice(echo.object(), -1).wait().is_err() {}
    orb.shutdown(true).unwrap();
    served.join().unwrap();
}

#[test]
fn each_call_ends_once_whatever_happens() {
    let seeds = std::env::var("PENDING_SEEDS").ok().and_then(|seeds| seeds.parse().ok());
    (1..=seeds.unwrap_or(6)).for_each(run);
}
