// Checks of values and of an abstract interface.
#include "run.h"
#include "things.h"

using namespace Interop;
using namespace Interop::Things;

namespace {

bool is(Things::Item* item, const char* name, CORBA::Long count, CORBA::Octet mark) {
    auto* ours = dynamic_cast<things::Item*>(item);
    return ours && std::string(ours->name()) == name && ours->count() == count &&
           ours->the_mark() == mark;
}

bool is(Things::Remark* remark, const char* text) {
    return remark && std::string(remark->_boxed_in()) == text;
}

void check_sharing(Run& run, Valued_ptr values) {
    run.check("values/is_same", [&] {
        Node_var one = things::node(1, nullptr), other = things::node(1, nullptr);
        require(values->is_same(one, one), "one value became two");
        require(!values->is_same(one, other), "two values became one");
        require(values->is_same(nullptr, nullptr) && !values->is_same(one, nullptr), "null");
    });
    run.check("values/shared_results", [&] {
        Item_var a = new things::Item("one", 1, 2), b, c, result;
        result = values->echo_item(a, b.inout(), c.out());
        require(is(result, "one", 1, 2), "the result");
        require(result.in() == b.in() && !c.in(), "the results are not one value");
        require(result.in() != a.in(), "the result is no copy");
    });
    run.check("values/shared_members", [&] {
        Node_var node = things::node(5, nullptr);
        Pair a, b;
        a.lead = 1;
        a.one = things::share(node.in());
        a.two = things::share(node.in());
        a.last = 2;
        b.lead = 3;
        b.last = 4;
        Pair_var c, result = values->echo_pair(a, b, c.out());
        require(result->one.in() && result->one.in() == result->two.in(), "not shared");
        require(result->one->number() == 5 && result->last == 2, "members");
        require(!c->one.in() && c->last == 4, "null");
    });
    run.check("values/shared_elements", [&] {
        Item_var item = new things::Item("one", 1, 2);
        ItemSeq a, b;
        a.length(3);
        a[0] = things::share(item.in());
        a[2] = things::share(item.in());
        ItemSeq_var c, result = values->echo_items(a, b, c.out());
        require(result->length() == 3 && c->length() == 0, "lengths");
        require(is(result[0u], "one", 1, 2) && !result[1u].in(), "elements");
        require(result[0u].in() == result[2u].in(), "not shared");
    });
    run.check("values/cycle", [&] {
        Node_var third = things::node(3, nullptr), second = things::node(2, third),
                 first = things::node(1, second);
        third->next(first);
        second->other(second);
        require(values->count(first) == 3, "the count");
        Node_var b, c, result = values->echo_node(first, b.inout(), c.out());
        Things::Node* back = result->next()->next()->next();
        require(back == result.in() && result->next()->other() == result->next(), "the cycle");
        require(result->number() == 1 && result->next()->number() == 2, "the numbers");
        third->next(nullptr);
        second->other(nullptr);
    });
    run.check("values/exception", [&] {
        Node_var node = things::node(9, nullptr);
        node->other(node);
        try {
            values->lose(node);
        } catch (const Lost& e) {
            require(e.last->number() == 9 && e.last->other() == e.last.in(), "the value");
            node->other(nullptr);
            return;
        }
        throw Failure("nothing was raised");
    });
}

void check_types_of_values(Run& run, Valued_ptr values) {
    run.check("values/derived", [&] {
        Things::Shape_var ring = things::ring("gold", 3, 1), b, c, result;
        result = values->echo_shape(ring, b.inout(), c.out());
        Ring* back = Ring::_downcast(result);
        require(back && back->hole() == 1 && back->radius() == 3, "no ring, or another");
        require(std::string(back->id()) == "gold", "id");
    });
    run.check("values/made", [&] {
        for (const char* kind : {"shape plain", "circle round", "ring gold", "dot dot", "nil"}) {
            std::string name = kind;
            Things::Shape_var made = values->make(name.substr(0, name.find(' ')).c_str());
            require(things::describe(made) == name, "made " + things::describe(made));
            CORBA::String_var said = values->describe(made);
            require(name == said.in(), "described " + std::string(said));
        }
    });
    run.check("values/truncated", [&] {
        Things::Shape_var alien = things::alien("little"), b = things::dot("after"), c, result;
        CORBA::String_var said = values->describe(alien);
        require(std::string(said) == "circle little", "described " + std::string(said));
        result = values->echo_shape(alien, b.inout(), c.out());
        require(things::describe(result) == "circle little", "the result");
        require(things::describe(c) == "dot after", "what came after it");
    });
    run.check("values/base", [&] {
        Item_var item = new things::Item("one", 1, 2);
        CORBA::ValueBase_var back = values->echo_base(item);
        require(is(Things::Item::_downcast(back), "one", 1, 2), "another value");
        back = values->echo_base(nullptr);
        require(!back.in(), "not null");
    });
    run.check("values/any", [&] {
        Item_var item = new things::Item("one", 1, 2);
        CORBA::Any_var any = values->wrap(item);
        Things::Item* found = nullptr;
        require(any >>= found, "no item in the any");
        require(is(found, "one", 1, 2), "another item");
        Item_var back = values->unwrap(any);
        require(is(back, "one", 1, 2), "another item came back");
    });
}

void check_abstract(Run& run, Valued_ptr values) {
    run.check("values/abstract_object", [&] {
        Named_var object = values->make_named("object");
        CORBA::String_var label = object->label();
        require(std::string(label) == "tag", "its label");
        label = values->label_of(object);
        require(std::string(label) == "tag", "its label there");
        Named_var b, c, result = values->echo_named(object, b.inout(), c.out());
        label = result->label();
        require(std::string(label) == "tag" && CORBA::is_nil(c), "echoed");
    });
    run.check("values/abstract_value", [&] {
        Named_var value = values->make_named("value");
        CORBA::String_var label = value->label();
        require(std::string(label) == "shape round", "its label");
        label = values->label_of(value);
        require(std::string(label) == "shape round", "its label there");
    });
    run.check("values/abstract_nil", [&] {
        Named_var nothing = values->make_named("nil");
        require(CORBA::is_nil(nothing), "not nil");
        CORBA::String_var label = values->label_of(nothing);
        require(std::string(label) == "nil", "not nil there");
    });
}

}  // namespace

