//! The target of naming services, alone in its process: what its threads allocate counts too.

use zorb_fuzz_smoke::corpus::seeds;
use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::naming;
use zorb_testkit::in_own_process;

#[test]
fn a_naming_service_survives_its_clients_and_its_store() {
    in_own_process("naming::a_naming_service_survives_its_clients_and_its_store", || {
        for seed in seeds(naming::TARGET.name) {
            // Seeds named so are good calls and rows; they keep mutations close to what gets through.
            if let Some(call) = seed.name.strip_prefix("call-") {
                let answer = naming::exchange(&seed.octets[1..]);
                // The status of a reply in GIOP 1.2.
                assert_eq!(answer.get(16..20), Some(&[0; 4][..]), "{call}: {answer:?}");
            } else if seed.name.starts_with("row-") {
                assert!(naming::read_row(&seed.octets), "{}", seed.name);
            }
        }
        let report = run(&naming::TARGET, 4000, Counted::Process);
        println!("naming: {report:?}");
        assert!(report.seeds >= 20, "{} seeds: some are missing", report.seeds);
    });
}
