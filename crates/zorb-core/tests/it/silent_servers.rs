//! Servers that stop: before they read, before they reply, in a reply or between its fragments, or that send it one octet
//! after the other. A call ends at its limit, or at that of the option `MaxReplyWait`.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{Echo, builder};
use zorb_cdr::{ByteOrder, CdrWriter, TextCoding};
use zorb_core::policy::{
    Deadline, Policies, RelativeRequestTimeout, RelativeRoundtripTimeout, RequestEndTime,
};
use zorb_core::{Interface, Orb, OrbBuilder, Pending};
use zorb_giop::{
    GiopVersion, IiopProfile, Ior, MessageHeader, MessageKind, MessageWriter, ReplyStatus,
    RequestHeader,
};
use zorb_testkit::{read_message, require_loopback};
use zorb_types::{CompletionStatus, SystemExceptionKind, minor};

const ORDER: ByteOrder = ByteOrder::Big;
const VERSION: GiopVersion = GiopVersion::V1_2;

/// Where a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stops {
    /// It does not read the request.
    BeforeReading,
    BeforeReplying,
    InHeader,
    InBody,
    /// After the first fragment of the reply.
    BetweenFragments,
    InFragment,
    /// It does not stop, but sends a long reply one octet after the other.
    Drips,
    /// It does not stop either, but sends the reply to the request before again and again.
    Repeats,
}

impl Stops {
    const ALL: [Self; 8] = [
        Self::BeforeReading,
        Self::BeforeReplying,
        Self::InHeader,
        Self::InBody,
        Self::BetweenFragments,
        Self::InFragment,
        Self::Drips,
        Self::Repeats,
    ];

    /// Sends what it sends of the replies to two requests.
    fn send(self, stream: &mut TcpStream, first: &[u8], second: &[u8]) {
        let whole = |octets: &[u8]| octets.to_vec();
        let fragments = |most| -> Vec<u8> {
            let pieces = zorb_giop::fragments(second, 24).take(most);
            pieces.flat_map(|piece| [piece.header(), piece.payload].concat()).collect()
        };
        let octets = match self {
            Self::BeforeReading | Self::BeforeReplying => Vec::new(),
            Self::InHeader => whole(&second[..7]),
            Self::InBody => whole(&second[..30]),
            Self::BetweenFragments => fragments(1),
            Self::InFragment => {
                let two = fragments(2);
                whole(&two[..two.len() - 1])
            }
            Self::Drips => {
                stream.set_nodelay(true).unwrap();
                let mut long = whole(second);
                long[8..12].copy_from_slice(&(60_u32 << 20).to_be_bytes());
                // Until the client has enough.
                let mut octets = long.into_iter().chain(std::iter::repeat(0));
                while octets.next().is_some_and(|octet| stream.write_all(&[octet]).is_ok()) {}
                return;
            }
            Self::Repeats => {
                while stream.write_all(first).is_ok() {}
                return;
            }
        };
        // The client may have given up already.
        let _ = stream.write_all(&octets);
    }
}

