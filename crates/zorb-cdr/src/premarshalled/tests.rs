use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem::offset_of;

use super::*;
use crate::{ByteOrder, CdrErrorKind, CdrReader, CharSet, TextCoding, Wire};

#[derive(Clone, Debug, PartialEq)]
struct Track {
    id: i8,
    name: String,
    height: f64,
    points: Vec<i16>,
    note: String,
    count: i32,
    lists: Vec<Vec<String>>,
    last: u8,
}

impl Track {
    fn new() -> Self {
        Self {
            id: 1,
            name: "first".into(),
            height: 2.5,
            points: vec![1, 2, 3],
            note: String::new(),
            count: -7,
            lists: vec![vec!["a".into()], Vec::new()],
            last: 9,
        }
    }
}

macro_rules! members {
    ($($field:ident: $type:ty,)*) => {
        impl Wire for Track {
            type Value = Self;
            type View = Self;
            type Borrowed<'a> = Self;
            const MIN_SIZE: usize = 0 $(+ <$type>::MIN_SIZE)*;

            fn view(value: &Self) -> &Self {
                value
            }

            fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
                $(<$type>::write(<$type>::view(&value.$field), writer)?;)*
                Ok(())
            }

            fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
                Ok(Self { $($field: <$type>::read(reader)?),* })
            }

            fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
                Self::read(reader)
            }
        }

        impl Members for Track {
            const MEMBERS: &'static [MemberOf<Self>] = &[$(MemberOf::new::<$type>(
                offset_of!(Self, $field),
                |value, writer| <$type>::write(<$type>::view(&value.$field), writer),
            )),*];
        }
    };
}

members! {
    id: i8,
    name: String,
    height: f64,
    points: Vec<i16>,
    note: String,
    count: i32,
    lists: Vec<Vec<String>>,
    last: u8,
}

/// A struct of 200 members: the first one, and 199 that are alike.
#[derive(Clone, Copy, Debug)]
struct Wide(u8, u8);

impl Wire for Wide {
    type Value = Self;
    type View = Self;
    type Borrowed<'a> = Self;
    const MIN_SIZE: usize = Self::MEMBERS.len();

    fn view(value: &Self) -> &Self {
        value
    }

    fn write(value: &Self, writer: &mut CdrWriter<'_>) -> CdrResult<()> {
        Self::MEMBERS.iter().try_for_each(|member| (member.write)(value, writer))
    }

    fn read(reader: &mut CdrReader<'_>) -> CdrResult<Self> {
        let wide = Self(u8::read(reader)?, u8::read(reader)?);
        (2..Self::MEMBERS.len()).try_for_each(|_| u8::read(reader).map(drop))?;
        Ok(wide)
    }

    fn read_borrowed<'a>(reader: &mut CdrReader<'a>) -> CdrResult<Self> {
        Self::read(reader)
    }
}

impl Members for Wide {
    const MEMBERS: &'static [MemberOf<Self>] = &{
        let other = MemberOf::new::<u8>(offset_of!(Self, 1), |wide: &Self, writer| {
            u8::write(&wide.1, writer)
        });
        let mut members = [other; 200];
        members[0] =
            MemberOf::new::<u8>(offset_of!(Self, 0), |wide, writer| u8::write(&wide.0, writer));
        members
    };
}

/// Where a message is written: octets before the struct, byte order and code set.
type Encoding = (usize, ByteOrder, CharSet);

const NATIVE: Encoding = (24, ByteOrder::NATIVE, CharSet::Utf8);

fn octets(
    (before, order, char_set): Encoding,
    write: impl FnOnce(&mut CdrWriter<'_>) -> CdrResult<()>,
) -> Result<Vec<u8>, CdrErrorKind> {
    let mut octets = vec![0x55; before];
    let text = TextCoding { char_set, ..TextCoding::default() };
    let mut writer = CdrWriter::resume(&mut octets, order).with_text(text);
    write(&mut writer).map_err(|error| error.kind)?;
    Ok(octets)
}

/// The octets of a struct, which are those of its value.
fn written(track: &Premarshalled<Track>, encoding: Encoding) -> Result<Vec<u8>, CdrErrorKind> {
    let expected = octets(encoding, |writer| Track::write(track.value(), writer));
    // A message may be written twice.
    for _ in 0..2 {
        assert_eq!(octets(encoding, |writer| track.write(writer)), expected, "{:?}", track.value());
    }
    expected
}

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }

    fn text(&mut self) -> String {
        let count = self.below(12);
        (0..count).map(|_| ['x', 'y', '\u{e4}'][self.below(3)]).collect()
    }
}

fn change(track: &mut Premarshalled<Track>, numbers: &mut Numbers) {
    match numbers.below(10) {
        0 => *track.member(|track| &mut track.id) = numbers.below(99) as i8,
        1 => *track.member(|track| &mut track.name) = numbers.text(),
        2 => *track.member(|track| &mut track.height) = numbers.below(99) as f64,
        3 => *track.member(|track| &mut track.points) = vec![4; numbers.below(9)],
        4 => *track.member(|track| &mut track.note) = numbers.text(),
        5 => *track.member(|track| &mut track.count) += 1,
        6 => track.member(|track| &mut track.lists).push(vec![numbers.text()]),
        7 => *track.member(|track| &mut track.last) = numbers.below(99) as u8,
        8 => match track.value().points.is_empty() {
            true => track.member(|track| &mut track.points).push(1),
            // Of the memory of a sequence.
            false => *track.member(|track| &mut track.points[0]) += 1,
        },
        _ => track.value_mut().lists.clear(),
    }
}

