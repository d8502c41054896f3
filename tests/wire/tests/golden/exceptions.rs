//! The vectors that are not to be decoded, or not to be written octet for octet; and why.

use std::fmt;

use serde_json::{Value as Json, json};
use zorb_cdr::CdrErrorKind;
use zorb_giop::ProtocolErrorKind;

/// What must be wrong with a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// The message.
    Protocol(ProtocolErrorKind),
    /// The arguments or results.
    Body(CdrErrorKind),
    /// So many octets behind the arguments.
    Trailing(usize),
}

/// What is wrong with this vector, if anything is.
pub(crate) fn expected_fault(id: &str) -> Option<Expected> {
    use Expected::{Body, Protocol, Trailing};
    let name = id.strip_prefix("raw/probe_omni_").or_else(|| id.strip_prefix("raw/probe_jac_"));
    Some(match name.unwrap_or(id) {
        "bad_magic_1_invalid" => Protocol(ProtocolErrorKind::BadMagic(*b"GIOQ")),
        "bad_major_1_request" => {
            Protocol(ProtocolErrorKind::UnsupportedVersion { major: 2, minor: 0 })
        }
        "bad_minor_1_request" => {
            Protocol(ProtocolErrorKind::UnsupportedVersion { major: 1, minor: 9 })
        }
        "bad_type_1_invalid" => Protocol(ProtocolErrorKind::UnknownMessageType(9)),
        "bad_bool_1_request" => Body(CdrErrorKind::BadBoolean),
        "bad_bound_1_request" => Body(CdrErrorKind::BoundExceeded),
        "bad_enum_1_request" => Body(CdrErrorKind::BadEnum),
        "bad_string0_1_request" => Body(CdrErrorKind::BadString),
        "huge_seq_1_request" => Body(CdrErrorKind::LengthBeyondEnd),
        "short_body_1_request" => Body(CdrErrorKind::Truncated),
        "long_body_1_request" => Trailing(20),
        // Doubles aligned to the fragment, not to the message: four octets too many.
        "frag11_relative_2_fragment" => Trailing(4),
        // GIOP 1.0 has no wide text; JacORB sends it, and its own server refuses it.
        "jacorb-be/giop10_be_any_wstring_1_request"
        | "jacorb-be/giop10_be_wchar_1_request"
        | "jacorb-be/giop10_be_wstring_1_request"
        | "jacorb-be/giop10_be_wstring_empty_1_request"
        | "jacorb-be/giop10_be_wstring_surrogate_1_request" => Body(CdrErrorKind::WideNotAllowed),
        // The form of GIOP 1.2 in a message of 1.1; omniORB sends it, and its own server refuses it.
        "omniorb-le/giop11_any_wstring_1_request" | "omniorb-le/giop11_wstring_1_request" => {
            Body(CdrErrorKind::LengthBeyondEnd)
        }
        "omniorb-le/giop11_wchar_1_request" => Trailing(1),
        _ => return None,
    })
}

/// An encoder's choice that may differ from the recording's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Allowance {
    /// The three reserved octets of a GIOP 1.1 request, which omniORB does not set; ours are 0.
    ReservedOctets,
    /// An exception in an any without its repository id, which the standard asks for.
    ExceptionIdInAny,
    /// A response_flags octet of 2, which no sender may use; read as "no reply".
    InvalidResponseFlags,
    /// A value with its id where its type is expected, as JacORB sends all but boxes; ours has none.
    ValueId,
    /// A value in two chunks, with an end for each level, or with ids that an earlier value has in
    /// full; ours is in one chunk, with one end, and leads to earlier ids.
    ValueForm,
    /// A value that was truncated.
    Truncation,
    /// A system exception that no standard knows becomes UNKNOWN.
    UnknownSystemException,
}

impl fmt::Display for Allowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReservedOctets => "reserved octets that are not 0",
            Self::ExceptionIdInAny => "an exception in an any without its id",
            Self::InvalidResponseFlags => "response_flags 2",
            Self::ValueId => "a value with its id where its type is expected",
            Self::ValueForm => "a value with other chunks, ends or ids",
            Self::Truncation => "a value that was truncated",
            Self::UnknownSystemException => "a system exception of no standard",
        })
    }
}

/// The choice in which this vector may differ, if there is one.
pub(crate) fn allowance(id: &str) -> Option<Allowance> {
    Some(match id {
        "omniorb-le/giop12_any_exception_1_request" | "omniorb-le/giop12_any_exception_2_reply" => {
            Allowance::ExceptionIdInAny
        }
        "raw/probe_jac_flags2_1_request" | "raw/probe_omni_flags2_1_request" => {
            Allowance::InvalidResponseFlags
        }
        "omniorb-le/giop11_any_struct_1_request"
        | "omniorb-le/giop11_base_1_request"
        | "omniorb-le/giop11_strings_1_request" => Allowance::ReservedOctets,
        "client-probes/jac_unknown_system_exception_2_reply"
        | "client-probes/omni_unknown_system_exception_4_reply" => {
            Allowance::UnknownSystemException
        }
        "raw/probe_jac_truncate_1_request" | "raw/probe_omni_truncate_1_request" => {
            Allowance::Truncation
        }
        "raw/probe_jac_two_chunks_1_request"
        | "raw/probe_omni_two_chunks_1_request"
        | "raw/probe_jac_chunk_collapsed_end_1_request"
        | "raw/probe_omni_chunk_collapsed_end_1_request"
        | "raw/probe_jac_chunk_separate_ends_1_request"
        | "raw/probe_omni_chunk_separate_ends_1_request" => Allowance::ValueForm,
        "mixed/jac2omni_base_1_request" | "mixed/omni2jac_base_2_reply" => Allowance::ValueId,
        _ if id.starts_with("jacorb-be/")
            && ["base", "base2", "list", "list_cycle"].iter().any(|name| {
                id.contains(&format!("_be_{name}_1_")) || id.contains(&format!("_be_{name}_2_"))
            }) =>
        {
            Allowance::ValueId
        }
        _ => return None,
    })
}

