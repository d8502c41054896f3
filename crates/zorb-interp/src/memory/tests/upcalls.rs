//! Arguments and results of upcalls are dropped, once, whatever ends the upcall.

extern crate std;

use alloc::vec::Vec;
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use zorb_cdr::{ByteOrder, CdrReader, CdrWriter};

use super::release::{Counted, PANIC, alive};
use crate::upcall;

/// How the servant ends an upcall.
#[derive(Clone, Copy)]
enum End {
    Results,
    Error,
    Panic,
}

/// The octets of the results, unless the upcall ends otherwise; `requests` counts the calls of the servant.
fn made(octets: &[u8], end: End, requests: &mut u32) -> Result<Vec<u8>, &'static str> {
    let mut reader = CdrReader::new(octets, ByteOrder::Little);
    upcall::<(Counted, Vec<Counted>), (Vec<Counted>, u8), u32, &'static str, _, _>(
        |upcall| {
            let ready = upcall.read(&mut reader).map_err(|_| "unreadable")?;
            assert!(alive() > 0, "there are arguments");
            let returned = ready.call(requests)?;
            assert!(!returned.is_empty());
            let mut octets = Vec::new();
            let mut writer = CdrWriter::new(&mut octets, ByteOrder::Little);
            returned.source().write(&mut writer).map_err(|_| "unwritable")?;
            Ok(octets)
        },
        |requests, (first, rest)| {
            *requests += 1;
            let results = (rest.iter().chain([first]).cloned().collect(), 7);
            match end {
                End::Results => Ok(results),
                End::Error => Err("raised"),
                End::Panic => resume_unwind(Box::new("the servant panics")),
            }
        },
    )
}

const ARGUMENTS: [u8; 10] = [1, 0, 0, 0, 2, 0, 0, 0, 4, 5];

#[test]
fn results_are_written_and_all_is_dropped() {
    let mut requests = 0;
    let written = made(&ARGUMENTS, End::Results, &mut requests);
    assert_eq!(written.as_deref(), Ok(&[3, 0, 0, 0, 4, 5, 1, 7][..]));
    assert_eq!(made(&ARGUMENTS, End::Error, &mut requests), Err("raised"));
    assert_eq!((requests, alive()), (2, 0));
    let panics = catch_unwind(AssertUnwindSafe(|| made(&ARGUMENTS, End::Panic, &mut requests)));
    assert!(panics.is_err());
    assert_eq!((requests, alive()), (3, 0));
}

#[test]
fn a_servant_is_called_only_with_all_its_arguments() {
    let mut requests = 0;
    for length in 0..ARGUMENTS.len() {
        let cut = made(&ARGUMENTS[..length], End::Results, &mut requests);
        assert_eq!((cut, alive()), (Err("unreadable"), 0), "cut at {length}");
    }
    let longer = [&ARGUMENTS[..], &[0]].concat();
    assert_eq!(made(&longer, End::Results, &mut requests), Err("unreadable"));
    let mut panicking = ARGUMENTS;
    panicking[9] = PANIC;
    let panics = catch_unwind(AssertUnwindSafe(|| made(&panicking, End::Results, &mut requests)));
    assert!(panics.is_err());
    assert_eq!((requests, alive()), (0, 0));
}

#[test]
fn an_upcall_that_is_not_made_drops_nothing() {
    let made = upcall::<(Counted,), (Counted,), u32, (), _, _>(
        |_| 7,
        |_, (argument,)| Ok(argument.clone()),
    );
    assert_eq!((made, alive()), (7, 0));
}
