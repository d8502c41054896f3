// What a peer is known to get wrong: see PEERS.md. A listed check that passes is a failure, so
// that the list stays true.
#include "run.h"

namespace {

struct Known {
    const char* check;
    const char* server;  // "*": any
    int minor;           // of the GIOP version; -1: any
    const char* reason;
};

const char* const WIDE_BOUND =
    "JacORB's skeleton reads a bounded wstring argument as a narrow string";
const char* const DEFAULT_MEMBER =
    "JacORB replaces the discriminator of a default member with one of its own choice";
const char* const NO_MEMBER = "JacORB loses the discriminator of a union without a member";
const char* const ANY_BOUND = "JacORB loses the bound of a string in an any";
const char* const FRAGMENT_1_1 = "JacORB does not implement GIOP 1.1 fragments";
const char* const NOT_LATIN_1 =
    "omniORB sends text of GIOP 1.0 that is no Latin-1 as if it were some";
const char* const NO_CODE_SETS = "omniORB's GIOP 1.1 references name no code sets";

const char* const EXCEPTION_IN_ANY =
    "omniORB expects an exception in an any without the repository id that the standard has first";
const char* const LONG_DOUBLE =
    "omniORB sends a long double as it lies in x86-64's memory, which is not the standard's format";
const char* const LOST_LIMITS =
    "omniORB cannot return a union with a decimal number: its skeleton's copy loses the limits";

const char* const LONG_LONG_LABEL = "JacORB has no long long labels in TypeCodes";
const char* const KIND_ID = "JacORB has another repository id for this type's switch";
const char* const FORWARD_UNION =
    "JacORB makes no TypeCode of a union that is declared forward";
const char* const NO_CONTEXTS = "JacORB's skeletons do not take contexts";
const char* const BOXES = "JacORB's skeleton misreads a value box that is an argument";
const char* const TRUNCATION =
    "JacORB takes a value inside what it cuts off for the next argument";
const char* const ANY_VALUE =
    "JacORB sends a value of any type by classes that Java has no more";
const char* const UNNAMED_IN_ANY =
    "JacORB needs the repository ids of values in an any, where its TypeCode tells the type";
const char* const LEADING_ZEROS = "JacORB leaves the leading zeros of a decimal number out";

const Known LIST[] = {
    {"anys/make_reason", "Zorb", -1, EXCEPTION_IN_ANY},
    {"anys/echo_reason", "Zorb", -1, EXCEPTION_IN_ANY},
    {"anys/make_empty", "Zorb", -1, EXCEPTION_IN_ANY},
    {"anys/echo_empty", "Zorb", -1, EXCEPTION_IN_ANY},
    {"anys/make_reason", "JacORB", -1, EXCEPTION_IN_ANY},
    {"anys/echo_reason", "JacORB", -1, EXCEPTION_IN_ANY},
    {"anys/make_empty", "JacORB", -1, EXCEPTION_IN_ANY},
    {"anys/echo_empty", "JacORB", -1, EXCEPTION_IN_ANY},
    {"long_doubles/widen", "Zorb", -1, LONG_DOUBLE},
    {"long_doubles/narrow", "Zorb", -1, LONG_DOUBLE},
    {"decimals/union", "omniORB", -1, LOST_LIMITS},
    {"anys/kind_of_reason", "JacORB", -1, EXCEPTION_IN_ANY},
    {"anys/kind_of_empty", "JacORB", -1, EXCEPTION_IN_ANY},
    {"types/type_reason", "JacORB", -1, EXCEPTION_IN_ANY},
    {"types/type_empty", "JacORB", -1, EXCEPTION_IN_ANY},
    {"anys/make_by_longlong", "JacORB", -1, LONG_LONG_LABEL},
    {"anys/kind_of_by_longlong", "JacORB", -1, LONG_LONG_LABEL},
    {"anys/echo_by_longlong", "JacORB", -1, LONG_LONG_LABEL},
    {"types/type_by_longlong", "JacORB", -1, LONG_LONG_LABEL},
    {"types/type_bounded", "JacORB", -1, ANY_BOUND},
    {"anys/make_by_kind", "JacORB", -1, KIND_ID},
    {"anys/make_document", "JacORB", -1, FORWARD_UNION},
    {"anys/kind_of_document", "JacORB", -1, FORWARD_UNION},
    {"types/type_document", "JacORB", -1, FORWARD_UNION},
    {"values/box", "JacORB", -1, BOXES},
    {"values/box_of_sequence", "JacORB", -1, BOXES},
    {"values/null_box", "JacORB", -1, BOXES},
    {"values/truncated", "JacORB", -1, TRUNCATION},
    {"values/base", "JacORB", -1, ANY_VALUE},
    {"values/any", "JacORB", -1, ANY_VALUE},
    {"values/abstract_value", "JacORB", -1, ANY_VALUE},
    {"valuetypes/abstract", "JacORB", -1, ANY_VALUE},
    {"value_anys/derived", "JacORB", -1, ANY_VALUE},
    {"value_anys/plain", "JacORB", -1, UNNAMED_IN_ANY},
    {"value_anys/box", "JacORB", -1, UNNAMED_IN_ANY},
    {"value_anys/cycle", "JacORB", -1, UNNAMED_IN_ANY},
    {"value_anys/shared_members", "JacORB", -1, UNNAMED_IN_ANY},
    {"contexts/lang", "JacORB", -1, NO_CONTEXTS},
    {"contexts/user_name", "JacORB", -1, NO_CONTEXTS},
    {"decimals/zeros_price", "JacORB", -1, LEADING_ZEROS},
    {"decimals/zeros_even_digits", "JacORB", -1, LEADING_ZEROS},
    {"decimals/zeros_fraction", "JacORB", -1, LEADING_ZEROS},
    {"decimals/zeros_widest", "JacORB", -1, LEADING_ZEROS},
    {"decimals/zeros_finest", "JacORB", -1, LEADING_ZEROS},
    {"wides/bounded", "JacORB", -1, WIDE_BOUND},
    {"unions/long_default", "JacORB", -1, DEFAULT_MEMBER},
    {"unions/short_default", "JacORB", -1, DEFAULT_MEMBER},
    {"unions/longlong_default", "JacORB", -1, DEFAULT_MEMBER},
    {"unions/char_default", "JacORB", -1, DEFAULT_MEMBER},
    {"unions/nested_default", "JacORB", -1, DEFAULT_MEMBER},
    {"unions/ulong_no_member", "JacORB", -1, NO_MEMBER},
    {"unions/ushort_no_member", "JacORB", -1, NO_MEMBER},
    {"anys/kind_of_bounded", "JacORB", -1, ANY_BOUND},
    {"anys/echo_bounded", "JacORB", -1, ANY_BOUND},
    {"load/large_octets", "JacORB", 1, FRAGMENT_1_1},
    {"load/large_string", "JacORB", 1, FRAGMENT_1_1},
    {"load/large_doubles", "JacORB", 1, FRAGMENT_1_1},
    {"load/many_structs", "JacORB", 1, FRAGMENT_1_1},
    {"anys/make_text", "Zorb", 0, NOT_LATIN_1},
    {"anys/kind_of_text", "Zorb", 0, NOT_LATIN_1},
    {"texts/string_utf8", "omniORB", 1, NO_CODE_SETS},
    {"records/person_utf8", "omniORB", 1, NO_CODE_SETS},
    {"anys/make_text", "omniORB", 1, NO_CODE_SETS},
    {"anys/kind_of_text", "omniORB", 1, NO_CODE_SETS},
    {"anys/echo_text", "omniORB", 1, NO_CODE_SETS},
    {"types/type_text", "omniORB", 1, NO_CODE_SETS},
};

}  // namespace

const char* known_reason(const std::string& check, const std::string& server, int minor) {
    for (const Known& known : LIST)
        if (check == known.check && (known.server[0] == '*' || server == known.server) &&
            (known.minor < 0 || known.minor == minor))
            return known.reason;
    return nullptr;
}
