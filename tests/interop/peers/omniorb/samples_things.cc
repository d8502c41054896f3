// The values of module Things.
#include "things.h"

namespace things {

namespace {

template <class T>
class Factory : public virtual CORBA::ValueFactoryBase {
private:
    CORBA::ValueBase* create_for_unmarshal() override { return new T; }
};

class ParcelFactory : public virtual Interop::Things::Parcel_init {
public:
    Interop::Things::Parcel* wrapped(const char* content, CORBA::Short layers) override {
        return new Parcel(content, layers);
    }
    Interop::Things::Parcel* bare(const char* content) override { return new Parcel(content, 0); }

private:
    CORBA::ValueBase* create_for_unmarshal() override { return new Parcel; }
};

template <class T, class Type, class Made = Factory<T>>
void add(CORBA::ORB_ptr orb) {
    CORBA::ValueFactoryBase* factory = new Made;
    CORBA::ValueFactoryBase* old = orb->register_value_factory(Type::_PD_repoId, factory);
    if (old) old->_remove_ref();
    factory->_remove_ref();
}

}  // namespace

void register_factories(CORBA::ORB_ptr orb) {
    add<Item, Interop::Things::Item>(orb);
    add<Node, Interop::Things::Node>(orb);
    add<Shape, Interop::Things::Shape>(orb);
    add<Circle, Interop::Things::Circle>(orb);
    add<Ring, Interop::Things::Ring>(orb);
    add<Dot, Interop::Things::Dot>(orb);
    add<Parcel, Interop::Things::Parcel, ParcelFactory>(orb);
}

Node* node(CORBA::Long number, Interop::Things::Node* next) {
    Node* made = new Node;
    made->number(number);
    made->next(next);
    made->other(nullptr);
    return made;
}

Shape* shape(const char* id) {
    Shape* made = new Shape;
    made->id(id);
    return made;
}

Circle* circle(const char* id, double radius) {
    Circle* made = new Circle;
    made->id(id);
    made->radius(radius);
    return made;
}

Ring* ring(const char* id, double radius, double hole) {
    Ring* made = new Ring;
    made->id(id);
    made->radius(radius);
    made->hole(hole);
    return made;
}

Dot* dot(const char* id) {
    Dot* made = new Dot;
    made->id(id);
    return made;
}

Alien* alien(const char* id) {
    Alien* made = new Alien;
    made->id(id);
    made->radius(0.5);
    Item* luggage = new Item("towel", 42, 7);
    made->luggage(luggage);
    luggage->_remove_ref();
    return made;
}

std::string describe(Interop::Things::Shape* shape) {
    using namespace Interop::Things;
    if (!shape) return "nil";
    std::string type = Ring::_downcast(shape)     ? "ring "
                       : Circle::_downcast(shape) ? "circle "
                       : Dot::_downcast(shape)    ? "dot "
                                                  : "shape ";
    return type + shape->id();
}

}  // namespace things
