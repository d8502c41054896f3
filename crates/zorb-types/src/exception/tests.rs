use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::hash::{BuildHasher, BuildHasherDefault, Hasher};

use zorb_cdr::{ByteOrder, CdrError, CdrErrorKind, CdrReader, CdrWriter};

use super::{
    CompletionStatus, ErrorContext, MinorCode, Phase, SystemException, SystemExceptionKind,
    Transfer, Vmcid, minor,
};

#[test]
fn a_result_is_as_large_as_a_system_exception() {
    assert_eq!(size_of::<SystemException>(), size_of::<usize>() + 8);
    assert_eq!(size_of::<Result<(), SystemException>>(), size_of::<SystemException>());
}

/// Adds up what is hashed.
#[derive(Default)]
struct Sum(u64);

impl Hasher for Sum {
    fn write(&mut self, octets: &[u8]) {
        self.0 = octets.iter().fold(self.0, |sum, octet| sum.wrapping_mul(31) + u64::from(*octet));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[test]
fn equality_and_hash_leave_the_context_out() {
    let hash = |exception: &SystemException| BuildHasherDefault::<Sum>::new().hash_one(exception);
    let bare = SystemException::timeout(minor::timeout::SEND, CompletionStatus::No);
    let context = ErrorContext::new(Phase::Send).with_operation("ping").with_hint("wait");
    let same = bare.clone().with_context(context);
    assert_eq!(same, bare);
    assert_eq!(hash(&same), hash(&bare));
    assert_ne!(same, bare.clone().with_completed(CompletionStatus::Maybe));
    let completed = same.with_completed(CompletionStatus::Maybe);
    assert_eq!(completed.context().unwrap().operation(), Some("ping"), "the context stays");
    assert_ne!(bare, SystemException::timeout(minor::timeout::CONNECT, CompletionStatus::No));
}

#[test]
fn a_context_tells_operation_target_and_phase() {
    let bare = || SystemException::internal(MinorCode::NONE, CompletionStatus::No);
    let words = "INTERNAL (minor 0, completed NO)";
    let context = || ErrorContext::new(Phase::Send).with_source("a").with_hint("b");
    for (context, text) in [
        (context(), "sending a request: INTERNAL"),
        (context().with_target("x"), "sending a request: x: INTERNAL"),
        (context().with_operation("op"), "op: sending a request: INTERNAL"),
        (context().with_operation("op").with_target("x"), "op on x: sending a request: INTERNAL"),
        (ErrorContext::new(Phase::Application), "INTERNAL"),
        (ErrorContext::remote("x"), "x: the server raised INTERNAL"),
        (ErrorContext::remote("x").with_operation("op"), "op on x: the server raised INTERNAL"),
    ] {
        let exception = bare().with_context(context);
        let text = text.replace("INTERNAL", words);
        assert_eq!(exception.to_string(), text);
        let debug = match exception.hint() {
            Some(hint) => format!("{text}: a\n  hint: {hint}"),
            None => text,
        };
        assert_eq!(format!("{exception:?}"), debug);
    }
    let filled = bare().at(Phase::Connect, "x").in_operation("op");
    assert_eq!(filled.to_string(), format!("op on x: connecting: {words}"));
    let told = filled.at(Phase::Send, "y").in_operation("other");
    assert_eq!(told.to_string(), format!("op on x: connecting: {words}"), "what is known stays");
}

#[test]
fn every_kind_survives_the_wire_in_both_orders() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        for &kind in SystemExceptionKind::ALL {
            let sent = SystemException::new(kind, MinorCode::omg(7), CompletionStatus::Maybe);
            let mut buffer = Vec::new();
            sent.write(&mut CdrWriter::new(&mut buffer, order)).unwrap();
            let mut reader = CdrReader::new(&buffer, order);
            assert_eq!(SystemException::read(&mut reader), Ok(sent));
            assert_eq!(reader.remaining(), 0);
        }
    }
    assert_eq!(SystemExceptionKind::ALL.len(), 40);
}

#[test]
fn the_wire_form_is_id_minor_completion() {
    let mut buffer = Vec::new();
    SystemException::marshal(MinorCode::omg(4), CompletionStatus::No)
        .write(&mut CdrWriter::new(&mut buffer, ByteOrder::Big))
        .unwrap();
    let mut expected = Vec::from(*b"\0\0\0\x1eIDL:omg.org/CORBA/MARSHAL:1.0\0");
    expected.extend([0, 0, 0x4f, 0x4d, 0, 4, 0, 0, 0, 1]);
    assert_eq!(buffer, expected);
}

