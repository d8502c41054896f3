//! Seeds of the target `engines`: a value of each type.

use zorb_fuzz_smoke::engines::sample::{Seed, input};
use zorb_fuzz_smoke::engines::types::TYPES;

use crate::seed;

pub(crate) fn write() {
    for (index, pair) in TYPES.iter().enumerate() {
        let name = pair.name.replace([':', '#', ' '], "");
        seed("engines", &name, input(index, &mut Seed::new(index as u64)));
    }
}
