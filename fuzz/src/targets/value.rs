//! Values of valuetypes: tags, ids, indirections, chunks, truncation. The first octet chooses the byte
//! order.

use std::sync::OnceLock;

use zorb::value::ValueRegistry;
use zorb::{Value, ValueBase};
use zorb_cdr::{ByteOrder, CdrReader, CdrResult, CdrWriter, Wire};

use super::{AllocationBound, Target};
use crate::value_idl::fuzz_values::{Link, Numbers, Text, Wide, Wider};

/// Octets read as values that are expected to be of one type or of any, one or many.
pub const TARGET: Target = Target {
    name: "value",
    run: |octets| {
        let Some((choice, body)) = octets.split_first() else { return };
        let order = if choice & 1 == 0 { ByteOrder::Big } else { ByteOrder::Little };
        check::<Value<Link>>(body, order);
        check::<Value<ValueBase>>(body, order);
        check::<Vec<Value<Link>>>(body, order);
    },
    // Four octets may be a value, which is also stored by its offset.
    allocation: AllocationBound { per_octet: 2048, constant: 64 << 10 },
    words: &[
        b"\x7f\xff\xff\0",
        b"\x7f\xff\xff\x02",
        b"\x7f\xff\xff\x08",
        b"\x7f\xff\xff\x0a",
        b"\x7f\xff\xff\x0e",
        b"\xff\xff\xff\xff",
        b"\xff\xff\xff\xfe",
        b"\xff\xff\xff\xf8",
        b"\xff\xff\xff\xf0",
        b"IDL:fuzz.zorb/FuzzValues/Wide:1.0\0",
        b"IDL:fuzz.zorb/FuzzValues/Text:1.0\0",
    ],
};

fn registry() -> &'static ValueRegistry {
    static REGISTRY: OnceLock<ValueRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let registry = ValueRegistry::default();
        registry.register::<Link>();
        registry.register::<Wide>();
        registry.register::<Wider>();
        registry.register::<Text>();
        registry.register::<Numbers>();
        registry
    })
}

fn check<T: Wire>(octets: &[u8], order: ByteOrder) {
    let read = |octets: &[u8]| -> CdrResult<T::Value> {
        T::read(&mut CdrReader::new(octets, order).with_context(registry()))
    };
    let write = |value: &T::Value| -> CdrResult<Vec<u8>> {
        let mut written = Vec::new();
        T::write(T::view(value), &mut CdrWriter::new(&mut written, order)).map(|()| written)
    };
    let Ok(value) = read(octets) else { return };
    let written = write(&value).expect("a decoded value can be encoded");
    let again = read(&written).expect("an encoded value can be decoded");
    let sent_again = write(&again).expect("and sent again");
    assert_eq!(written, sent_again, "values have one encoding");
}