#[test]
fn an_unknown_id_is_unknown_and_an_odd_completion_is_maybe() {
    let mut buffer = Vec::new();
    let mut writer = CdrWriter::new(&mut buffer, ByteOrder::Little);
    writer.write_latin1("IDL:omg.org/CORBA/NEW_ONE:1.0").unwrap();
    writer.write_u32(77);
    writer.write_u32(3);
    let read = SystemException::read(&mut CdrReader::new(&buffer, ByteOrder::Little)).unwrap();
    assert_eq!(
        read,
        SystemException::unknown(minor::unknown::UNKNOWN_SYSTEM_EXCEPTION, CompletionStatus::Maybe)
    );
    for length in 0..buffer.len() {
        let mut reader = CdrReader::new(&buffer[..length], ByteOrder::Little);
        assert!(SystemException::read(&mut reader).is_err(), "{length}");
    }
}

#[test]
fn display_names_the_reason_and_its_vendor() {
    let no = CompletionStatus::No;
    for (exception, text) in [
        (
            SystemException::transient(minor::transient::NO_USABLE_PROFILE, no),
            "TRANSIENT (no usable profile, OMG 2, completed NO)",
        ),
        (
            SystemException::comm_failure(
                minor::comm_failure::CONNECTION_LOST,
                CompletionStatus::Maybe,
            ),
            "COMM_FAILURE (connection lost while the call was under way, Zorb 1, completed MAYBE)",
        ),
        (
            SystemException::unknown(MinorCode::NONE, CompletionStatus::Yes),
            "UNKNOWN (minor 0, completed YES)",
        ),
        (
            SystemException::marshal(MinorCode::of(Vmcid::OMNIORB, 3), no),
            "MARSHAL (omniORB 3, completed NO)",
        ),
        (
            SystemException::marshal(MinorCode(0x1234_5678), no),
            "MARSHAL (minor 0x12345678, completed NO)",
        ),
    ] {
        assert_eq!(exception.to_string(), text);
    }
}

#[test]
fn ids_of_other_spellings_are_not_known() {
    for id in ["", "MARSHAL", "IDL:omg.org/CORBA/MARSHAL:1.1", "IDL:CORBA/MARSHAL:1.0"] {
        assert_eq!(SystemExceptionKind::from_repository_id(id), None, "{id}");
    }
}

#[test]
fn marshalling_errors_become_the_standards_exceptions() {
    use Transfer::{ReceiveReply, ReceiveRequest, SendReply, SendRequest};
    for (kind, transfer, name, code) in [
        (CdrErrorKind::Truncated, ReceiveRequest, "MARSHAL", minor::marshal::TRUNCATED),
        (CdrErrorKind::BadText, SendRequest, "DATA_CONVERSION", MinorCode::omg(1)),
        (CdrErrorKind::BadEnum, ReceiveReply, "BAD_PARAM", MinorCode::omg(25)),
        (CdrErrorKind::WideNotAllowed, SendRequest, "MARSHAL", MinorCode::omg(5)),
        (CdrErrorKind::WideNotAllowed, ReceiveRequest, "MARSHAL", MinorCode::omg(5)),
        (CdrErrorKind::WideNotAllowed, SendReply, "MARSHAL", MinorCode::omg(6)),
        (CdrErrorKind::WideNotAllowed, ReceiveReply, "MARSHAL", MinorCode::omg(6)),
        (CdrErrorKind::WideNotNegotiated, SendRequest, "INV_OBJREF", MinorCode::omg(1)),
        (CdrErrorKind::WideNotNegotiated, ReceiveRequest, "BAD_PARAM", MinorCode::omg(23)),
        (CdrErrorKind::BoundExceeded, SendRequest, "BAD_PARAM", minor::bad_param::BOUND_EXCEEDED),
        (CdrErrorKind::BoundExceeded, ReceiveReply, "MARSHAL", minor::marshal::BOUND_EXCEEDED),
        (CdrErrorKind::TooDeep, ReceiveRequest, "MARSHAL", minor::marshal::TOO_DEEP),
        (CdrErrorKind::TooDeep, SendRequest, "IMP_LIMIT", minor::imp_limit::TOO_DEEP),
        (CdrErrorKind::BadTypeCode, ReceiveReply, "MARSHAL", minor::marshal::BAD_TYPE_CODE),
        (CdrErrorKind::BadReference, ReceiveReply, "INV_OBJREF", minor::inv_objref::MALFORMED),
    ] {
        let error = CdrError::new(kind, 12, "test");
        let exception = SystemException::from_cdr(error, CompletionStatus::No, transfer);
        assert_eq!((exception.kind.name(), exception.minor), (name, code), "{kind:?} {transfer:?}");
        assert!(exception.minor.describe(exception.kind).is_some(), "{kind:?}");
    }
}
