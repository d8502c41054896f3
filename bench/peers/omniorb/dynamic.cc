#include "dynamic.h"

void check(CORBA::Request_ptr request) {
    if (CORBA::Exception* error = request->env()->exception()) error->_raise();
}

void put(DynamicAny::DynSequence_ptr all, CORBA::Octet value) { all->insert_octet(value); }
void put(DynamicAny::DynSequence_ptr all, CORBA::Long value) { all->insert_long(value); }
void put(DynamicAny::DynSequence_ptr all, CORBA::Double value) { all->insert_double(value); }
void take(DynamicAny::DynSequence_ptr all, CORBA::Octet& value) { value = all->get_octet(); }
void take(DynamicAny::DynSequence_ptr all, CORBA::Long& value) { value = all->get_long(); }
void take(DynamicAny::DynSequence_ptr all, CORBA::Double& value) { value = all->get_double(); }

// The struct has a current member of its own.
void put(DynamicAny::DynSequence_ptr all, const Bench::BinStruct& value) {
    DynamicAny::DynAny_var part = all->current_component();
    part->insert_short(value.s);
    part->next();
    part->insert_char(value.c);
    part->next();
    part->insert_long(value.l);
    part->next();
    part->insert_octet(value.o);
    part->next();
    part->insert_double(value.d);
}

void take(DynamicAny::DynSequence_ptr all, Bench::BinStruct& value) {
    DynamicAny::DynAny_var part = all->current_component();
    value.s = part->get_short();
    part->next();
    value.c = part->get_char();
    part->next();
    value.l = part->get_long();
    part->next();
    value.o = part->get_octet();
    part->next();
    value.d = part->get_double();
}
