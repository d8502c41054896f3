//! Messages that are compressed by Zstandard.

use std::io::IoSlice;

use proptest::prelude::*;
use zstd_safe::OutBuffer;
use zstd_safe::zstd_sys::ZSTD_EndDirective;

use super::*;
use crate::zstd::{COMPRESSION, Compress, DECOMPRESSION, Decompress, compress};

pub(super) const ZSTD: Choice = Choice { compressor: CompressorId::ZSTD, level: 6 };
/// More than Zstandard achieves.
pub(super) const RATIO: u32 = 40_000;

pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    let mut output = vec![0; body.len() + 100];
    let length = compress(6, body.len(), [body].into_iter(), &mut output).unwrap();
    output.truncate(length);
    output
}

pub(super) fn message_of(original: u32, data: &[u8]) -> Vec<u8> {
    compressed_by(CompressorId::ZSTD, MessageKind::Reply, original, data)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any body arrives as it was sent, in both byte orders and in pieces of any size, also after a message by zlib.
    #[test]
    fn bodies_arrive_as_they_were(
        seed in prop::collection::vec(any::<u8>(), 1..3_000),
        times in 0_usize..100,
        is_big in any::<bool>(),
        piece in 1_usize..400_000,
        level in 0_u8..10,
    ) {
        let order = if is_big { ByteOrder::Big } else { ByteOrder::Little };
        let original = message(MessageKind::Request, order, &seed.repeat(times));
        let half = original.len() / 2;
        let parts = [IoSlice::new(&original[..half]), IoSlice::new(&original[half..])];
        let mut outgoing = outgoing(all_kinds(), Some(Choice { level, ..ZSTD }), None);
        let sent = outgoing.compress(&parts);
        prop_assert!(sent.is_some() || level == 0 || times < 2 || seed.len() * times < 64);
        if let Some(sent) = sent {
            prop_assert!(sent.octets.len() < original.len());
            let before = message(MessageKind::Reply, ByteOrder::Big, &[0; 100]);
            let by_zlib = compressed(MessageKind::Reply, 100, &zlib(&[0; 100]));
            let all = [&by_zlib[..], &sent.octets, &sent.octets, &by_zlib].concat();
            let received = receive(incoming(RATIO), &all, piece).unwrap();
            prop_assert!(received == [&before[..], &original, &original, &before].concat());
        }
    }

    /// Damaged octets are refused, or are those of other messages; they never make more than was announced.
    #[test]
    fn damage_is_survived(at in 0_usize..400, octet in any::<u8>(), piece in 1_usize..600) {
        let body: Vec<u8> = (0..2_000_u32).map(|number| (number % 97) as u8).collect();
        let mut sent = message_of(2_000, &frame(&body));
        let at = at % sent.len();
        sent[at] = octet;
        if let Ok(received) = receive(incoming(RATIO), &sent, piece) {
            prop_assert!(received.len() <= 12 + 2_000.max(sent.len()));
        }
    }
}

#[test]
fn what_lies_about_its_size_is_refused() {
    let body = [5; 10_000];
    let data = frame(&body);
    let refused = |original, data: &[u8]| {
        receive(incoming(RATIO), &message_of(original, data), 64).unwrap_err().to_string()
    };
    let longer = "compressed data becomes longer than its message says";
    assert_eq!(refused(9_999, &data), longer);
    assert_eq!(refused(0, &data), longer);
    let shorter = "compressed data becomes shorter than its message says";
    assert_eq!(refused(10_001, &data), shorter);
    let early = "compressed data ends before its message";
    assert_eq!(refused(10_000, &[&data[..], &[0]].concat()), early);
    // Truncated.
    assert_eq!(refused(10_000, &data[..data.len() - 1]), shorter);
    assert_eq!(refused(10_000, &data[..2]), shorter);
    let mut damaged = data;
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(refused(10_000, &damaged), "compressed data is malformed");
}

const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// The descriptor of a window of 128 KiB, the largest that is decompressed.
const WINDOW: u8 = 7 << 3;

/// A block header.
fn block(is_last: bool, kind: u32, size: u32) -> [u8; 3] {
    let [a, b, c, _] = (size << 3 | kind << 1 | u32::from(is_last)).to_le_bytes();
    [a, b, c]
}

