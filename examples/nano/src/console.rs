//! Input and output, without formatting.

use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, openat};

/// A line of input.
pub(crate) struct Line {
    octets: [u8; 512],
    length: usize,
}

impl Line {
    /// Reads the line that the image is started with.
    pub(crate) fn read() -> Option<Self> {
        let input = openat(CWD, c"/dev/stdin", OFlags::RDONLY, Mode::empty()).ok()?;
        let mut line = Self { octets: [0; 512], length: 0 };
        while let Some(space @ [_, ..]) = line.octets.get_mut(line.length..) {
            let count = rustix::io::read(borrowed(&input)?, space).ok()?;
            line.length += count;
            if count == 0 || line.octets.contains(&b'\n') {
                break;
            }
        }
        Some(line)
    }

    /// The first word, and the rest.
    pub(crate) fn words(&self) -> (&str, &str) {
        let octets = self.octets.get(..self.length).unwrap_or_default();
        let text = core::str::from_utf8(octets).unwrap_or_default().trim();
        let space = text.bytes().position(|octet| octet == b' ');
        match space.and_then(|at| text.split_at_checked(at)) {
            Some((first, rest)) => (first, rest.trim_start()),
            None => (text, ""),
        }
    }
}

/// The descriptor, which is never -1: without this check the borrowing of it could panic.
fn borrowed(file: &OwnedFd) -> Option<BorrowedFd<'_>> {
    if file.as_raw_fd() == -1 { None } else { Some(file.as_fd()) }
}

/// Writes text to the output.
pub(crate) fn say(text: &str) {
    let output = openat(CWD, c"/dev/stdout", OFlags::WRONLY | OFlags::APPEND, Mode::empty());
    if let Some(output) = output.as_ref().ok().and_then(borrowed) {
        let _ = rustix::io::write(output, text.as_bytes());
    }
}

/// Writes text and a number, and ends the line.
pub(crate) fn say_number(text: &str, number: i64) {
    let mut digits = [0; 20];
    let mut rest = number.unsigned_abs();
    let mut length = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        length += 1;
        if rest == 0 {
            break;
        }
    }
    say(text);
    if number < 0 {
        say("-");
    }
    let digits = digits.get(digits.len() - length..).unwrap_or_default();
    say(core::str::from_utf8(digits).unwrap_or_default());
    say("\n");
}
