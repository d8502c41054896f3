//! What the driver of a client connection does, and what its server sends.

use zorb_cdr::{ByteOrder, TextCoding};
use zorb_fuzz_smoke::targets::connection::{
    BEGIN, CANCEL, CLOSE, END, RECEIVE, SENT, TIME, TRANSMIT,
};
use zorb_giop::{GiopVersion, LocateStatus, MessageWriter, ReplyStatus, fragments};

use crate::seed;

const ORDER: ByteOrder = ByteOrder::Little;
const VERSION: GiopVersion = GiopVersion::V1_2;
/// Numbers of `BEGIN`, all in GIOP 1.2.
const ONEWAY: u8 = 6;
const TWOWAY: u8 = 7;
const LOCATE: u8 = 8;
const TWOWAY_WITH_DEADLINE: u8 = 133;

fn step(what: u8, number: u8) -> Vec<u8> {
    vec![what, number]
}

fn call(kind: u8) -> Vec<u8> {
    [step(BEGIN, kind), step(SENT, 0)].concat()
}

fn receive(octets: &[u8]) -> Vec<u8> {
    let piece = |piece: &[u8]| [&[RECEIVE, piece.len() as u8], piece].concat();
    octets.chunks(200).flat_map(piece).collect()
}

fn reply(id: u32, size: usize) -> Vec<u8> {
    let mut octets = Vec::new();
    let status = ReplyStatus::NoException;
    let message = MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, &[]);
    let mut message = message.expect("a header");
    message.body(TextCoding::default()).put(&vec![0; size]);
    message.finish().expect("it is small");
    octets
}

fn located(id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let status = LocateStatus::ObjectHere;
    let message = MessageWriter::locate_reply(&mut octets, VERSION, ORDER, id, status);
    message.and_then(MessageWriter::finish).expect("it is small");
    octets
}

pub(crate) fn write() {
    let connection = |name: &str, steps: &[Vec<u8>]| seed("connection", name, steps.concat());
    let mut close = Vec::new();
    MessageWriter::close_connection(&mut close, VERSION, ORDER);
    let mut error = Vec::new();
    MessageWriter::message_error(&mut error, ORDER);
    let (one, other) = (reply(0, 0), reply(2, 16));
    let pieces: Vec<_> = fragments(&reply(0, 64), 32)
        .map(|piece| [piece.header(), piece.payload].concat())
        .collect();

    connection("call", &[call(TWOWAY), receive(&one), step(CLOSE, 0), step(TRANSMIT, 0)]);
    connection("one-way", &[call(ONEWAY), step(END, 0)]);
    connection("locate", &[call(LOCATE), receive(&located(0))]);
    connection("out-of-order", &[call(TWOWAY), call(TWOWAY), receive(&other), receive(&one)]);
    connection("in-fragments", &[call(TWOWAY), receive(&pieces.concat())]);
    connection("late", &[call(TWOWAY), step(CANCEL, 0), step(TRANSMIT, 0), receive(&one)]);
    connection(
        "timed-out",
        &[call(TWOWAY_WITH_DEADLINE), step(TIME, 200), step(TRANSMIT, 0), receive(&one)],
    );
    connection("closed-by-server", &[call(TWOWAY), receive(&close)]);
    connection("closed-in-a-reply", &[call(TWOWAY), receive(&[&pieces[0][..], &close].concat())]);
    connection("message-error", &[call(TWOWAY), receive(&error)]);
    connection("never-asked", &[call(TWOWAY), receive(&reply(4, 0)), step(TRANSMIT, 0)]);
    connection("wrong-kind", &[call(TWOWAY), receive(&located(0))]);
    connection("no-giop", &[call(TWOWAY), receive(b"HTTP/1.1 400"), step(TRANSMIT, 0)]);
}
