// Checks of basic types, strings and wide strings.
#include "same.h"
#include "samples.h"

#include <cmath>
#include <limits>

using namespace Interop;

namespace {

template <class T>
std::deque<T> integers() {
    using Limits = std::numeric_limits<T>;
    return {T(0), T(1), T(-1), Limits::min(), Limits::max(), T(0x0123456789abcdefULL)};
}

template <class T>
std::deque<T> reals() {
    using Limits = std::numeric_limits<T>;
    return {T(0), T(-0.0), T(1.5), T(-1e30), Limits::max(), Limits::lowest(), Limits::min(),
            Limits::denorm_min(), Limits::infinity(), -Limits::infinity()};
}

void check_texts(Run& run) {
    Texts_var texts = run.suite()->text_types();
    using Strings = std::vector<std::string>;
    Strings plain = {"", "a", "plain ASCII ~!@#", std::string(300, 'x')};
    echo_texts<CORBA::String_var>(run, 0, "texts/string", plain, CALL_TEXT(texts, echo_string));
    // GIOP 1.0 has no negotiation: its strings are Latin-1. What is none goes through unchanged, and
    // an echo does not tell.
    echo_texts<CORBA::String_var>(run, 0, "texts/string_latin1", Strings{"Z\u00fcrich", "\u00e9"},
                                  CALL_TEXT(texts, echo_string));
    Strings wide = {samples::TEXT, "\u0416\u20ac", "\U0001F600 beyond the BMP", "\u00e9"};
    echo_texts<CORBA::String_var>(run, 0, "texts/string_utf8", wide,
                                  CALL_TEXT(texts, echo_string));
    echo_texts<CORBA::String_var>(run, 0, "texts/bounded", Strings{"", "twelve chars"},
                                  CALL_TEXT(texts, echo_short_name));
    echo_texts<CORBA::String_var>(run, 0, "texts/alias", Strings{"alias", ""},
                                  CALL_TEXT(texts, echo_alias));
    run.check("texts/repeat", [&] {
        CORBA::String_var text = texts->repeat("ab", 3);
        require(std::string(text) == "ababab", "repeat gave something else");
        text = texts->repeat("ab", 0);
        require(std::string(text).empty(), "repeat 0 times is not empty");
    });
}

// omniORB's wide characters are UTF-16 code units, one in each element. Its only wide transmission
// code set is UTF-16 in GIOP 1.2.
using WideString = std::basic_string<CORBA::WChar>;

void check_wides(Run& run) {
    Wides_var wides = run.suite()->wide_types();
    run.check_from(2, "wides/wchar", [&] {
        const std::deque<CORBA::WChar> values = {L'a', 0xe9, 0x30ab, 0x6771, 0xfffd, 0};
        for (size_t i = 0; i < values.size(); i++) {
            CORBA::WChar next = values[(i + 1) % values.size()], b = next, c = 0;
            CORBA::WChar result = wides->echo_wchar(values[i], b, c);
            require(result == values[i] && b == values[i] && c == next, "not echoed");
        }
    });
    std::vector<WideString> plain = {{}, {'a'}, {'Z', 0xfc, 'r', 'i', 'c', 'h'}, {0x6771, 0x4eac},
                                     WideString(300, 0x30ab)};
    echo_texts<CORBA::WString_var>(run, 2, "wides/wstring", plain,
                                   CALL_TEXT(wides, echo_wstring));
    // U+1F600 and U+10FFFF as surrogate pairs.
    std::vector<WideString> beyond = {{0xd83d, 0xde00, 'x'}, {0xdbff, 0xdfff}};
    echo_texts<CORBA::WString_var>(run, 2, "wides/wstring_beyond_bmp", beyond,
                                   CALL_TEXT(wides, echo_wstring));
    std::vector<WideString> bounded = {{}, WideString(8, 0x4eac)};
    echo_texts<CORBA::WString_var>(run, 2, "wides/bounded", bounded,
                                   CALL_TEXT(wides, echo_short_wide));
    run.check_from(2, "wides/sequence", [&] {
        Data::WideSeq a;
        a.length(3);
        a[0] = L"first"; a[1] = L""; a[2] = L"\u6771\u4eac";
        Data::WideSeq b;
        Data::WideSeq_var c, result;
        result = wides->echo_wide_seq(a, b, c.out());
        require(c->length() == 0 && b.length() == 3 && result->length() == 3, "wrong lengths");
        for (CORBA::ULong i = 0; i < 3; i++)
            require(WideString(a[i]) == WideString(b[i]) &&
                        WideString(a[i]) == WideString(result[i]), "wrong element");
    });
    run.check_from(2, "wides/constants", [&] {
        CORBA::WString_var greeting = wides->greeting();
        require(wides->katakana() == Values::KATAKANA, "katakana");
        require(WideString(greeting) == Values::WGREETING, "greeting");
    });
}

}  // namespace

void check_basics(Run& run) {
    Basics_var basics = run.suite()->basic_types();
    echo_values<CORBA::Boolean>(run, "basics/boolean", {true, false}, CALL(basics, echo_boolean));
    echo_values<CORBA::Char>(run, "basics/char", {'a', '\0', '~', '\n', '\x7f'},
                             CALL(basics, echo_char));
    echo_values<CORBA::Octet>(run, "basics/octet", {0, 1, 127, 128, 255},
                              CALL(basics, echo_octet));
    echo_values<CORBA::Short>(run, "basics/short", integers<CORBA::Short>(),
                              CALL(basics, echo_short));
    echo_values<CORBA::UShort>(run, "basics/ushort", integers<CORBA::UShort>(),
                               CALL(basics, echo_ushort));
    echo_values<CORBA::Long>(run, "basics/long", integers<CORBA::Long>(),
                             CALL(basics, echo_long));
    echo_values<CORBA::ULong>(run, "basics/ulong", integers<CORBA::ULong>(),
                              CALL(basics, echo_ulong));
    echo_values<CORBA::LongLong>(run, "basics/longlong", integers<CORBA::LongLong>(),
                                 CALL(basics, echo_longlong));
    echo_values<CORBA::ULongLong>(run, "basics/ulonglong", integers<CORBA::ULongLong>(),
                                  CALL(basics, echo_ulonglong));
    echo_values<CORBA::Float>(run, "basics/float", reals<CORBA::Float>(),
                              CALL(basics, echo_float));
    echo_values<CORBA::Double>(run, "basics/double", reals<CORBA::Double>(),
                               CALL(basics, echo_double));
    echo_values<Values::Count>(run, "basics/typedef", {7, -7}, CALL(basics, echo_count));
    run.check("basics/not_a_number", [&] {
        CORBA::Double b = 1, c = 0;
        CORBA::Double result = basics->echo_double(std::nan(""), b, c);
        require(std::isnan(result) && std::isnan(b) && c == 1, "not a NaN");
    });
    run.check("basics/nothing", [&] { basics->nothing(); });
    run.check("basics/mixed", [&] {
        CORBA::Double b = 0;
        CORBA::Short c = -3;
        CORBA::LongLong size = 0;
        CORBA::Boolean flip = true;
        CORBA::Long result = basics->mixed(7, b, c, "abcde", size, flip);
        require(result == 42 && b == 10.5 && c == 3 && size == 5 && !flip, "wrong values");
    });
    check_texts(run);
    check_wides(run);
}
