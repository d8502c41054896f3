// Checks of TypeCodes, of anys and wide text inside other types, and of contexts.
#include "same.h"
#include "samples.h"

using namespace Interop;

bool same(const Data::TypeSeq& a, const Data::TypeSeq& b) {
    if (a.length() != b.length()) return false;
    for (CORBA::ULong i = 0; i < a.length(); i++)
        if (!a[i].in()->equal(b[i])) return false;
    return true;
}

bool same(const Data::AnySeq& a, const Data::AnySeq& b) {
    if (a.length() != b.length()) return false;
    for (CORBA::ULong i = 0; i < a.length(); i++)
        if (!same(a[i], b[i])) return false;
    return true;
}

bool same(const Data::AnyPair& a, const Data::AnyPair& b) {
    return same(a[0], b[0]) && same(a[1], b[1]);
}

bool same(const Data::Described& a, const Data::Described& b) {
    return a.lead == b.lead && a.last == b.last && a.kind.in()->equal(b.kind.in()) &&
           same(a.sample, b.sample);
}

bool same(const Data::Variant& a, const Data::Variant& b) {
    if (a._d() != b._d()) return false;
    switch (a._d()) {
        case 1: return same(a.value(), b.value());
        case 2: return a.kind()->equal(b.kind());
        case 3: return same(a.list(), b.list());
        default: return std::string(a.text()) == b.text();
    }
}

namespace {

void check_type(Run& run, Types_ptr types, const std::string& kind) {
    run.check("types/type_" + kind, [&] {
        CORBA::Any value = samples::any_of(kind);
        CORBA::TypeCode_var wanted = value.type();
        CORBA::TypeCode_var made = types->make_type(kind.c_str()), found = types->type_of(value);
        require(made->equivalent(wanted), "the type made is another");
        require(found->equivalent(wanted), "the type of a value is another");
        CORBA::String_var answer = types->kind_of_type(wanted);
        std::string first = samples::first_of_type(wanted);
        require(first == static_cast<const char*>(answer), "taken for " + std::string(answer));
        CORBA::TypeCode_var b = CORBA::TypeCode::_duplicate(CORBA::_tc_null), c;
        CORBA::TypeCode_var result = types->echo_type(wanted, b, c.out());
        require(result->equal(wanted), "the result is not a");
        require(b->equal(wanted), "the inout parameter is not a");
        require(c->equal(CORBA::_tc_null), "the out parameter is not the old b");
    });
}

Data::TypeSeq list(std::initializer_list<CORBA::TypeCode_ptr> types) {
    Data::TypeSeq list;
    list.length(CORBA::ULong(types.size()));
    CORBA::ULong at = 0;
    for (CORBA::TypeCode_ptr type : types) list[at++] = CORBA::TypeCode::_duplicate(type);
    return list;
}

Data::AnySeq anys(const std::vector<std::string>& kinds) {
    Data::AnySeq list;
    list.length(CORBA::ULong(kinds.size()));
    for (CORBA::ULong i = 0; i < list.length(); i++) list[i] = samples::any_of(kinds[i]);
    return list;
}

}  // namespace

void check_types(Run& run) {
    Types_var types = run.suite()->type_tests();
    for (const std::string& kind : samples::any_kinds()) {
        run.from(samples::is_wide(kind) ? 2 : 0);
        check_type(run, types, kind);
    }
    run.from(0);
    run.check("types/compact", [&] {
        for (const char* kind : {"person", "tree", "by_colour", "expression", "node", "persons"}) {
            CORBA::Any value = samples::any_of(kind);
            CORBA::TypeCode_var wanted = value.type(), compact = wanted->get_compact_typecode();
            CORBA::String_var answer = types->kind_of_type(compact);
            require(samples::first_of_type(wanted) == static_cast<const char*>(answer),
                    std::string(kind) + " is taken for " + static_cast<const char*>(answer));
        }
    });
    echo_variables<Data::TypeSeq>(
        run, "types/sequence",
        {list({Data::_tc_Person, Data::_tc_Tree, _tc_Reason, _tc_Base}), Data::TypeSeq(),
         list({Data::_tc_Tree, Data::_tc_Tree})},
        CALL(types, echo_types));
    Data::Described plain = samples::described();
    plain.kind = CORBA::TypeCode::_duplicate(_tc_Empty);
    echo_variables<Data::Described>(run, "types/struct", {samples::described(), plain},
                                    CALL(types, echo_described));
    CORBA::Any any = samples::property(3).value;
    Data::Variant value, kind, text;
    value.value(any);
    kind.kind(Data::_tc_Tree);
    text.text("text");
    echo_variables<Data::Variant>(run, "types/union", {samples::variant(), value, kind, text},
                                  CALL(types, echo_variant));
    echo_variables<Data::AnySeq>(run, "types/any_sequence",
                                 {anys({"person", "by_char", "nested", "price"}), Data::AnySeq()},
                                 CALL(types, echo_any_seq));
    Data::AnyPair pair, other;
    pair[0] = any;
    other[1] = any;
    echo_arrays<Data::AnyPair, Data::AnyPair_copyHelper, true>(
        run, "types/any_array", {&pair, &other}, CALL(types, echo_any_pair));
    echo_variables<Data::Property>(run, "types/any_in_struct",
                                   {samples::property(1), samples::property(2)},
                                   CALL(types, echo_property));
    Data::PropertySeq properties;
    properties.length(2);
    properties[0] = samples::property(1);
    properties[1] = samples::property(2);
    echo_variables<Data::PropertySeq>(run, "types/any_in_structs",
                                      {properties, Data::PropertySeq()},
                                      CALL(types, echo_properties));
}

