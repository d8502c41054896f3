use alloc::vec;
use alloc::vec::Vec;

use zorb_cdr::{
    ByteOrder, CdrErrorKind, CdrReader, CdrResult, CdrWriter, CharSet, TextCoding, ValueHeader,
    WideForm, WideSet,
};

use crate::{Assembler, Discriminator, Label, Number, Plain, Program};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

/// Members of a run: how the assembler gets them, and how they are encoded.
#[derive(Clone, Copy, Debug)]
enum Member {
    Octet,
    Short,
    Long,
    Double,
    Quad,
    Boolean,
    Char,
    Color,
    Money,
    Shorts,
    Doubles,
}

const MEMBERS: [Member; 11] = [
    Member::Octet,
    Member::Short,
    Member::Long,
    Member::Double,
    Member::Quad,
    Member::Boolean,
    Member::Char,
    Member::Color,
    Member::Money,
    Member::Shorts,
    Member::Doubles,
];

impl Member {
    fn tell(self, assembler: &mut Assembler) {
        match self {
            Self::Octet => assembler.number(Number::One, 1),
            Self::Short => assembler.number(Number::Two, 1),
            Self::Long => assembler.number(Number::Four, 1),
            Self::Double => assembler.number(Number::Eight, 1),
            Self::Quad => assembler.number(Number::Sixteen, 1),
            Self::Boolean => assembler.boolean(1),
            Self::Char => assembler.char(1),
            Self::Color => assembler.enumeration(3, 1),
            Self::Money => assembler.packed(5, 1),
            Self::Shorts => assembler.number(Number::Two, 3),
            Self::Doubles => assembler.number(Number::Eight, 2),
        }
    }

    /// The size and the alignment of one number or character.
    fn layout(self) -> (usize, usize) {
        match self {
            Self::Octet | Self::Boolean | Self::Char => (1, 1),
            Self::Short | Self::Shorts => (2, 2),
            Self::Long | Self::Color => (4, 4),
            Self::Double | Self::Doubles => (8, 8),
            Self::Quad => (16, 8),
            Self::Money => (3, 1),
        }
    }

    fn write(self, seed: u64, writer: &mut CdrWriter<'_>) {
        let [low, ..] = seed.to_le_bytes();
        let short = u16::from_le_bytes([low, 0xa5]);
        match self {
            Self::Octet => writer.write_u8(low),
            Self::Short => writer.write_u16(short),
            Self::Long => writer.write_u32(0x0102_0300 | u32::from(low)),
            Self::Double => writer.write_u64(0x0102_0304_0506_0700 | u64::from(low)),
            Self::Quad => {
                writer.align(8);
                let number = u128::from(seed) << 64 | 0x1122_3344_5566_7788;
                match writer.order() {
                    ByteOrder::Big => writer.put(&number.to_be_bytes()),
                    ByteOrder::Little => writer.put(&number.to_le_bytes()),
                }
            }
            Self::Boolean => writer.write_bool(low & 1 == 1),
            Self::Char => writer.write_u8(b'a' + low % 26),
            Self::Color => writer.write_u32(u32::from(low % 3)),
            Self::Money => writer.put(&[0x12, 0x34, if low & 1 == 1 { 0x5c } else { 0x5d }]),
            Self::Shorts => (0..3).for_each(|step| writer.write_u16(short.wrapping_add(step))),
            Self::Doubles => (0..2).for_each(|step| writer.write_u64(seed ^ step)),
        }
    }
}

/// A program for a sequence of a struct.
fn sequence_of(members: &[Member]) -> (Program, Label) {
    let mut assembler = Assembler::new();
    let (list, element) = (assembler.label(), assembler.label());
    assembler.begin(list);
    assembler.sequence(u32::MAX, element);
    assembler.begin(element);
    members.iter().for_each(|member| member.tell(&mut assembler));
    (assembler.finish().unwrap(), list)
}

/// The octets of such a sequence at the offset `start`.
fn octets_of(members: &[Member], count: u32, order: ByteOrder, start: usize) -> Vec<u8> {
    let mut buffer = vec![0; start];
    let mut writer = CdrWriter::resume(&mut buffer, order);
    writer.write_u32(count);
    for seed in 0..u64::from(count) {
        members.iter().for_each(|member| member.write(seed, &mut writer));
    }
    buffer.split_off(start)
}

