//! Runs of fixed-size values have the octets, values and errors of values that are moved member by
//! member, and so have views of them.

pub(crate) mod types;

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use types::{Bin, Colour, Cube, Deep, Flags, Matrix, Plain, Tail, Text};
use zorb_cdr::{
    Bounded, ByteOrder, CdrReader, CdrResult, CdrWriter, CharSet, FixedSize, TextCoding, Viewed,
    Views, Wire,
};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];
const CHAR_SETS: [CharSet; 2] = [CharSet::Latin1, CharSet::Utf8];

fn config() -> Config {
    Config {
        cases: 64,
        rng_seed: RngSeed::Fixed(0x5a42),
        failure_persistence: None,
        ..Config::default()
    }
}

fn coding(char_set: CharSet) -> TextCoding {
    TextCoding { char_set, ..TextCoding::default() }
}

fn written<T: Wire>(
    value: &T::View,
    order: ByteOrder,
    start: usize,
    text: TextCoding,
) -> CdrResult<Vec<u8>> {
    let mut buffer = vec![0xaa; start];
    let mut writer = CdrWriter::resume(&mut buffer, order).with_text(text);
    T::write(value, &mut writer)?;
    Ok(buffer)
}

fn taken<T: Wire>(reader: &CdrReader<'_>) -> CdrResult<(T::Value, usize)> {
    let mut reader = reader.clone();
    let value = T::read(&mut reader)?;
    Ok((value, reader.offset()))
}

/// What a view yields, and the offset behind it.
fn seen<W: Viewed, V>(
    reader: &CdrReader<'_>,
    value: impl for<'a> FnOnce(W::ReadAs<'a>) -> V,
) -> CdrResult<(V, usize)> {
    let mut reader = reader.clone();
    let received = <Views<W>>::read_borrowed(&mut reader)?;
    Ok((value(received.view()), reader.offset()))
}

/// Reads the same octets as sequences of types with and without a layout, and as views.
fn reads_alike<T: FixedSize>(reader: &CdrReader<'_>) -> Result<(), TestCaseError>
where
    T::Value: PartialEq + Debug,
{
    prop_assert_eq!(taken::<T>(reader), seen::<T, _>(reader, T::owned));
    prop_assert_eq!(taken::<[T; 4]>(reader), seen::<[T; 4], _>(reader, <[T; 4]>::owned));
    let bounded = seen::<Bounded<Vec<T>, 3>, _>(reader, |view| view.to_vec());
    prop_assert_eq!(taken::<Bounded<Vec<T>, 3>>(reader), bounded);
    let all = taken::<Vec<T>>(reader);
    prop_assert_eq!(&all, &seen::<Vec<T>, _>(reader, |view| view.to_vec()));
    let one_by_one = |view: <Vec<T> as Viewed>::ReadAs<'_>| {
        let mut elements = view.into_iter();
        std::iter::from_fn(|| elements.next()).map(T::owned).collect::<Vec<_>>()
    };
    prop_assert_eq!(&all, &seen::<Vec<T>, _>(reader, one_by_one));
    let by_index = |view: <Vec<T> as Viewed>::ReadAs<'_>| {
        assert!(view.get(view.len()).is_none());
        (0..view.len()).filter_map(|index| view.get(index)).map(T::owned).collect::<Vec<_>>()
    };
    prop_assert_eq!(&all, &seen::<Vec<T>, _>(reader, by_index));
    prop_assert_eq!(taken::<Vec<T>>(reader), taken::<Vec<Plain<T>>>(reader));
    prop_assert_eq!(
        taken::<Bounded<Vec<T>, 3>>(reader),
        taken::<Bounded<Vec<Plain<T>>, 3>>(reader)
    );
    prop_assert_eq!(taken::<[T; 4]>(reader), taken::<[Plain<T>; 4]>(reader));
    Ok(())
}

