//! ISO 8859-1 as the native code set of `char` and `string`, in GIOP 1.1 and 1.2.

use std::io::Write;
use std::net::{TcpListener, TcpStream};

use crate::support::{Echo, Servant, builder};
use zorb_cdr::ByteOrder;
use zorb_core::Orb;
use zorb_giop::{
    CodeSetContext, CodeSetId, GiopVersion, Ior, MessageKind, ReplyHeader, ReplyStatus,
    RequestHeader, ServiceId,
};
use zorb_testkit::read_message;

/// The text of the calls, `ü`, in ISO 8859-1 and as a `string` with its length.
const TEXT: &[u8] = b"\0\0\0\x02\xfc\0";

fn orb() -> Orb {
    let orb = builder().option("NativeCharCodeSet", "iso-8859-1").listen("iiop://127.0.0.1:0");
    orb.build().unwrap()
}

/// Big-endian octets, aligned from the start of the message.
struct Octets(Vec<u8>);

impl Octets {
    fn put(mut self, octets: &[u8]) -> Self {
        self.0.extend_from_slice(octets);
        self
    }

    fn align(mut self, alignment: usize) -> Self {
        self.0.resize(self.0.len().next_multiple_of(alignment), 0);
        self
    }

    fn word(self, word: u32) -> Self {
        self.align(4).put(&word.to_be_bytes())
    }

    /// A sequence of octets, or a string with its NUL.
    fn sequence(self, octets: &[u8]) -> Self {
        self.word(octets.len() as u32).put(octets)
    }

    /// The service context with the code sets of the connection: ISO 8859-1 and UTF-16.
    fn code_sets(self) -> Self {
        self.word(1).word(1).sequence(b"\0\0\0\0\0\x01\0\x01\0\x01\x01\x09")
    }

    /// `("ü", 2)`.
    fn arguments(self) -> Self {
        self.align(4).put(TEXT).word(2)
    }

    /// With the size in the header.
    fn message(mut self) -> Vec<u8> {
        let size = self.0.len() as u32 - 12;
        self.0[8..12].copy_from_slice(&size.to_be_bytes());
        self.0
    }
}

/// A request for `repeat("ü", 2)`.
fn request(version: GiopVersion, key: &[u8]) -> Vec<u8> {
    let octets = Octets(Vec::new());
    let octets = match version {
        GiopVersion::V1_2 => octets
            .put(b"GIOP\x01\x02\0\0\0\0\0\0")
            .word(7)
            .put(&[3, 0, 0, 0, 0, 0]) // with a reply; the target is an object key
            .sequence(key)
            .sequence(b"repeat\0")
            .code_sets()
            .align(8),
        _ => octets
            .put(b"GIOP\x01\x01\0\0\0\0\0\0")
            .code_sets()
            .word(7)
            .put(&[1, 0, 0, 0])
            .sequence(key)
            .sequence(b"repeat\0")
            .word(0), // the principal
    };
    octets.arguments().message()
}

#[test]
fn a_server_with_latin_1_takes_and_sends_it() {
    let orb = orb();
    let echo: Echo = orb.root_poa().activate(Servant::default()).unwrap();
    let profile = echo.object().ior().iiop_profiles().next().unwrap();
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let mut client = TcpStream::connect((profile.host.as_str(), profile.port)).unwrap();
        client.write_all(&request(version, &profile.object_key)).unwrap();
        let (header, message) = read_message(&mut client).unwrap();
        assert_eq!((header.kind, header.version), (MessageKind::Reply, version));
        let (reply, mut body) = ReplyHeader::read(&message, &header).unwrap();
        assert_eq!((reply.request_id, reply.status), (7, ReplyStatus::NoException));
        assert_eq!(body.read_u32(), Ok(3));
        assert!(message.ends_with(b"\xfc\xfc\0"), "{version:?}: {message:?}");
    }
    orb.shutdown(true).unwrap();
}

#[test]
fn a_client_with_latin_1_prefers_it() {
    let (server, client) = (orb(), orb());
    let echo: Echo = server.root_poa().activate(Servant::default()).unwrap();
    for version in [GiopVersion::V1_1, GiopVersion::V1_2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut profile = echo.object().ior().iiop_profiles().next().unwrap();
        profile.port = listener.local_addr().unwrap().port();
        profile.version = version;
        let profiles = vec![profile.encode(ByteOrder::Big).unwrap()];
        let ior = Ior { type_id: "IDL:zorb.test/Echo:1.0".to_owned(), profiles };
        let there: Echo = client.resolve(&ior.to_stringified().unwrap()).unwrap();
        std::thread::scope(|scope| {
            let call = scope.spawn(|| there.repeat("\u{fc}", 2));
            let (mut stream, _) = listener.accept().unwrap();
            let (header, message) = read_message(&mut stream).unwrap();
            let (request, body) = RequestHeader::read(&message, &header).unwrap();
            assert_eq!((header.version, &*request.operation), (version, "repeat"));
            let sets = request.service_contexts.find(ServiceId::CODE_SETS).unwrap();
            let latin1 = CodeSetId::ISO_8859_1;
            assert_eq!(CodeSetContext::decode(sets).unwrap().char_data, latin1);
            let arguments = &message[message.len() - body.remaining()..];
            assert_eq!(&arguments[4..6], &TEXT[4..], "{version:?}: {arguments:?}");
            // It has no reply.
            drop(stream);
            assert!(call.join().unwrap().is_err());
        });
    }
    client.shutdown(true).unwrap();
    server.shutdown(true).unwrap();
}
