//! The memory of requests that wait for deferred replies.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use crate::alone;
use crate::support::{Echo, builder, served_by, until};
use zorb_cdr::ByteOrder;
use zorb_core::lanes::Strategy;
use zorb_core::poa::{DeferredServant, Response};
use zorb_core::{Result, codegen};
use zorb_giop::{
    GiopVersion, MessageWriter, ReplyStart, ReplyStatus, RequestStart, ResponseFlags, TargetAddress,
};
use zorb_os::alloc::AllocationCount;
use zorb_testkit::read_message;

const MANY: usize = 100_000;

/// What the book says: the octets of a waiting request, with its response.
const DOCUMENTED: usize = 200;

trait LateEcho: Send + Sync + 'static {
    fn twice(&self, value: i32, response: Response<i32>);
}

trait AsyncEcho: Send + Sync + 'static {
    fn twice(self: Arc<Self>, value: i32) -> impl Future<Output = Result<i32>> + Send + 'static;
}

codegen::deferred!(Echo, LateEcho, AsyncEcho, {
    0 "twice" twice(value: i32 => value) [result: i32],
});

/// Keeps its responses.
struct Keeps(Mutex<Vec<(i32, Response<i32>)>>);

impl LateEcho for Keeps {
    fn twice(&self, value: i32, response: Response<i32>) {
        self.0.lock().unwrap().push((value, response));
    }
}

/// The octets of this many requests to `echo`; their ids are their arguments.
fn requests(echo: &Echo, count: usize) -> Vec<u8> {
    let profile = &echo.object().ior().profiles[0];
    let key = zorb_giop::iiop_object_key(&profile.data).unwrap().to_vec();
    let mut all = Vec::new();
    for id in 0..u32::try_from(count).unwrap() {
        let start = RequestStart {
            request_id: id,
            response: ResponseFlags::SyncWithTarget,
            target: TargetAddress::Key(&key),
            operation: "twice",
            service_contexts: &[],
        };
        let mut octets = Vec::new();
        let (version, order) = (GiopVersion::V1_2, ByteOrder::Little);
        let mut message = MessageWriter::request(&mut octets, version, order, &start).unwrap();
        message.body(Default::default()).write_u32(id);
        message.finish().unwrap();
        all.extend_from_slice(&octets);
    }
    all
}

/// The id of the next reply, which has results.
fn reply(stream: &mut TcpStream) -> u32 {
    let (header, octets) = read_message(stream).unwrap();
    let start = ReplyStart::read(&octets, &header).unwrap();
    assert_eq!(start.status, ReplyStatus::NoException);
    start.request_id
}

#[test]
fn one_thread_holds_a_hundred_thousand_unanswered_requests() {
    let _alone = alone();
    let orb = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let served = served_by(&orb, Some(Strategy::SingleThread), 1);
    let poa = orb.root_poa().create("late", served.policies).unwrap();
    let servant = DeferredServant::new(Keeps(Mutex::new(Vec::with_capacity(MANY))));
    let kept = Arc::clone(servant.servant());
    let echo: Echo = poa.activate(servant).unwrap();
    let all = requests(&echo, MANY);
    let mut stream = TcpStream::connect(&served.address).unwrap();

    let before = AllocationCount::total();
    stream.write_all(&all).unwrap();
    until(|| kept.0.lock().unwrap().len() == MANY);
    let used = AllocationCount::total().since(before);
    let held = used.allocations - used.frees;
    let each = usize::try_from(used.bytes).unwrap() / MANY + size_of::<(i32, Response<i32>)>();
    println!("{held} blocks for {MANY} requests, {each} octets each");
    assert!(held <= MANY as u64 + 100, "one block each: {used:?}");
    assert!(each <= DOCUMENTED, "{each} octets");

    let mut waiting = std::mem::take(&mut *kept.0.lock().unwrap());
    // From the last to the first, while the client reads.
    let mut reads = stream.try_clone().unwrap();
    let reader =
        std::thread::spawn(move || (0..MANY).map(|_| reply(&mut reads)).collect::<Vec<_>>());
    while let Some((value, response)) = waiting.pop() {
        response.send(Ok(value));
    }
    let ids: Vec<u32> = (0..u32::try_from(MANY).unwrap()).rev().collect();
    assert_eq!(reader.join().unwrap(), ids);
    drop(stream);
    orb.shutdown(true).unwrap();
}
