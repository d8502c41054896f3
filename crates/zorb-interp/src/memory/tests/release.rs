//! What has been read of a value is dropped, once, if the rest is invalid.

extern crate std;

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Wire};

use super::errors::Failure;
use super::wire::wire_by_table;
use crate::{Space, Tabled, Values, read_value, receive, write_value};

std::thread_local! {
    /// How many counted values the thread has.
    static ALIVE: Cell<i32> = const { Cell::new(0) };
}

pub(super) fn alive() -> i32 {
    ALIVE.with(Cell::get)
}

/// Reading it panics.
pub(super) const PANIC: u8 = 99;

/// A value that is counted, encoded as an octet.
#[derive(Debug)]
pub(super) struct Counted(u8);

impl Counted {
    pub(super) fn new(octet: u8) -> Self {
        ALIVE.with(|alive| alive.set(alive.get() + 1));
        Self(octet)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.with(|alive| alive.set(alive.get() - 1));
    }
}

impl Wire for Counted {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = 1;

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        writer.write_u8(value.0);
        Ok(())
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        match reader.read_u8()? {
            PANIC => resume_unwind(Box::new("reading panics")),
            octet => Ok(Self::new(octet)),
        }
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Tabled for Counted {}

#[derive(Clone, Debug)]
struct Record {
    first: Counted,
    list: Vec<Counted>,
    array: [Counted; 3],
    number: i32,
    lists: Vec<Vec<Counted>>,
    last: String,
}

wire_by_table!(Record, 1);

impl Tabled for Record {
    const TABLE: crate::Table<Self> = crate::struct_table!(Record {
        first: Counted,
        list: Vec<Counted>,
        array: [Counted; 3],
        number: i32,
        lists: Vec<Vec<Counted>>,
        last: String,
    });
}

fn sample() -> Record {
    let list = |count: u8| (0..count).map(Counted::new).collect();
    Record {
        first: Counted::new(1),
        list: list(3),
        array: [Counted::new(4), Counted::new(5), Counted::new(6)],
        number: 7,
        lists: (0..4).map(list).collect(),
        last: String::from("last"),
    }
}

fn octets(value: &Vec<Record>) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Little);
    write_value::<Vec<Record>>(value, &mut writer).unwrap();
    octets
}

#[test]
fn of_values_that_are_cut_anywhere() {
    let octets = octets(&(0..3).map(|_| sample()).collect());
    assert_eq!(alive(), 0);
    let whole = read_value::<Vec<Record>>(&mut CdrReader::new(&octets, ByteOrder::Little)).unwrap();
    assert_eq!(alive(), 3 * 13);
    drop(whole);
    assert_eq!(alive(), 0);
    for length in 0..octets.len() {
        let mut reader = CdrReader::new(&octets[..length], ByteOrder::Little);
        assert!(read_value::<Vec<Record>>(&mut reader).is_err());
        assert_eq!(alive(), 0, "cut at {length}");
    }
}

#[test]
fn of_values_whose_reading_panics_anywhere() {
    let octets = octets(&(0..3).map(|_| sample()).collect());
    let mut panics = 0;
    for at in 0..octets.len() {
        let mut octets = octets.clone();
        octets[at] = PANIC;
        let mut space = Space::<(Vec<Record>,)>::new();
        let mut reader = CdrReader::new(&octets, ByteOrder::Little);
        let read = catch_unwind(AssertUnwindSafe(|| space.read(&mut reader).is_ok()));
        panics += usize::from(read.is_err());
        drop(space);
        assert_eq!(alive(), 0, "octet {at}");
    }
    assert!(panics >= 3 * 13);
}

#[test]
fn of_results_after_which_a_call_panics() {
    let octets = octets(&(0..2).map(|_| sample()).collect());
    let panicked = catch_unwind(|| {
        receive::<(Vec<Record>,), Failure>(|expected| {
            let results = expected.results();
            results.read(&mut CdrReader::new(&octets, ByteOrder::Little)).unwrap();
            assert_eq!(alive(), 2 * 13);
            resume_unwind(Box::new("the call panics"))
        })
        .is_ok()
    });
    assert!(panicked.is_err());
    assert_eq!(alive(), 0);
}

#[test]
fn of_arguments_that_others_follow() {
    let mut octets = octets(&(0..2).map(|_| sample()).collect());
    let mut space = Space::<(Vec<Record>,)>::new();
    space.read(&mut CdrReader::new(&octets, ByteOrder::Little)).unwrap();
    assert_eq!(alive(), 2 * 13);
    drop(space);
    assert_eq!(alive(), 0);
    octets.push(0);
    let mut space = Space::<(Vec<Record>,)>::new();
    assert!(space.read(&mut CdrReader::new(&octets, ByteOrder::Little)).is_err());
    assert_eq!(alive(), 0);
    drop(space);
    assert_eq!(alive(), 0);
}

#[test]
fn of_results() {
    let results = Values::<(Record, Vec<Counted>, Counted)>::new((
        sample(),
        (0..3).map(Counted::new).collect(),
        Counted::new(1),
    ));
    assert_eq!(alive(), 17);
    drop(results);
    assert_eq!(alive(), 0);
}
