//! Stringified references of other ORBs.

use std::path::Path;

use zorb_giop::Ior;

use crate::any::same;
use crate::shown::{Reference, Shown, Wide, order_of, rebuilt};
use crate::vector::{files, hex, json, root, stem, unhex};

/// Padding that a recording leaves as captured: within TAG_POLICIES.
fn unlisted_padding(stem: &str) -> &'static [usize] {
    if stem == "ior_omniorb_ziop" { &[141, 158, 159] } else { &[] }
}

/// Checks every `ior_*.json`: read, compared, taken apart and written again. How many there are.
pub(crate) fn check() -> Result<usize, String> {
    let mut checked = 0;
    for path in files(&root()).into_iter().filter(|path| stem(path).starts_with("ior_")) {
        check_one(&path).map_err(|why| format!("{}: {why}", path.display()))?;
        checked += 1;
    }
    Ok(checked)
}

fn check_one(path: &Path) -> Result<(), String> {
    let file = json(path);
    let text = file["ior"].as_str().ok_or("no text")?;
    let ior = Ior::from_stringified(text).map_err(|error| error.to_string())?;
    let shown = Reference::show(&ior, Wide::Text);
    if !same(&file["decoded"], &shown) {
        return Err(format!("recorded {}, decoded {shown}", file["decoded"]));
    }
    let recorded = file["hex_zero_padded"].as_str().or(file["hex"].as_str());
    let mut recorded = unhex(recorded.ok_or("no hex")?);
    unlisted_padding(&stem(path)).iter().for_each(|&place| recorded[place] = 0);
    match rebuilt(&ior).and_then(|ior| ior.to_encapsulation(order_of(&recorded))) {
        Ok(ours) if ours == recorded => Ok(()),
        Ok(ours) => Err(format!("written as {}\n  recorded {}", hex(&ours), hex(&recorded))),
        Err(error) => Err(error.to_string()),
    }
}
