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
const char* const OWN_FRAGMENT_1_1 =
    "omniORB cannot read its own GIOP 1.1 fragments when one splits a string";

const Known LIST[] = {
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
    {"load/large_string", "omniORB", 1, OWN_FRAGMENT_1_1},
};

}  // namespace

const char* known_reason(const std::string& check, const std::string& server, int minor) {
    for (const Known& known : LIST)
        if (check == known.check && (known.server[0] == '*' || server == known.server) &&
            (known.minor < 0 || known.minor == minor))
            return known.reason;
    return nullptr;
}
