//! A deterministic, bounded fuzz run, and the memory that hostile lengths can allocate.

mod checks;
mod generator;

use std::collections::BTreeMap;

use checks::{Node, Nothing, check_values};
use generator::Generator;
use zorb_cdr::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, Wire};

#[test]
fn random_and_corrupted_octets_do_no_harm() {
    let mut generator = Generator::new(0x5a42);
    let mut seed = vec![0x58];
    let mut writer = CdrWriter::new(&mut seed, ByteOrder::Little);
    <Vec<String>>::write(&["one".to_string(), "grün".to_string()], &mut writer).expect("a seed");
    <Vec<Vec<i16>>>::write(&[vec![1, 2], vec![], vec![3]], &mut writer).expect("a seed");
    for _ in 0..10_000 {
        check_values(&generator.random(96));
        check_values(&generator.corrupt(&seed));
    }
}

/// The most memory in use at once while `T` is read from `octets`.
fn peak<T: Wire>(octets: &[u8]) -> u64 {
    allocation_counter::measure(|| {
        let _ = T::read(&mut CdrReader::new(octets, ByteOrder::Big));
    })
    .bytes_max
}

#[test]
fn a_length_allocates_no_more_memory_than_there_are_octets() {
    let mut octets = vec![0; 1 << 20];
    for count in [u32::MAX, 1 << 30, 1 << 20, 1 << 17] {
        octets[..4].copy_from_slice(&count.to_be_bytes());
        let limit = 2 * octets.len() as u64;
        assert!(peak::<Vec<u8>>(&octets) <= limit);
        assert!(peak::<Vec<f64>>(&octets) <= limit);
        assert!(peak::<String>(&octets) <= limit);
        // The first element fails: what was allocated ahead for the others is limited.
        assert!(peak::<Vec<String>>(&octets) <= 1 << 17, "{count}");
    }
}

#[test]
fn lengths_of_nested_sequences_do_not_multiply() {
    // Every node announces as many children as the stream could hold, and has one.
    let size = 1_usize << 20;
    let mut octets = Vec::new();
    while octets.len() < size {
        let announced = u32::try_from((size - octets.len()) / 8 - 1).unwrap_or(0);
        octets.extend(7_u32.to_be_bytes());
        octets.extend(announced.to_be_bytes());
    }
    let error = Node::read(&mut CdrReader::new(&octets, ByteOrder::Big)).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::TooMuchMemory);
    // 64 KiB a level at most.
    assert!(peak::<Node>(&octets) <= 128 << 16);
}

#[test]
fn elements_without_octets_are_read_at_the_end_of_a_message_but_not_without_number() {
    let written = |counts: &[u32]| counts.iter().flat_map(|count| count.to_be_bytes()).collect();
    let read = |octets: Vec<u8>| {
        let mut reader = CdrReader::new(&octets, ByteOrder::Big);
        let read = <Vec<Vec<[Nothing; 3]>>>::read(&mut reader);
        read.map(|lists| lists.iter().map(Vec::len).collect::<Vec<_>>())
    };
    assert_eq!(read(written(&[2, 5, 100_000])), Ok(vec![5, 100_000]));
    for hostile in [vec![1, u32::MAX], [&[100_000][..], &[1000; 100_000]].concat()] {
        let error = read(written(&hostile)).unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::TooMuchMemory);
    }
    let counted = |count: u32| {
        let octets = count.to_be_bytes();
        <BTreeMap<Nothing, Nothing>>::read(&mut CdrReader::new(&octets, ByteOrder::Big))
    };
    assert_eq!(counted(9).map(|map| map.len()), Ok(1));
    assert_eq!(counted(u32::MAX).unwrap_err().kind, CdrErrorKind::TooMuchMemory);
}

#[test]
fn deep_values_stop_at_the_limit() {
    let nested = |depth: usize| {
        let mut octets = Vec::new();
        for level in 1..=depth {
            octets.extend([0, 0, 0, 1]);
            octets.extend(u32::from(level < depth).to_be_bytes());
        }
        Node::read(&mut CdrReader::new(&octets, ByteOrder::Big)).map(drop)
    };
    assert_eq!(nested(128), Ok(()));
    assert_eq!(nested(129).unwrap_err().kind, CdrErrorKind::TooDeep);
    assert_eq!(nested(100_000).unwrap_err().kind, CdrErrorKind::TooDeep);
}
