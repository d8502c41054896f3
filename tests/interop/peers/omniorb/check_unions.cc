// Checks of unions, recursive types, keywords as names, macros and constants.
#include "same.h"
#include "samples.h"

using namespace Interop;

namespace {

// A union with the member that `set` gives it.
template <class Union, class Set>
Union with(Set set) {
    Union u;
    set(u);
    return u;
}
#define WITH(T, ...) with<T>([](T& u) { __VA_ARGS__; })

Data::Choices choices() {
    Data::Choices c;
    c.first.text("first");
    c.first._d('c');
    c.second._default();
    c.rest.length(2);
    c.rest[0].number(3);
    c.rest[1].text("rest");
    return c;
}

void check_integer_unions(Run& run, Unions_ptr unions) {
    echo_variables<Data::ByLong>(
        run, "unions/long",
        {WITH(Data::ByLong, u.text("minus one")), WITH(Data::ByLong, u.number(5); u._d(0)),
         WITH(Data::ByLong, u.number(6); u._d(1)), WITH(Data::ByLong, u.number(7); u._d(2))},
        CALL(unions, echo_by_long));
    echo_variables<Data::ByLong>(
        run, "unions/long_default",
        {WITH(Data::ByLong, u.real(0.5); u._d(INT32_MIN)), WITH(Data::ByLong, u.real(1); u._d(3))},
        CALL(unions, echo_by_long));
    echo_variables<Data::ByULong>(
        run, "unions/ulong",
        {WITH(Data::ByULong, u.small(255)), WITH(Data::ByULong, u.text("two billion"))},
        CALL(unions, echo_by_ulong));
    echo_variables<Data::ByULong>(run, "unions/ulong_no_member",
                                  {WITH(Data::ByULong, u._default(); u._d(4294967295u))},
                                  CALL(unions, echo_by_ulong));
    echo_variables<Data::ByShort>(
        run, "unions/short",
        {WITH(Data::ByShort, u.spot(Shapes::Point{1, 2})),
         WITH(Data::ByShort, Data::LongSeq s; s.length(2); s[0] = 1; s[1] = 2; u.numbers(s))},
        CALL(unions, echo_by_short));
    echo_variables<Data::ByShort>(run, "unions/short_default",
                                  {WITH(Data::ByShort, u.yes(true); u._d(77))},
                                  CALL(unions, echo_by_short));
    echo_variables<Data::ByUShort>(
        run, "unions/ushort",
        {WITH(Data::ByUShort, u.letter('l')), WITH(Data::ByUShort, u.tint(Shapes::BLUE)),
         WITH(Data::ByUShort, u.text("seven"); u._d(7)),
         WITH(Data::ByUShort, u.text("nine"); u._d(9))},
        CALL(unions, echo_by_ushort));
    echo_variables<Data::ByUShort>(run, "unions/ushort_no_member",
                                   {WITH(Data::ByUShort, u._default(); u._d(65535))},
                                   CALL(unions, echo_by_ushort));
    echo_variables<Data::ByLongLong>(
        run, "unions/longlong",
        {WITH(Data::ByLongLong, u.real(2.5)), WITH(Data::ByLongLong, u.text("minus"))},
        CALL(unions, echo_by_longlong));
    echo_variables<Data::ByLongLong>(
        run, "unions/longlong_default",
        {WITH(Data::ByLongLong, u.small(-5); u._d(-5000000000LL))},
        CALL(unions, echo_by_longlong));
    echo_variables<Data::ByULongLong>(
        run, "unions/ulonglong",
        {WITH(Data::ByULongLong, u.number(-1)), WITH(Data::ByULongLong, u.text("large"))},
        CALL(unions, echo_by_ulonglong));
    echo_variables<Data::ByULongLong>(
        run, "unions/ulonglong_no_member",
        {WITH(Data::ByULongLong, u._default(); u._d(18000000000000000000ULL))},
        CALL(unions, echo_by_ulonglong));
}

}  // namespace

void check_unions(Run& run) {
    Unions_var unions = run.suite()->union_types();
    check_integer_unions(run, unions);
    echo_variables<Data::ByChar>(
        run, "unions/char",
        {WITH(Data::ByChar, u.number(1)), WITH(Data::ByChar, u.text("b"); u._d('b')),
         WITH(Data::ByChar, u.text("c"); u._d('c')),
         WITH(Data::ByChar, u.spot(Shapes::Point{3, 4}))},
        CALL(unions, echo_by_char));
    echo_variables<Data::ByChar>(run, "unions/char_default",
                                 {WITH(Data::ByChar, u.small(9); u._d('?'))},
                                 CALL(unions, echo_by_char));
    echo_variables<Data::ByBoolean>(
        run, "unions/boolean",
        {WITH(Data::ByBoolean, u.text("true")), WITH(Data::ByBoolean, u.real(-1.5))},
        CALL(unions, echo_by_boolean));
    echo_values<Data::Maybe>(run, "unions/implicit_default",
                             {WITH(Data::Maybe, u.value(3)), WITH(Data::Maybe, u._default())},
                             CALL(unions, echo_maybe));
    echo_variables<Data::ByColour>(
        run, "unions/enum",
        {WITH(Data::ByColour, u.number(1)), WITH(Data::ByColour, u.text("g"); u._d(Shapes::GREEN)),
         WITH(Data::ByColour, u.text("b"); u._d(Shapes::BLUE))},
        CALL(unions, echo_by_colour));
    echo_variables<Data::ByKind>(
        run, "unions/inline_enum",
        {WITH(Data::ByKind, u.value(4)), WITH(Data::ByKind, u.spelling("four")),
         WITH(Data::ByKind, Data::Row r = {1, 2, 3, 4}; u.items(r);
              u._d(Data::ByKind::LIST)),
         WITH(Data::ByKind, Data::Row r = {5, 6, 7, 8}; u.items(r);
              u._d(Data::ByKind::OTHER))},
        CALL(unions, echo_by_kind));
    echo_variables<Data::Choices>(run, "unions/in_struct", {choices()},
                                  CALL(unions, echo_choices));
    echo_variables<Data::Nested>(
        run, "unions/nested",
        {WITH(Data::Nested, Data::ByBoolean inner; inner.text("deep"); u.inner(inner)),
         WITH(Data::Nested, u.several(choices()))},
        CALL(unions, echo_nested));
    echo_variables<Data::Nested>(run, "unions/nested_default",
                                 {WITH(Data::Nested, u.list(choices().rest); u._d(-9))},
                                 CALL(unions, echo_nested));
}

