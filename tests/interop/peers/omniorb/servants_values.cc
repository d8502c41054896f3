// Servants of values and of an abstract interface.
#include "echo.h"
#include "servants.h"
#include "things.h"

#include <set>

using namespace Interop;

namespace {

// c takes over the old b.
#define ECHO_THING(T, NAME) \
    T* NAME(T* a, T*& b, T##_out c) override { \
        c = b; \
        b = things::share(a); \
        return things::share(a); \
    }

class TagServant : public POA_Interop::Things::Tag {
public:
    char* label() override { return CORBA::string_dup("tag"); }
};

class ValuedServant : public POA_Interop::Valued {
public:
    explicit ValuedServant(World& world)
        : tag_(world.add<Things::Tag>("tag", new TagServant)) {}

    ECHO_THING(Things::Item, echo_item)
    ECHO_THING(Things::Node, echo_node)
    ECHO_THING(Things::Remark, echo_remark)
    ECHO_THING(Things::Numbers, echo_numbers)
    ECHO_THING(Things::Shape, echo_shape)
    ECHO_THING(Things::Parcel, echo_parcel)
    ECHO_VARIABLE(Things::Pair, echo_pair)
    ECHO_VARIABLE(Things::ItemSeq, echo_items)
    ECHO_VARIABLE(Things::Choice, echo_choice)
    ECHO_REFERENCE(Things::Named, echo_named)
    CORBA::ValueBase* echo_base(CORBA::ValueBase* a) override { return things::share(a); }

    Things::Bulky* same_bulky(Things::Bulky* a) override { return things::share(a); }
    CORBA::Long size_of(Things::Bulky* which) override { return which ? which->size() : 0; }
    CORBA::Long weigh(Things::Parcel* which) override { return which ? which->weigh() : 0; }

    CORBA::Boolean is_same(Things::Node* a, Things::Node* b) override { return a == b; }
    CORBA::Long count(Things::Node* start) override {
        std::set<Things::Node*> found;
        std::vector<Things::Node*> open = {start};
        while (!open.empty()) {
            Things::Node* node = open.back();
            open.pop_back();
            if (!node || !found.insert(node).second) continue;
            open.push_back(node->next());
            open.push_back(node->other());
        }
        return CORBA::Long(found.size());
    }
    char* describe(Things::Shape* which) override {
        return CORBA::string_dup(things::describe(which).c_str());
    }
    Things::Shape* make(const char* kind) override {
        std::string name = kind;
        if (name == "shape") return things::shape("plain");
        if (name == "circle") return things::circle("round", 2.5);
        if (name == "ring") return things::ring("gold", 3, 1);
        if (name == "dot") return things::dot("dot");
        return nullptr;
    }
    Things::Named_ptr make_named(const char* kind) override {
        std::string name = kind;
        if (name == "object") return Things::Tag::_duplicate(tag_);
        if (name == "value") return things::circle("round", 2.5);
        return Things::Named::_nil();
    }
    char* label_of(Things::Named_ptr which) override {
        return CORBA::is_nil(which) ? CORBA::string_dup("nil") : which->label();
    }
    void lose(Things::Node* last) override { throw Lost(things::share(last)); }
    CORBA::Any* wrap(Things::Item* which) override {
        std::unique_ptr<CORBA::Any> any(new CORBA::Any);
        *any <<= which;
        return any.release();
    }
    Things::Item* unwrap(const CORBA::Any& which) override {
        Things::Item* item = nullptr;
        return (which >>= item) ? things::share(item) : nullptr;
    }

private:
    Things::Tag_var tag_;
};

}  // namespace

PortableServer::Servant new_valued(World& world) { return new ValuedServant(world); }
