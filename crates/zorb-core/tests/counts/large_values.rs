//! The memory of large values, which belongs to the program.

use std::iter::repeat_with;

use crate::support::{Echo, Servant, builder};
use zorb_core::{CollocationStrategy, Interface};
use zorb_os::thread::own_page_faults;
use zorb_testkit::in_own_process;

const ROUNDS: usize = 50;

#[test]
fn large_results_that_the_program_frees_cause_no_page_faults() {
    // Whatever else frees a large block in the process has the same effect.
    in_own_process(
        "large_values::large_results_that_the_program_frees_cause_no_page_faults",
        || {
            let orb = builder().build().unwrap();
            let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
            let echo = echo.with_collocation(CollocationStrategy::Marshalled);
            let data = vec![7; 64 << 10];
            let use_results = |times: usize| {
                for _ in 0..times {
                    let results = repeat_with(|| echo.mirror(&data)).take(4);
                    assert!(
                        results.map(Result::unwrap).collect::<Vec<_>>().iter().all(|r| *r == data)
                    );
                }
            };
            use_results(ROUNDS);
            let before = own_page_faults().unwrap();
            use_results(ROUNDS);
            let faults = own_page_faults().unwrap() - before;
            assert!(faults < ROUNDS as u64, "{faults}");
            orb.shutdown(true).unwrap();
        },
    );
}
