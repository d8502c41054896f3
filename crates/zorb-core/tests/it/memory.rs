//! Requests that need more memory than the process has.

use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};

use zorb_cdr::{ByteOrder, CdrWriter};
use zorb_core::{ObjectRef, Result, codegen};
use zorb_giop::{
    GiopVersion, HEADER_SIZE, MessageHeader, MessageWriter, ReplyHeader, RequestStart,
    ResponseFlags, TargetAddress,
};
use zorb_testkit::{connect_from, in_own_process, limit_address_space, read_message};
use zorb_types::{Any, SystemException, SystemExceptionKind, minor};

use crate::support::builder;

/// `interface Bulk { long anys(in AnySeq values); long lists(in LongSeqSeq values); long flags(in BooleanSeq values);
/// long chars(in CharSeq values); };`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Bulk(ObjectRef);

codegen::interface!(Bulk(ObjectRef), "IDL:zorb.test/Bulk:1.0", "Bulk", []);

impl Bulk {
    fn flags(&self, values: &[bool]) -> Result<i32> {
        codegen::invoke!(self, flags, [Vec<bool> => values], [i32])
    }
}

trait BulkServant: Send + Sync + 'static {
    fn anys(&self, values: &[Any]) -> Result<i32>;
    fn lists(&self, values: &[Vec<i32>]) -> Result<i32>;
    fn flags(&self, values: &[bool]) -> Result<i32>;
    fn chars(&self, values: &[char]) -> Result<i32>;
}

codegen::skeleton!(Bulk, BulkServant, {
    0 "anys" anys(values: Vec<Any> => &values) [result: i32],
    1 "lists" lists(values: Vec<Vec<i32>> => &values) [result: i32],
    2 "flags" flags(values: Vec<bool> => &values) [result: i32],
    3 "chars" chars(values: Vec<char> => &values) [result: i32],
});

/// Returns the number of values.
struct Count;

impl Count {
    fn of<T>(values: &[T]) -> Result<i32> {
        Ok(i32::try_from(values.len()).unwrap_or(-1))
    }
}

impl BulkServant for Count {
    fn anys(&self, values: &[Any]) -> Result<i32> {
        Self::of(values)
    }

    fn lists(&self, values: &[Vec<i32>]) -> Result<i32> {
        Self::of(values)
    }

    fn flags(&self, values: &[bool]) -> Result<i32> {
        Self::of(values)
    }

    fn chars(&self, values: &[char]) -> Result<i32> {
        Self::of(values)
    }
}

/// The operations, and the size of their elements in a message. Zeros are a valid element of each.
const OPERATIONS: [(&str, u32); 4] = [("anys", 4), ("lists", 4), ("flags", 1), ("chars", 1)];
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Sends a request with as many octets of zeros as elements, and returns the reply's body.
fn call(address: &str, key: &[u8], operation: (&str, u32), octets: u32) -> Option<Result<i32>> {
    call_from("127.0.0.1", address, key, operation, octets)
}

/// As [`call`], from an address of this machine.
fn call_from(
    client: &str,
    address: &str,
    key: &[u8],
    (operation, each): (&str, u32),
    octets: u32,
) -> Option<Result<i32>> {
    let mut request = Vec::new();
    let start = RequestStart {
        request_id: 2,
        response: ResponseFlags::SyncWithTarget,
        target: TargetAddress::Key(key),
        operation,
        service_contexts: &[],
    };
    let order = ByteOrder::NATIVE;
    let mut message =
        MessageWriter::request(&mut request, GiopVersion::V1_2, order, &start).unwrap();
    let count = |writer: &mut CdrWriter<'_>| writer.write_u32(octets / each);
    count(&mut message.body(Default::default()));
    message.finish().unwrap();
    let header = MessageHeader::parse_prefix(&request).unwrap().unwrap();
    let header = MessageHeader { size: header.size + octets, ..header }.to_octets();
    request[..HEADER_SIZE].copy_from_slice(&header);

    let mut stream = connect_from(client, address).ok()?;
    stream.write_all(&request).ok()?;
    let mut left = octets as usize;
    while left > 0 {
        let now = left.min(ZEROS.len());
        stream.write_all(&ZEROS[..now]).ok()?;
        left -= now;
    }
    let (header, reply) = read_message(&mut stream).ok()?;
    let (reply, mut body) = ReplyHeader::read(&reply, &header).ok()?;
    Some(match reply.status {
        zorb_giop::ReplyStatus::NoException => Ok(body.read_i32().unwrap()),
        _ => Err(SystemException::read(&mut body).unwrap()),
    })
}

fn serve() -> (zorb_core::Orb, Bulk, String, Vec<u8>) {
    let server = builder().listen("iiop://127.0.0.1:0").build().unwrap();
    let bulk: Bulk = server.root_poa().activate(Count).unwrap();
    let profile = bulk.0.ior().iiop_profiles().next().unwrap();
    (server, bulk, format!("{}:{}", profile.host, profile.port), profile.object_key)
}