/// The body of a message whose recording does not show it, as its description tells it.
pub(crate) fn unrecorded_body(id: &str) -> Option<Json> {
    Some(match id {
        "client-probes/jac_fragmented_reply_4_fragment"
        | "client-probes/omni_fragmented_reply_6_fragment" => {
            json!({ "return": "fragmented reply" })
        }
        "client-probes/jac_needs_profile_addr_2_reply"
        | "client-probes/omni_needs_profile_addr_4_reply"
        | "client-probes/omni_locate_needs_addressing_2_locatereply" => json!({ "disposition": 1 }),
        "client-probes/jac_needs_reference_addr_2_reply"
        | "client-probes/omni_needs_reference_addr_4_reply" => json!({ "disposition": 2 }),
        "client-probes/jac_unknown_user_exception_2_reply"
        | "client-probes/omni_unknown_user_exception_4_reply" => {
            json!({ "exception": "IDL:x/Mystery:1.0" })
        }
        "client-probes/omni_locate_sys_exception_2_locatereply" => json!({
            "exception": "IDL:omg.org/CORBA/TRANSIENT:1.0", "minor": 0x4f4d_0001, "completed": "NO"
        }),
        "raw/probe_jac_pseudo_repository_id_2_reply" => {
            json!({ "return": "IDL:vec.test/Vec/Test:1.0" })
        }
        _ => return None,
    })
}

/// What Zorb answers where the captured server did otherwise: one's own choice, or a fault of its.
/// Minor codes are left out.
pub(crate) fn own_answer(id: &str) -> Option<Json> {
    let system = |name: &str| {
        let id = format!("IDL:omg.org/CORBA/{name}:1.0");
        Some(json!({ "exception": id, "minor": null, "completed": "NO" }))
    };
    let name = id.strip_prefix("raw/probe_omni_").or_else(|| id.strip_prefix("raw/probe_jac_"));
    match name.unwrap_or(id) {
        // Malformed arguments. omniORB takes any octet for a boolean; JacORB does not see the end
        // of the message, and answers a wrong enumerator and a long string with BAD_PARAM.
        "bad_bool_2_reply" | "bad_bound_2_reply" | "short_body_2_reply" => system("MARSHAL"),
        "bad_enum_2_reply" => system("BAD_PARAM"),
        // Wide text in the form of another GIOP version.
        "omniorb-le/giop11_wstring_2_reply" | "omniorb-le/giop11_any_wstring_2_reply" => {
            system("MARSHAL")
        }
        // The octets happen to be a character in the form of GIOP 1.1 too, and one more.
        "omniorb-le/giop11_wchar_2_reply" => Some(json!({ "return": 0x4e02 })),
        // JacORB knows no fragments in GIOP 1.1.
        "frag11_contiguous_3_reply" => Some(json!({ "return": [1.5, 2.5, 3.5] })),
        // Neither answers all of the operations that every object has.
        "pseudo_component_2_reply" => Some(json!({ "return": { "type_id": "", "profiles": [] } })),
        "pseudo_domain_managers_2_reply" => Some(json!({ "return": [] })),
        // JacORB sends a Derived2 back as a Derived, and does not truncate what it does not know.
        _ if matches!(
            id,
            "raw/probe_jac_chunk_collapsed_end_2_reply"
                | "raw/probe_jac_chunk_separate_ends_2_reply"
        ) =>
        {
            let inner = json!({ "a": 21, "b": "in" });
            Some(json!({ "return": { "a": 11, "b": "der", "inner": inner } }))
        }
        "truncate_2_reply" => Some(json!({ "return": { "a": 33 } })),
        // Nothing of an abstract interface is a null value.
        "omniorb-le/giop12_abs_nil_2_reply" => {
            Some(json!({ "return": { "is_object": false, "value": null } }))
        }
        "pseudo_interface_2_reply" => system("INTF_REPOS"),
        "pseudo_not_existent_2_reply" => Some(json!({ "return": false })),
        "pseudo_repository_id_2_reply" => Some(json!({ "return": "IDL:vec.test/Vec/Test:1.0" })),
        _ => None,
    }
}

/// Scenarios whose request means something else to every server that joins fragments first:
/// doubles aligned to the fragment that they are in.
pub(crate) fn is_unanswerable(scenario: &str) -> bool {
    matches!(scenario, "raw/probe_omni_frag11_relative" | "raw/probe_jac_frag11_relative")
}
