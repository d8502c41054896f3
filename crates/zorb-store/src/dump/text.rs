//! Octets as printable text.

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// Whether an octet stands for itself.
const fn is_plain(octet: u8) -> bool {
    matches!(octet, b' '..=b'~') && !matches!(octet, b'%' | b'"' | b'\\')
}

/// Appends the text of `octets`.
pub(super) fn encode(octets: &[u8], text: &mut Vec<u8>) {
    for &octet in octets {
        if is_plain(octet) {
            text.push(octet);
        } else {
            let digit = |value: u8| DIGITS[usize::from(value & 0xF)];
            text.extend([b'%', digit(octet >> 4), digit(octet)]);
        }
    }
}

/// The octets of a text; `None` if it is none that [`encode`] writes.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut octets = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(octet) = rest.next() {
        octets.push(match octet {
            b'%' => {
                let escaped = digit(rest.next()?)? << 4 | digit(rest.next()?)?;
                (!is_plain(escaped)).then_some(escaped)?
            }
            plain => is_plain(plain).then_some(plain)?,
        });
    }
    Some(octets)
}

fn digit(octet: u8) -> Option<u8> {
    let position = DIGITS.iter().position(|&digit| digit == octet)?;
    u8::try_from(position).ok()
}
