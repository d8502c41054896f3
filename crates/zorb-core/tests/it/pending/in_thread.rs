//! Functions that get results on a thread for them.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::mpsc;

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
fn functions_of_refused_calls_do_not_pile_up() {
    let (_server, echo) = server();
    let orb = builder().option("MaxPendingCalls", "0").build().unwrap();
    let there: Echo = orb.resolve(&echo.object().to_ior_string()).unwrap();
    let (tell, told) = mpsc::channel();
    let here = std::thread::current().id();
    let within = there.clone();
    send_twice(there.object(), 1).on_reply_in_thread(move |result| {
        assert_eq!(result.unwrap_err().minor, minor::transient::TOO_MANY_PENDING);
        tell.send(std::thread::current().id()).unwrap();
        // Made again and again, it ends.
        send_twice(within.object(), 1).on_reply_in_thread(move |_| tell.send(here).unwrap());
    });
    assert_eq!(told.try_iter().collect::<Vec<_>>(), [here]);
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
        send_twice(there.object(), 1).on_reply_in_thread(move |_| {
            tell.send(None).unwrap();
            let _ = wait.recv();
            tell.send(Some(send_twice(far.object(), 4).wait())).unwrap();
        });
        assert_eq!(told.recv().unwrap(), None);
        go
    };
    let goes: Vec<_> = (0..MOST).map(begin).collect();
    drop((goes, tell));
    let results: Vec<_> = told.iter().flatten().collect();
    assert_eq!(results, [(); MOST].map(|()| Ok(8)));
    drop(served.join().unwrap());
}
