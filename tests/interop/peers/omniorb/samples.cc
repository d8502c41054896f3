// Values that BEHAVIOUR.md names.
#include "samples.h"

#include <omniORB4/dynAny.h>

using namespace Interop;

namespace samples {

const char* const TEXT = "Z\u00fcrich \u2013 \u6771\u4eac";

static DynamicAny::DynAnyFactory_var factory;

void use_orb(CORBA::ORB_ptr orb) {
    CORBA::Object_var object = orb->resolve_initial_references("DynAnyFactory");
    factory = DynamicAny::DynAnyFactory::_narrow(object);
}

Data::Person ada() {
    Data::Person person;
    person.name = "Ada";
    person.age = 36;
    person.likes = Shapes::GREEN;
    person.place.x = 10;
    person.place.y = -20;
    person.labels.length(3);
    person.labels[0] = "x";
    person.labels[1] = "";
    person.labels[2] = "yz";
    return person;
}

Data::Mixed mixed() {
    Data::Mixed m;
    m.a = 1;
    m.b = -2.5;
    m.c = -3;
    m.d = -4000000000000LL;
    m.e = true;
    m.f = 0.5f;
    m.g = 'g';
    m.h = 4000000000u;
    m.i = 65535;
    m.j = 18000000000000000000ULL;
    return m;
}

Data::Tree tree() {
    Data::Tree root;
    root.name = "root";
    root.children.length(2);
    root.children[0].name = "left";
    root.children[1].name = "right";
    root.children[1].children.length(1);
    root.children[1].children[0].name = "leaf";
    return root;
}

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

bool same_any(const CORBA::Any& a, const CORBA::Any& b) {
    CORBA::TypeCode_var type_a = a.type(), type_b = b.type();
    if (!type_a->equivalent(type_b)) return false;
    DynamicAny::DynAny_var dyn_a = factory->create_dyn_any(a);
    DynamicAny::DynAny_var dyn_b = factory->create_dyn_any(b);
    bool same = dyn_a->equal(dyn_b);
    dyn_a->destroy();
    dyn_b->destroy();
    return same;
}

bool is_wide(const std::string& kind) { return kind == "wchar" || kind == "wstring"; }

bool is_beyond_ascii(const std::string& kind) { return kind == "text" || is_wide(kind); }

}  // namespace samples