/// Serves one connection: replies to the first request, and stops at the second. Waits until the client closes the
/// connection, or, if it does not read, for the `end` of the test.
fn serve(listener: &TcpListener, stops: Stops, end: &Receiver<()>) {
    let (mut stream, _) = listener.accept().unwrap();
    let first = reply_to(&read_message(&mut stream).unwrap().1);
    stream.write_all(&first).unwrap();
    if stops == Stops::BeforeReading {
        let _ = end.recv();
        return;
    }
    // On a slow machine, it is too late for the client to send it, or to send it entirely: it tries again.
    let second = loop {
        match read_message(&mut stream) {
            Ok((_, second)) => break reply_to(&second),
            Err(_) => stream = listener.accept().unwrap().0,
        }
    };
    stops.send(&mut stream, &first, &second);
    // A CancelRequest, and the end.
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

/// A reply with a sequence of 32 octets; nothing for a LocateRequest.
fn reply_to(message: &[u8]) -> Vec<u8> {
    let header = MessageHeader::parse_prefix(message).unwrap().unwrap();
    if header.kind == MessageKind::LocateRequest {
        return Vec::new();
    }
    let (request, _) = RequestHeader::read(message, &header).unwrap();
    let (mut octets, id) = (Vec::new(), request.request_id);
    let status = ReplyStatus::NoException;
    let mut message = MessageWriter::reply(&mut octets, VERSION, ORDER, id, status, &[]).unwrap();
    message.body(TextCoding::default()).write_octets(&[7; 32]).unwrap();
    message.finish().unwrap();
    octets
}

/// How the call is made that gets no reply.
#[derive(Clone, Copy, Debug)]
enum Made {
    WithLimit,
    WithoutLimit,
    Pending,
    /// The same; its caller would wait longer.
    PendingFor,
    /// As a LocateRequest.
    Located,
    /// With a limit for the request only.
    WithRequestLimit,
    /// As a call of an object whose requests must be sent until then.
    WithRequestEnd,
}

fn send_pending(echo: &Echo, octets: &[u8]) -> Pending<()> {
    let write = |writer: &mut CdrWriter<'_>| writer.write_octets(octets);
    echo.object().send("mirror", write, |results| results.read_octets().map(drop))
}

/// Makes a call that is answered, and one that is not, which has this limit. Checks the exception of the second, and
/// returns how long it has taken.
fn check(orb: &Orb, stops: Stops, (made, limit): (Made, Duration)) -> Duration {
    require_loopback();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let profile = IiopProfile {
        version: VERSION,
        host: "127.0.0.1".to_owned(),
        port: listener.local_addr().unwrap().port(),
        object_key: b"silent".to_vec(),
        components: Vec::new(),
    };
    let type_id = Echo::REPOSITORY_ID.to_owned();
    let ior = Ior { type_id, profiles: vec![profile.encode(ORDER).unwrap()] };
    let (done, end) = channel();
    let server = std::thread::spawn(move || serve(&listener, stops, &end));
    let echo: Echo = orb.resolve(&ior.to_stringified().unwrap()).unwrap();
    let patient = Policies::new().with(RelativeRoundtripTimeout(LONG));
    let patient = echo.with_policies(&patient).unwrap();
    match made {
        // So that both use the same connection.
        Made::Pending | Made::PendingFor => send_pending(&patient, &[1]).wait().unwrap(),
        _ => assert_eq!(patient.mirror(&[1]).unwrap(), [7; 32]),
    }
    // More than the buffers of both sides take.
    let octets = if stops == Stops::BeforeReading { 32 << 20 } else { 1 };
    let octets = vec![0; octets];
    let call = || match made {
        Made::WithLimit => {
            let limited = Policies::new().with(RelativeRoundtripTimeout(limit));
            echo.for_call(&limited).unwrap().mirror(&octets).unwrap_err()
        }
        Made::WithoutLimit => echo.mirror(&octets).unwrap_err(),
        Made::Pending => send_pending(&echo, &octets).wait().unwrap_err(),
        Made::PendingFor => {
            let waited = send_pending(&echo, &octets).wait_timeout(LONGER);
            waited.unwrap().unwrap_err()
        }
        Made::Located => echo.object().locate().unwrap_err(),
        Made::WithRequestLimit => {
            let limited = Policies::new().with(RelativeRequestTimeout(limit));
            echo.for_call(&limited).unwrap().mirror(&octets).unwrap_err()
        }
        Made::WithRequestEnd => {
            let limited = Policies::new().with(RequestEndTime(Deadline::after(limit)));
            echo.with_policies(&limited).unwrap().mirror(&octets).unwrap_err()
        }
    };
    // The request is sent in part only, or entirely.
    let expected = match stops {
        Stops::BeforeReading => (minor::timeout::SEND, CompletionStatus::No),
        _ => (minor::timeout::ROUND_TRIP, CompletionStatus::Maybe),
    };
    let timed = || {
        let begun = Instant::now();
        let late = call();
        assert_eq!(late.kind, SystemExceptionKind::Timeout, "{made:?} {stops:?} {late}");
        let (code, completed) = (late.minor, late.completed);
        // What cannot be sent entirely, or has been sent, is never said to be otherwise.
        assert!(completed == CompletionStatus::No || (code, completed) == expected, "{late}");
        ((code, completed), begun.elapsed())
    };
    // On a slow machine, the time may be over before the call has its connection, or before its request is sent.
    let mut calls = std::iter::repeat_with(timed).take(MOST_TRIES);
    let (_, took) = calls.find(|(late, _)| *late == expected).unwrap();
    drop(done);
    orb.shutdown(true).unwrap();
    server.join().unwrap();
    took
}

const LIMIT: Duration = Duration::from_millis(50);

/// More tries than any machine needs for a call that has its connection in time.
const MOST_TRIES: usize = 1000;

/// For calls that are answered.
const LONG: Duration = Duration::from_secs(60);

/// For a caller whose call ends long before.
const LONGER: Duration = Duration::from_secs(3600);

/// A client whose calls share a connection, if `calls` is more than 1.
fn client(calls: &str) -> OrbBuilder {
    let one = builder().option("MaxConnectionsPerEndpoint", "1");
    one.option("MaxCallsPerConnection", calls)
}

#[test]
fn a_call_with_a_limit_ends_wherever_its_server_stops() {
    for stops in Stops::ALL {
        for calls in ["1", "8"] {
            let orb = client(calls).build().unwrap();
            check(&orb, stops, (Made::WithLimit, LIMIT));
        }
    }
}

/// How many calls may share the connection, and how a call without a limit of its own is made.
const WITHOUT_LIMIT: [(&str, Made); 5] = [
    ("1", Made::WithoutLimit),
    ("8", Made::WithoutLimit),
    // Over a connection for such calls only.
    ("1", Made::Pending),
    ("8", Made::Pending),
    ("1", Made::PendingFor),
];

#[test]
fn a_call_without_a_limit_ends_after_the_longest_wait() {
    for stops in Stops::ALL {
        for (calls, made) in WITHOUT_LIMIT {
            let orb = client(calls).max_reply_wait(LIMIT);
            check(&orb.build().unwrap(), stops, (made, LIMIT));
        }
    }
}

#[test]
fn a_locate_request_ends_after_the_longest_wait() {
    for stops in [Stops::BeforeReplying, Stops::Repeats] {
        for calls in ["1", "8"] {
            let orb = client(calls).max_reply_wait(LIMIT);
            check(&orb.build().unwrap(), stops, (Made::Located, LIMIT));
        }
    }
}

/// No policy limits the wait for the reply, so the call ends because it cannot send its request.
#[test]
fn a_limit_of_the_request_ends_a_call_whose_server_does_not_read() {
    for made in [Made::WithRequestLimit, Made::WithRequestEnd] {
        for calls in ["1", "8"] {
            let orb = client(calls).build().unwrap();
            check(&orb, Stops::BeforeReading, (made, LIMIT));
        }
    }
}

/// A second, so that a tenth of it is more than a machine without other work takes to wake a thread.
const SECOND: Duration = Duration::from_secs(1);

/// The longest wait is measured by a clock that is as much behind, at most.
const BEHIND: Duration = Duration::from_millis(10);

#[test]
#[ignore = "measures times for a minute, on a machine without other work"]
fn a_call_ends_within_a_tenth_of_its_limit() {
    let with_limit = ["1", "8"].map(|calls| (calls, Made::WithLimit));
    for (calls, made) in with_limit.into_iter().chain(WITHOUT_LIMIT) {
        let options = || match made {
            Made::WithLimit => (client(calls), SECOND),
            _ => (client(calls).max_reply_wait(SECOND), SECOND - BEHIND),
        };
        for stops in Stops::ALL {
            let (orb, earliest) = options();
            let took = check(&orb.build().unwrap(), stops, (made, SECOND));
            println!("{calls} {made:?} {stops:?}: {took:.3?}");
            assert!((earliest..=SECOND * 11 / 10).contains(&took), "{calls} {made:?} {stops:?}");
        }
    }
}
