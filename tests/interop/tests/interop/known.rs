//! Checks that fail against a real peer, and why.
//!
//! What a peer's client finds wrong with its own ORB is listed on its side (peers/PEERS.md) and
//! printed by it. A listed check that passes, or fails in another way, is a failure.

/// A check that is known to fail.
pub(crate) struct Known {
    /// What the pairing's name contains.
    pairing: &'static str,
    check: &'static str,
    /// What the story of the failure contains.
    pub(crate) symptom: &'static str,
    pub(crate) reason: &'static str,
}

/// The entry for this check, if there is one.
pub(crate) fn find(pairing: &str, check: &str) -> Option<&'static Known> {
    LIST.iter().find(|known| known.check == check && pairing.contains(known.pairing))
}

const fn known(
    pairing: &'static str,
    check: &'static str,
    symptom: &'static str,
    reason: &'static str,
) -> Known {
    Known { pairing, check, symptom, reason }
}

const NO_SUCH_EXCEPTION: &str = "the peer's CORBA is older than this exception";
const PSEUDO_OPERATION: &str = "omniORB does not answer _repository_id";
const ATTRIBUTE_RAISES: &str = "omniidl knows no raises clauses on attributes";
const NO_CODE_SETS: &str = "omniORB's GIOP 1.1 references name no code sets";
const NATIVE_CHAR: &str = "no single char of omniORB's native code set, UTF-8, holds it";
const WIDE_BOUND: &str = "JacORB's skeleton reads a bounded wstring argument as a narrow string";
const NATIVE_TEXT: &str = "JacORB reads the Latin-1 of GIOP 1.0 as its native code set, UTF-8";
const DEFAULT_MEMBER: &str = "JacORB replaces the discriminator of a default member by another";
const NO_MEMBER: &str = "JacORB loses the discriminator of a union without a member";
const ANY_BOUND: &str = "JacORB loses the bound of a string in an any";

static LIST: &[Known] = &[
    known("zorb-to-omniorb", "faults/system_INVALID_ACTIVITY", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-omniorb", "faults/system_ACTIVITY_COMPLETED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-omniorb", "faults/system_ACTIVITY_REQUIRED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-omniorb", "faults/system_THREAD_CANCELLED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-omniorb", "protocol/repository_id", "BAD_OPERATION", PSEUDO_OPERATION),
    known("zorb-to-omniorb", "attributes/guarded_set_raises", "nothing was", ATTRIBUTE_RAISES),
    known("zorb-to-omniorb", "attributes/guarded_get_raises", "nothing was", ATTRIBUTE_RAISES),
    known("zorb-to-omniorb/1.1", "protocol/code_sets", "no code sets", NO_CODE_SETS),
    known("zorb-to-omniorb/1.1", "basics/char_latin1", "DATA_CONVERSION", NATIVE_CHAR),
    known("zorb-to-jacorb", "faults/system_INVALID_ACTIVITY", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-jacorb", "faults/system_ACTIVITY_COMPLETED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-jacorb", "faults/system_ACTIVITY_REQUIRED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-jacorb", "faults/system_THREAD_CANCELLED", "BadParam", NO_SUCH_EXCEPTION),
    known("zorb-to-jacorb/1.0", "texts/string_latin1", "the result is", NATIVE_TEXT),
    known("zorb-to-jacorb/1.1", "wides/bounded", "MARSHAL", WIDE_BOUND),
    known("zorb-to-jacorb/1.2", "wides/bounded", "MARSHAL", WIDE_BOUND),
    known("zorb-to-jacorb", "unions/long_default", "Real { label: 3", DEFAULT_MEMBER),
    known("zorb-to-jacorb", "unions/short_default", "Yes { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", "unions/longlong_default", "Small { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", "unions/char_default", "Small { label: '\\0'", DEFAULT_MEMBER),
    known("zorb-to-jacorb", "unions/nested_default", "List { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", "unions/ulong_no_member", "Small(0)", NO_MEMBER),
    known("zorb-to-jacorb", "unions/ushort_no_member", "Letter('\\0')", NO_MEMBER),
    known("zorb-to-jacorb", "anys/kind_of_bounded", "unknown", ANY_BOUND),
    known("zorb-to-jacorb", "anys/echo_bounded", "Any(string:", ANY_BOUND),
];
