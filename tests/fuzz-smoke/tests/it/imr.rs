//! The target of implementation repositories, alone in its process: what its threads allocate counts too.

use zorb_fuzz_smoke::corpus::seeds;
use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::imr;
use zorb_testkit::in_own_process;

#[test]
fn a_repository_survives_its_clients() {
    in_own_process("imr::a_repository_survives_its_clients", || {
        for seed in seeds(imr::TARGET.name) {
            let answer = imr::exchange(&seed.octets);
            // Seeds named so are good calls; they keep mutations close to what gets through.
            if let Some(call) = seed.name.strip_prefix("call-") {
                // The status of a reply in GIOP 1.2.
                assert_eq!(answer.get(16..20), Some(&[0; 4][..]), "{call}: {answer:?}");
            }
        }
        let report = run(&imr::TARGET, 3000, Counted::Process);
        println!("imr: {report:?}");
        assert!(report.seeds >= 8, "{} seeds: some are missing", report.seeds);
    });
}