#[test]
fn many_large_requests_at_once_do_not_end_a_process_with_little_memory() {
    const CLIENTS: usize = 40;
    let name = "memory::many_large_requests_at_once_do_not_end_a_process_with_little_memory";
    in_own_process(name, || {
        limit_address_space(1 << 30);
        let (server, bulk, address, key) = serve();
        let together = Arc::new(Barrier::new(CLIENTS));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (address, key, together) = (address.clone(), key.clone(), together.clone());
                let client = move || {
                    together.wait();
                    call(&address, &key, OPERATIONS[number % OPERATIONS.len()], 60 << 20)
                };
                std::thread::Builder::new().stack_size(256 << 10).spawn(client).unwrap()
            })
            .collect();
        for client in clients {
            // Served, refused, or its connection is closed, as there is no memory to receive the request.
            if let Some(Err(refused)) = client.join().unwrap() {
                let kinds = [
                    SystemExceptionKind::NoMemory,
                    SystemExceptionKind::NoResources,
                    SystemExceptionKind::Transient,
                    SystemExceptionKind::Marshal,
                ];
                assert!(kinds.contains(&refused.kind), "{refused}");
            }
        }
        assert_eq!(call(&address, &key, ("flags", 1), 5), Some(Ok(5)));
        let client = builder().build().unwrap();
        let there: Bulk = client.resolve(&bulk.0.to_ior_string()).unwrap();
        assert_eq!(there.flags(&[true, false]), Ok(2));
        server.shutdown(true).unwrap();
    });
}

/// Tells when it has the values of a request, and keeps them until told: for as many requests as there are receivers.
struct Keep {
    has_them: Sender<()>,
    go_on: Mutex<Vec<Receiver<()>>>,
}

impl BulkServant for Keep {
    fn anys(&self, values: &[Any]) -> Result<i32> {
        let kept = self.go_on.lock().unwrap().pop();
        if let Some(goes_on) = kept {
            self.has_them.send(()).unwrap();
            let _ = goes_on.recv();
        }
        Count::of(values)
    }

    fn lists(&self, values: &[Vec<i32>]) -> Result<i32> {
        Count::of(values)
    }

    fn flags(&self, values: &[bool]) -> Result<i32> {
        Count::of(values)
    }

    fn chars(&self, values: &[char]) -> Result<i32> {
        Count::of(values)
    }
}

#[test]
fn decoded_values_have_half_of_the_memory_for_messages_and_those_of_one_address_half_of_it() {
    let listens = builder().option("MaxBufferedOctets", (128 << 20).to_string());
    let server = listens.listen("iiop://127.0.0.1:0").build().unwrap();
    server.serve().unwrap();
    let (has_them, told) = channel();
    let (go_on, receivers): (Vec<_>, _) = (0..2).map(|_| channel()).unzip();
    let keep = Keep { has_them, go_on: Mutex::new(receivers) };
    let bulk: Bulk = server.root_poa().activate(keep).unwrap();
    let profile = bulk.0.ior().iiop_profiles().next().unwrap();
    let address = format!("{}:{}", profile.host, profile.port);
    let key = profile.object_key;
    // 30 MiB decoded, of 64 for all and 32 for each address.
    let anys = u32::try_from((30 << 20) / size_of::<Any>() * 4).unwrap();
    let call = |from: &str, operation, octets| call_from(from, &address, &key, operation, octets);
    let refuses = |from| {
        for operation in [("anys", 4), ("lists", 4)] {
            let refused = call(from, operation, anys).unwrap().unwrap_err();
            assert_eq!(refused.kind, SystemExceptionKind::NoMemory, "{operation:?}: {refused}");
        }
        // Small messages are served.
        assert_eq!(call(from, ("flags", 1), 5), Some(Ok(5)));
    };
    let keeps = |from: &'static str| {
        let (address, key) = (address.clone(), key.clone());
        let kept = std::thread::spawn(move || call_from(from, &address, &key, ("anys", 4), anys));
        told.recv().unwrap();
        kept
    };
    let one = keeps("127.0.0.1");
    refuses("127.0.0.1");
    // Others still have memory, until half of it is in use.
    let other = keeps("127.0.0.2");
    refuses("127.0.0.3");
    go_on.iter().for_each(|it| it.send(()).unwrap());
    for kept in [one, other] {
        assert!(matches!(kept.join().unwrap(), Some(Ok(_))));
    }
    assert!(matches!(call("127.0.0.1", ("anys", 4), anys), Some(Ok(_))));
    server.shutdown(true).unwrap();
}

#[test]
fn values_that_would_need_far_more_memory_than_their_message_are_refused() {
    let (server, _, address, key) = serve();
    // What a message covers, with 64 MiB in any case.
    assert_eq!(call(&address, &key, ("anys", 4), 1 << 20), Some(Ok(1 << 18)));
    assert_eq!(call(&address, &key, ("lists", 4), 1 << 20), Some(Ok(1 << 18)));
    for operation in [("anys", 4), ("lists", 4)] {
        let refused = call(&address, &key, operation, 60 << 20).unwrap().unwrap_err();
        assert_eq!(refused.minor, minor::marshal::TOO_MUCH_MEMORY, "{operation:?}: {refused}");
    }
    assert_eq!(call(&address, &key, ("chars", 1), 1 << 20), Some(Ok(1 << 20)));
    server.shutdown(true).unwrap();
}
