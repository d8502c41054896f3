use std::sync::Mutex;

use super::*;

/// A stream that takes up to `most` octets of each send, and records them.
#[derive(Debug)]
struct Recording {
    most: usize,
    sends: Mutex<Vec<Vec<u8>>>,
}

impl Stream for Recording {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn send_vectored_all(&self, _: &mut [IoSlice<'_>]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.get(..self.most).unwrap_or(bytes);
        self.sends.lock().unwrap().push(taken.to_vec());
        Ok(taken.len())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn is_readable(&self) -> bool {
        false
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &'static str {
        "peer"
    }

    fn local(&self) -> &'static str {
        "local"
    }
}

/// Sends `parts` to a stream that takes up to `most` octets at a time. Returns the sizes of the sends, what they
/// sent, and what is left.
fn send(most: usize, parts: &[&[u8]]) -> (Vec<usize>, Vec<u8>, Vec<u8>) {
    let stream = Recording { most, sends: Mutex::default() };
    let mut slices: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut left = &mut slices[..];
    stream.try_send_vectored(&mut left).unwrap();
    let left = left.iter().flat_map(|part| part.iter().copied()).collect();
    let sends = stream.sends.into_inner().unwrap();
    (sends.iter().map(Vec::len).collect(), sends.concat(), left)
}

#[test]
fn small_parts_are_sent_together() {
    let parts: [&[u8]; 4] = [b"", b"header", b"", b"body"];
    assert_eq!(send(usize::MAX, &parts), (vec![10], b"headerbody".to_vec(), Vec::new()));
    assert_eq!(send(usize::MAX, &[b"", b""]).0, Vec::<usize>::new());
}

#[test]
fn the_end_of_a_large_part_is_not_copied() {
    let body = vec![7; 3 * GATHERED];
    let (sizes, sent, left) = send(usize::MAX, &[b"header", &body]);
    assert_eq!(sizes, [GATHERED, 2 * GATHERED + 6]);
    assert_eq!((sent, left), ([b"header", &body[..]].concat(), Vec::new()));
}

#[test]
fn octets_not_taken_by_the_stream_remain() {
    let (sizes, sent, left) = send(8, &[b"header", b"body", b"end"]);
    assert_eq!((sizes, sent, left), (vec![8], b"headerbo".to_vec(), b"dyend".to_vec()));
}
