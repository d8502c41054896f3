//! Requests and answers of the small ORB.

use zorb_fuzz_smoke::targets::nano;

pub(crate) fn write() {
    for (name, octets) in nano::recorded() {
        crate::seed(nano::TARGET.name, &name, octets);
    }
}
