//! The messages of nodes on sockets.

use dba_algorithm::{Improvement, Message, NodeId};

/// The size of a frame, in octets: five numbers of 32 bits, the lowest octet first.
///
/// ```text
///  0         4         8        12        16        20
///  ├─────────┼─────────┼─────────┼─────────┼─────────┤
///  │ kind    │ cycle   │ color   │ 0       │ 0       │  1: value
///  │         │ cycle   │ gain    │ cost    │ counter │  2: improvement
///  │         │ 0       │ 0       │ 0       │ 0       │  3: solved
///  │         │ id      │ 0       │ 0       │ 0       │  4: the first frame of who has connected
///  └─────────┴─────────┴─────────┴─────────┴─────────┘
/// ```
pub(crate) const SIZE: usize = 20;

/// What a frame contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Message(Message),
    Hello(NodeId),
}

/// Encodes a frame.
pub(crate) fn encode(frame: Frame) -> [u8; SIZE] {
    let numbers = match frame {
        Frame::Message(Message::Value { cycle, color }) => [1, cycle, color, 0, 0],
        Frame::Message(Message::Improvement { cycle, improvement }) => {
            let Improvement { gain, cost, counter } = improvement;
            [2, cycle, gain, cost, counter]
        }
        Frame::Message(Message::Solved) => [3, 0, 0, 0, 0],
        Frame::Hello(id) => [4, id, 0, 0, 0],
    };
    let mut octets = [0; SIZE];
    for (place, number) in octets.chunks_exact_mut(4).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    octets
}

/// Decodes a frame; `None` if there is none of this kind.
pub(crate) fn decode(octets: &[u8; SIZE]) -> Option<Frame> {
    let mut numbers = [0; 5];
    for (number, place) in numbers.iter_mut().zip(octets.chunks_exact(4)) {
        *number = u32::from_le_bytes(place.try_into().ok()?);
    }
    match numbers {
        [1, cycle, color, 0, 0] => Some(Frame::Message(Message::Value { cycle, color })),
        [2, cycle, gain, cost, counter] => {
            let improvement = Improvement { gain, cost, counter };
            Some(Frame::Message(Message::Improvement { cycle, improvement }))
        }
        [3, 0, 0, 0, 0] => Some(Frame::Message(Message::Solved)),
        [4, id, 0, 0, 0] => Some(Frame::Hello(id)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_decoded_as_they_are_encoded() {
        let improvement = Improvement { gain: 1, cost: 0x0203, counter: u32::MAX };
        for frame in [
            Frame::Message(Message::Value { cycle: 7, color: 300 }),
            Frame::Message(Message::Improvement { cycle: 8, improvement }),
            Frame::Message(Message::Solved),
            Frame::Hello(99),
        ] {
            assert_eq!(decode(&encode(frame)), Some(frame));
        }
        assert_eq!(encode(Frame::Hello(0x0102))[..8], [4, 0, 0, 0, 2, 1, 0, 0]);
    }

    #[test]
    fn other_octets_are_no_frames() {
        for at in [0, 1, 8, 19] {
            let mut octets = encode(Frame::Hello(1));
            octets[at] = 9;
            assert_eq!(decode(&octets), None, "octet {at}");
        }
    }
}
