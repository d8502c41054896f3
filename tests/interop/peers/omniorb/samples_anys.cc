// The values that an any is tried with.
#include "samples.h"

using namespace Interop;

namespace samples {

// omniORB 4.2.5 asserts when an any that a nil reference was inserted in is copied. One that is
// decoded from its CDR encoding it can copy.
static void insert_nil(CORBA::Any& any, CORBA::TypeCode_ptr type) {
    cdrMemoryStream stream;
    CORBA::TypeCode::marshalTypeCode(type, stream);
    stream.marshalRawString("");                      // type id
    CORBA::ULong profiles = 0;
    profiles >>= stream;
    any <<= stream;
}

// A decimal number with its type, which names the typedef.
static void insert(CORBA::Any& any, const CORBA::Fixed& number, CORBA::TypeCode_ptr type) {
    CORBA::TypeCode_var plain = type->content_type();
    CORBA::UShort digits = plain->fixed_digits(), scale = CORBA::UShort(plain->fixed_scale());
    // One that a calculation gave has no limits, without which omniORB cannot encode it.
    CORBA::Fixed limited(number);
    limited.PR_setLimits(digits, scale);
    any <<= CORBA::Any::from_fixed(limited, digits, scale);
    any.type(type);
}

using Maker = std::function<void(CORBA::Any&)>;

static const std::vector<std::pair<std::string, Maker>>& makers() {
    static const std::vector<std::pair<std::string, Maker>> list = {
        {"null", [](CORBA::Any&) {}},
        {"boolean", [](CORBA::Any& a) { a <<= CORBA::Any::from_boolean(true); }},
        {"char", [](CORBA::Any& a) { a <<= CORBA::Any::from_char('q'); }},
        {"octet", [](CORBA::Any& a) { a <<= CORBA::Any::from_octet(200); }},
        {"short", [](CORBA::Any& a) { a <<= CORBA::Short(-1234); }},
        {"ushort", [](CORBA::Any& a) { a <<= CORBA::UShort(54321); }},
        {"long", [](CORBA::Any& a) { a <<= CORBA::Long(-123456789); }},
        {"ulong", [](CORBA::Any& a) { a <<= CORBA::ULong(4000000000u); }},
        {"longlong", [](CORBA::Any& a) { a <<= CORBA::LongLong(-9000000000000000LL); }},
        {"ulonglong", [](CORBA::Any& a) { a <<= CORBA::ULongLong(18000000000000000000ULL); }},
        {"float", [](CORBA::Any& a) { a <<= CORBA::Float(1.25f); }},
        {"double", [](CORBA::Any& a) { a <<= CORBA::Double(-2.5e10); }},
        {"string", [](CORBA::Any& a) { a <<= "plain text"; }},
        {"text", [](CORBA::Any& a) { a <<= TEXT; }},
        {"bounded", [](CORBA::Any& a) {
             a <<= CORBA::Any::from_string(const_cast<char*>("tiny"), 12);
         }},
        {"alias", [](CORBA::Any& a) { a <<= "aliased"; a.type(Data::_tc_Alias); }},
        {"wchar", [](CORBA::Any& a) { a <<= CORBA::Any::from_wchar(L'\u6771'); }},
        {"wstring", [](CORBA::Any& a) {
             static const CORBA::WChar wide[] = {0x6771, 0x4eac, 0};
             a <<= wide;
         }},
        {"colour", [](CORBA::Any& a) { a <<= Shapes::BLUE; }},
        {"point", [](CORBA::Any& a) {
             Shapes::Point p = {1, -2};
             a <<= p;
         }},
        {"mixed", [](CORBA::Any& a) { a <<= mixed(); }},
        {"person", [](CORBA::Any& a) { a <<= ada(); }},
        {"long_seq", [](CORBA::Any& a) {
             Data::LongSeq s;
             s.length(3);
             s[0] = 1; s[1] = -2; s[2] = 3;
             a <<= s;
         }},
        {"persons", [](CORBA::Any& a) {
             Data::PersonSeq s;
             s.length(2);
             s[0] = ada(); s[1] = ada();
             a <<= s;
         }},
        {"row", [](CORBA::Any& a) {
             Data::Row row = {1, 2, 3, 4};
             a <<= Data::Row_forany(row);
         }},
        {"by_long", [](CORBA::Any& a) {
             Data::ByLong u;
             u.number(77);
             u._d(1);
             a <<= u;
         }},
        {"no_member", [](CORBA::Any& a) {
             Data::ByULong u;
             u._default();
             u._d(5);
             a <<= u;
         }},
        {"by_colour", [](CORBA::Any& a) {
             Data::ByColour u;
             u.text("sea");
             u._d(Shapes::BLUE);
             a <<= u;
         }},
        {"tree", [](CORBA::Any& a) { a <<= tree(); }},
        {"nested", [](CORBA::Any& a) {
             CORBA::Any inner, innermost;
             innermost <<= CORBA::Long(5);
             inner <<= innermost;
             a <<= inner;
         }},
        {"octets", [](CORBA::Any& a) {
             Data::Blob s;
             s.length(3);
             s[0] = 0; s[1] = 255; s[2] = 7;
             a <<= s;
         }},
        {"doubles", [](CORBA::Any& a) {
             Data::DoubleSeq s;
             s.length(2);
             s[0] = 1.5; s[1] = -0.25;
             a <<= s;
         }},
        {"strings", [](CORBA::Any& a) {
             Data::StringSeq s;
             s.length(3);
             s[0] = "a"; s[1] = ""; s[2] = "bc";
             a <<= s;
         }},
        {"few_longs", [](CORBA::Any& a) {
             Data::FewLongs s;
             s.length(2);
             s[0] = 1; s[1] = 2;
             a <<= s;
         }},
        {"table", [](CORBA::Any& a) {
             Data::StringTable s;
             s.length(2);
             s[0].length(2);
             s[0][0] = "a"; s[0][1] = "";
             a <<= s;
         }},
        {"grid", [](CORBA::Any& a) {
             Data::Grid grid = {{1, 2, 3}, {4.5, 5.5, 6.5}};
             a <<= Data::Grid_forany(grid);
         }},
        {"words", [](CORBA::Any& a) {
             Data::Words words;
             words[0] = "a"; words[1] = ""; words[2] = "c";
             a <<= Data::Words_forany(words);
         }},
        {"crate", [](CORBA::Any& a) { a <<= crate(1); }},
        {"operator", [](CORBA::Any& a) { a <<= Data::NEGATE; }},
        {"by_ushort", [](CORBA::Any& a) {
             Data::ByUShort u;
             u.text("nine");
             u._d(9);
             a <<= u;
         }},
        {"by_short", [](CORBA::Any& a) {
             Data::ByShort u;
             u.spot(Shapes::Point{3, 4});
             a <<= u;
         }},
        {"by_longlong", [](CORBA::Any& a) {
             Data::ByLongLong u;
             u.text("minus");
             a <<= u;
         }},
        {"by_ulonglong", [](CORBA::Any& a) {
             Data::ByULongLong u;
             u.text("large");
             a <<= u;
         }},
        {"by_char", [](CORBA::Any& a) {
             Data::ByChar u;
             u.text("third");
             u._d('c');
             a <<= u;
         }},
        {"by_boolean", [](CORBA::Any& a) {
             Data::ByBoolean u;
             u.real(-1.5);
             a <<= u;
         }},
        {"maybe", [](CORBA::Any& a) {
             Data::Maybe u;
             u.value(3);
             a <<= u;
         }},
        {"by_kind", [](CORBA::Any& a) {
             Data::ByKind u;
             Data::Row row = {1, 2, 3, 4};
             u.items(row);
             u._d(Data::ByKind::LIST);
             a <<= u;
         }},
        {"expression", [](CORBA::Any& a) { a <<= expression(); }},
        {"document", [](CORBA::Any& a) { a <<= document(); }},
        {"node", [](CORBA::Any& a) { a <<= node(); }},
        {"price", [](CORBA::Any& a) { insert(a, Data::Price("123.45"), Data::_tc_Price); }},
        {"exact", [](CORBA::Any& a) { insert(a, exact(), Data::_tc_Exact); }},
        {"digit", [](CORBA::Any& a) { insert(a, Data::Digit(-7), Data::_tc_Digit); }},
        {"widest", [](CORBA::Any& a) { insert(a, widest(), Data::_tc_Widest); }},
        {"finest", [](CORBA::Any& a) { insert(a, -finest(), Data::_tc_Finest); }},
        {"bill", [](CORBA::Any& a) { a <<= fresh(bill()); }},
        {"amount", [](CORBA::Any& a) {
             a <<= amount();
         }},
        {"alias_of_alias", [](CORBA::Any& a) { a <<= "twice"; a.type(Data::_tc_AliasOfAlias); }},
        {"type_code", [](CORBA::Any& a) { a <<= Data::_tc_Person; }},
        {"type_code_tree", [](CORBA::Any& a) { a <<= Data::_tc_Tree; }},
        {"reason", [](CORBA::Any& a) { a <<= Reason("because", -42); }},
        {"empty", [](CORBA::Any& a) { a <<= Empty(); }},
        {"sign", [](CORBA::Any& a) { a <<= sign(); }},
        {"wide_code", [](CORBA::Any& a) {
             Data::WideCode code = {'a', 0xe9, 0x30ab};
             a <<= Data::WideCode_forany(code);
         }},
        {"property", [](CORBA::Any& a) { a <<= property(5); }},
        {"properties", [](CORBA::Any& a) {
             Data::PropertySeq s;
             s.length(2);
             s[0] = property(1); s[1] = property(2);
             a <<= s;
         }},
        {"described", [](CORBA::Any& a) { a <<= described(); }},
        {"variant", [](CORBA::Any& a) { a <<= variant(); }},
        {"nil_object", [](CORBA::Any& a) { insert_nil(a, CORBA::_tc_Object); }},
        {"nil_base", [](CORBA::Any& a) { insert_nil(a, _tc_Base); }},
    };
    return list;
}

const std::vector<std::string>& any_kinds() {
    static const std::vector<std::string> kinds = [] {
        std::vector<std::string> names;
        for (auto& maker : makers()) names.push_back(maker.first);
        return names;
    }();
    return kinds;
}

CORBA::Any any_of(const std::string& kind) {
    for (auto& maker : makers()) {
        if (maker.first != kind) continue;
        CORBA::Any any;
        maker.second(any);
        return any;
    }
    throw std::out_of_range(kind);
}

std::string first_of_type(CORBA::TypeCode_ptr wanted) {
    for (auto& maker : makers()) {
        CORBA::Any any;
        try {
            maker.second(any);
        } catch (const CORBA::BAD_PARAM&) {
            continue;  // wide text, below GIOP 1.2
        }
        CORBA::TypeCode_var type = any.type();
        if (type->equivalent(wanted)) return maker.first;
    }
    return "unknown";
}

}  // namespace samples
