//! Writes of conforming and of hostile peers to shared memory.

use zorb_fuzz_smoke::targets::ring::{
    ADD, BORROW, GIVE_BACK, LEND, RECEIVE, RING, SEND, STEP, WRITE, WRITE_TO_BUFFERS,
};

use crate::seed;

/// Words of the head, counted in double words: the client's ring first.
const TAIL: u16 = 0;
const NAMED: u16 = 1;
const REPLIES_READ: u16 = (1024 + 128) / 8;
const FIRST_NAME: u16 = 2048 / 8;
const TAKEN: u16 = (128 + 8) / 8;

fn step(what: u8, at: u16, number: u64) -> Vec<u8> {
    let step = [&[what][..], &at.to_le_bytes(), &number.to_le_bytes()].concat();
    assert_eq!(step.len(), STEP);
    step
}

fn piece(index: u64, offset: u64, len: u64) -> u64 {
    index << 56 | offset << 28 | len
}

fn name(number: u16, position: u64, piece: u64) -> Vec<u8> {
    let at = FIRST_NAME + 2 * number;
    [step(WRITE, at, position), step(WRITE, at + 1, piece)].concat()
}

/// The number of pieces stands in the upper half of the double word; the lower one is the end.
fn named(count: u64) -> Vec<u8> {
    step(WRITE, NAMED, count << 32)
}

pub(crate) fn write() {
    let ring = RING as u64;
    let client =
        |name: &str, steps: &[Vec<u8>]| seed("ring", name, [&[0][..], &steps.concat()].concat());
    let server =
        |name: &str, steps: &[Vec<u8>]| seed("ring", name, [&[1][..], &steps.concat()].concat());
    let (all, tail) = (step(RECEIVE, 0, ring), |count| step(ADD, TAIL, count));
    client("octets", &[tail(100), all.clone(), tail(ring), all.clone()]);
    client("beyond-the-ring", &[tail(ring + 1), all.clone()]);
    client("backwards", &[tail(10), all.clone(), tail(u64::MAX), all.clone()]);
    client("ended", &[tail(10), step(WRITE, NAMED, 1), all.clone(), all.clone()]);
    let sent = [name(0, 12, piece(1, 64, 2048)), named(1), tail(12), all.clone()].concat();
    client("borrowed", &[sent.clone(), step(BORROW, 0, 2048), step(GIVE_BACK, 0, 0)]);
    client("copied", &[sent.clone(), step(RECEIVE, 0, 2000), all.clone()]);
    let shorter = step(WRITE, FIRST_NAME + 1, piece(1, 64, 10));
    client("shortened", &[sent.clone(), step(RECEIVE, 0, 2000), shorter, all.clone()]);
    client("lent-and-changed", &[sent, step(BORROW, 0, 2048), tail(20), all.clone()]);
    for (case, piece) in [
        ("no-such-buffer", piece(2, 0, 1)),
        ("beyond-the-buffer", piece(1, 4000, 97)),
        ("empty-piece", piece(0, 0, 0)),
        ("noise", u64::MAX),
    ] {
        client(case, &[name(0, 12, piece), named(1), tail(12), all.clone(), all.clone()]);
    }
    client("named-for-later", &[name(0, 500, piece(0, 0, 1)), named(1), tail(12), all.clone()]);
    client("too-many-names", &[named(1 << 31), tail(12), all.clone(), all]);
    let (send, lend) = (step(SEND, 0, 1000), step(LEND, 7, 3000));
    server("replies-read-too-far", &[step(WRITE, REPLIES_READ, u64::MAX), send.clone()]);
    server("full", &[vec![send; 5].concat(), step(SEND, 0, 5000)]);
    server("lent", &[lend.clone(), lend.clone(), step(GIVE_BACK, 0, 0), lend.clone()]);
    let back = |count| step(WRITE_TO_BUFFERS, 0, count);
    server("given-back", &[lend.clone(), back(1), lend.clone(), back(7), lend.clone()]);
    server("taken-too-far", &[step(WRITE, TAKEN, u64::MAX), lend.clone(), lend]);
}
