//! The vectors cut short and spoilt: whatever comes out, nothing panics.

use zorb_giop::{CodeSetContext, text_coding};

use crate::message::decode;
use crate::vector::Scenario;

/// Decodes every prefix of every message, and every message with any one octet spoilt. How many
/// were decoded.
pub(crate) fn survive(scenarios: &[Scenario]) -> usize {
    let mut decoded = 0;
    for vector in scenarios.iter().flat_map(|scenario| &scenario.vectors) {
        // The long ones repeat what the short ones have.
        let octets = vector.octets.get(..600).unwrap_or(&vector.octets);
        let operation = vector.header.as_ref().and_then(|header| header["operation"].as_str());
        let mut spoilt = |octets: &[u8]| {
            decoded += 1;
            let text = |sets: Option<CodeSetContext>, version| {
                text_coding(sets.unwrap_or(CodeSetContext::DEFAULT), version).unwrap_or_default()
            };
            // Any result is right; the encoder takes what the decoder accepts, or refuses it.
            let message = decode(octets, text, |_| operation.map(str::to_owned));
            message.map(|message| message.encode().is_ok()).unwrap_or_default()
        };
        for end in 12..octets.len() {
            spoilt(&octets[..end]);
        }
        for place in 4..octets.len() {
            for value in [0x00, 0x80, 0xff] {
                let mut copy = octets.to_vec();
                copy[place] = value;
                spoilt(&copy);
            }
        }
    }
    decoded
}
