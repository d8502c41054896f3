//! How the requests of a connection end.

use std::time::Duration;

use zorb_cdr::ByteOrder;
use zorb_giop::{
    BeginError, BegunRequest, ClientConnection, ClientSession, ConnectionEnd, FailureCause,
    GiopVersion, Inbound, Limits, LocateStatus, MessageFormat, MessageHeader, MessageKind,
    MessageWriter, NewRequest, ProtocolErrorKind, Received, ReplyStatus, RequestFailure,
    RequestKind, RequestProgress, fragments,
};
use zorb_types::CompletionStatus;

const ORDER: ByteOrder = ByteOrder::Big;
const V1_2: GiopVersion = GiopVersion::V1_2;

fn request(kind: RequestKind, version: GiopVersion) -> NewRequest<'static> {
    NewRequest {
        kind,
        form: MessageFormat::Giop(version),
        key: b"key",
        operation: "operation",
        code_sets: None,
        announced: 0,
        deadline: None,
    }
}

fn connection() -> ClientConnection<&'static str> {
    ClientConnection::new(ClientSession::default(), None)
}

fn begin(client: &mut ClientConnection<&'static str>, kind: RequestKind) -> BegunRequest {
    client.begin(&request(kind, V1_2), true, "call").expect("there is room")
}

fn send(client: &mut ClientConnection<&'static str>, kind: RequestKind) -> u32 {
    let begun = begin(client, kind);
    client.sent(&begun);
    begun.request_id
}

fn reply(id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let message = MessageWriter::reply(&mut octets, V1_2, ORDER, id, ReplyStatus::NoException, &[]);
    message.and_then(|message| message.finish()).expect("it is small");
    octets
}

fn locate_reply(id: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let message =
        MessageWriter::locate_reply(&mut octets, V1_2, ORDER, id, LocateStatus::ObjectHere);
    message.and_then(|message| message.finish()).expect("it is small");
    octets
}

fn close_connection() -> Vec<u8> {
    let mut octets = Vec::new();
    MessageWriter::close_connection(&mut octets, V1_2, ORDER);
    octets
}

/// Hands octets to a connection; what its last whole message was.
fn receive(
    client: &mut ClientConnection<&'static str>,
    inbound: &mut Inbound,
    octets: &[u8],
) -> Option<Received> {
    let mut last = None;
    for octet in octets {
        inbound.space()[0] = *octet;
        inbound.advance(1);
        while let Some(header) = inbound.poll().expect("it is GIOP") {
            last = Some(client.receive(inbound, &header));
        }
    }
    last
}

fn receive_one(client: &mut ClientConnection<&'static str>, octets: &[u8]) -> Received {
    receive(client, &mut Inbound::new(Limits::default()), octets).expect("a whole message")
}

fn transmitted(client: &mut ClientConnection<&'static str>) -> Option<MessageHeader> {
    let mut octets = Vec::new();
    client.poll_transmit(&mut octets).then(|| {
        let header = MessageHeader::parse_prefix(&octets).expect("GIOP").expect("whole");
        assert_eq!(header.total_size(), octets.len());
        header
    })
}

#[test]
fn replies_find_their_requests_in_any_order() {
    let mut client = connection();
    let ids = [(); 3].map(|()| send(&mut client, RequestKind::Twoway));
    for id in [ids[1], ids[2], ids[0]] {
        let received = receive_one(&mut client, &reply(id));
        assert!(matches!(received, Received::Reply(start) if start.request_id == id));
        assert_eq!(client.failure(id), None);
        assert_eq!(client.finish(id), Some("call"));
    }
    assert_eq!(client.outstanding(), 0);
    let id = send(&mut client, RequestKind::Locate);
    assert_eq!(receive_one(&mut client, &locate_reply(id)), Received::LocateReply(id));
    // The same reply once more, and one to a one-way request, are passed over.
    assert_eq!(receive_one(&mut client, &locate_reply(id)), Received::Late);
    let id = send(&mut client, RequestKind::Oneway);
    assert_eq!(receive_one(&mut client, &reply(id)), Received::Late);
    assert_eq!(client.ended(), None);
}

