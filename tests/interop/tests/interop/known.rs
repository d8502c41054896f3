//! Checks that fail, most of them against a real peer only, and why.
//!
//! Defects that a peer's client finds in its own ORB are listed on its side (peers/PEERS.md) and printed by it. A
//! listed check that passes, or fails in another way, is a failure.

/// Checks that are known to fail, in one way and for one reason.
pub(crate) struct Known {
    /// A part of the pairing's name.
    pairing: &'static str,
    checks: &'static [&'static str],
    /// A part of the failure's message.
    pub(crate) symptom: &'static str,
    pub(crate) reason: &'static str,
}

/// The entry for this check, if there is one.
pub(crate) fn find(pairing: &str, check: &str) -> Option<&'static Known> {
    LIST.iter().find(|known| known.checks.contains(&check) && pairing.contains(known.pairing))
}

const fn known(
    pairing: &'static str,
    checks: &'static [&'static str],
    symptom: &'static str,
    reason: &'static str,
) -> Known {
    Known { pairing, checks, symptom, reason }
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

const EXCEPTION_IN_ANY: &str = "omniORB knows no repository id before an exception in an any";
const OMNIORB_LONG_DOUBLE: &str = "omniORB sends a long double as it lies in the machine's memory";
const LOST_LIMITS: &str = "omniORB's skeleton cannot return a union with a decimal number";
const JACORB_LONG_DOUBLE: &str = "JacORB's long double is a double";
const LEADING_ZEROS: &str = "JacORB leaves the leading zeros of a decimal number out";
const FIXED_IN_ANY: &str = "JacORB cannot compare anys of decimal numbers that no typedef names";
const LONG_LONG_LABEL: &str = "JacORB has no long long labels in TypeCodes";
const FORWARD_UNION: &str = "JacORB makes no TypeCode of a union that is declared forward";
const NO_CONTEXTS: &str = "JacORB's skeletons do not take contexts";

const WCHAR_ALIGNMENT: &str = "JacORB does not align a wchar of GIOP 1.1 that it reads";

const NO_CUSTOM_VALUES: &str = "omniidl knows no custom valuetypes";
const BOXES: &str = "JacORB's skeleton misreads a value box that is an argument";
const TRUNCATION: &str = "JacORB takes a value inside what it cuts off for the next argument";
const ANY_VALUE: &str = "JacORB sends a value of any type by classes that Java has no more";
const ANY_BOX: &str = "JacORB finds no factory of a value box in an any";

const NEW_EXCEPTIONS: &[&str] = &[
    "faults/system_INVALID_ACTIVITY",
    "faults/system_ACTIVITY_COMPLETED",
    "faults/system_ACTIVITY_REQUIRED",
    "faults/system_THREAD_CANCELLED",
];

static LIST: &[Known] = &[
    known("zorb-to-omniorb", NEW_EXCEPTIONS, "BAD_PARAM", NO_SUCH_EXCEPTION),
    known("zorb-to-omniorb", &["protocol/repository_id"], "BAD_OPERATION", PSEUDO_OPERATION),
    known(
        "zorb-to-omniorb",
        &["attributes/guarded_set_raises", "attributes/guarded_get_raises"],
        "nothing was",
        ATTRIBUTE_RAISES,
    ),
    known("zorb-to-omniorb/1.1", &["protocol/code_sets"], "no code sets", NO_CODE_SETS),
    known("zorb-to-omniorb/1.1", &["basics/char_latin1"], "DATA_CONVERSION", NATIVE_CHAR),
    known(
        "zorb-to-omniorb",
        &["anys/kind_of_reason", "anys/kind_of_empty", "types/type_reason", "types/type_empty"],
        "COMM_FAILURE",
        EXCEPTION_IN_ANY,
    ),
    known("zorb-to-omniorb", &["anys/echo_reason", "anys/echo_empty"], "MARSHAL", EXCEPTION_IN_ANY),
    known("zorb-to-omniorb", &["long_doubles/widen"], "the widened is", OMNIORB_LONG_DOUBLE),
    known("zorb-to-omniorb", &["long_doubles/narrow"], "the narrowed is", OMNIORB_LONG_DOUBLE),
    known(
        "zorb-to-omniorb",
        &["long_doubles/echo", "long_doubles/struct", "long_doubles/sequence"],
        "the result is",
        OMNIORB_LONG_DOUBLE,
    ),
    known("zorb-to-omniorb", &["decimals/union"], "NO_IMPLEMENT", LOST_LIMITS),
    known("zorb-to-omniorb", &["values/custom"], "BAD_OPERATION", NO_CUSTOM_VALUES),
    known("zorb-to-jacorb", NEW_EXCEPTIONS, "BAD_PARAM", NO_SUCH_EXCEPTION),
    known("zorb-to-jacorb/1.0", &["texts/string_latin1"], "the result is", NATIVE_TEXT),
    known("zorb-to-jacorb/1.1", &["wides/bounded"], "MARSHAL", WIDE_BOUND),
    known("zorb-to-jacorb/1.2", &["wides/bounded"], "MARSHAL", WIDE_BOUND),
    known(
        "zorb-to-jacorb/1.1",
        &["anys/kind_of_sign", "anys/echo_sign", "types/type_sign"],
        "UNKNOWN",
        WCHAR_ALIGNMENT,
    ),
    known("zorb-to-jacorb/1.1", &["wide_types/struct"], "MARSHAL", WCHAR_ALIGNMENT),
    known("zorb-to-jacorb", &["unions/long_default"], "Real { label: 3", DEFAULT_MEMBER),
    known("zorb-to-jacorb", &["unions/short_default"], "Yes { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", &["unions/longlong_default"], "Small { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", &["unions/char_default"], "Small { label: '\\0'", DEFAULT_MEMBER),
    known("zorb-to-jacorb", &["unions/nested_default"], "List { label: 0", DEFAULT_MEMBER),
    known("zorb-to-jacorb", &["unions/ulong_no_member"], "Small(0)", NO_MEMBER),
    known("zorb-to-jacorb", &["unions/ushort_no_member"], "Letter('\\0')", NO_MEMBER),
    known("zorb-to-jacorb", &["anys/kind_of_bounded"], "unknown", ANY_BOUND),
    known("zorb-to-jacorb", &["anys/echo_bounded"], "Any(string:", ANY_BOUND),
    known("zorb-to-jacorb", &["types/type_bounded"], "the type of a value", ANY_BOUND),
    known(
        "zorb-to-jacorb",
        &[
            "anys/make_by_longlong",
            "anys/kind_of_by_longlong",
            "anys/echo_by_longlong",
            "types/type_by_longlong",
        ],
        "MARSHAL",
        LONG_LONG_LABEL,
    ),
    known("zorb-to-jacorb", &["anys/make_document"], "Any(null:", FORWARD_UNION),
    known("zorb-to-jacorb", &["anys/kind_of_document"], "unknown", FORWARD_UNION),
    known("zorb-to-jacorb", &["types/type_document"], "UNKNOWN", FORWARD_UNION),
    known(
        "zorb-to-jacorb",
        &[
            "anys/kind_of_price",
            "anys/kind_of_exact",
            "anys/kind_of_digit",
            "anys/kind_of_widest",
            "anys/kind_of_finest",
        ],
        "INTERNAL",
        FIXED_IN_ANY,
    ),
    known(
        "zorb-to-jacorb",
        &[
            "decimals/zeros_price",
            "decimals/zeros_even_digits",
            "decimals/zeros_fraction",
            "decimals/zeros_widest",
            "decimals/zeros_finest",
        ],
        "MARSHAL",
        LEADING_ZEROS,
    ),
    known("zorb-to-jacorb", &["long_doubles/narrow"], "the narrowed is", JACORB_LONG_DOUBLE),
    known(
        "zorb-to-jacorb",
        &[
            "long_doubles/widen",
            "long_doubles/echo",
            "long_doubles/struct",
            "long_doubles/sequence",
            "long_doubles/any",
        ],
        "MARSHAL",
        JACORB_LONG_DOUBLE,
    ),
    known(
        "zorb-to-jacorb",
        &["values/box", "values/box_of_sequence", "values/null_box"],
        "MARSHAL",
        BOXES,
    ),
    known("zorb-to-jacorb", &["values/truncated"], "UNKNOWN", TRUNCATION),
    known(
        "zorb-to-jacorb",
        &["values/base", "values/any", "values/abstract_value", "valuetypes/abstract"],
        "UNKNOWN",
        ANY_VALUE,
    ),
    known(
        "zorb-to-jacorb",
        &["value_anys/plain", "value_anys/cycle", "value_anys/derived"],
        "UNKNOWN",
        ANY_VALUE,
    ),
    known("zorb-to-jacorb", &["value_anys/box"], "MARSHAL", ANY_BOX),
    known("zorb-to-jacorb", &["contexts/lang"], "not \"de\"", NO_CONTEXTS),
    known("zorb-to-jacorb", &["contexts/user_name"], "not \"ada\"", NO_CONTEXTS),
];
