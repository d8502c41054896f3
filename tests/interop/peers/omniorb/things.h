// The values of module Things: the classes of their types, and where their factories are made known.
#pragma once

#include "peer.h"

namespace things {

class Item : public virtual OBV_Interop::Things::Item,
             public virtual CORBA::DefaultValueRefCountBase {
public:
    Item() = default;
    Item(const char* name, CORBA::Long count, CORBA::Octet mark)
        : OBV_Interop::Things::Item(name, count, mark) {}
    CORBA::Octet the_mark() const { return mark(); }
};

class Node : public virtual OBV_Interop::Things::Node,
             public virtual CORBA::DefaultValueRefCountBase {};

class Parcel : public virtual OBV_Interop::Things::Parcel,
               public virtual CORBA::DefaultValueRefCountBase {
public:
    Parcel() = default;
    Parcel(const char* content, CORBA::Short layers)
        : OBV_Interop::Things::Parcel(content, layers) {}
    CORBA::Long size() override { return CORBA::Long(std::string(content()).size()); }
    CORBA::Long weigh() override { return size() + 10 * layers(); }
    CORBA::Short the_layers() const { return layers(); }
};

// The label is the same for all types.
template <class Base>
class Labelled : public virtual Base, public virtual CORBA::DefaultValueRefCountBase {
public:
    char* label() override {
        return CORBA::string_dup((std::string("shape ") + this->id()).c_str());
    }
};
using Shape = Labelled<OBV_Interop::Things::Shape>;
using Circle = Labelled<OBV_Interop::Things::Circle>;
using Ring = Labelled<OBV_Interop::Things::Ring>;
using Dot = Labelled<OBV_Interop::Things::Dot>;
using Alien = Labelled<OBV_Interop::Things::Alien>;

// One count more.
template <class T>
T* share(T* value) {
    CORBA::add_ref(value);
    return value;
}

// Each is the caller's.
Node* node(CORBA::Long number, Interop::Things::Node* next);
Shape* shape(const char* id);
Circle* circle(const char* id, double radius);
Ring* ring(const char* id, double radius, double hole);
Dot* dot(const char* id);
Alien* alien(const char* id);

// Tells the ORB of the types, but for Alien.
void register_factories(CORBA::ORB_ptr orb);

// What `Valued::describe` says: the most derived type, and the id.
std::string describe(Interop::Things::Shape* shape);

}  // namespace things
