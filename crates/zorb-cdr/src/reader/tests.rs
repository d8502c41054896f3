use alloc::string::String;
use alloc::vec::Vec;

use crate::{ByteOrder, CdrErrorKind, CdrReader, MAX_DEPTH, ReadContext, Tail};

fn big(octets: &[u8]) -> CdrReader<'_> {
    CdrReader::new(octets, ByteOrder::Big)
}

#[test]
fn every_primitive_is_aligned_to_its_size_from_the_base() {
    let octets: Vec<u8> = (0..32).collect();
    for origin in 0..8 {
        let reader = big(&octets).with_origin(origin);
        for size in [1, 2, 4, 8] {
            let mut reader = reader.clone();
            match size {
                1 => assert_eq!(reader.read_u8().map(u64::from), Ok(0)),
                2 => drop(reader.read_u16()),
                4 => drop(reader.read_u32()),
                _ => drop(reader.read_u64()),
            }
            assert_eq!(reader.offset(), origin.next_multiple_of(size) + size, "{origin} {size}");
        }
    }
}

#[test]
fn parts_have_an_alignment_of_their_own() {
    let octets: Vec<u8> = (0..32).collect();
    // Each part begins 12 octets after its base: its multiples of 8 are 4 and 12 octets into it.
    let parts = [5, 9, 11];
    for (skipped, aligned) in
        [(0, 0), (1, 15), (5, 15), (6, 15), (9, 15), (11, 15), (15, 15), (16, 23), (23, 23)]
    {
        let mut reader = big(&octets).with_parts(&parts, 12);
        reader.take(skipped, "skipped").unwrap();
        reader.align(8);
        assert_eq!(reader.offset(), aligned, "{skipped}");
    }
    let mut reader = big(&octets).with_parts(&parts, 12);
    assert_eq!(reader.read_u32(), Ok(0x0001_0203));
    assert_eq!(reader.read_u16(), Ok(0x0405));
    assert_eq!(reader.read_u32(), Ok(0x090a_0b0c), "a number may lie in two parts");
    reader.align(8);
    assert_eq!(reader.rest().first(), Some(&15));
    reader.take(17, "the rest").unwrap();
    reader.align(8);
    assert_eq!(reader.remaining(), 0);
}

#[test]
fn padding_may_hold_anything() {
    let mut reader = big(&[1, 0xde, 0xad, 0xbe, 0, 0, 0, 7]);
    assert_eq!(reader.read_u8(), Ok(1));
    assert_eq!(reader.read_u32(), Ok(7));
    assert_eq!(reader.remaining(), 0);
}

#[test]
fn both_orders_give_the_same_numbers() {
    let octets = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08];
    let little = CdrReader::new(&octets, ByteOrder::Little);
    assert_eq!(big(&octets).read_i64(), Ok(0x0102_0304_0506_0708));
    assert_eq!(little.clone().read_i64(), Ok(0x0807_0605_0403_0201));
    assert_eq!(big(&octets).read_u16(), Ok(0x0102));
    assert_eq!(little.clone().read_u16(), Ok(0x0201));
    assert_eq!(big(&(-1.5f32).to_be_bytes()).read_f32(), Ok(-1.5));
    assert_eq!(big(&1e300f64.to_be_bytes()).read_f64(), Ok(1e300));
    assert_eq!(little.clone().read_f64().map(f64::to_bits), Ok(0x0807_0605_0403_0201));
}

#[test]
fn a_stream_that_ends_inside_a_value_is_truncated() {
    let octets = [0; 9];
    for length in 0..octets.len() {
        for start in 0..=length {
            let at = || {
                let mut reader = big(&octets[..length]);
                reader.take(start, "start").map(|_| reader)
            };
            let fits = |size: usize| start.next_multiple_of(size) + size <= length;
            assert_eq!(at().unwrap().read_u8().is_ok(), fits(1));
            assert_eq!(at().unwrap().read_i16().is_ok(), fits(2), "{start} {length}");
            assert_eq!(at().unwrap().read_u32().is_ok(), fits(4));
            assert_eq!(at().unwrap().read_f64().is_ok(), fits(8));
        }
    }
    let error = big(&[0, 0]).with_origin(10).read_u32().unwrap_err();
    assert_eq!(
        (error.kind, error.offset, error.what),
        (CdrErrorKind::Truncated, 10, "unsigned long")
    );
}

#[test]
fn a_failed_read_does_not_move() {
    let mut reader = big(&[0, 0, 0]);
    assert!(reader.read_u32().is_err());
    assert!(reader.take(4, "four").is_err());
    assert_eq!(reader.remaining(), 3);
}