void check_recursion(Run& run) {
    Recursion_var recursion = run.suite()->recursive_types();
    Data::Tree leaf;
    leaf.name = "leaf";
    echo_variables<Data::Tree>(run, "recursion/struct", {samples::tree(), leaf},
                               CALL(recursion, echo_tree));
    Data::Node chain;
    chain.value = 0;
    chain.mark = 1;
    for (int depth = 1; depth <= 40; depth++) {
        Data::Node outer;
        outer.value = depth;
        outer.mark = CORBA::Octet(depth);
        outer.children.length(1);
        outer.children[0] = chain;
        chain = outer;
    }
    echo_variables<Data::Node>(run, "recursion/forward_struct", {chain},
                               CALL(recursion, echo_node));
    // -(2 + 3) + 40
    Data::Expression two, three, forty, sum, minus, all;
    two.value(2);
    three.value(3);
    forty.value(40);
    Data::Expression::_terms_seq terms;
    terms.length(2);
    terms[0] = two;
    terms[1] = three;
    sum.terms(terms);
    Data::Expression::_operand_seq operand;
    operand.length(1);
    operand[0] = sum;
    minus.operand(operand);
    terms[0] = minus;
    terms[1] = forty;
    all.terms(terms);
    echo_variables<Data::Expression>(run, "recursion/union", {all, two, minus},
                                     CALL(recursion, echo_expression));
    run.check("recursion/evaluate", [&] {
        require(recursion->evaluate(all) == 35, "the value is not 35");
    });
    Data::Document text, truth, items;
    text.text("text");
    truth.truth(true);
    Data::DocumentSeq parts;
    parts.length(2);
    parts[0] = text;
    parts[1] = truth;
    items.items(parts);
    parts.length(3);
    parts[2] = items;
    items.items(parts);
    echo_variables<Data::Document>(run, "recursion/forward_union", {items, text},
                                   CALL(recursion, echo_document));
}

void check_names(Run& run) {
    Names_var names = run.suite()->name_tests();
    echo_values<Names::Keywords>(
        run, "names/struct", {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0, 0, 0, 0, 0, 0, 0, 0, 0, -1}},
        CALL(names, echo_keywords));
    echo_values<Names::_cxx_enum>(run, "names/enum",
                                  {Names::fn, Names::loop, Names::_cxx_union, Names::_cxx_new},
                                  CALL(names, echo_enum));
    run.check("names/operations", [&] {
        require(names->match(1, 2, 3) == 123, "match");
        require(names->interface(41) == 42, "interface");
        CORBA::Long ref = 5, mut = 0;
        names->use(ref, mut);
        require(ref == 6 && mut == 10, "use");
    });
    run.check("names/attributes", [&] {
        require(names->mod() == 7, "mod");
        names->oneway(11);
        require(names->oneway() == 11, "oneway");
        names->oneway(0);
    });

    Macros_var macros = run.suite()->macro_tests();
    echo_values<CORBA::Long>(run, "macros/echo", {1, -1}, CALL(macros, echo_number));
    echo_texts<CORBA::String_var>(run, 0, "macros/echo_words", std::vector<std::string>{"a", ""},
                                  CALL_TEXT(macros, echo_words));
    run.check("macros/values", [&] {
        CORBA::String_var quoted = macros->quoted_value();
        require(macros->add(40, 2) == 42, "add");
        require(macros->doubled_value() == 10 && Macros::DOUBLED == 10, "doubled");
        require(std::string(quoted) == "plain words", "quoted");
    });

    run.check("constants/report", [&] {
        Constants_var constants = run.suite()->constant_tests();
        ConstantReport_var r = constants->report();
        require(r->small == 1 && r->usmall == 65535 && r->product == 42, "small, usmall, product");
        require(r->shifted == 1039 && r->quotient == -3 && r->remainder == -2,
                "shifted, quotient, remainder");
        require(r->masked == 15 && r->toggled == 0x5b && r->halved == 128,
                "masked, toggled, halved");
        require(r->all_bits == 0xffffffffu && r->distance == -5000000000LL, "all_bits, distance");
        require(r->longest == 9000000000000000000ULL, "longest");
        require(r->ratio == 2.75f && r->tiny == 2.5e-30 && r->part == 0.75, "ratio, tiny, part");
        require(r->letter == 'Z' && r->newline == '\n' && r->quote == '\'', "letters");
        require(r->hexed == 'A' && r->octal == 'B' && r->yes && r->byte == 255, "hexed to byte");
        require(std::string(r->greeting) == "Hello, world\t\"quoted\" AB back\\slash", "greeting");
        require(r->favourite == Shapes::GREEN && r->total == 1054, "favourite, total");
    });
}
