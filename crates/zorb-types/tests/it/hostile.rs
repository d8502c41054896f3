//! A deterministic, bounded fuzz run, and the memory that hostile octets can allocate.

mod checks;
#[path = "../../../zorb-cdr/tests/it/hostile/generator.rs"]
mod generator;

use checks::{check_any, check_type_code};
use generator::Generator;
use zorb_cdr::{ByteOrder, CdrReader, CdrWriter, Wire};
use zorb_types::{Any, Layout, TypeCode};

/// Captured replies, after an octet that selects the settings of the checks.
fn seeds() -> Vec<Vec<u8>> {
    include_str!("../golden/replies.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let little = line.contains(" le ");
            let hex = line.rsplit(' ').next().unwrap_or_default();
            let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex");
            std::iter::once(u8::from(little)).chain((0..hex.len()).step_by(2).map(digits)).collect()
        })
        .collect()
}

#[test]
fn the_seeds_themselves_pass() {
    let mut decoded = 0;
    for seed in seeds() {
        check_any(&seed);
        check_type_code(&seed);
        let mut reader = CdrReader::new(&seed[1..], ByteOrder::from_flag(seed[0]));
        decoded += usize::from(TypeCode::read(&mut reader).is_ok());
    }
    assert_eq!(decoded, 50);
}

#[test]
fn random_and_corrupted_octets_do_no_harm() {
    let seeds = seeds();
    let mut generator = Generator::new(0x5a42);
    for _ in 0..5_000 {
        let random = generator.random(96);
        check_type_code(&random);
        check_any(&random);
        let seed = generator.below(seeds.len());
        let spoiled = generator.corrupt(&seeds[seed]);
        check_type_code(&spoiled);
        check_any(&spoiled);
    }
}

/// The most memory in use at once while `T` is read from `octets`.
fn peak<T: Wire>(octets: &[u8], order: ByteOrder) -> u64 {
    allocation_counter::measure(|| {
        let _ = T::read(&mut CdrReader::new(octets, order));
    })
    .bytes_max
}

#[test]
fn memory_is_bounded_by_the_octets() {
    let mut generator = Generator::new(7);
    let seeds = seeds();
    for _ in 0..2_000 {
        let seed = generator.below(seeds.len());
        let spoiled = generator.corrupt(&seeds[seed]);
        let Some((&flag, octets)) = spoiled.split_first() else { continue };
        let limit = 32 * octets.len() as u64 + 512;
        assert!(peak::<TypeCode>(octets, ByteOrder::from_flag(flag)) <= limit);
        // For the smallest types, the program is about as large as all the rest.
        let table = 512;
        assert!(peak::<Any>(octets, ByteOrder::from_flag(flag)) <= limit + limit / 4 + table);
    }
}

/// A TypeCode of a struct with `count` members of minimal size.
fn wide(count: u32, member: fn(&mut CdrWriter<'_>)) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
    writer.write_u32(15);
    writer
        .write_encapsulation(|inner| {
            inner.write_latin1("")?;
            inner.write_latin1("")?;
            inner.write_u32(count);
            for _ in 0..count {
                inner.write_latin1("")?;
                member(inner);
            }
            Ok(())
        })
        .expect("a struct");
    octets
}

#[test]
fn the_most_expensive_type_codes_stay_within_the_documented_factor() {
    let long: fn(&mut CdrWriter<'_>) = |writer| writer.write_u32(3);
    let bounded: fn(&mut CdrWriter<'_>) = |writer| {
        writer.write_u32(18);
        writer.write_u32(9);
    };
    let sequence: fn(&mut CdrWriter<'_>) = |writer| {
        writer.write_u32(19);
        let _ = writer.write_encapsulation(|inner| {
            inner.write_u32(3);
            inner.write_u32(0);
            Ok(())
        });
    };
    let native: fn(&mut CdrWriter<'_>) = |writer| {
        writer.write_u32(31);
        let _ = writer.write_encapsulation(|inner| {
            inner.write_latin1("a")?;
            inner.write_latin1("b")
        });
    };
    for member in [long, bounded, sequence, native] {
        let octets = wide(3_000, member);
        assert!(TypeCode::read(&mut CdrReader::new(&octets, ByteOrder::Big)).is_ok());
        let peak = peak::<TypeCode>(&octets, ByteOrder::Big);
        assert!(peak <= 32 * octets.len() as u64, "{}", peak / octets.len() as u64);
    }
}

#[test]
fn the_program_of_a_type_is_bounded_by_its_octets() {
    let of = |octets: &[u8]| {
        let type_code =
            TypeCode::read(&mut CdrReader::new(octets, ByteOrder::Big)).expect("a type");
        allocation_counter::measure(|| {
            std::hint::black_box(Layout::of(&type_code));
        })
        .bytes_max
    };
    // A struct whose members all have the same struct type: 16 octets each, for 30 members.
    let same = |count: u32| {
        let mut octets = Vec::new();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::Big);
        writer.write_u32(15);
        writer
            .write_encapsulation(|outer| {
                outer.write_latin1("")?;
                outer.write_latin1("")?;
                outer.write_u32(count);
                outer.write_latin1("")?;
                outer.align(4);
                // The encapsulation begins at 8.
                let first = outer.offset() + 8;
                outer.put(&wide(30, |writer| writer.write_u32(3)));
                for _ in 1..count {
                    outer.write_latin1("")?;
                    outer.write_u32(u32::MAX);
                    let here = outer.offset() + 8;
                    outer.write_u32((first as u32).wrapping_sub(here as u32));
                }
                Ok(())
            })
            .expect("a struct");
        octets
    };
    for octets in [same(2_000), wide(3_000, |writer| writer.write_u32(3)), same(1)] {
        let peak = of(&octets);
        assert!(peak <= 32 * octets.len() as u64 + 2048, "{peak} for {}", octets.len());
    }
}

#[test]
fn a_small_type_code_does_not_cause_much_work() {
    // A sequence of structs with very many members, all but one of which would have no octets: IDL has
    // no such types, and they are refused.
    let octets = wide(1_000, |writer| {
        writer.write_u32(15);
        let _ = writer.write_encapsulation(|inner| {
            inner.write_latin1("")?;
            inner.write_latin1("")?;
            inner.write_u32(0);
            Ok(())
        });
    });
    assert!(TypeCode::read(&mut CdrReader::new(&octets, ByteOrder::Big)).is_err());
}
