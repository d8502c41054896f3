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
/// No message is larger.
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

/// A queue between the thread that reads from a connection and the one that uses what it reads.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// `None` at the end.
    waiting: Mutex<VecDeque<Option<Message>>>,
    added: Condvar,
}

impl Queue {
    pub(super) fn put(&self, message: Option<Message>) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(message);
        self.added.notify_one();
    }

    pub(super) fn take(&self) -> Option<Message> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(message) = waiting.pop_front() {
                return message;
            }
            waiting = self.added.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads messages until the end of the stream.
    pub(super) fn fill(&self, mut from: impl Read) {
        while let Ok(Some(message)) = Message::read(&mut from) {
            self.put(Some(message));
        }
        self.put(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