void check_wide_types(Run& run) {
    WideTypes_var wides = run.suite()->wide_text_types();
    run.from(2);
    Data::Sign empty = samples::sign();
    empty.text = L"";
    empty.rest.length(0);
    echo_variables<Data::Sign>(run, "wide_types/struct", {samples::sign(), empty},
                               CALL(wides, echo_sign));
    const Data::WideCode code = {'a', 0xe9, 0x30ab}, other = {0x6771, 0, 'z'};
    echo_arrays<Data::WideCode, Data::WideCode_copyHelper, false>(
        run, "wide_types/array", {&code, &other}, CALL(wides, echo_wide_code));
    Data::WcharSeq letters;
    letters.length(2);
    letters[0] = 0x6771;
    letters[1] = 'x';
    echo_variables<Data::WcharSeq>(run, "wide_types/sequence", {letters, Data::WcharSeq()},
                                   CALL(wides, echo_wchars));
    Data::WideOrNot wide, narrow;
    wide.wide(L"\u6771\u4eac");
    narrow.narrow("plain");
    echo_variables<Data::WideOrNot>(run, "wide_types/union", {wide, narrow},
                                    CALL(wides, echo_wide_or_not));
    run.check("wide_types/exception", [&] {
        wides->read(L"");
        try {
            wides->read(L"\u6771\u4eac");
        } catch (const Unreadable& e) {
            using WideString = std::basic_string<CORBA::WChar>;
            require(WideString(e.what) == L"\u6771\u4eac" && e.at == Values::KATAKANA, "members");
            return;
        }
        throw Failure("nothing was raised");
    });
    run.from(0);
}

// The stubs of omniORB send no context: these calls are made without them.
static std::string property(Run& run, Contexts_ptr contexts, const char* name, bool filled) {
    CORBA::Context_var context;
    CORBA::Context_var root;
    run.orb()->get_default_context(root.out());
    root->create_child("", context.out());
    auto set = [&](const char* key, const char* value) {
        CORBA::Any any;
        any <<= value;
        context->set_one_value(key, any);
    };
    if (filled) {
        set("LANG", "de");
        set("USER_NAME", "ada");
        set("PASSWORD", "never sent");
    }
    CORBA::Request_var request = contexts->_request("property");
    request->add_in_arg("name") <<= name;
    request->set_return_type(CORBA::_tc_string);
    request->contexts()->add("LANG");
    request->contexts()->add("USER_*");
    request->ctx(context);
    request->invoke();
    if (CORBA::Exception* raised = request->env()->exception()) raised->_raise();
    const char* found = nullptr;
    require(request->return_value() >>= found, "no string");
    return found;
}

void check_contexts(Run& run) {
    Contexts_var contexts = run.suite()->context_tests();
    run.check("contexts/lang", [&] {
        require(property(run, contexts, "LANG", true) == "de", "not sent");
    });
    run.check("contexts/user_name", [&] {
        require(property(run, contexts, "USER_NAME", true) == "ada", "not sent");
    });
    run.check("contexts/password", [&] {
        require(property(run, contexts, "PASSWORD", true).empty(), "sent");
    });
    run.check("contexts/empty", [&] {
        require(property(run, contexts, "LANG", false).empty(), "sent");
    });
    run.check("contexts/stub", [&] {
        CORBA::String_var found = contexts->property("LANG");
        require(std::string(found).empty(), "sent");
    });
    run.check("contexts/next_request", [&] {
        CORBA::String_var text = contexts->none("as before");
        require(std::string(text) == "as before", "another text");
    });
}