#[test]
fn replies_to_what_was_never_asked_end_the_connection() {
    let broken = |prepare: &dyn Fn(&mut ClientConnection<&'static str>) -> Vec<u8>| {
        let mut client = connection();
        let octets = prepare(&mut client);
        assert_eq!(receive_one(&mut client, &octets), Received::End);
        assert_eq!(receive_one(&mut client, &octets), Received::End);
        match client.ended() {
            Some(ConnectionEnd::ProtocolError(error)) => (error.kind, transmitted(&mut client)),
            end => panic!("{end:?}"),
        }
    };
    let unknown = broken(&|_| reply(0));
    assert_eq!(unknown, (ProtocolErrorKind::UnknownRequestId(0), None));
    let odd = broken(&|client| reply(send(client, RequestKind::Twoway) + 1));
    assert_eq!(odd.0, ProtocolErrorKind::UnknownRequestId(1));
    let wrong = broken(&|client| locate_reply(send(client, RequestKind::Twoway)));
    assert_eq!(wrong, (ProtocolErrorKind::WrongReply(0), None));
    let (cancel, _) = broken(&|_| {
        let mut octets = Vec::new();
        MessageWriter::cancel_request(&mut octets, V1_2, ORDER, 0);
        octets
    });
    let (expected, found) = (MessageKind::Reply, MessageKind::CancelRequest);
    assert_eq!(cancel, ProtocolErrorKind::WrongKind { expected, found });
    let (header, answer) = broken(&|_| {
        let mut octets = reply(0);
        octets[19] = 99; // the status
        octets
    });
    assert!(matches!(header, ProtocolErrorKind::BadHeader { .. }));
    assert_eq!(answer.map(|header| header.kind), Some(MessageKind::MessageError));
}

#[test]
fn unprocessed_requests_may_be_resent() {
    let outcomes = |end: ConnectionEnd| {
        let mut client = connection();
        let kinds = [RequestKind::Twoway, RequestKind::Locate].map(|kind| send(&mut client, kind));
        let unsent = begin(&mut client, RequestKind::Twoway).request_id;
        client.end(end);
        client.end(ConnectionEnd::CloseConnection);
        assert_eq!(client.ended(), Some(end), "the first cause stays");
        let refused = client.begin(&request(RequestKind::Twoway, V1_2), true, "late");
        assert_eq!(refused, Err(BeginError::Ended));
        let failures =
            [kinds[0], kinds[1], unsent].map(|id| client.failure(id).expect("it failed"));
        while let Some((id, failure, "call")) = client.poll_failed() {
            assert!(failures.contains(&failure), "{id}");
        }
        assert_eq!(client.outstanding(), 0);
        failures.map(|failure| (failure.completed(), failure.is_safe_to_resend()))
    };
    use CompletionStatus::{Maybe, No};
    let malformed = ProtocolErrorKind::BadFragment.into();
    for end in [
        ConnectionEnd::Lost,
        ConnectionEnd::MessageError,
        ConnectionEnd::ProtocolError(malformed),
        ConnectionEnd::ClosedLocally,
    ] {
        assert_eq!(outcomes(end), [(Maybe, false), (Maybe, true), (No, true)], "{end:?}");
    }
    assert_eq!(outcomes(ConnectionEnd::CloseConnection), [(No, true); 3]);
}

