//! The client target, alone in its process: what its threads allocate counts too.

use zorb_fuzz_smoke::corpus::seeds;
use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::client;
use zorb_testkit::in_own_process;

#[test]
fn a_client_survives_its_servers() {
    in_own_process("client::a_client_survives_its_servers", || {
        for seed in seeds(client::TARGET.name) {
            let outcome = client::outcome(&seed.octets);
            // Seeds named so are good replies; they keep mutations close to what is believed.
            if seed.name.starts_with("result-") {
                assert!(outcome.starts_with("Ok("), "{}: {outcome}", seed.name);
            } else if seed.name.starts_with("raised-") {
                assert!(outcome.contains("Refused"), "{}: {outcome}", seed.name);
            } else if !seed.name.starts_with("older-") && !seed.name.starts_with("found-") {
                assert!(outcome.starts_with("Err("), "{}: {outcome}", seed.name);
            }
        }
        let report = run(&client::TARGET, 4000, Counted::Process);
        println!("client: {report:?}");
        assert!(report.seeds >= 30, "{} seeds: some are missing", report.seeds);
    });
}
