//! The server target, alone in its process: what its threads allocate counts too.

use zorb_fuzz_smoke::corpus::seeds;
use zorb_fuzz_smoke::run::{Counted, run};
use zorb_fuzz_smoke::targets::server;
use zorb_testkit::in_own_process;

#[test]
fn a_server_survives_its_clients() {
    in_own_process("server::a_server_survives_its_clients", || {
        for seed in seeds(server::TARGET.name) {
            let before = server::upcalls();
            let answer = server::exchange(&seed.octets);
            // Seeds named so are good calls; they keep mutations close to what gets through.
            if seed.name.starts_with("call-") {
                assert_eq!(server::upcalls(), before + 1, "{} does not get through", seed.name);
                assert_eq!(answer.is_empty(), seed.name.contains("oneway"), "{}", seed.name);
            }
        }
        assert!(server::upcalls() >= 20, "the calls among the seeds are missing");
        let report = run(&server::TARGET, 3000, Counted::Process);
        println!("server: {report:?}");
        assert!(report.seeds >= 40, "{} seeds: some are missing", report.seeds);
    });
}