#[test]
fn frames_that_need_more_memory_or_a_dictionary_are_refused() {
    let raw = |octets: u32| [&block(true, 0, octets)[..], &vec![7; octets as usize]].concat();
    let whole = |header: &[u8], body: &[u8]| [&MAGIC[..], header, body].concat();
    let refused = |original: u32, frame: &[u8]| {
        // Also where the frame is received as a whole, and its octets fit into the output.
        let by = |piece| receive(incoming(RATIO), &message_of(original, frame), piece);
        let refused = by(usize::MAX).unwrap_err().to_string();
        for piece in [1, 7, 64] {
            assert_eq!(by(piece).unwrap_err().to_string(), refused);
        }
        refused
    };
    let malformed = "compressed data is malformed";
    // Windows of 128 KiB and an eighth, of 256 KiB, and of 3.75 TiB.
    for window in [WINDOW | 1, 8 << 3, 0xFF] {
        assert_eq!(refused(9, &whole(&[0, window], &raw(9))), malformed);
        // The same with the size of the content, which is 9 octets.
        assert_eq!(refused(9, &whole(&[0x80, window, 9, 0, 0, 0], &raw(9))), malformed);
    }
    // The window is the content, which is 256 KiB, or 2^64 - 1 octets.
    assert_eq!(refused(1 << 18, &whole(&[0xA0, 0, 0, 4, 0], &raw(9))), malformed);
    assert_eq!(refused(9, &whole(&[&[0xE0][..], &[0xFF; 8]].concat(), &raw(9))), malformed);
    // A block of 128 KiB and one, and one of the reserved kind.
    let large = raw((128 << 10) + 1);
    assert_eq!(refused((128 << 10) + 1, &whole(&[0, WINDOW], &large)), malformed);
    assert_eq!(refused(9, &whole(&[0, WINDOW], &block(true, 3, 9))), malformed);
    // Dictionaries of one, two and four octets of a number.
    assert_eq!(refused(9, &whole(&[1, WINDOW, 7], &raw(9))), malformed);
    assert_eq!(refused(9, &whole(&[2, WINDOW, 7, 0], &raw(9))), malformed);
    assert_eq!(refused(9, &whole(&[3, WINDOW, 7, 0, 0, 0], &raw(9))), malformed);
    // A frame to be skipped, and the format of version 0.7.
    let shorter = "compressed data becomes shorter than its message says";
    assert_eq!(refused(1, &[0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9]), shorter);
    assert_eq!(refused(9, &[&[0x27][..], &whole(&[0, WINDOW], &raw(9))[1..]].concat()), malformed);
    // The same frames without what is wrong with them.
    for header in [&[0, WINDOW][..], &[0x80, WINDOW, 9, 0, 0, 0], &[0x20, 9]] {
        let sent = message_of(9, &whole(header, &raw(9)));
        assert!(receive(incoming(RATIO), &sent, 64).unwrap().ends_with(&[7; 9]));
    }
}

#[test]
fn what_has_been_compressed_as_one_octet_is_given_as_room_is() {
    // All that is left to read is read before there is room for what becomes of it.
    let frame = [&MAGIC[..], &[0, WINDOW], &block(true, 1, 128 << 10), &[5]].concat();
    for piece in [1, 5, usize::MAX] {
        let received = receive(incoming(RATIO), &message_of(128 << 10, &frame), piece);
        assert!(received.unwrap()[12..] == vec![5; 128 << 10]);
    }
}

/// The memory for the largest message at each level, and for frames with the largest window.
#[test]
fn memory_is_limited() {
    let large: Vec<u8> = (0..300_000_u32).map(|it| (it.wrapping_mul(it) >> 13) as u8).collect();
    let mut output = vec![0; large.len()];
    let taken = (1..=9).map(|level| {
        let mut compress = Compress::new(level, large.len()).unwrap();
        let mut output = OutBuffer::around(&mut *output);
        let _ = compress.run(&large, &mut output, ZSTD_EndDirective::ZSTD_e_continue);
        compress.size()
    });
    let taken: Vec<_> = taken.collect();
    let most = *taken.iter().max().unwrap();
    assert!(most <= COMPRESSION && most > COMPRESSION / 2, "{taken:?}");

    let mut decompress = Decompress::new().unwrap();
    let header = [&MAGIC[..], &[0, WINDOW]].concat();
    let blocks = [&block(false, 1, 128 << 10)[..], &[5]].concat().repeat(9);
    let mut input = &[header, blocks].concat()[..];
    let mut output = [0; 999];
    while !input.is_empty() {
        let (step, _) = decompress.step(input, &mut output).unwrap();
        input = &input[step.read..];
    }
    let taken = decompress.size();
    assert!(taken <= DECOMPRESSION && taken > DECOMPRESSION / 2, "{taken}");
}

#[test]
fn zstandard_is_not_decompressed_unless_it_was_announced() {
    let sent = message_of(9, &frame(&[7; 9]));
    let of = |list: &CompressorIdLevelList| {
        Incoming::new(RATIO, Arc::new(Accepted::of(list)), Arc::clone(process_budget()))
    };
    // The connection answers it with a MessageError.
    assert_eq!(receive(of(&CompressorIdLevelList::default()), &sent, 7).unwrap(), sent);
    let zstd = CompressorIdLevel { compressor: CompressorId::ZSTD, level: 6 };
    assert!(receive(of(&CompressorIdLevelList(vec![zstd])), &sent, 7).unwrap().ends_with(&[7; 9]));
}

#[test]
fn a_ratio_above_the_limit_is_refused_before_anything_is_decompressed() {
    let data = frame(&[0; 1 << 20]);
    let sent = message_of(1 << 20, &data);
    let ratio = (1 << 20) / u32::try_from(data.len()).unwrap();
    assert!(ratio > 10_000);
    let refused = receive(incoming(ratio / 2), &sent[..24], 24).unwrap_err();
    assert_eq!(refused.to_string(), "message exceeds the option ZiopMaxRatio");
    assert_eq!(receive(incoming(2 * ratio), &sent, 999).unwrap().len(), 12 + (1 << 20));
}

#[test]
fn the_first_compressor_of_the_client_that_the_server_has_is_chosen() {
    let list = |compressors: &[CompressorId]| {
        let of =
            |compressor: &CompressorId| CompressorIdLevel { compressor: *compressor, level: 6 };
        CompressorIdLevelList(compressors.iter().map(of).collect())
    };
    let both = list(&[CompressorId::ZSTD, CompressorId::ZLIB]);
    let zlib = list(&[CompressorId::ZLIB]);
    assert_eq!(Choice::of(&both, &both, &both), Some(ZSTD));
    assert_eq!(Choice::of(&both, &zlib, &both), Some(ZLIB));
    assert_eq!(Choice::of(&zlib, &both, &zlib), Some(ZLIB));
    assert_eq!(Choice::of(&list(&[CompressorId::ZSTD]), &zlib, &zlib), None);
}
