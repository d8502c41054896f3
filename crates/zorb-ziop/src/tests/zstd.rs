//! Messages that are compressed by Zstandard.

use std::io::IoSlice;

use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

const ZSTD: Choice = Choice { compressor: CompressorId::ZSTD, level: 6 };
/// More than Zstandard achieves.
const RATIO: u32 = 40_000;

fn frame(body: &[u8]) -> Vec<u8> {
    compress_to_vec(body, CompressionLevel::Fastest)
}

fn message_of(original: u32, data: &[u8]) -> Vec<u8> {
    compressed_by(CompressorId::ZSTD, MessageKind::Reply, original, data)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 50, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any body arrives as it was sent, in both byte orders and in pieces of any size, also after a message by zlib.
    #[test]
    fn bodies_arrive_as_they_were(
        seed in prop::collection::vec(any::<u8>(), 1..3_000),
        times in 0_usize..300,
        is_big in any::<bool>(),
        piece in 1_usize..400_000,
        level in 0_u8..3,
    ) {
        let order = if is_big { ByteOrder::Big } else { ByteOrder::Little };
        let original = message(MessageKind::Request, order, &seed.repeat(times));
        let half = original.len() / 2;
        let parts = [IoSlice::new(&original[..half]), IoSlice::new(&original[half..])];
        let mut outgoing = Outgoing::new(all_kinds(), Some(Choice { level, ..ZSTD }), None);
        let sent = outgoing.compress(&parts);
        prop_assert!(sent.is_some() || level == 0 || times < 2 || seed.len() * times < 64);
        if let Some(sent) = sent {
            prop_assert!(sent.octets.len() < original.len());
            let before = message(MessageKind::Reply, ByteOrder::Big, &[0; 100]);
            let by_zlib = compressed(MessageKind::Reply, 100, &zlib(&[0; 100]));
            let all = [&by_zlib[..], &sent.octets, &sent.octets, &by_zlib].concat();
            let received = receive(Incoming::new(RATIO), &all, piece).unwrap();
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
        if let Ok(received) = receive(Incoming::new(RATIO), &sent, piece) {
            prop_assert!(received.len() <= 12 + 2_000.max(sent.len()));
        }
    }
}

#[test]
fn what_lies_about_its_size_is_refused() {
    let body = [5; 10_000];
    let data = frame(&body);
    let refused = |original, data: &[u8]| {
        receive(Incoming::new(RATIO), &message_of(original, data), 64).unwrap_err().to_string()
    };
    let longer = "compressed data becomes longer than its message says";
    assert_eq!(refused(9_999, &data), longer);
    assert_eq!(refused(0, &data), longer);
    let shorter = "compressed data becomes shorter than its message says";
    assert_eq!(refused(10_001, &data), shorter);
    let early = "compressed data ends before its message";
    assert_eq!(refused(10_000, &[&data[..], &[0]].concat()), early);
    assert_eq!(refused(10_000, &data[..data.len() - 1]), early);
    assert_eq!(refused(10_000, &data[..2]), early);
    let mut damaged = data;
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(refused(10_000, &damaged), "compressed data is malformed");
}

#[test]
fn a_frame_that_needs_more_memory_is_refused() {
    const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
    let refused = |frame: &[u8]| {
        receive(Incoming::new(RATIO), &message_of(1, frame), 64).unwrap_err().to_string()
    };
    let malformed = "compressed data is malformed";
    // A window of 256 KiB, and a block of 128 KiB and one.
    assert_eq!(refused(&[&MAGIC[..], &[0, 8 << 3, 1, 0, 0]].concat()), malformed);
    let header = ((128 << 10 | 1_u32) << 3).to_le_bytes();
    assert_eq!(refused(&[&MAGIC[..], &[0, 0], &header[..3]].concat()), malformed);
    // A dictionary, and a frame to be skipped.
    assert_eq!(refused(&[&MAGIC[..], &[1, 0, 7, 1, 0, 0]].concat()), malformed);
    assert_eq!(refused(&[0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9]), malformed);
}

#[test]
fn a_ratio_above_the_limit_is_refused_before_anything_is_decompressed() {
    let data = frame(&[0; 1 << 20]);
    let sent = message_of(1 << 20, &data);
    let ratio = (1 << 20) / u32::try_from(data.len()).unwrap();
    assert!(ratio > 10_000);
    let refused = receive(Incoming::new(ratio / 2), &sent[..24], 24).unwrap_err();
    assert_eq!(refused.to_string(), "message exceeds the option ZiopMaxRatio");
    assert_eq!(receive(Incoming::new(2 * ratio), &sent, 999).unwrap().len(), 12 + (1 << 20));
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
