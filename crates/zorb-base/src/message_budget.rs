//! The memory that messages may use: one budget for the process, and parts of it for ORBs with a limit of their own.

use std::sync::Arc;

use zorb_giop::MessageBudget;
use zorb_transport::process_budget;

/// A budget of `limit` octets, which is a part of the [process's](zorb_transport::process_budget), or all of that if `limit` is 0.
pub fn budget(limit: usize) -> Arc<MessageBudget> {
    orb_budget(process_budget(), limit)
}

/// The budget of an ORB whose option `MaxBufferedOctets` is `limit`: a part of `process`, or all of it if the option
/// is 0.
fn orb_budget(process: &Arc<MessageBudget>, limit: usize) -> Arc<MessageBudget> {
    let process = Arc::clone(process);
    if limit == 0 {
        return process;
    }
    process.raise_limit(limit);
    Arc::new(MessageBudget::part_of(process, limit))
}

#[cfg(test)]
mod tests {
    use zorb_giop::Charge;

    use super::*;

    #[test]
    fn orbs_share_what_the_process_has() {
        let process = Arc::new(MessageBudget::new(100));
        let [all, small] = [0, 30].map(|limit| orb_budget(&process, limit));
        let [mut of_all, mut of_small] = [&all, &small].map(|it| Charge::to(Arc::clone(it)));
        assert!(!of_small.set(31) && of_small.set(30));
        assert!(!of_all.set(71) && of_all.set(70));
        assert_eq!((process.used(), small.used()), (100, 30));
        // If the process has no memory left, nothing is charged to the ORB.
        assert!(of_small.set(10) && of_all.set(90) && !of_small.set(20));
        assert_eq!((process.used(), small.used()), (100, 10));
        drop((of_all, of_small));
        assert_eq!((process.used(), small.used()), (0, 0));
    }

    #[test]
    fn an_orb_may_have_more_than_a_quarter_of_the_memory() {
        let process = Arc::new(MessageBudget::new(100));
        let large = orb_budget(&process, 150);
        assert_eq!((process.limit(), large.limit()), (150, 150));
        assert!(Charge::to(large).set(150));
        let _ = orb_budget(&process, 120);
        assert_eq!(process.limit(), 150);
        assert!(Arc::ptr_eq(process_budget(), process_budget()) && process_budget().limit() > 0);
    }
}
