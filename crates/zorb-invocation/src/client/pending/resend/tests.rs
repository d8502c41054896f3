//! The longest wait of a call is for all attempts together: it begins with the first one, even if that could not be sent.

use std::io::{self, IoSlice, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::time::Duration;

use zorb_base::options::{Options, Origin};
use zorb_giop::{GiopVersion, IiopProfile, Ior, MessageWriter, RequestHeader};
use zorb_tcp::IiopProtocol;
use zorb_testkit::{Around, WithTransport, read_message, require_loopback};
use zorb_transport::{ConnectError, ConnectOptions, Endpoint, Stream, Transport, forward_stream};
use zorb_types::SystemExceptionKind;

use super::super::super::connection::LastReceived;
use super::super::super::core::ClientCore;
use super::super::super::redirections::Redirections;
use super::super::operation_call::OperationCall;
use super::super::send::send;
use super::super::state::State;
use super::*;
use crate::object::ObjectRef;

fn object(core: &Arc<ClientCore>, port: u16) -> ObjectRef {
    let profile = IiopProfile {
        version: GiopVersion::V1_2,
        host: "127.0.0.1".to_owned(),
        port,
        object_key: b"key".to_vec(),
        components: Vec::new(),
    };
    let profiles = vec![profile.encode(zorb_cdr::ByteOrder::Big).unwrap()];
    ObjectRef::new(core, Ior { type_id: String::new(), profiles })
}

/// Waits for its end.
fn end_of(call: &PendingCall) -> Answer {
    loop {
        call.wait(None).unwrap();
        if let Some(taken) = call.try_take() {
            return taken.answer;
        }
    }
}

fn failure_of(call: &PendingCall) -> SystemException {
    match end_of(call) {
        Answer::Failed(exception) => exception,
        Answer::Reply(_) => panic!("nobody replies"),
    }
}

#[test]
fn work_for_a_call_waits_no_longer_than_the_first_attempt_has_left() {
    let runs = Duration::MAX - LastReceived::long_ago().left_of(Duration::MAX);
    let longest = (runs / 2).min(Duration::from_secs(24 * 3600));
    let mut options = Options::default();
    options.set("MaxReplyWait", &longest.as_millis().to_string(), Origin::Program).unwrap();
    let core = ClientCore::with_options(options);
    let begun = |first| {
        let (object, operation) = (object(&core, 9), "op".into());
        let of = OperationCall { object, operation, own: None, slots: None };
        let redirections = Redirections::new(false);
        let mut state = State::new(Attempted::default(), redirections, SendState::Sent);
        state.first = Some(first);
        PendingCall::new(of, None, state)
    };
    let sending = || Sending {
        forwarded: None,
        redirections: Redirections::new(false),
        makes_upcalls: false,
    };
    let late = |call: &PendingCall| {
        let exception = failure_of(call);
        assert_eq!(exception.kind, SystemExceptionKind::Timeout, "{exception}");
        assert_eq!(exception.completed, CompletionStatus::No);
    };
    let call = begun(LastReceived::long_ago());
    Arc::clone(&call).call_later(Arguments::default(), sending());
    late(&call);
    let call = begun(LastReceived::long_ago());
    let lost = SystemException::transient(minor::transient::OTHER_ENDPOINT, CompletionStatus::No);
    Arc::clone(&call).resume_later(Cause::NoReply(lost));
    late(&call);
    // One that has begun just now has its time: no protocol is known here.
    let call = begun(LastReceived::now());
    Arc::clone(&call).call_later(Arguments::default(), sending());
    assert_ne!(failure_of(&call).kind, SystemExceptionKind::Timeout);
}

/// More than a tick of the coarse clock.
const A_WHILE: Duration = Duration::from_millis(20);

/// Whether the next send fails, and when the last one that failed began; it takes a while.
#[derive(Debug, Default)]
struct Failing {
    fails: Mutex<bool>,
    began: Mutex<Option<LastReceived>>,
}

#[derive(Debug)]
struct FailingStream {
    inner: Arc<dyn Stream>,
    shared: Arc<Failing>,
}

impl FailingStream {
    fn begin(&self) -> io::Result<()> {
        if !std::mem::take(&mut *self.shared.fails.lock().unwrap()) {
            return Ok(());
        }
        let began = LastReceived::now();
        *self.shared.began.lock().unwrap() = Some(began);
        while !began.is_older_than(A_WHILE) {}
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

impl Stream for FailingStream {
    forward_stream!(
        inner: recv, try_recv, short_read_means_empty, set_recv_timeout, set_send_timeout,
        is_readable, shutdown, peer, local, readiness_fd
    );

    fn send_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.begin()?;
        self.inner.send_all(bytes)
    }

    fn send_vectored_all(&self, parts: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.begin()?;
        self.inner.send_vectored_all(parts)
    }

    fn try_send(&self, bytes: &[u8]) -> io::Result<usize> {
        self.begin()?;
        self.inner.try_send(bytes)
    }
}

#[derive(Debug)]
struct Fails(Arc<Failing>);

impl Around for Fails {
    fn connect(
        &self,
        inner: &dyn Transport,
        endpoint: &Endpoint,
        options: &ConnectOptions,
    ) -> Result<Arc<dyn Stream>, ConnectError> {
        let (inner, shared) = (inner.connect(endpoint, options)?, Arc::clone(&self.0));
        Ok(Arc::new(FailingStream { inner, shared }))
    }
}

/// Replies to one request, which may not come over the first connection. Nobody reads what follows.
fn reply_once(listener: &TcpListener) -> TcpStream {
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        let Ok((header, message)) = read_message(&mut stream) else { continue };
        let (request, _) = RequestHeader::read(&message, &header).unwrap();
        let (id, status) = (request.request_id, ReplyStatus::NoException);
        let (mut reply, version) = (Vec::new(), GiopVersion::V1_2);
        let begun = MessageWriter::reply(&mut reply, version, header.order, id, status, &[]);
        begun.unwrap().finish().unwrap();
        stream.write_all(&reply).unwrap();
        return stream;
    }
}

#[test]
fn an_attempt_whose_request_was_not_sent_is_the_first_one() {
    require_loopback();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let core = ClientCore::for_tests();
    let failing = Arc::new(Failing::default());
    let fails = Fails(Arc::clone(&failing));
    let protocol = WithTransport::new(IiopProtocol::new(), fails);
    core.protocols().register(Arc::new(protocol)).unwrap();
    let object = object(&core, listener.local_addr().unwrap().port());
    let call = || send(&object, "op".into(), &|_: &mut CdrWriter<'_>| Ok(()));
    let failing_call = || {
        *failing.fails.lock().unwrap() = true;
        let call = call();
        (call, failing.began.lock().unwrap().take().expect("its request is sent"))
    };
    let first = |call: &PendingCall| call.state.lock().first.expect("it has been attempted");
    // Over a new connection: it would fail over another one, too.
    let (failed, began) = failing_call();
    assert!(matches!(end_of(&failed), Answer::Failed(_)));
    assert!(first(&failed) <= began);
    // Over one that its server may have closed since the last reply.
    let server = std::thread::spawn(move || (reply_once(&listener), listener));
    assert!(matches!(end_of(&call()), Answer::Reply(_)));
    let _server = server.join().unwrap();
    let (again, began) = failing_call();
    while again.state.lock().sending != SendState::Sent && !again.has_ended() {
        std::thread::yield_now();
    }
    assert!(!again.has_ended(), "it waits for its reply");
    assert!(first(&again) <= began);
    again.cancel();
}
