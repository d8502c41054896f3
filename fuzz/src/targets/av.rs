//! Frames of audio and video: the octets of a datagram, and the numbers that a receiver counts.

use std::time::Duration;

use zorb_av::{AvFrames, HEADER_SIZE, Receiver, Stamp};
use zorb_cdr::CdrReader;
use zorb_giop::{Inbound, Limits, MessageFormat, MessageKind, Messaging, ServiceId, TargetAddress};

use super::{AllocationBound, Target};

/// The octets of a connection with frames. The stamps of the frames go to a receiver, which says where they belong.
pub const TARGET: Target = Target {
    name: "av",
    run,
    allocation: AllocationBound { per_octet: 64, constant: 64 << 10 },
    words: &[
        b"AV\x01\x00",
        b"AV\x01\x80",
        b"\0\0\0\x03one\0",
        b"\0\0\0\x05show\0",
        b"\x03\0\0\0one\0",
        b"\xff\xff\xff\xff",
        b"\xff\xff\xff\xfe",
        b"\0\0\0\x01",
    ],
};

static FRAMES: AvFrames = AvFrames::new();

fn run(octets: &[u8]) {
    let mut inbound =
        Inbound::new(Limits::DEFAULT.max_message_size(4096)).with_messaging(Some(&FRAMES));
    let mut receiver = Receiver::new(Duration::from_millis(40));
    let (mut rest, mut frames) = (octets, 0_u64);
    while !rest.is_empty() {
        let space = inbound.space();
        let (now, later) = rest.split_at(space.len().min(rest.len()));
        space[..now.len()].copy_from_slice(now);
        inbound.advance(now.len());
        rest = later;
        loop {
            match inbound.poll() {
                Ok(Some(header)) if header.kind == MessageKind::Request => {
                    let form = MessageFormat::Other(&FRAMES);
                    let Ok((request, _)) = form.read_request(inbound.current(), &header) else {
                        return;
                    };
                    assert!(matches!(request.target, TargetAddress::Key(_)));
                    let stamp = request.service_contexts.find(ServiceId::ZORB_FRAME_STAMP);
                    let stamp = stamp.and_then(|data| Stamp::read(data, header.order).ok());
                    let stamp = stamp.expect("that of the frame");
                    assert_eq!(stamp.sequence, request.request_id);
                    receiver.take_at(stamp, frames);
                    frames += 1;
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
    }
    let report = receiver.report();
    assert!(report.received <= frames && report.late <= report.received, "{report:?}");
    // The header alone.
    if let Ok(frame) = FRAMES.read_header(octets) {
        let mut written = [0; HEADER_SIZE as usize];
        FRAMES.write_header(frame, &mut written);
        assert_eq!(octets[..written.len()], written);
    }
    let mut reader = CdrReader::new(octets, zorb_cdr::ByteOrder::Big);
    let _ = FRAMES.read_request(&mut reader);
}
