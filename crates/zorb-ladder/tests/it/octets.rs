//! All engines write and read the octets of Zorb's own engine.

use proptest::prelude::*;
use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, Wire};
use zorb_ladder::{Engine, Error, Form, Heap, Type, Workload, encode_dynamically};
use zorb_types::{Any, TypeCode};

use crate::sample::{Random, shapes};

fn forms() -> impl Strategy<Value = Form> {
    (0..16_usize, any::<bool>()).prop_map(|(start, swap)| Form { start, swap })
}

fn order(form: Form) -> ByteOrder {
    match (form.swap, ByteOrder::NATIVE) {
        (false, native) => native,
        (true, ByteOrder::Little) => ByteOrder::Big,
        (true, ByteOrder::Big) => ByteOrder::Little,
    }
}

fn encode(engine: Engine, of: &Type, memory: &[u8], heap: &Heap, form: Form) -> Vec<u8> {
    let mut octets = Vec::new();
    engine.encode(of, memory, heap, form, &mut octets).unwrap();
    octets
}

/// The octets of Zorb's own engine for the value that it finds in octets of the first form.
fn converted(type_code: &TypeCode, octets: &[u8], from: Form, to: Form) -> Vec<u8> {
    let mut reader = CdrReader::new(octets, order(from)).with_origin(from.start);
    let value = Any::read_value(type_code.clone(), &mut reader).unwrap();
    assert_eq!(reader.remaining(), 0);
    let mut buffer = vec![0; to.start];
    value.write_value(&mut CdrWriter::resume(&mut buffer, order(to))).unwrap();
    buffer.split_off(to.start)
}

proptest! {
    #[test]
    fn engines_agree_with_zorbs_own(
        shape in shapes(),
        seed in 1..u64::MAX,
        from in forms(),
        to in forms(),
    ) {
        let (of, mut heap) = (shape.for_engines(), Heap::default());
        let memory = shape.value(&mut heap, &mut Random(seed));
        let octets = encode(Engine::Interp0, &of, &memory, &heap, from);
        let expected = converted(&shape.type_code(), &octets, from, to);
        let blocks = heap.live();
        for engine in Engine::ALL {
            prop_assert_eq!(&encode(engine, &of, &memory, &heap, from), &octets);
            prop_assert_eq!(&encode(engine, &of, &memory, &heap, to), &expected);
            let mut again = Vec::new();
            engine.serve(&of, &octets, from, &mut heap, &mut |memory, heap| {
                again = encode(engine, &of, memory, heap, to);
            }).unwrap();
            prop_assert_eq!(&again, &expected);
            prop_assert_eq!(heap.live(), blocks, "{} frees what it has decoded", engine.name());
        }
        let mut dynamic = Vec::new();
        encode_dynamically(&of, &memory, &mut heap, from, &mut dynamic).unwrap();
        prop_assert_eq!((dynamic, heap.live()), (octets, blocks));
    }

    #[test]
    fn truncated_octets_are_errors_and_leave_nothing_behind(
        shape in shapes(),
        seed in 1..u64::MAX,
        form in forms(),
        cut in any::<prop::sample::Index>(),
    ) {
        let (of, mut heap) = (shape.for_engines(), Heap::default());
        let memory = shape.value(&mut heap, &mut Random(seed));
        let octets = encode(Engine::Interp4, &of, &memory, &heap, form);
        let blocks = heap.live();
        for engine in Engine::ALL {
            let cut = cut.index(octets.len());
            let served = engine.serve(&of, &octets[..cut], form, &mut heap, &mut |_, _| {
                panic!("an upcall without arguments")
            });
            prop_assert_eq!(served, Err(Error::Truncated));
            prop_assert_eq!(heap.live(), blocks);
        }
    }
}

/// What stubs write.
fn written<T: Wire>(value: &T::View) -> Vec<u8> {
    let mut octets = Vec::new();
    T::write(value, &mut CdrWriter::new(&mut octets, ByteOrder::NATIVE)).unwrap();
    octets
}

#[test]
fn sequences_of_numbers_are_those_of_stubs() {
    let expect = |workload: Workload, octets: Vec<u8>| {
        let mut heap = Heap::default();
        let (memory, of) = (workload.value(300, &mut heap).unwrap(), workload.sequence().unwrap());
        for engine in Engine::ALL {
            assert_eq!(encode(engine, &of, &memory, &heap, Form::default()), octets);
        }
    };
    let indexes = 0..300_u32;
    expect(
        Workload::Short,
        written::<Vec<i16>>(&indexes.clone().map(|i| i as i16).collect::<Vec<_>>()),
    );
    expect(
        Workload::Octet,
        written::<Vec<u8>>(&indexes.clone().map(|i| i as u8).collect::<Vec<_>>()),
    );
    let double = |index: u32| f64::from(index) + 0.5;
    expect(Workload::Double, written::<Vec<f64>>(&indexes.map(double).collect::<Vec<_>>()));
}
