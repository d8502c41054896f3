//! The longest wait of a pending call is for all of its requests together.

use super::*;

#[test]
fn a_request_that_is_sent_again_waits_since_the_first_one() {
    let (_, connection) = connection();
    connection.state().pending.reader = Reader::Runs;
    let limits = WaitLimits { deadline: None, max_waiting: usize::MAX, max_wait: None };
    let joining = Joining { in_upcall: false, in_waker: false, limits, pending: Some(4) };
    let without_limit = NewRequest { deadline: None, ..request(None) };
    let threads = ThreadCount::new(0);
    let begin = |first: Option<LastReceived>| {
        let mut call = connection.join(&joining).unwrap();
        if let Some(first) = first {
            call.waits_since(first);
        }
        call.reply_to(Arc::new(Unanswered), &threads, Duration::MAX).unwrap();
        let id = call.begin(&without_limit, None).unwrap().request_id;
        call.detach();
        id
    };
    let (new, old) = (begin(None), begin(Some(LastReceived::long_ago())));
    let mut state = connection.state();
    let mut begun = |id| match state.machine.call_mut(id) {
        Some(Follower::Pending { begun, .. }) => *begun,
        other => panic!("{other:?}"),
    };
    assert!(begun(new) > begun(old));
    assert_eq!(begun(old), LastReceived::long_ago());
    // The reader ends it first.
    assert_eq!(state.pending.oldest, Some(LastReceived::long_ago()));
}
