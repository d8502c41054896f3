// Checks of what valuetypes take over and how values are made, of values in anys, and of their types.
#include "run.h"
#include "things.h"

using namespace Interop;
using namespace Interop::Things;

namespace {

bool is(Things::Parcel* parcel, const char* content, CORBA::Short layers) {
    auto* ours = dynamic_cast<things::Parcel*>(parcel);
    return ours && std::string(ours->content()) == content && ours->the_layers() == layers;
}

// Made by the initialiser of the factory that the ORB knows.
Things::Parcel* parcel(Run& run, const char* content, CORBA::Short layers) {
    CORBA::ValueFactoryBase_var known =
        run.orb()->lookup_value_factory(Things::Parcel::_PD_repoId);
    Parcel_init* factory = Parcel_init::_downcast(known);
    require(factory, "no factory");
    return layers == 0 ? factory->bare(content) : factory->wrapped(content, layers);
}

// What an any comes back as.
CORBA::Any_var echoed(Run& run, const CORBA::Any& any) {
    Anys_var anys = run.suite()->any_tests();
    CORBA::Any b;
    CORBA::Any_var c, result = anys->echo_any(any, b, c.out());
    CORBA::TypeCode_var sent = any.type(), found = b.type();
    require(found->equivalent(sent), "the inout parameter has another type");
    return result;
}

void check_anys_of_values(Run& run) {
    run.check("value_anys/plain", [&] {
        Item_var item = new things::Item("one", 1, 2);
        CORBA::Any any;
        any <<= item.in();
        CORBA::Any_var back = echoed(run, any);
        Things::Item* found = nullptr;
        require((back >>= found) && std::string(found->name()) == "one", "another item");
    });
    run.check("value_anys/null", [&] {
        CORBA::Any any;
        any <<= static_cast<Things::Item*>(nullptr);
        CORBA::Any_var back = echoed(run, any);
        Item_var other = new things::Item("other", 1, 2);
        Things::Item* found = other;
        require((back >>= found) && !found, "not null");
    });
    run.check("value_anys/box", [&] {
        Remark_var remark = new Remark("said");
        CORBA::Any any;
        any <<= remark.in();
        CORBA::Any_var back = echoed(run, any);
        Remark* found = nullptr;
        require((back >>= found) && std::string(found->_boxed_in()) == "said", "another remark");
    });
    run.check("value_anys/cycle", [&] {
        Node_var node = things::node(9, nullptr);
        node->other(node);
        CORBA::Any any;
        any <<= node.in();
        CORBA::Any_var back = echoed(run, any);
        node->other(nullptr);
        Things::Node* found = nullptr;
        require((back >>= found) && found->number() == 9, "another node");
        require(found->other() == found, "the cycle");
        found->other(nullptr);
    });
    run.check("value_anys/derived", [&] {
        Things::Shape_var ring = things::ring("gold", 3, 1);
        CORBA::Any any;
        any <<= ring.in();
        CORBA::Any_var back = echoed(run, any);
        Things::Shape* found = nullptr;
        require((back >>= found) && things::describe(found) == "ring gold", "another shape");
    });
    run.check("value_anys/shared_members", [&] {
        Node_var node = things::node(5, nullptr);
        Pair pair;
        pair.lead = 1;
        pair.one = things::share(node.in());
        pair.two = things::share(node.in());
        pair.last = 2;
        CORBA::Any any;
        any <<= pair;
        CORBA::Any_var back = echoed(run, any);
        const Pair* found = nullptr;
        require((back >>= found) && found->last == 2, "another pair");
        require(found->one.in() && found->one.in() == found->two.in(), "not shared");
    });
}

}  // namespace

void check_valuetypes(Run& run) {
    Valued_var values = run.suite()->valued_tests();
    run.check("valuetypes/initialiser", [&] {
        Parcel_var a = parcel(run, "glass", 3), b = parcel(run, "stone", 0), c, result;
        result = values->echo_parcel(a, b.inout(), c.out());
        require(is(result, "glass", 3) && is(c, "stone", 0), "not echoed");
        require(result.in() == b.in(), "the results are not one value");
    });
    run.check("valuetypes/supports", [&] {
        Parcel_var glass = parcel(run, "glass", 3), b, c, back;
        require(values->weigh(glass) == 35, "its weight there");
        back = values->echo_parcel(glass, b.inout(), c.out());
        require(back->weigh() == 35, "its weight");
    });
    run.check("valuetypes/abstract", [&] {
        Parcel_var glass = parcel(run, "glass", 3);
        require(values->size_of(glass) == 5, "its size there");
        Bulky_var back = values->same_bulky(glass);
        require(is(Things::Parcel::_downcast(back), "glass", 3), "another value");
    });
    run.check("valuetypes/abstract_null", [&] {
        Bulky_var back = values->same_bulky(nullptr);
        require(!back.in() && values->size_of(nullptr) == 0, "not null");
    });
    Types_var types = run.suite()->type_tests();
    const std::pair<const char*, CORBA::TypeCode_ptr> kinds[] = {
        {"plain", _tc_Item}, {"recursive", _tc_Node}, {"derived", _tc_Ring}, {"box", _tc_Remark},
        {"box_of_sequence", _tc_Numbers}, {"of_abstract", _tc_Parcel}, {"abstract", _tc_Bulky},
        {"abstract_interface", _tc_Named}, {"struct", _tc_Pair},
    };
    for (const auto& [name, type] : kinds)
        run.check(std::string("valuetypes/type_") + name, [&, type = type] {
            CORBA::TypeCode_var b = CORBA::TypeCode::_duplicate(CORBA::_tc_null), c;
            CORBA::TypeCode_var result = types->echo_type(type, b, c.out());
            require(result->equal(type) && b->equal(type), "not echoed");
        });
    check_anys_of_values(run);
}
