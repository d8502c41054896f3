//! Arguments and results of upcalls are dropped, once, whatever ends the upcall.

extern crate std;

use alloc::vec::Vec;
use core::cell::Cell;
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};

use super::errors::{Failure, Raises, Refused};
use super::release::{Counted, PANIC, alive};
use crate::{Ended, upcall};

/// How the servant ends an upcall.
#[derive(Clone, Copy)]
enum End {
    Results,
    Exception,
    Error,
    Panic,
}

/// The octets of the results or the exception, unless the upcall ends otherwise; `requests` counts the calls of the servant.
fn made(octets: &[u8], end: End, requests: &Cell<u32>) -> Result<Vec<u8>, &'static str> {
    let mut reader = CdrReader::new(octets, ByteOrder::Little);
    upcall::<(Counted, Vec<Counted>), (Vec<Counted>, u8), Raises, _, _>(
        |upcall| {
            let ready = upcall.read(&mut reader).map_err(|_| "unreadable")?;
            assert!(alive() > 0, "there are arguments");
            let mut octets = Vec::new();
            let mut writer = CdrWriter::new(&mut octets, ByteOrder::Little);
            match ready.call() {
                Ended::Returned(returned) => {
                    assert!(!returned.is_empty());
                    returned.source().write(&mut writer).map_err(|_| "unwritable")?;
                }
                Ended::Raised(exception) => {
                    assert_eq!(exception.id(), "IDL:Refused:1.0");
                    exception.write(&mut writer).map_err(|_| "unwritable")?;
                }
                Ended::Other(Failure(reason)) => return Err(reason),
            }
            Ok(octets)
        },
        |(first, rest)| {
            requests.set(requests.get() + 1);
            let results = (rest.iter().chain([first]).cloned().collect(), 7);
            match end {
                End::Results => Ok(results),
                End::Exception => {
                    Err(Raises::Refused(Refused { counted: first.clone(), code: 0x0102_0304 }))
                }
                End::Error => Err(Raises::System(Failure("failed"))),
                End::Panic => resume_unwind(Box::new("the servant panics")),
            }
        },
    )
}

const ARGUMENTS: [u8; 10] = [1, 0, 0, 0, 2, 0, 0, 0, 4, 5];

#[test]
fn results_are_written_and_all_is_dropped() {
    let requests = Cell::new(0);
    let written = made(&ARGUMENTS, End::Results, &requests);
    assert_eq!(written.as_deref(), Ok(&[3, 0, 0, 0, 4, 5, 1, 7][..]));
    let raised = made(&ARGUMENTS, End::Exception, &requests).unwrap();
    assert_eq!(raised, b"\x10\0\0\0IDL:Refused:1.0\0\x01\0\0\0\x04\x03\x02\x01");
    assert_eq!(made(&ARGUMENTS, End::Error, &requests), Err("failed"));
    assert_eq!((requests.get(), alive()), (3, 0));
    let panics = catch_unwind(AssertUnwindSafe(|| made(&ARGUMENTS, End::Panic, &requests)));
    assert!(panics.is_err());
    assert_eq!((requests.get(), alive()), (4, 0));
}

#[test]
fn a_servant_is_called_only_with_all_its_arguments() {
    let requests = Cell::new(0);
    for length in 0..ARGUMENTS.len() {
        let cut = made(&ARGUMENTS[..length], End::Results, &requests);
        assert_eq!((cut, alive()), (Err("unreadable"), 0), "cut at {length}");
    }
    let longer = [&ARGUMENTS[..], &[0]].concat();
    assert_eq!(made(&longer, End::Results, &requests), Err("unreadable"));
    let mut panicking = ARGUMENTS;
    panicking[9] = PANIC;
    let panics = catch_unwind(AssertUnwindSafe(|| made(&panicking, End::Results, &requests)));
    assert!(panics.is_err());
    assert_eq!((requests.get(), alive()), (0, 0));
}

#[test]
fn an_upcall_that_is_not_made_drops_nothing() {
    let made =
        upcall::<(Counted,), (Counted,), Failure, _, _>(|_| 7, |(argument,)| Ok(argument.clone()));
    assert_eq!((made, alive()), (7, 0));
}