#[test]
fn octets_are_those_of_the_value_after_any_changes() {
    let mut numbers = Numbers(17);
    let mut track = Premarshalled::new(Track::new());
    let mut encoding = NATIVE;
    for _ in 0..4000 {
        for _ in 0..numbers.below(4) * numbers.below(4) {
            change(&mut track, &mut numbers);
        }
        if numbers.below(8) == 0 {
            let order = [ByteOrder::Little, ByteOrder::Big][numbers.below(2)];
            let char_set = [CharSet::Utf8, CharSet::Latin1][numbers.below(2)];
            encoding = (numbers.below(40), order, char_set);
        }
        written(&track, encoding).unwrap();
    }
}

#[test]
fn what_cannot_be_encoded_is_an_error_until_it_changes() {
    let mut track = Premarshalled::new(Track::new());
    written(&track, NATIVE).unwrap();
    *track.member(|track| &mut track.count) = 8;
    *track.member(|track| &mut track.note) = "a\0b".into();
    let error = written(&track, NATIVE).unwrap_err();
    assert_eq!(written(&track, NATIVE), Err(error));
    *track.member(|track| &mut track.note) = "ab".into();
    written(&track, NATIVE).unwrap();
}

#[test]
fn only_what_changed_is_marshalled() {
    let mut track = Premarshalled::new(Track::new());
    let kept = written(&track, NATIVE).unwrap();
    // What a closure changes itself is not seen, which shows what is marshalled.
    *track.member(|track| {
        track.name = "unseen".into();
        &mut track.count
    }) = 6;
    let expected = Track { count: 6, ..Track::new() };
    let mut expected = octets(NATIVE, |writer| Track::write(&expected, writer));
    assert_eq!(octets(NATIVE, |writer| track.write(writer)), expected);
    assert_ne!(expected, Ok(kept));
    // All of it where most changed, or on demand.
    track.always_marshal(true);
    written(&track, NATIVE).unwrap();
    track.always_marshal(false);
    assert_eq!(octets(NATIVE, |writer| track.write(writer)), expected);
    track.value_mut();
    written(&track, NATIVE).unwrap();
    *track.member(|track| &mut track.id) = 3;
    expected = written(&track, NATIVE);
    assert_eq!(octets(NATIVE, |writer| track.write(writer)), expected);
}

#[test]
fn all_is_marshalled_where_more_than_a_third_changed() {
    let mut track = Premarshalled::new(Track::new());
    written(&track, NATIVE).unwrap();
    *track.member(|track| &mut track.id) = 3;
    *track.member(|track| &mut track.count) = 8;
    // What a closure changes itself is seen only if all is marshalled.
    *track.member(|track| {
        track.name = "seen".into();
        &mut track.last
    }) = 7;
    written(&track, NATIVE).unwrap();
    *track.member(|track| &mut track.last) = 8;
    written(&track, NATIVE).unwrap();
}

#[test]
fn a_reference_to_the_struct_changes_all_members() {
    let mut track = Premarshalled::new(Track::new());
    written(&track, NATIVE).unwrap();
    let other = Track { name: "other".into(), height: -1.0, last: 8, ..Track::new() };
    *track.member(|track| track) = other;
    written(&track, NATIVE).unwrap();
}

#[test]
fn nothing_is_kept_of_a_large_struct_that_changed_as_a_whole() {
    let mut wide = Premarshalled::new(Wide(1, 1));
    let written = |wide: &Premarshalled<Wide>| {
        octets((0, ByteOrder::NATIVE, CharSet::Utf8), |writer| wide.write(writer))
    };
    assert_eq!(written(&wide), Ok(vec![1; 200]));
    *wide.value_mut() = Wide(2, 2);
    assert_eq!(written(&wide), Ok(vec![2; 200]));
    // What a closure changes itself is seen only if all is marshalled.
    *wide.member(|wide| {
        wide.1 = 3;
        &mut wide.0
    }) = 3;
    assert_eq!(written(&wide), Ok(vec![3; 200]));
}

#[test]
fn what_is_kept_is_copied_into_the_message() {
    struct Taking;

    impl crate::Outlet for Taking {
        fn offer(&mut self, _: &[u8], _: &[u8], _: crate::Gathered) -> bool {
            true
        }
    }

    let track = Premarshalled::new(Track { points: Vec::new(), ..Track::new() });
    let (mut octets, mut taking) = (Vec::new(), Taking);
    let mut expected = Vec::new();
    let plain = &mut CdrWriter::new(&mut expected, ByteOrder::NATIVE);
    Track::write(track.value(), plain).unwrap();
    for _ in 0..2 {
        octets.clear();
        let mut writer = CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        writer.offer_to(&mut taking);
        track.write(&mut writer).unwrap();
        assert_eq!(octets, expected);
    }
}
