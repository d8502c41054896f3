//! Percent-encoding.

use alloc::vec::Vec;
use core::fmt;

use crate::reference::hex_value;

/// Characters that are not escaped in a key, in addition to letters and digits (CORBA 3.3 part 2,
/// 7.6.10.2).
const UNRESERVED: &[u8] = b";/:?@&=+$,-_.!~*'()";

/// Displays octets percent-encoded, as in a URL.
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a [u8]);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &octet in self.0 {
            if octet.is_ascii_alphanumeric() || UNRESERVED.contains(&octet) {
                fmt::Write::write_char(f, char::from(octet))?;
            } else {
                write!(f, "%{octet:02x}")?;
            }
        }
        Ok(())
    }
}

/// Decodes percent-encoded text.
///
/// # Errors
/// The index of a `%` without two hexadecimal digits.
pub fn unescape(text: &str) -> Result<Vec<u8>, usize> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            octets.push(first);
            rest = after;
            continue;
        }
        let digits = after.first_chunk::<2>().map(|&[high, low]| (hex_value(high), hex_value(low)));
        let Some((Some(high), Some(low))) = digits else {
            return Err(text.len() - rest.len());
        };
        octets.push(high << 4 | low);
        rest = after.get(2..).unwrap_or_default();
    }
    Ok(octets)
}