/// Writes values in all ways, and reads the octets: as written, truncated, corrupted, and in parts.
fn alike<T: FixedSize>(
    values: &[T::Value],
    spoil: usize,
    part_starts: &[u32],
) -> Result<(), TestCaseError>
where
    T::Value: PartialEq + Debug,
{
    prop_assert!(T::LAYOUT.is_some());
    for (order, char_set) in ORDERS.into_iter().flat_map(|o| CHAR_SETS.map(|set| (o, set))) {
        let text = coding(char_set);
        for start in 0..8 {
            let octets = written::<Vec<T>>(values, order, start, text);
            prop_assert_eq!(&octets, &written::<Vec<Plain<T>>>(values, order, start, text));
            let Ok(mut octets) = octets else { continue };
            let whole = CdrReader::new(&octets[start..], order).with_origin(start).with_text(text);
            let (found, end) = taken::<Vec<T>>(&whole).unwrap();
            prop_assert_eq!((&found[..], end), (values, octets.len()));
            reads_alike::<T>(&whole.clone().with_parts(part_starts, 12))?;
            let cut = octets.len() - spoil % (octets.len() - start);
            let cut = &octets[start..cut];
            reads_alike::<T>(&CdrReader::new(cut, order).with_origin(start).with_text(text))?;
            // For example a boolean of 2, an unknown enumerator, a character beyond ASCII.
            let index = start + spoil % (octets.len() - start);
            octets[index] ^= 0xfe;
            let corrupted = CdrReader::new(&octets[start..], order).with_origin(start);
            reads_alike::<T>(&corrupted.with_text(text))?;
        }
    }
    Ok(())
}

/// As many valid values of the type as the octets begin with.
fn values_in<T: Wire>(octets: &[u8]) -> Vec<T::Value> {
    let mut reader = CdrReader::new(octets, ByteOrder::Little);
    std::iter::from_fn(|| T::read(&mut reader).ok()).collect()
}

/// Octets with many zeros and ones, so that there are booleans and enumerators among them.
fn octets() -> impl Strategy<Value = Vec<u8>> {
    let octet = prop_oneof![4 => 0_u8..2, 2 => 0x20_u8..0x7f, 1 => any::<u8>()];
    proptest::collection::vec(octet, 0..400)
}

fn part_starts() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::btree_set(1_u32..300, 1..5)
        .prop_map(|part_starts| part_starts.into_iter().collect())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn structs(octets in octets(), spoil: usize, part_starts in part_starts()) {
        alike::<Bin>(&values_in::<Bin>(&octets), spoil, &part_starts)?;
        alike::<Cube>(&values_in::<Cube>(&octets), spoil, &part_starts)?;
        alike::<Tail>(&values_in::<Tail>(&octets), spoil, &part_starts)?;
    }

    #[test]
    fn checked_members(octets in octets(), spoil: usize, part_starts in part_starts()) {
        alike::<Flags>(&values_in::<Flags>(&octets), spoil, &part_starts)?;
        alike::<Colour>(&values_in::<Colour>(&octets), spoil, &part_starts)?;
        alike::<bool>(&values_in::<bool>(&octets), spoil, &part_starts)?;
    }

    #[test]
    fn arrays_and_nesting(octets in octets(), spoil: usize, part_starts in part_starts()) {
        alike::<Matrix>(&values_in::<Matrix>(&octets), spoil, &part_starts)?;
        alike::<Deep>(&values_in::<Deep>(&octets), spoil, &part_starts)?;
        alike::<[Cube; 3]>(&values_in::<[Cube; 3]>(&octets), spoil, &part_starts)?;
        alike::<[u16; 3]>(&values_in::<[u16; 3]>(&octets), spoil, &part_starts)?;
    }

    #[test]
    fn characters_that_do_not_fit(characters: Vec<char>, place: usize, spoil: usize) {
        let values: Vec<Text> =
            characters.into_iter().map(|c| Text { head: 1, c, tail: 2 }).collect();
        alike::<Text>(&values, spoil, &[])?;
        let mut latin1: Vec<Text> = (0..40).map(|n| Text { head: n, c: 'x', tail: 3 }).collect();
        latin1[place % 40].c = 'é';
        alike::<Text>(&latin1, spoil, &[])?;
    }
}

#[test]
fn a_run_of_several_blocks_and_a_count_without_elements() {
    let values: Vec<Bin> = (0..5000)
        .map(|n: u16| Bin { s: n.cast_signed(), c: 'x', l: 7, o: n as u8, d: f64::from(n) })
        .collect();
    alike::<Bin>(&values, 100, &[]).unwrap();
    // Padding is 0.
    let octets = written::<Vec<Bin>>(&values[..2], ByteOrder::Big, 0, coding(CharSet::Utf8));
    assert_eq!(octets.unwrap()[13..16], [0; 3]);
    let mut octets = vec![0; 60_000];
    octets[..4].copy_from_slice(&3300_u32.to_be_bytes());
    let reader = CdrReader::new(&octets, ByteOrder::Big);
    let measured = allocation_counter::measure(|| {
        assert!(taken::<Vec<Bin>>(&reader).is_err());
    });
    assert!(measured.bytes_max <= 64 * 1024, "{measured:?}");
}
