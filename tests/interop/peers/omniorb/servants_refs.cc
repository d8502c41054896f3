// Servants for object references, inheritance, callbacks and any.
#include "echo.h"
#include "samples.h"
#include "servants.h"

using namespace Interop;

namespace {

// What all of the diamond have: a name, and how they answer.
class Named {
public:
    explicit Named(const std::string& name) : name_(name) {}
    char* answer(const char* operation, const char* text) const {
        return CORBA::string_dup((name_ + "." + operation + ":" + text).c_str());
    }
    const char* text() const { return name_.c_str(); }

private:
    std::string name_;
};

class BaseServant : public virtual POA_Interop::Base {
public:
    explicit BaseServant(const std::string& name) : named_(name) {}
    char* name() override { return CORBA::string_dup(named_.text()); }
    char* base_operation(const char* text) override { return named_.answer("base", text); }

protected:
    Named named_;
};

class LeftServant : public virtual POA_Interop::Left, public virtual BaseServant {
public:
    explicit LeftServant(const std::string& name) : BaseServant(name) {}
    CORBA::Long weight() override { return weight_; }
    void weight(CORBA::Long value) override { weight_ = value; }
    char* left_operation(const char* text) override { return named_.answer("left", text); }

private:
    CORBA::Long weight_ = 0;
};

class RightServant : public virtual POA_Interop::Right, public virtual BaseServant {
public:
    explicit RightServant(const std::string& name) : BaseServant(name) {}
    char* right_operation(const char* text) override {
        if (strcmp(text, "refuse") == 0) throw Reason("refuse", 1);
        return named_.answer("right", text);
    }
};

class BottomServant : public virtual POA_Interop::Bottom,
                      public virtual LeftServant,
                      public virtual RightServant {
public:
    explicit BottomServant(const std::string& name)
        : BaseServant(name), LeftServant(name), RightServant(name) {}
    char* bottom_operation(const char* text) override { return named_.answer("bottom", text); }
};

class PinnedServant : public virtual POA_Interop::Pinned {
public:
    CORBA::Long pinned_operation() override { return 37; }
};

class VersionedServant : public virtual POA_Interop::Versioned, public virtual PinnedServant {
public:
    CORBA::Long versioned_operation() override { return 25; }
};

class RefsServant : public POA_Interop::Refs {
public:
    explicit RefsServant(World& world) : world_(world) {
        pinned_ = world.add<Pinned>("pinned", new PinnedServant);
        versioned_ = world.add<Versioned>("versioned", new VersionedServant);
    }

    ECHO_REFERENCE(CORBA::Object, echo_object)
    ECHO_REFERENCE(Base, echo_base)
    ECHO_REFERENCE(Bottom, echo_bottom)
    ECHO_VARIABLE(BaseSeq, echo_bases)
    ECHO_VARIABLE(ObjectSeq, echo_objects)
    ECHO_VARIABLE(Tagged, echo_tagged)
    ECHO_VARIABLE(MaybeBase, echo_maybe_base)

    Base_ptr make(const char* kind, const char* name) override {
        std::string word = kind, id = world_.fresh_id(word);
        if (word == "base") return world_.add<Base>(id, new BaseServant(name));
        if (word == "left") return world_.add<Left>(id, new LeftServant(name));
        if (word == "right") return world_.add<Right>(id, new RightServant(name));
        if (word == "bottom") return world_.add<Bottom>(id, new BottomServant(name));
        return Base::_nil();
    }

    char* call_base(Base_ptr target, const char* text) override {
        if (CORBA::is_nil(target)) return CORBA::string_dup("nil");
        return target->base_operation(text);
    }

    char* call_all(const BaseSeq& targets, const char* text) override {
        std::string all;
        for (CORBA::ULong i = 0; i < targets.length(); i++) {
            CORBA::String_var one = call_base(targets[i], text);
            all += (i == 0 ? "" : ",") + std::string(one);
        }
        return CORBA::string_dup(all.c_str());
    }

    char* stringify(CORBA::Object_ptr target) override {
        return world_.orb()->object_to_string(target);
    }

    char* ask(Callback_ptr target, const char* question) override {
        return target->answer(question);
    }

    char* ask_all(const CallbackSeq& targets, const char* question) override {
        std::string all;
        for (CORBA::ULong i = 0; i < targets.length(); i++) {
            CORBA::String_var one = targets[i]->answer(question);
            all += (i == 0 ? "" : ",") + std::string(one);
        }
        return CORBA::string_dup(all.c_str());
    }

    void notify(Callback_ptr target, CORBA::Long count) override {
        for (CORBA::Long i = 1; i <= count; i++) target->note(i);
    }

    CORBA::Long bounce(Callback_ptr other, CORBA::Long depth) override {
        if (depth <= 0) return 0;
        CORBA::Object_var object = world_.poa()->servant_to_reference(this);
        Refs_var self = Interop::Refs::_narrow(object);
        return 1 + other->bounce(self, depth - 1);
    }

    Pinned_ptr pinned_one() override { return Pinned::_duplicate(pinned_); }
    Versioned_ptr versioned_one() override { return Versioned::_duplicate(versioned_); }

private:
    World& world_;
    Pinned_var pinned_;
    Versioned_var versioned_;
};

class AnysServant : public POA_Interop::Anys {
public:
    CORBA::Any* echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any_OUT_arg c) override {
        c = new CORBA::Any(b);
        b = a;
        return new CORBA::Any(a);
    }

    CORBA::Any* make(const char* kind) override {
        try {
            return new CORBA::Any(samples::any_of(kind));
        } catch (const std::out_of_range&) {
            return new CORBA::Any;
        }
    }

    char* kind_of(const CORBA::Any& value) override {
        for (auto& kind : samples::any_kinds()) {
            try {
                if (samples::same_any(value, samples::any_of(kind)))
                    return CORBA::string_dup(kind.c_str());
            } catch (const CORBA::SystemException&) {
                // Below GIOP 1.2 omniORB can build no any of wide text: then it is not this kind.
            }
        }
        return CORBA::string_dup("unknown");
    }
};

}  // namespace

PortableServer::Servant new_refs(World& world) { return new RefsServant(world); }
PortableServer::Servant new_anys() { return new AnysServant; }
