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

Data::Crate crate(int seed) {
    Data::Crate c;
    c.lead = CORBA::Octet(seed);
    c.padded = mixed();
    c.owner = ada();
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) c.cells[i][j] = seed + i * 10 + j * 0.5;
    for (int i = 0; i < 4; i++) c.code[i / 2][i % 2] = CORBA::Char('a' + i);
    c.tags[0] = "";
    c.tags[1] = "five5";
    c.few.length(CORBA::ULong(seed % 4));
    for (CORBA::ULong i = 0; i < c.few.length(); i++) c.few[i] = CORBA::Short(-seed);
    for (int i = 0; i < 3; i++) {
        c.corners[i].x = i;
        c.corners[i].y = -i;
    }
    c.last = 255;
    return c;
}

Data::Expression expression() {
    Data::Expression two, three, minus, all;
    two.value(2);
    three.value(3);
    Data::Expression::_operand_seq operand;
    operand.length(1);
    operand[0] = three;
    minus.operand(operand);
    Data::Expression::_terms_seq terms;
    terms.length(2);
    terms[0] = two;
    terms[1] = minus;
    all.terms(terms);
    return all;
}

Data::Document document() {
    Data::Document all;
    Data::DocumentSeq parts;
    parts.length(2);
    parts[0].text("text");
    parts[1].truth(true);
    all.items(parts);
    return all;
}

Data::Node node() {
    Data::Node parent;
    parent.value = 5;
    parent.mark = 2;
    parent.children.length(1);
    parent.children[0].value = -1;
    parent.children[0].mark = 1;
    return parent;
}

Data::Widest widest() { return Data::Widest("9999999999999999999999999999999"); }

Data::Finest finest() { return Data::Finest("0.9999999999999999999999999999999"); }

Data::Exact exact() { return Data::Exact("-123456.7890"); }

Data::Bill bill() {
    Data::Bill b;
    b.lead = 1;
    b.single = Data::Price("123.45");
    b.count = Data::Digit(-7);
    b.parts.length(2);
    b.parts[0] = Data::Price("100.01");
    b.parts[1] = Data::Price("-123.45");
    b.rates[0] = exact();
    b.rates[1] = -exact();
    b.total = widest();
    b.last = 255;
    return b;
}

// Setting the member copies the number, which loses its limits then (see `fresh`).
Data::Amount* amount() {
    std::unique_ptr<Data::Amount> u(new Data::Amount);
    u->exact(Data::Price("-100.00"));
    u->exact().PR_setLimits(5, 2);
    return u.release();
}

Data::Sign sign() {
    Data::Sign s;
    s.lead = 1;
    s.mark = 0x6771;
    s.between = 2;
    s.text = L"\u6771\u4eac x";
    s.code[0] = 'a';
    s.code[1] = 0xe9;
    s.code[2] = 0x30ab;
    s.rest.length(2);
    s.rest[0] = 0x4eac;
    s.rest[1] = 'b';
    s.last = 'z';
    return s;
}

Data::Property property(CORBA::Long number) {
    Data::Property p;
    p.name = "count";
    p.value <<= number;
    return p;
}

Data::Described described() {
    Data::Described d;
    d.lead = 1;
    d.kind = CORBA::TypeCode::_duplicate(Data::_tc_Tree);
    d.sample <<= tree();
    d.last = 2;
    return d;
}

Data::Variant variant() {
    Data::AnySeq list;
    list.length(3);
    list[0] <<= "one";
    list[1] <<= CORBA::Long(2);
    Data::Variant v;
    v.list(list);
    return v;
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

bool is_wide(const std::string& kind) {
    return kind == "wchar" || kind == "wstring" || kind == "sign" || kind == "wide_code";
}

}  // namespace samples
