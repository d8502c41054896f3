//! Functions that get results on a thread for them.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

use super::send_twice;
use crate::scripted::object_at;
use crate::sharing::read_requests;
use crate::support::{Echo, Servant, builder, client, server};
use zorb_cdr::{ByteOrder, Wire as _};
use zorb_giop::{GiopVersion, Ior, MessageWriter, ReplyStatus};
use zorb_types::minor;

/// How many functions may wait at the same time.
const MOST: usize = 8;

#[test]
fn the_function_of_a_refused_call_is_not_called() {
    let (_server, echo) = server();
    let orb = builder().option("MaxPendingCalls", "0").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let refused = send_twice(there.object(), 1).on_reply_in_thread(|_| panic!("it is called"));
    let refused = refused.unwrap_err();
    assert_eq!(refused.minor, minor::transient::TOO_MANY_PENDING);
    assert_eq!(refused, send_twice(there.object(), 1).wait().unwrap_err());
    let orb = builder().build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let mut taken = send_twice(there.object(), 1);
    assert_eq!(taken.wait_timeout(Duration::MAX), Some(Ok(2)));
    let again = taken.on_reply_in_thread(|_| panic!("it is called")).unwrap_err();
    assert_eq!(again.minor, minor::object_not_exist::POLLER_DELIVERED);
}

#[test]
fn functions_may_wait_for_calls_that_are_forwarded_to_this_orb() {
    let (_server, echo) = server();
    let (orb, there) = client(&echo);
    let own: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let forwards = object_at("127.0.0.1", listener.local_addr().unwrap().port());
    let far: Echo = orb.resolve(&forwards.to_stringified().unwrap()).unwrap();
    let to = own.object().ior().clone();
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        // None is forwarded until all functions wait.
        for (id, _) in read_requests(&mut stream, MOST) {
            let mut octets = Vec::new();
            let reply = ReplyStatus::LocationForward;
            let (version, order) = (GiopVersion::V1_2, ByteOrder::Big);
            let mut message =
                MessageWriter::reply(&mut octets, version, order, id, reply, &[]).unwrap();
            Ior::write(&to, &mut message.body(Default::default())).unwrap();
            message.finish().unwrap();
            stream.write_all(&octets).unwrap();
        }
        stream
    });
    let (tell, told) = mpsc::channel();
    let begin = |_| {
        let ((go, wait), (tell, far)) = (mpsc::channel::<()>(), (tell.clone(), far.clone()));
        let first = send_twice(there.object(), 1).on_reply_in_thread(move |_| {
            tell.send(None).unwrap();
            let _ = wait.recv();
            tell.send(Some(send_twice(far.object(), 4).wait())).unwrap();
        });
        first.unwrap();
        assert_eq!(told.recv().unwrap(), None);
        go
    };
    let goes: Vec<_> = (0..MOST).map(begin).collect();
    drop((goes, tell));
    let results: Vec<_> = told.iter().flatten().collect();
    assert_eq!(results, [(); MOST].map(|()| Ok(8)));
    drop(served.join().unwrap());
}
