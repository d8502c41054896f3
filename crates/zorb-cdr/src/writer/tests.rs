use alloc::vec;
use alloc::vec::Vec;

use crate::{ByteOrder, CdrErrorKind, CdrReader, CdrWriter, Gathered, TextCoding};

#[test]
fn padding_is_zero_and_minimal() {
    for start in 0..8_usize {
        for size in [1, 2, 4, 8] {
            let mut buffer = vec![0xee; start];
            let mut writer = CdrWriter::resume(&mut buffer, ByteOrder::Big);
            match size {
                1 => writer.write_u8(0xff),
                2 => writer.write_u16(0xffff),
                4 => writer.write_u32(u32::MAX),
                _ => writer.write_u64(u64::MAX),
            }
            let padded = start.next_multiple_of(size);
            assert_eq!(buffer.len(), padded + size);
            assert!(buffer[start..padded].iter().all(|&octet| octet == 0));
            assert!(buffer[padded..].iter().all(|&octet| octet == 0xff));
        }
    }
}

#[test]
fn a_new_writer_aligns_to_its_start() {
    let mut buffer = vec![1, 2, 3];
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Little);
    assert_eq!(writer.offset(), 0);
    writer.write_u32(5);
    assert_eq!(writer.offset(), 4);
    assert_eq!(buffer, [1, 2, 3, 5, 0, 0, 0]);
}

#[test]
fn both_orders() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
    writer.write_i16(-2);
    writer.write_i32(-3);
    writer.write_f32(1.0);
    assert_eq!(buffer, [0xff, 0xfe, 0, 0, 0xff, 0xff, 0xff, 0xfd, 0x3f, 0x80, 0, 0]);
    buffer.clear();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Little);
    writer.write_i16(-2);
    writer.write_i64(-3);
    assert_eq!(buffer[..2], [0xfe, 0xff]);
    assert_eq!(buffer[8..], (-3_i64).to_le_bytes());
}

#[test]
fn an_encapsulation_is_measured_and_aligned_from_its_own_start() {
    for start in 0..8 {
        for order in [ByteOrder::Big, ByteOrder::Little] {
            let mut buffer = vec![0; start];
            let mut writer = CdrWriter::resume(&mut buffer, order);
            writer
                .write_encapsulation(|inner| {
                    assert_eq!(inner.offset(), 1);
                    assert_eq!(inner.text(), TextCoding::ENCAPSULATION);
                    inner.write_u64(7);
                    inner.write_encapsulation(|innermost| {
                        innermost.write_u16(9);
                        Ok(())
                    })
                })
                .unwrap();
            let mut reader = CdrReader::new(&buffer[start..], order).with_origin(start);
            let mut inner = reader.read_encapsulation().unwrap();
            assert_eq!((reader.remaining(), inner.remaining()), (0, 23));
            assert_eq!(inner.read_u64(), Ok(7));
            let mut innermost = inner.read_encapsulation().unwrap();
            assert_eq!(innermost.read_u16(), Ok(9));
        }
    }
}

#[test]
fn an_encapsulation_on_its_own_has_no_length() {
    let octets = CdrWriter::encapsulation(ByteOrder::Little, |writer| {
        writer.write_u32(1);
        Ok(())
    });
    assert_eq!(octets.as_deref(), Ok(&[1, 0, 0, 0, 1, 0, 0, 0][..]));
    let failed = CdrWriter::encapsulation(ByteOrder::Big, |writer| {
        Err(writer.error(CdrErrorKind::Unsupported, "nothing"))
    });
    assert_eq!(
        failed.map_err(|error| (error.kind, error.offset)),
        Err((CdrErrorKind::Unsupported, 1))
    );
}

#[test]
fn counts_beyond_an_unsigned_long_are_too_long() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
    assert_eq!(writer.write_count(u32::MAX as usize, "seq"), Ok(()));
    #[cfg(target_pointer_width = "64")]
    assert_eq!(
        writer.write_count(u32::MAX as usize + 1, "seq").map_err(|error| error.kind),
        Err(CdrErrorKind::TooLong)
    );
    assert_eq!(buffer, [0xff; 4]);
}

#[test]
fn the_order_flag_is_its_own_inverse() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        assert_eq!(ByteOrder::from_flag(order.flag()), order);
        assert_eq!(ByteOrder::from_flag(order.flag() | 0xfe), order);
    }
}

#[test]
fn numbers_behind_a_large_run_do_not_double_the_buffer() {
    let run = vec![7; 1 << 20];
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Big);
    assert_eq!(writer.put_many(&run, Gathered::Run, "run"), Ok(()));
    for number in 0..16 {
        writer.write_u32(number);
    }
    assert!(buffer.capacity() < 2 * run.len(), "{}", buffer.capacity());
}