#[test]
fn a_reply_that_was_begun_shows_that_the_request_was_processed() {
    let mut client = connection();
    let (one, other) =
        (send(&mut client, RequestKind::Twoway), send(&mut client, RequestKind::Twoway));
    let mut octets = Vec::new();
    let status = ReplyStatus::NoException;
    let mut message = MessageWriter::reply(&mut octets, V1_2, ORDER, one, status, &[]).unwrap();
    message.body(Default::default()).put(&[0; 64]);
    message.finish().unwrap();
    let first = fragments(&octets, 32).next().unwrap();
    let octets = [first.header(), first.payload, &close_connection()].concat();
    assert_eq!(receive_one(&mut client, &octets), Received::End);
    let cause = FailureCause::Ended(ConnectionEnd::CloseConnection);
    let begun = RequestFailure { cause, progress: RequestProgress::PartlyAnswered };
    assert_eq!(client.failure(one), Some(begun));
    assert_eq!((begun.completed(), begun.is_safe_to_resend()), (CompletionStatus::Maybe, false));
    assert_eq!(client.failure(other).unwrap().completed(), CompletionStatus::No);
}

#[test]
fn a_priority_band_is_announced_until_a_request_with_it_is_sent() {
    let of = |kind| NewRequest { announced: 1, ..request(kind, V1_2) };
    let mut client = connection();
    let announces = |client: &mut ClientConnection<_>, kind| {
        let begun = client.begin(&of(kind), true, "call").unwrap();
        assert_eq!(begun.must_be_sent_first(), begun.announced != 0);
        begun
    };
    assert!(announces(&mut client, RequestKind::Locate).announced == 0, "it has no contexts");
    let unsent = announces(&mut client, RequestKind::Twoway);
    assert!(unsent.announced != 0 && client.must_be_sent_first(&of(RequestKind::Twoway)).unwrap());
    let sent = announces(&mut client, RequestKind::Oneway);
    assert!(sent.announced != 0);
    client.sent(&sent);
    assert!(!client.must_be_sent_first(&of(RequestKind::Twoway)).unwrap());
    assert!(announces(&mut client, RequestKind::Twoway).announced == 0);
    // A datagram may be lost.
    let mut client = ClientConnection::new(ClientSession::connectionless(), None);
    for _ in 0..2 {
        let begun = announces(&mut client, RequestKind::Oneway);
        assert!(begun.announced != 0);
        client.sent(&begun);
    }
}

#[test]
fn what_changes_is_announced_again() {
    let mut client = connection();
    let mut announced = |number| {
        let kind = RequestKind::Oneway;
        let request = NewRequest { announced: number, ..request(kind, V1_2) };
        let begun = client.begin(&request, true, "call").unwrap();
        client.sent(&begun);
        begun.announced
    };
    let seen = [0, 1, 1, 2, 0, 2, 1, 5, 4].map(&mut announced);
    assert_eq!(seen, [0, 1, 0, 2, 0, 0, 0, 5, 0]);
}

#[test]
fn deadlines_pass_when_the_driver_says_so() {
    let mut client = connection();
    let deadline = |seconds| NewRequest {
        deadline: Some(Duration::from_secs(seconds)),
        ..request(RequestKind::Twoway, V1_2)
    };
    let late = client.begin(&deadline(2), true, "late").unwrap();
    client.sent(&late);
    let unsent = client.begin(&deadline(1), true, "unsent").unwrap();
    let endless = send(&mut client, RequestKind::Twoway);
    assert_eq!(client.poll_timeout(), Some(Duration::from_secs(1)));
    client.handle_timeout(Duration::from_millis(999));
    assert_eq!((client.poll_failed(), transmitted(&mut client)), (None, None));

    client.handle_timeout(Duration::from_secs(2));
    assert_eq!(client.poll_timeout(), None);
    let cause = FailureCause::TimedOut;
    let failure = RequestFailure { cause, progress: RequestProgress::Sent };
    assert_eq!(client.failure(late.request_id), Some(failure));
    assert!(!failure.is_safe_to_resend());
    assert_eq!(transmitted(&mut client).unwrap().kind, MessageKind::CancelRequest);
    assert_eq!(transmitted(&mut client), None);
    assert_eq!(receive_one(&mut client, &reply(late.request_id)), Received::Late);
    assert_eq!(client.failure(late.request_id), Some(failure), "too late is too late");

    let failure = client.failure(unsent.request_id).unwrap();
    assert_eq!(failure.completed(), CompletionStatus::No);
    // Its last octet was on its way.
    client.sent(&unsent);
    let failure = client.failure(unsent.request_id).unwrap();
    assert_eq!(failure.completed(), CompletionStatus::Maybe);
    assert_eq!(transmitted(&mut client).unwrap().kind, MessageKind::CancelRequest);
    assert_eq!(client.failure(endless), None);
}

