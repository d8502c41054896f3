//! The allocations of valuetypes: written to a buffer with room, and read.

use zorb::Value;
use zorb::codegen::{self, CdrReader, CdrWriter, Wire};
use zorb_cdr::ByteOrder;
use zorb_os::alloc::AllocationCount;

/// A value of members of fixed size.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    number: i32,
    ratio: f64,
}
codegen::valuetype!(Sample, "IDL:costs/Sample:1.0", "Sample", [], {
    number: i32 = "number" Public, ratio: f64 = "ratio" Public,
});

/// A value that comes in chunks.
#[derive(Clone, Debug, PartialEq)]
struct Precise {
    base: Sample,
    error: f64,
}
codegen::valuetype!(Precise: Sample, "IDL:costs/Precise:1.0", "Precise", truncatable to [Sample],
    [Sample], { error: f64 = "error" Public });

/// A box.
#[derive(Clone, Debug, PartialEq)]
struct Label(i64);
codegen::value_box!(Label, "IDL:costs/Label:1.0", "Label", i64);

/// Allocations of writing and of reading.
fn count<T: Wire>(value: &T::View) -> [u64; 2] {
    let mut octets = Vec::with_capacity(1024);
    let allocations = |work: &mut dyn FnMut()| {
        work();
        let before = AllocationCount::this_thread();
        work();
        AllocationCount::this_thread().since(before).allocations
    };
    let written = allocations(&mut || {
        octets.clear();
        T::write(value, &mut CdrWriter::new(&mut octets, ByteOrder::NATIVE)).unwrap();
    });
    let read = allocations(&mut || {
        drop(T::read(&mut CdrReader::new(&octets, ByteOrder::NATIVE)).unwrap());
    });
    [written, read]
}

#[test]
fn a_value_allocates_what_its_identity_needs() {
    let _alone = crate::alone();
    let sample = || Value::new(Sample { number: 1, ratio: 0.5 });
    let precise = || Value::new(Precise { base: Sample { number: 1, ratio: 0.5 }, error: 0.1 });
    let counts = [
        count::<Value<Sample>>(&None),
        count::<Value<Sample>>(&Some(sample())),
        count::<Value<Label>>(&Some(Value::new(Label(1)))),
        count::<Value<Precise>>(&Some(precise())),
    ];
    assert_eq!(counts, [NULL, FIXED, FIXED, CHUNKED], "null, fixed size, a box, chunks");
    // A value that is there before costs nothing more to write or to read.
    let shared = sample();
    let twice = [Some(shared.clone()), Some(shared)];
    assert_eq!(count::<[Value<Sample>; 2]>(&twice), FIXED, "shared");
}

const NULL: [u64; 2] = [0, 0];
/// Writing allocates the box of the tables of values, which writers of programs without values do not link.
const FIXED: [u64; 2] = [5, 5];
const CHUNKED: [u64; 2] = [7, 6];