#[test]
fn booleans_are_zero_or_one() {
    assert_eq!(big(&[0]).read_bool(), Ok(false));
    assert_eq!(big(&[1]).read_bool(), Ok(true));
    for octet in 2..=255 {
        assert_eq!(big(&[octet]).read_bool().unwrap_err().kind, CdrErrorKind::BadBoolean);
    }
}

#[test]
fn counts_are_held_against_the_octets_left() {
    let octets = [0, 0, 0, 3, 1, 2, 3, 4, 5];
    assert_eq!(big(&octets).read_count(1, "seq"), Ok(3));
    assert_eq!(big(&octets).read_count(0, "seq"), Ok(3));
    assert_eq!(big(&octets).read_count(2, "seq").unwrap_err().kind, CdrErrorKind::LengthBeyondEnd);
    for size in [1, 8, usize::MAX] {
        let error = big(&[0xff; 4]).read_count(size, "seq").unwrap_err();
        assert_eq!(error.kind, CdrErrorKind::LengthBeyondEnd);
    }
    assert_eq!(big(&octets).read_octets(), Ok(&octets[4..7]));
}

#[test]
fn encapsulations_have_their_own_order_and_alignment() {
    // At offset 2 of the stream: padding, length 8, then little-endian from its own start.
    let octets = [9, 9, 0, 0, 0, 0, 0, 8, 1, 7, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 5];
    let mut reader = big(&octets);
    reader.take(2, "start").unwrap();
    let mut inner = reader.read_encapsulation().unwrap();
    assert_eq!(inner.order(), ByteOrder::Little);
    assert_eq!(inner.read_u8(), Ok(7));
    assert_eq!(inner.read_u16(), Ok(0x1234));
    assert_eq!(inner.read_u32(), Ok(0x1234_5678));
    assert_eq!(inner.remaining(), 0);
    assert_eq!(reader.rest(), [5]);
    assert_eq!(
        big(&[0, 0, 0, 0]).read_encapsulation().map(|_| ()).unwrap_err().kind,
        CdrErrorKind::Truncated
    );
}

#[test]
fn depth_goes_through_encapsulations() {
    let octets = [0, 0, 0, 1, 0];
    let mut reader = big(&octets);
    for _ in 0..MAX_DEPTH - 1 {
        reader.descend("level").unwrap();
    }
    let mut inner = reader.read_encapsulation().unwrap();
    inner.descend("last").unwrap();
    assert_eq!(inner.descend("too deep").unwrap_err().kind, CdrErrorKind::TooDeep);
    inner.ascend();
    assert!(inner.descend("last again").is_ok());
    inner.ascend();
    (0..=MAX_DEPTH).for_each(|_| inner.ascend());
    assert!(inner.descend("more leaving than entering does no harm").is_ok());
}

#[test]
fn a_context_goes_through_encapsulations_by_its_type() {
    #[derive(Debug, PartialEq)]
    struct Known(u64);
    impl ReadContext for Known {}
    let context = Known(42);
    let octets = [0, 0, 0, 1, 0];
    let mut reader = big(&octets).with_context(&context);
    let inner = reader.read_encapsulation().unwrap();
    assert_eq!(inner.context::<Known>(), Some(&Known(42)));
    assert_eq!(inner.context::<u32>(), None);
    assert_eq!(big(&octets).context::<Known>(), None);
    assert!(inner.value_type("IDL:Any:1.0").is_none());
}

#[test]
fn alignment_past_the_end_stays_at_the_end() {
    let mut reader = big(&[1, 2, 3]);
    reader.take(3, "all").unwrap();
    reader.align(8);
    assert_eq!((reader.offset(), reader.remaining()), (3, 0));
    assert_eq!(reader.rest(), []);
}

