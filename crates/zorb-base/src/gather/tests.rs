use std::cell::Cell;
use std::io;

use zorb_cdr::{ByteOrder, CdrErrorKind, CdrWriter, Gathered, Octets, TextCoding, Wire};
use zorb_giop::{GiopVersion, MessageWriter, ReplyStatus};

use super::{Gather, Tail, WriteBody, is_body_changed, is_out_of_memory};

fn written(threshold: usize, write: WriteBody<'_>) -> (Vec<u8>, Option<Tail>) {
    let mut buffer = Vec::new();
    let (version, order) = (GiopVersion::V1_2, ByteOrder::NATIVE);
    let status = ReplyStatus::NoException;
    let message = MessageWriter::reply(&mut buffer, version, order, 7, status, &[]).unwrap();
    let mut gather = Gather::runs_from(threshold);
    gather.write_body(message, TextCoding::default(), write).unwrap();
    (buffer, gather.tail())
}

/// The message sent without and with a threshold, and whether it was gathered.
fn sent(write: WriteBody<'_>) -> (Vec<u8>, Vec<u8>, bool) {
    let (copied, none) = written(usize::MAX, write);
    assert_eq!(none, None);
    let (mut buffer, tail) = written(100, write);
    let Some(tail) = tail else { return (copied, buffer, false) };
    let mut gathered = Vec::new();
    let outcome = tail.send(&mut buffer, TextCoding::default(), write, &mut |parts, what| {
        assert_eq!((parts.len(), what), (2, Gathered::Run));
        assert!(gathered.is_empty(), "sent once");
        parts.iter().for_each(|part| gathered.extend_from_slice(part));
        Ok(())
    });
    outcome.unwrap();
    assert_eq!(tail.message_size(), gathered.len());
    (copied, gathered, true)
}

#[test]
fn a_long_run_at_the_end_is_gathered() {
    let octets = vec![1_u8; 200];
    let numbers: Vec<f64> = (0..50).map(f64::from).collect();
    let write_octets = |writer: &mut CdrWriter<'_>| {
        String::write("first", writer)?;
        Octets::write(&octets, writer)
    };
    let write_numbers = |writer: &mut CdrWriter<'_>| <Vec<f64>>::write(&numbers, writer);
    for write in [&write_octets as WriteBody<'_>, &write_numbers] {
        let (copied, gathered, was_gathered) = sent(write);
        assert!(was_gathered);
        assert_eq!(copied, gathered);
    }
}

#[test]
fn the_encoding_of_a_value_is_gathered_as_no_run() {
    let octets = vec![1_u8; 200];
    let write = |writer: &mut CdrWriter<'_>| writer.put_many(&octets, Gathered::Value, "any");
    let (mut buffer, tail) = written(100, &write);
    let mut sent = Vec::new();
    let outcome =
        tail.unwrap().send(&mut buffer, TextCoding::default(), &write, &mut |parts, what| {
            assert_eq!((parts.len(), what), (2, Gathered::Value));
            parts.iter().for_each(|part| sent.extend_from_slice(part));
            Ok(())
        });
    outcome.unwrap();
    assert_eq!(sent, written(usize::MAX, &write).0);
    // If it is a run the second time, nothing is sent.
    let run = |writer: &mut CdrWriter<'_>| writer.put_many(&octets, Gathered::Run, "any");
    let (mut buffer, tail) = written(100, &write);
    let sent = tail.unwrap().send(&mut buffer, TextCoding::default(), &run, &mut |_, _| Ok(()));
    assert!(is_body_changed(&sent.unwrap_err()));
}

#[test]
fn other_runs_are_copied() {
    let octets = vec![1_u8; 200];
    let short = |writer: &mut CdrWriter<'_>| Octets::write(&octets[..99], writer);
    let followed = |writer: &mut CdrWriter<'_>| {
        u8::write(&1, writer)?;
        Octets::write(&octets, writer)?;
        u32::write(&2, writer)
    };
    let two = |writer: &mut CdrWriter<'_>| {
        Octets::write(&octets, writer)?;
        Octets::write(&octets, writer)
    };
    let enclosed = |writer: &mut CdrWriter<'_>| {
        writer.write_encapsulation(|inner| Octets::write(&octets, inner))
    };
    for write in [&short as WriteBody<'_>, &followed, &two, &enclosed] {
        let (copied, sent, gathered) = sent(write);
        assert!(!gathered);
        assert_eq!(copied, sent);
    }
}

#[test]
fn a_gathered_run_is_not_copied() {
    let octets = vec![1_u8; 200];
    let write = |writer: &mut CdrWriter<'_>| Octets::write(&octets, writer);
    let (mut buffer, tail) = written(100, &write);
    assert!(buffer.len() < octets.len());
    let mut is_borrowed = false;
    let sent = tail.unwrap().send(&mut buffer, TextCoding::default(), &write, &mut |parts, _| {
        is_borrowed = std::ptr::eq(parts[1].as_ptr(), octets.as_ptr());
        Ok(())
    });
    sent.unwrap();
    assert!(is_borrowed);
}

#[test]
fn a_failed_send_is_reported_once() {
    let octets = vec![1_u8; 200];
    let write = |writer: &mut CdrWriter<'_>| Octets::write(&octets, writer);
    let (mut buffer, tail) = written(100, &write);
    let tail = tail.unwrap();
    let broken = tail.send(&mut buffer, TextCoding::default(), &write, &mut |_, _| {
        Err(io::ErrorKind::BrokenPipe.into())
    });
    assert_eq!(broken.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    // A closure that writes something else in the second pass sends nothing.
    let other = |writer: &mut CdrWriter<'_>| Octets::write(&octets[1..], writer);
    let changed = tail.send(&mut buffer, TextCoding::default(), &other, &mut |_, _| Ok(()));
    assert!(is_body_changed(&changed.unwrap_err()));
}

#[test]
fn without_memory_for_the_second_pass_nothing_is_sent() {
    let octets = vec![1_u8; 200];
    let passes = Cell::new(0);
    let write = |writer: &mut CdrWriter<'_>| {
        passes.set(passes.get() + 1);
        match passes.get() {
            1 => Octets::write(&octets, writer),
            _ => Err(writer.error(CdrErrorKind::OutOfMemory, "octets")),
        }
    };
    let (mut buffer, tail) = written(100, &write);
    let failed = tail
        .unwrap()
        .send(&mut buffer, TextCoding::default(), &write, &mut |_, _| panic!("nothing is sent"));
    let error = failed.unwrap_err();
    assert!(is_out_of_memory(&error) && !is_body_changed(&error));
    assert!(!is_out_of_memory(&io::ErrorKind::OutOfMemory.into()), "one of the transport");
}

#[test]
fn what_fails_behind_the_run_was_sent() {
    let octets = vec![1_u8; 200];
    let passes = Cell::new(0);
    let write = |writer: &mut CdrWriter<'_>| {
        passes.set(passes.get() + 1);
        Octets::write(&octets, writer)?;
        match passes.get() {
            1 => Ok(()),
            _ => Err(writer.error(CdrErrorKind::OutOfMemory, "octets")),
        }
    };
    let (mut buffer, tail) = written(100, &write);
    let sent = tail.unwrap().send(&mut buffer, TextCoding::default(), &write, &mut |_, _| Ok(()));
    sent.unwrap();
}
