//! Messages: a GIOP header, and a request or reply header before the body.
//!
//! ```text
//!  0        4      6       7      8      12          16        20
//! +--------+------+-------+------+------+-----------+---------+-----------+------------------+----------
//! | "GIOP" | 1, 0 | order | type | size | id        | status  | key       | operation        | body ...
//! +--------+------+-------+------+------+-----------+---------+-----------+------------------+----------
//!  key and operation: the length, and the octets. The body begins at a multiple of 8.
//! ```

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Condvar, Mutex, PoisonError};

/// The octets that are written and read at a time.
const PIECE: usize = 8 << 10;
const HEADER: usize = 12;
/// The limit of a message and of what a queue holds, in octets.
const LARGEST: usize = 64 << 20;

/// A request, or a reply with an empty key and operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: u32,
    /// Of a request, whether a reply is expected.
    pub(super) flag: u32,
    pub(super) key: Vec<u8>,
    pub(super) operation: String,
    pub(super) body: Vec<u8>,
}

impl Message {
    /// Copies all parts to one buffer, and writes it.
    #[inline(never)]
    pub(super) fn write(&self, mut to: impl Write) -> io::Result<()> {
        let mut octets = b"GIOP\x01\x00\x01\x00\0\0\0\0".to_vec();
        octets.extend(self.id.to_ne_bytes());
        octets.extend(self.flag.to_ne_bytes());
        for part in [&*self.key, self.operation.as_bytes()] {
            let length = u32::try_from(part.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
            octets.extend(length.to_ne_bytes());
            octets.extend(part);
        }
        octets.resize(octets.len().next_multiple_of(8), 0);
        octets.extend(&self.body);
        let size = u32::try_from(octets.len() - HEADER).map_err(|_| io::ErrorKind::InvalidInput)?;
        if let Some(field) = octets.get_mut(8..HEADER) {
            field.copy_from_slice(&size.to_ne_bytes());
        }
        octets.chunks(PIECE).try_for_each(|piece| to.write_all(piece))
    }

    /// Reads a message, header and rest apart; `None` at the end of the stream.
    #[inline(never)]
    pub(super) fn read(mut from: impl Read) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER];
        match from.read_exact(&mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        let [.., a, b, c, d] = header;
        let size = u32::from_ne_bytes([a, b, c, d]) as usize;
        if !header.starts_with(b"GIOP") || size > LARGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut octets = vec![0; size];
        octets.chunks_mut(PIECE).try_for_each(|piece| from.read_exact(piece))?;
        Self::parse(&octets).map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.key.len() + self.operation.len() + self.body.len()
    }

    /// Copies the parts of a message without its header.
    fn parse(octets: &[u8]) -> Option<Self> {
        let mut rest = octets;
        let id = number(&mut rest)?;
        let flag = number(&mut rest)?;
        let mut part = || {
            let length = number(&mut rest)? as usize;
            let (part, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(part.to_vec())
        };
        let (key, operation) = (part()?, part()?);
        let position = HEADER + octets.len() - rest.len();
        let body = rest.get(position.next_multiple_of(8) - position..)?.to_vec();
        Some(Self { id, flag, key, operation: String::from_utf8(operation).ok()?, body })
    }
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_ne_bytes(*number))
}

/// The messages that one thread has read from a connection and another has not processed.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Message>,
    /// The memory of those that wait, about.
    octets: usize,
    has_ended: bool,
}

impl State {
    fn has_room(&self, size: usize) -> bool {
        self.waiting.is_empty() || self.octets.saturating_add(size) <= LARGEST
    }
}

impl Queue {
    /// Waits while the queue has no room for the message; an empty one always has. `false` if the queue has ended.
    pub(super) fn put(&self, message: Message) -> bool {
        let size = message.memory();
        let is_full = |state: &mut State| !state.has_ended && !state.has_room(size);
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state =
            self.changed.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        if state.has_ended {
            return false;
        }
        state.octets += size;
        state.waiting.push_back(message);
        self.changed.notify_one();
        true
    }

    /// The next message; `None` after the last one.
    pub(super) fn take(&self) -> Option<Message> {
        let is_empty = |state: &mut State| !state.has_ended && state.waiting.is_empty();
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state =
            self.changed.wait_while(state, is_empty).unwrap_or_else(PoisonError::into_inner);
        let message = state.waiting.pop_front()?;
        state.octets -= message.memory();
        self.changed.notify_one();
        Some(message)
    }

    /// Closes the queue: `put` refuses further messages.
    pub(super) fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).has_ended = true;
        self.changed.notify_all();
    }

    /// Reads messages until the end of the stream or of the queue.
    pub(super) fn fill(&self, mut from: impl Read) {
        while let Ok(Some(message)) = Message::read(&mut from) {
            if !self.put(message) {
                break;
            }
        }
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    fn of_size(octets: usize) -> Message {
        Message { body: vec![7; octets], ..Message::default() }
    }

    #[test]
    fn messages_are_read_as_they_were_written() {
        for length in [0, 5, PIECE, 3 * PIECE + 1] {
            let message = Message {
                id: 7,
                flag: 1,
                key: b"key".to_vec(),
                operation: "operate".to_owned(),
                body: (0..length).map(|index| index as u8).collect(),
            };
            let mut octets = Vec::new();
            message.write(&mut octets).unwrap();
            assert_eq!((octets.len() - length) % 8, 0);
            let mut from = &*octets;
            assert_eq!(Message::read(&mut from).unwrap(), Some(message));
            assert_eq!(Message::read(&mut from).unwrap(), None);
            assert!(Message::read(&octets[..octets.len() - 1]).is_err());
        }
    }

    #[test]
    fn lengths_beyond_the_message_are_refused() {
        let mut octets = Vec::new();
        Message::default().write(&mut octets).unwrap();
        octets[20] = 200;
        assert!(Message::read(&*octets).is_err());
        octets[11] = 200;
        assert!(Message::read(&*octets).is_err());
    }

    #[test]
    fn a_queue_has_room_up_to_its_limit_and_for_one_larger_message() {
        let queue = Queue::default();
        let has_room = |size| queue.state.lock().unwrap().has_room(size);
        assert!(has_room(2 * LARGEST));
        let message = of_size(5);
        let size = message.memory();
        assert!(queue.put(message));
        assert!(has_room(LARGEST - size) && !has_room(LARGEST - size + 1));
        assert!(queue.take().is_some() && has_room(2 * LARGEST));
    }

    #[test]
    fn the_end_of_a_queue_ends_waiting() {
        let queue = Queue::default();
        assert!(queue.put(of_size(LARGEST)));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.put(of_size(1)));
            queue.end();
            assert!(!waiting.join().unwrap());
        });
        assert!(queue.take().is_some());
        assert_eq!(queue.take(), None);
    }
}
