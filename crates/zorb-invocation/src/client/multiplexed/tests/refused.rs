//! Replies for which there is no memory.

use std::io::Write as _;

use zorb_giop::{MessageBudget, ProtocolErrorKind};

use super::*;

/// The beginning of a Reply of a megabyte.
const LARGE: &[u8] = b"GIOP\x01\x02\x01\x01\x00\x00\x10\x00";

#[test]
fn the_memory_of_a_refused_reply_is_free_while_others_hold_its_connection() {
    let budget = Arc::new(MessageBudget::new(100_000));
    let (here, mut there) = UnixStream::pair().unwrap();
    let stream = SocketStream::new(here, String::new(), String::new());
    let connection = connection_with(Arc::new(stream), &PeerShares::new(&budget, 100_000));
    let mut call = join(&connection);
    send(&mut call);
    std::thread::scope(|scope| {
        // Until the connection ends.
        scope.spawn(move || [LARGE, &[0; 1 << 20]].iter().try_for_each(|it| there.write_all(it)));
        match call.receive(&TimeLimit::new(None)) {
            Err(NoReply::Broken(error)) => {
                assert!(matches!(error.kind, ProtocolErrorKind::OutOfMemory(_)), "{error}");
            }
            other => panic!("{other:?}"),
        }
    });
    assert!(connection.has_ended());
    assert_eq!(budget.used(), 0);
}