fn copied(
    (program, label): &(Program, Label),
    octets: &[u8],
    (from, start): (ByteOrder, usize),
    (to, target): (ByteOrder, usize),
) -> CdrResult<Vec<u8>> {
    let mut buffer = vec![0; target];
    let mut reader = CdrReader::new(octets, from).with_origin(start);
    program.copy(*label, &mut reader, &mut CdrWriter::resume(&mut buffer, to), &mut Plain)?;
    assert_eq!(reader.remaining(), 0);
    let mut reader = CdrReader::new(octets, from).with_origin(start);
    program.skip(*label, &mut reader, &mut Plain)?;
    assert_eq!(reader.remaining(), 0);
    Ok(buffer.split_off(target))
}

/// Structs of one to five members, in which every pair of adjacent members occurs.
fn structs() -> Vec<Vec<Member>> {
    let mut all: Vec<Vec<Member>> = Vec::new();
    for first in MEMBERS {
        all.push(vec![first]);
        for second in MEMBERS {
            all.push(vec![first, second]);
            all.push(vec![second, Member::Octet, first, Member::Long, second]);
        }
    }
    all
}

#[test]
fn runs_are_copied_in_every_byte_order_and_at_every_offset() {
    for members in structs() {
        let program = sequence_of(&members);
        for count in [0, 1, 2, 5] {
            for from in ORDERS {
                for start in 0..8 {
                    let octets = octets_of(&members, count, from, start);
                    for to in ORDERS {
                        for target in 0..8 {
                            let expected = octets_of(&members, count, to, target);
                            let found = copied(&program, &octets, (from, start), (to, target));
                            assert_eq!(found, Ok(expected), "{members:?} {count} {start} {target}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn equal_values_are_equal_in_every_form() {
    for members in structs() {
        let (program, label) = sequence_of(&members);
        let big = octets_of(&members, 3, ByteOrder::Big, 1);
        let little = octets_of(&members, 3, ByteOrder::Little, 4);
        let equal = |other: &[u8]| {
            let mut left = CdrReader::new(&big, ByteOrder::Big).with_origin(1);
            let mut right = CdrReader::new(other, ByteOrder::Little).with_origin(4);
            program.equal(label, &mut left, &mut right, &mut Plain)
        };
        assert_eq!(equal(&little), Ok(true), "{members:?}");
        let fewer = octets_of(&members, 2, ByteOrder::Little, 4);
        assert_eq!(equal(&fewer), Ok(false));
        let mut other = little.clone();
        if let Some(last) = other.last_mut() {
            *last ^= 1;
        }
        assert_eq!(equal(&other), Ok(false), "{members:?}");
    }
}

#[test]
fn every_truncated_value_is_refused() {
    for members in structs() {
        let program = sequence_of(&members);
        let octets = octets_of(&members, 3, ByteOrder::Big, 4);
        for length in 0..octets.len() {
            let cut = octets.get(..length).unwrap();
            for to in ORDERS {
                let found = copied(&program, cut, (ByteOrder::Big, 4), (to, 0));
                assert!(found.is_err(), "{members:?} {length}");
            }
        }
    }
}

#[test]
fn members_are_checked_at_every_position() {
    let faults = [
        (Member::Boolean, vec![2], CdrErrorKind::BadBoolean),
        (Member::Color, vec![0, 0, 0, 3], CdrErrorKind::BadEnum),
        (Member::Money, vec![0x12, 0x34, 0x5e], CdrErrorKind::BadFixed),
        (Member::Money, vec![0x1a, 0x34, 0x5c], CdrErrorKind::BadFixed),
    ];
    for (member, wrong, kind) in faults {
        for before in 0..3 {
            let members = [Member::Long, member, Member::Octet];
            let program = sequence_of(&members);
            let mut buffer = Vec::new();
            let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
            writer.write_u32(3);
            for index in 0..3 {
                writer.write_u32(7);
                if index == before {
                    writer.put(&wrong);
                } else {
                    member.write(1, &mut writer);
                }
                writer.write_u8(9);
            }
            for to in [(ByteOrder::Big, 0), (ByteOrder::Little, 0), (ByteOrder::Big, 1)] {
                let error = copied(&program, &buffer, (ByteOrder::Big, 0), to).unwrap_err();
                assert_eq!(error.kind, kind, "{member:?} {before}");
            }
        }
    }
}

fn text(char_set: CharSet, wide_form: WideForm) -> TextCoding {
    TextCoding { char_set, wide_set: Some(WideSet::Utf16), wide_form }
}

#[test]
fn text_is_converted_between_code_sets_and_forms() {
    let mut assembler = Assembler::new();
    let label = assembler.label();
    assembler.begin(label);
    assembler.string(5);
    assembler.wstring(u32::MAX);
    assembler.wchar();
    assembler.char(2);
    let program = assembler.finish().unwrap();
    let forms = [
        text(CharSet::Latin1, WideForm::Octets),
        text(CharSet::Utf8, WideForm::Octets),
        text(CharSet::Utf8, WideForm::Units),
    ];
    let encoded = |order, coding, words: &str| {
        let mut buffer = Vec::new();
        let mut writer = CdrWriter::new(&mut buffer, order).with_text(coding);
        writer.write_str(words, u32::MAX).unwrap();
        writer.write_wstring(words, u32::MAX).unwrap();
        writer.write_wchar('é').unwrap();
        writer.write_u8(b'a');
        writer.write_u8(b'b');
        buffer
    };
    for words in ["plain", "grün", ""] {
        for from in forms {
            for to in forms {
                for orders in [ORDERS, [ByteOrder::Big, ByteOrder::Big]] {
                    let octets = encoded(orders[0], from, words);
                    let mut reader = CdrReader::new(&octets, orders[0]).with_text(from);
                    let mut copy = Vec::new();
                    let mut writer = CdrWriter::new(&mut copy, orders[1]).with_text(to);
                    program.copy(label, &mut reader, &mut writer, &mut Plain).unwrap();
                    assert_eq!(copy, encoded(orders[1], to, words), "{words} {from:?} {to:?}");
                }
            }
        }
    }
    let long = encoded(ByteOrder::Big, forms[0], "sechs!");
    let mut reader = CdrReader::new(&long, ByteOrder::Big).with_text(forms[0]);
    let error = program.skip(label, &mut reader, &mut Plain).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::BoundExceeded);
    let mut assembler = Assembler::new();
    let label = assembler.label();
    assembler.begin(label);
    assembler.char(1);
    let program = assembler.finish().unwrap();
    for (from, to, good) in [(0, 0, true), (0, 1, false), (1, 1, false)] {
        let mut reader = CdrReader::new(&[0xe9], ByteOrder::Big).with_text(forms[from]);
        let mut copy = Vec::new();
        let mut writer = CdrWriter::new(&mut copy, ByteOrder::Big).with_text(forms[to]);
        let done = program.copy(label, &mut reader, &mut writer, &mut Plain);
        assert_eq!(done.is_ok(), good, "{from} {to}");
    }
}

#[test]
fn unions_select_their_member_and_recursion_is_limited() {
    // union Tree switch (short) { case 1: sequence<Tree> kids; case -2: octet leaf; default: long l; }
    let mut assembler = Assembler::new();
    let labels: Vec<Label> = (0..4).map(|_| assembler.label()).collect();
    let [tree, kids, leaf, other] = labels[..] else { panic!("four labels") };
    assembler.begin(tree);
    assembler.union(Discriminator::Short, [(1, kids), (-2, leaf), (1, leaf)], Some(other));
    assembler.begin(kids);
    assembler.sequence(u32::MAX, tree);
    assembler.begin(leaf);
    assembler.number(Number::One, 1);
    assembler.begin(other);
    assembler.number(Number::Four, 1);
    let program = (assembler.finish().unwrap(), tree);
    let octets = [
        0, 1, 0, 0, 0, 0, 0, 2, // two kids
        0xff, 0xfe, 7, 0, // a leaf
        0, 1, 0, 0, 0, 0, 0, 1, // one kid
        0, 9, 0, 0, 0, 0, 0, 5, // something else
    ];
    let little = copied(&program, &octets, (ByteOrder::Big, 0), (ByteOrder::Little, 0)).unwrap();
    assert_eq!(little[8..11], [0xfe, 0xff, 7]);
    let back = copied(&program, &little, (ByteOrder::Little, 0), (ByteOrder::Big, 0)).unwrap();
    assert_eq!(back, octets);
    let mut left = CdrReader::new(&octets, ByteOrder::Big);
    let mut right = CdrReader::new(&little, ByteOrder::Little);
    assert_eq!(program.0.equal(tree, &mut left, &mut right, &mut Plain), Ok(true));
    // Nesting without an end.
    let deep = [0, 1, 0, 0, 0, 0, 0, 1].repeat(1000);
    let error = copied(&program, &deep, (ByteOrder::Big, 0), (ByteOrder::Big, 0)).unwrap_err();
    assert_eq!(error.kind, CdrErrorKind::TooDeep);
}

#[test]
fn each_part_of_a_stream_has_its_alignment_base() {
    let members = [Member::Octet, Member::Double];
    let program = sequence_of(&members);
    // A fragment begins after the first element, 12 octets after the start of its message.
    let whole = octets_of(&members, 2, ByteOrder::Big, 0);
    let (first, _) = whole.split_at(16);
    let mut octets = first.to_vec();
    octets.extend([1, 0, 0, 0]);
    octets.extend(&whole[whole.len() - 8..]);
    let parts = [16];
    let mut reader = CdrReader::new(&octets, ByteOrder::Big).with_parts(&parts, 12);
    let mut copy = Vec::new();
    let mut writer = CdrWriter::new(&mut copy, ByteOrder::Big);
    program.0.copy(program.1, &mut reader, &mut writer, &mut Plain).unwrap();
    assert_eq!(reader.remaining(), 0);
    assert_eq!(copy, whole);
}

/// A chunked value, big-endian, with a chunk for each of these primitives of the given alignments.
fn in_chunks(primitives: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut octets = 0x7fff_ff08_u32.to_be_bytes().to_vec();
    for (alignment, primitive) in primitives {
        octets.resize(octets.len().next_multiple_of(4), 0);
        let start = octets.len() + 4;
        let padding = start.next_multiple_of(*alignment) - start;
        octets.extend(u32::try_from(padding + primitive.len()).unwrap().to_be_bytes());
        octets.resize(start + padding, 0);
        octets.extend_from_slice(primitive);
    }
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets.extend([0xff; 4]);
    octets
}

#[test]
fn elements_may_span_chunks_of_a_value() {
    const COUNT: u32 = 3;
    for members in structs() {
        let mut primitives = vec![(4, COUNT.to_be_bytes().to_vec())];
        for (seed, member) in (0..COUNT).flat_map(|seed| members.iter().map(move |it| (seed, it))) {
            let mut octets = Vec::new();
            member.write(u64::from(seed), &mut CdrWriter::new(&mut octets, ByteOrder::Big));
            let (size, alignment) = member.layout();
            primitives.extend(octets.chunks(size).map(|one| (alignment, one.to_vec())));
        }
        let octets = in_chunks(&primitives);
        let (program, label) = sequence_of(&members);
        for order in ORDERS {
            let mut reader = CdrReader::new(&octets, ByteOrder::Big);
            let Ok(ValueHeader::New(tag)) = reader.read_value_header() else { panic!("no value") };
            reader.begin_value(&tag).unwrap();
            let mut copy = Vec::new();
            let mut writer = CdrWriter::new(&mut copy, order);
            program.copy(label, &mut reader, &mut writer, &mut Plain).unwrap();
            reader.end_value(&tag).unwrap();
            assert_eq!(reader.remaining(), 0);
            assert_eq!(copy, octets_of(&members, COUNT, order, 0), "{members:?}");
        }
    }
}

#[test]
fn a_label_without_a_definition_has_no_values() {
    let mut assembler = Assembler::new();
    let label = assembler.label();
    let program = assembler.finish().unwrap();
    let error = program.skip(label, &mut CdrReader::new(&[], ByteOrder::Big), &mut Plain);
    assert_eq!(error.unwrap_err().kind, CdrErrorKind::Unsupported);
}

#[test]
fn types_have_their_traits() {
    let (program, list) = sequence_of(&[Member::Octet, Member::Short]);
    let traits = program.traits(list);
    assert_eq!((traits.alignment, traits.has_text), (4, false));
    let (program, list) = sequence_of(&[Member::Double, Member::Char]);
    let traits = program.traits(list);
    assert_eq!((traits.alignment, traits.has_text), (8, true));
}