#[test]
fn a_tail_is_read_as_if_it_followed() {
    let head = [1, 0, 0, 0, 4, 0, 0, 0];
    let tail = &[1, 2, 3, 4][..];
    let owner = String::from("the owner");
    let owned = Tail::new(tail).owned_by(&owner);
    let reader = || {
        let mut reader = CdrReader::new(&head, ByteOrder::Little).with_origin(12);
        reader.set_tail(&owned);
        reader
    };
    let mut whole = reader();
    assert_eq!((whole.tail(), whole.tail_owner::<String>()), (tail, Some(&owner)));
    assert_eq!(whole.tail_owner::<Vec<u8>>(), None);
    assert_eq!((whole.remaining(), whole.is_in_one_piece()), (12, false));
    assert_eq!(whole.read_u32().unwrap(), 1);
    let mark = whole.mark();
    assert_eq!(whole.read_octets().unwrap(), tail);
    assert_eq!((whole.offset(), whole.remaining(), whole.is_in_one_piece()), (24, 0, true));
    assert_eq!(whole.read_u8().unwrap_err().offset, 24);
    assert_eq!((whole.tail(), whole.tail_owner::<String>()), (&[][..], None));
    // Back to the mark, and as another sequence.
    assert_eq!(whole.since(&mark), None);
    whole.rewind(&mark);
    assert_eq!((whole.offset(), whole.remaining()), (16, 8));
    assert_eq!(whole.read_count(1, "sequence").unwrap(), 4);
    assert_eq!((whole.read_u16().unwrap(), whole.read_u16().unwrap()), (0x0201, 0x0403));
    // The tail follows the whole buffer, and cannot give more than it has.
    let mut early = reader();
    assert!(!early.enter_tail(4));
    early.read_u32().unwrap();
    assert_eq!(
        early.clone().read_count(2, "sequence").unwrap_err().kind,
        CdrErrorKind::LengthBeyondEnd
    );
    early.read_u32().unwrap();
    assert!(!early.enter_tail(5));
    assert_eq!(early.clone().read_u8().unwrap_err().kind, CdrErrorKind::Truncated);
    assert!(early.enter_tail(4) && !early.enter_tail(1));
    assert_eq!(early.read_u32().unwrap(), 0x0403_0201);
}

#[test]
fn runs_of_every_type_are_read_in_a_tail() {
    fn check<T, V: PartialEq + core::fmt::Debug>(run: usize, value: &V)
    where
        T: crate::Wire<Value = V, View = V>,
    {
        let mut octets = Vec::new();
        let mut writer = crate::CdrWriter::new(&mut octets, ByteOrder::NATIVE);
        writer.write_u32(5);
        T::write(value, &mut writer).unwrap();
        let (head, tail) = octets.split_at(octets.len() - run);
        let tail = Tail::new(tail);
        let mut reader = CdrReader::new(head, ByteOrder::NATIVE);
        reader.set_tail(&tail);
        reader.read_u32().unwrap();
        assert_eq!(&T::read(&mut reader).unwrap(), value);
        assert_eq!(reader.remaining(), 0);
    }
    check::<[u8; 40], _>(40, &[7; 40]);
    check::<[u16; 40], _>(80, &[7; 40]);
    check::<[f64; 40], _>(320, &[7.5; 40]);
    check::<[i32; 3], _>(12, &[1, 2, 3]);
}

#[test]
fn an_array_that_begins_before_a_tail_is_not_read_in_it() {
    let tail = Tail::new(&[1, 1, 1]);
    let mut reader = CdrReader::new(&[1, 1, 2], ByteOrder::Little);
    reader.set_tail(&tail);
    let error = <[bool; 3] as crate::Wire>::read(&mut reader).unwrap_err();
    assert_eq!((error.kind, error.offset), (CdrErrorKind::BadBoolean, 3));
}

#[test]
fn text_is_not_read_in_a_tail() {
    let octets = [5, 0, 0, 0, b't', b'e', b'x', b't', 0, 0, 0, 0];
    let (run, text) = (Tail::new(&octets), Tail::new(&octets[4..9]));
    let reader = |tail, head: &'static [u8]| {
        let mut reader = CdrReader::new(head, ByteOrder::Little);
        reader.set_tail(tail);
        reader
    };
    let refused = Some(CdrErrorKind::BadString);
    let kind = |error: crate::CdrError| error.kind;
    // A sequence whose element is in the tail, and a string whose characters are.
    let mut sequence = reader(&run, &[1, 0, 0, 0]);
    assert_eq!(<Vec<String> as crate::Wire>::read(&mut sequence).err().map(kind), refused);
    let mut string = reader(&text, &[5, 0, 0, 0]);
    assert_eq!(string.clone().read_latin1("text").err().map(kind), refused);
    assert_eq!(string.read_str(u32::MAX).err().map(kind), refused);
    // Text before the tail is read, also after the reader looked ahead into the tail.
    let mut all = reader(&run, &[1, 0, 0, 0, 3, 0, 0, 0, b'a', b'b', 0, 0]);
    all.read_u32().unwrap();
    let mark = all.mark();
    assert_eq!(all.read_str(u32::MAX).unwrap(), "ab");
    assert!(all.enter_tail(4));
    all.rewind(&mark);
    assert_eq!(all.read_latin1("text").unwrap(), "ab");
}
