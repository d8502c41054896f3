//! The errors of calls are read by their layout, and dropped once.

use alloc::string::String;
use alloc::vec::Vec;

use zorb_cdr::{ByteOrder, CdrReader};

use super::release::{Counted, alive};
use super::wire::wire_by_table;
use crate::{Clause, Raised, Results, Table, Tabled, receive, struct_table};

/// An error that no `raises` clause contains.
#[derive(Clone, Debug, PartialEq)]
#[expect(unreachable_pub, reason = "what a public enum is raised with is public")]
pub struct Failure(pub(super) &'static str);

impl Raised for Failure {
    type Other = Self;
    const CLAUSE: Clause<Self> = Clause::none();
}

macro_rules! exceptions {
    ($($name:ident { $($field:ident: $type:ty),* })*) => {$(
        #[derive(Clone, Debug)]
        pub(super) struct $name { $(pub(super) $field: $type),* }

        wire_by_table!($name, 0);

        impl Tabled for $name {
            const TABLE: Table<Self> = struct_table!($name { $($field: $type),* });
        }
    )*};
}

exceptions! {
    Empty {}
    Refused { counted: Counted, code: u32 }
    Long { text: String, value: u64, list: Vec<Counted> }
}

crate::raised!(derive(Clone, Debug) "The errors." => Raises {
    "Nothing." => Empty(Empty) = "IDL:Empty:1.0",
    "A small one." => Refused(Refused) = "IDL:Refused:1.0",
    "A large one." => Long(Long) = "IDL:Long:1.0",
} "Others." => System(Failure));

/// Makes a call which reads what it does, and returns without results.
fn raised(reads: impl FnOnce(&Results<'_, Failure>)) -> Raises {
    let received = receive::<(Counted,), Raises>(|expected| {
        let results = expected.results();
        reads(&results);
        results.end(Ok(()), Failure("missing"))
    });
    received.unwrap_err()
}

fn reader(octets: &[u8]) -> CdrReader<'_> {
    CdrReader::new(octets, ByteOrder::Little)
}

const REFUSED: [u8; 8] = [7, 0, 0, 0, 4, 3, 2, 1];
const LONG: [u8; 24] = [2, 0, 0, 0, b'x', 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 3, 0, 0, 0, 1, 2, 3, 0];

#[test]
fn each_exception_is_its_variant() {
    let read = |id: &str, octets: &[u8]| {
        raised(|results| assert_eq!(results.read_exception(id, &mut reader(octets)), Ok(true)))
    };
    assert!(matches!(read("IDL:Empty:1.0", &[]), Raises::Empty(Empty {})));
    let Raises::Refused(refused) = read("IDL:Refused:1.0", &REFUSED) else { panic!("another") };
    assert_eq!(refused.code, 0x0102_0304);
    let Raises::Long(Long { text, value, list }) = read("IDL:Long:1.0", &LONG) else {
        panic!("another")
    };
    assert_eq!((&*text, value, list.len()), ("x", 0x0102_0304_0506_0708, 3));
    assert_eq!(alive(), 4);
    drop((refused, list));
    assert_eq!(alive(), 0);
}

#[test]
fn others_are_not_raised() {
    let error = raised(|results| {
        assert_eq!(results.read_exception("IDL:Other:1.0", &mut reader(&REFUSED)), Ok(false));
    });
    assert!(matches!(error, Raises::System(Failure("missing"))));
    let none = receive::<(), Failure>(|expected| {
        let results = expected.results();
        assert_eq!(results.read_exception("IDL:Empty:1.0", &mut reader(&[])), Ok(false));
        results.end(Ok(()), Failure("missing"))
    });
    assert_eq!(none, Err(Failure("missing")));
}

#[test]
fn an_exception_that_is_cut_is_dropped() {
    for length in 0..LONG.len() - 1 {
        let error = raised(|results| {
            let mut reader = reader(&LONG[..length]);
            assert!(results.read_exception("IDL:Long:1.0", &mut reader).is_err());
        });
        assert!(matches!(error, Raises::System(Failure("missing"))), "cut at {length}");
        assert_eq!(alive(), 0);
    }
}

#[test]
fn only_what_was_read_last_is_left() {
    let error = raised(|results| {
        results.read(&mut reader(&[1])).unwrap();
        results.read_exception("IDL:Long:1.0", &mut reader(&LONG)).unwrap();
        results.read_exception("IDL:Refused:1.0", &mut reader(&REFUSED)).unwrap();
    });
    assert_eq!(alive(), 1);
    assert!(matches!(error, Raises::Refused(_)));
    let results = receive::<(Counted,), Raises>(|expected| {
        let results = expected.results();
        results.read_exception("IDL:Refused:1.0", &mut reader(&REFUSED)).unwrap();
        results.read(&mut reader(&[1])).unwrap();
        results.end(Ok(()), Failure("missing"))
    });
    assert!(results.is_ok());
    let failed = receive::<(Counted,), Raises>(|expected| {
        let results = expected.results();
        results.read_exception("IDL:Refused:1.0", &mut reader(&REFUSED)).unwrap();
        results.end(Err(Failure("failed")), Failure("missing"))
    });
    assert!(matches!(failed, Err(Raises::System(Failure("failed")))));
    drop((error, results));
    assert_eq!(alive(), 0);
}
