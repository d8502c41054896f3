// Checks of object references, inheritance and callbacks.
#include "same.h"
#include "samples.h"


using namespace Interop;

namespace {

bool text_is(char* text, const char* expected) {
    CORBA::String_var owned = text;
    return std::string(owned) == expected;
}

// The client's callback object, as BEHAVIOUR.md defines it.
class CallbackServant : public POA_Interop::Callback {
public:
    explicit CallbackServant(PortableServer::POA_ptr poa)
        : poa_(PortableServer::POA::_duplicate(poa)) {}

    char* answer(const char* question) override {
        if (std::string(question) == "refuse") throw Refused(question);
        return CORBA::string_dup(("[" + std::string(question) + "]").c_str());
    }
    void note(CORBA::Long number) override {
        std::lock_guard<std::mutex> guard(mutex_);
        notes_++;
        sum_ += number;
    }
    CORBA::Long bounce(Refs_ptr other, CORBA::Long depth) override {
        if (depth <= 0) return 0;
        CORBA::Object_var object = poa_->servant_to_reference(this);
        Callback_var self = Interop::Callback::_narrow(object);
        return 1 + other->bounce(self, depth - 1);
    }
    bool noted(int notes, long sum) {
        std::lock_guard<std::mutex> guard(mutex_);
        return notes_ == notes && sum_ == sum;
    }

private:
    PortableServer::POA_var poa_;
    std::mutex mutex_;
    int notes_ = 0;
    long sum_ = 0;
};

// Echoes references of one type: nil and not nil in each place.
template <class Interface, class Operation>
void echo_references(Run& run, const char* name, typename Interface::_ptr_type one,
                     Operation operation) {
    using Ref = typename Interface::_var_type;
    run.check(name, [&] {
        for (int bits = 0; bits < 4; bits++) {
            Ref a = bits & 1 ? Interface::_duplicate(one) : Interface::_nil();
            Ref b = bits & 2 ? Interface::_duplicate(one) : Interface::_nil();
            Ref c, result = operation(a.in(), b.inout(), c.out());
            auto matches = [&](typename Interface::_ptr_type got, bool present) {
                return present ? !CORBA::is_nil(got) && got->_is_equivalent(one)
                               : CORBA::is_nil(got);
            };
            require(matches(result, bits & 1), "the result is not a");
            require(matches(b, bits & 1), "the inout parameter is not a");
            require(matches(c, bits & 2), "the out parameter is not the old b");
        }
    });
}

void check_containers(Run& run, Refs_ptr refs, Base_ptr base) {
    run.check("refs/sequence", [&] {
        BaseSeq a, b;
        a.length(3);
        a[0] = Base::_duplicate(base);
        a[2] = refs->make("left", "third");
        BaseSeq_var c, result = refs->echo_bases(a, b, c.out());
        require(result->length() == 3 && b.length() == 3 && c->length() == 0, "lengths");
        require(CORBA::is_nil(b[1]) && !CORBA::is_nil(result[2]), "nil and not nil");
        require(text_is(b[2]->name(), "third"), "name of the third");
    });
    run.check("refs/sequence_of_objects", [&] {
        ObjectSeq a, b;
        b.length(2);
        b[1] = CORBA::Object::_duplicate(base);
        ObjectSeq_var c, result = refs->echo_objects(a, b, c.out());
        require(result->length() == 0 && c->length() == 2, "lengths");
        require(CORBA::is_nil(c[0]) && c[1]->_is_equivalent(base), "elements");
    });
    run.check("refs/struct_and_union", [&] {
        Tagged a, b;
        a.tag = "tagged";
        a.target = Base::_duplicate(base);
        Tagged_var c, result = refs->echo_tagged(a, b, c.out());
        require(text_is(result->target->name(), "base one") && CORBA::is_nil(c->target), "struct");
        MaybeBase some, none;
        some.target(base);
        none._default();
        MaybeBase_var out, back = refs->echo_maybe_base(some, none, out.out());
        require(back->_d() && text_is(back->target()->name(), "base one"), "union with");
        require(!out->_d(), "union without");
    });
    run.check("refs/call_through_server", [&] {
        require(text_is(refs->call_base(base, "x"), "base one.base:x"), "call_base");
        require(text_is(refs->call_base(Base::_nil(), "x"), "nil"), "call_base of nil");
        BaseSeq all;
        all.length(3);
        all[0] = Base::_duplicate(base);
        all[2] = refs->make("bottom", "b");
        require(text_is(refs->call_all(all, "y"), "base one.base:y,nil,b.base:y"), "call_all");
    });
}

void check_inheritance(Run& run, Refs_ptr refs) {
    Base_var made = refs->make("bottom", "deep");
    run.check("inheritance/through_base", [&] {
        require(text_is(made->name(), "deep"), "name");
        require(text_is(made->base_operation("x"), "deep.base:x"), "base_operation");
    });
    run.check("inheritance/narrow", [&] {
        Left_var left = Left::_narrow(made);
        Right_var right = Right::_narrow(made);
        Bottom_var bottom = Bottom::_narrow(made);
        require(!CORBA::is_nil(left) && !CORBA::is_nil(right) && !CORBA::is_nil(bottom), "nil");
        require(text_is(left->left_operation("l"), "deep.left:l"), "left_operation");
        require(text_is(right->right_operation("r"), "deep.right:r"), "right_operation");
        require(text_is(bottom->bottom_operation("b"), "deep.bottom:b"), "bottom_operation");
        require(text_is(bottom->base_operation("x"), "deep.base:x"), "base_operation");
        bottom->weight(12);
        require(left->weight() == 12, "weight");
        try {
            bottom->right_operation("refuse");
            throw Failure("right_operation did not refuse");
        } catch (const Reason& e) {
            require(std::string(e.why) == "refuse" && e.code == 1, "members of Reason");
        }
    });
    run.check("inheritance/narrow_fails", [&] {
        Base_var plain = refs->make("left", "plain");
        Bottom_var bottom = Bottom::_narrow(plain);
        Right_var right = Right::_narrow(plain);
        Basics_var basics = Basics::_narrow(plain);
        require(CORBA::is_nil(bottom) && CORBA::is_nil(right) && CORBA::is_nil(basics),
                "narrowed to what it is not");
    });
    run.check("inheritance/is_a", [&] {
        require(made->_is_a("IDL:zorb.test/Interop/Bottom:1.0"), "Bottom");
        require(made->_is_a("IDL:zorb.test/Interop/Left:1.0"), "Left");
        require(made->_is_a("IDL:zorb.test/Interop/Right:1.0"), "Right");
        require(made->_is_a("IDL:zorb.test/Interop/Base:1.0"), "Base");
        require(made->_is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
        require(!made->_is_a("IDL:zorb.test/Interop/Basics:1.0"), "Basics");
        require(!made->_is_a("IDL:zorb.test/Interop/Bottom:1.1"), "another version");
        require(!made->_is_a(""), "no id");
    });
    run.check("inheritance/pragma_ids", [&] {
        Pinned_var pinned = refs->pinned_one();
        Versioned_var versioned = refs->versioned_one();
        require(pinned->pinned_operation() == 37, "pinned_operation");
        require(versioned->pinned_operation() == 37, "inherited pinned_operation");
        require(versioned->versioned_operation() == 25, "versioned_operation");
        require(pinned->_is_a("IDL:pinned.example/Pinned:3.7"), "pinned id");
        require(versioned->_is_a("IDL:zorb.test/Interop/Versioned:2.5"), "versioned id");
        require(versioned->_is_a("IDL:pinned.example/Pinned:3.7"), "base's pinned id");
        require(!versioned->_is_a("IDL:zorb.test/Interop/Versioned:1.0"), "default version");
    });
}

}  // namespace

void check_refs(Run& run) {
    Refs_var refs = run.suite()->reference_tests();
    Base_var base = refs->make("base", "base one");
    Base_var bottom_as_base = refs->make("bottom", "bottom one");
    Bottom_var bottom = Bottom::_narrow(bottom_as_base);
    echo_references<CORBA::Object>(run, "refs/object", base, CALL(refs, echo_object));
    echo_references<Base>(run, "refs/base", base, CALL(refs, echo_base));
    echo_references<Base>(run, "refs/derived_as_base", bottom_as_base, CALL(refs, echo_base));
    echo_references<Bottom>(run, "refs/derived", bottom, CALL(refs, echo_bottom));
    check_containers(run, refs, base);
    run.check("refs/nil_result", [&] {
        Base_var none = refs->make("none", "x");
        require(CORBA::is_nil(none), "not nil");
    });
    run.check("refs/stringify", [&] {
        CORBA::String_var text = refs->stringify(base);
        CORBA::Object_var object = run.orb()->string_to_object(text);
        Base_var again = Base::_narrow(object);
        require(text_is(again->name(), "base one"), "name");
        text = refs->stringify(CORBA::Object::_nil());
        object = run.orb()->string_to_object(text);
        require(CORBA::is_nil(object), "nil is not nil");
    });
    check_inheritance(run, refs);
}

void check_callbacks(Run& run) {
    Refs_var refs = run.suite()->reference_tests();
    auto* servant = new CallbackServant(run.poa());
    PortableServer::ObjectId_var id = run.poa()->activate_object(servant);
    CORBA::Object_var object = run.poa()->id_to_reference(id);
    Callback_var callback = Callback::_narrow(object);
    run.check("callbacks/ask", [&] {
        require(text_is(refs->ask(callback, "why?"), "[why?]"), "answer");
    });
    run.check("callbacks/exception", [&] {
        try {
            CORBA::String_var answer = refs->ask(callback, "refuse");
            throw Failure("not refused");
        } catch (const Refused& e) {
            require(std::string(e.question) == "refuse", "question");
        }
    });
    run.check("callbacks/sequence", [&] {
        CallbackSeq targets;
        targets.length(3);
        for (CORBA::ULong i = 0; i < 3; i++) targets[i] = Callback::_duplicate(callback);
        require(text_is(refs->ask_all(targets, "q"), "[q],[q],[q]"), "answers");
    });
    run.check("callbacks/oneway", [&] {
        refs->notify(callback, 10);
        await([&] { return servant->noted(10, 55); });
    });
    run.check("callbacks/nested", [&] {
        require(refs->bounce(callback, 0) == 0, "depth 0");
        require(refs->bounce(callback, 1) == 1, "depth 1");
        require(refs->bounce(callback, 7) == 7, "depth 7");
    });
    run.check("callbacks/echoed", [&] {
        CORBA::Object_var b, c, back = refs->echo_object(callback, b.inout(), c.out());
        Callback_var again = Callback::_narrow(back);
        require(text_is(again->answer("local"), "[local]"), "answer");
    });
    run.poa()->deactivate_object(id);
    servant->_remove_ref();
}