void check_values(Run& run) {
    Valued_var values = run.suite()->valued_tests();
    run.check("values/null", [&] {
        Item_var b = new things::Item("old", 3, 4), c, result;
        result = values->echo_item(nullptr, b.inout(), c.out());
        require(!result.in() && !b.in() && is(c, "old", 3, 4), "not echoed");
    });
    run.check("values/box", [&] {
        Remark_var a = new Remark("said"), b = new Remark("before"), c, result;
        result = values->echo_remark(a, b.inout(), c.out());
        require(is(result, "said") && is(b, "said") && is(c, "before"), "not echoed");
    });
    run.check("values/box_of_sequence", [&] {
        CORBA::Long list[] = {7, -7};
        Numbers_var a = new Numbers(2, 2, list), b = new Numbers(1, 1, list), c, result;
        result = values->echo_numbers(a, b.inout(), c.out());
        require(result->length() == 2 && (*result)[1] == -7 && c->length() == 1, "not echoed");
    });
    run.check("values/null_box", [&] {
        Remark_var b = new Remark("before"), c, result;
        result = values->echo_remark(nullptr, b.inout(), c.out());
        require(!result.in() && !b.in() && is(c, "before"), "not echoed");
    });
    run.check("values/union", [&] {
        Choice a, b;
        Item_var item = new things::Item("one", 1, 2);
        a.thing(item);
        Remark_var words = new Remark("said");
        b.words(words);
        Choice_var c, result = values->echo_choice(a, b, c.out());
        require(is(result->thing(), "one", 1, 2) && is(c->words(), "said"), "not echoed");
    });
    check_sharing(run, values);
    check_types_of_values(run, values);
    check_abstract(run, values);
}