#[test]
fn requests_without_a_deadline_get_one() {
    let mut client = connection();
    let own = Duration::from_secs(9);
    let limited = NewRequest { deadline: Some(own), ..request(RequestKind::Twoway, V1_2) };
    client.begin(&limited, true, "limited").unwrap();
    let answered = send(&mut client, RequestKind::Twoway);
    receive_one(&mut client, &reply(answered));
    let deadline = Duration::from_secs(1);
    assert!(!client.set_deadline(deadline, |_| true), "one has a deadline, the other its reply");
    let late = send(&mut client, RequestKind::Twoway);
    assert!(!client.set_deadline(deadline, |_| false));
    assert!(client.set_deadline(deadline, |call| *call == "call"));
    assert_eq!(client.poll_timeout(), Some(deadline));
    client.handle_timeout(deadline);
    assert_eq!(client.poll_failed().unwrap().0, late);
    assert_eq!(client.poll_timeout(), Some(own));
}

#[test]
fn cancels_are_sent_for_what_was_sent() {
    let mut client = connection();
    let unsent = begin(&mut client, RequestKind::Twoway).request_id;
    assert_eq!((client.cancel(unsent), client.cancel(unsent)), (Some("call"), None));
    assert_eq!(transmitted(&mut client), None);
    let sent = send(&mut client, RequestKind::Twoway);
    assert_eq!(client.cancel(sent), Some("call"));
    assert_eq!(transmitted(&mut client).unwrap().kind, MessageKind::CancelRequest);
    assert_eq!(receive_one(&mut client, &reply(sent)), Received::Late);
    let answered = send(&mut client, RequestKind::Twoway);
    receive_one(&mut client, &reply(answered));
    assert_eq!(client.cancel(answered), Some("call"));
    assert_eq!(transmitted(&mut client), None);
    // Nothing more is said on a connection that has ended.
    let sent = send(&mut client, RequestKind::Twoway);
    client.cancel(sent);
    client.end(ConnectionEnd::Lost);
    assert_eq!(transmitted(&mut client), None);
}

#[test]
fn closing_waits_for_what_is_outstanding() {
    let mut client = connection();
    let id = send(&mut client, RequestKind::Twoway);
    client.close();
    assert!(client.is_closing());
    let refused = client.begin(&request(RequestKind::Twoway, V1_2), true, "late");
    assert_eq!(refused, Err(BeginError::Ended));
    assert_eq!(transmitted(&mut client), None);
    receive_one(&mut client, &reply(id));
    assert_eq!(transmitted(&mut client), None, "the reply has not been taken");
    client.finish(id);
    assert_eq!(transmitted(&mut client).unwrap().kind, MessageKind::CloseConnection);
    assert_eq!(client.ended(), Some(ConnectionEnd::ClosedLocally));
    assert_eq!(transmitted(&mut client), None);
    // Before GIOP 1.2 only a server says so.
    let mut client = connection();
    let older = request(RequestKind::Oneway, GiopVersion::V1_1);
    let begun = client.begin(&older, true, "one-way").unwrap();
    client.sent(&begun);
    client.close();
    assert_eq!(transmitted(&mut client), None);
    assert_eq!(client.ended(), Some(ConnectionEnd::ClosedLocally));
}

#[test]
fn outstanding_requests_have_a_limit() {
    let mut client = connection().with_max_outstanding(2);
    let ids = [(); 2].map(|()| send(&mut client, RequestKind::Twoway));
    let refused = client.begin(&request(RequestKind::Locate, V1_2), true, "third");
    assert_eq!(refused, Err(BeginError::TooManyRequests { limit: 2 }));
    client.finish(ids[0]);
    send(&mut client, RequestKind::Twoway);
}
