// Values that BEHAVIOUR.md names: client and server build the same ones.
#pragma once

#include "peer.h"

namespace samples {

// "Zürich – 東京", in UTF-8.
extern const char* const TEXT;

Interop::Data::Person ada();
Interop::Data::Mixed mixed();
Interop::Data::Tree tree();
Interop::Data::Crate crate(int seed);
Interop::Data::Expression expression();
Interop::Data::Document document();
Interop::Data::Node node();
Interop::Data::Widest widest();
Interop::Data::Finest finest();
Interop::Data::Exact exact();
Interop::Data::Bill bill();
// A union with a decimal number, which is the caller's.
Interop::Data::Amount* amount();
Interop::Data::Sign sign();
Interop::Data::Property property(CORBA::Long number);
Interop::Data::Described described();
Interop::Data::Variant variant();

// The kinds of any that `Anys::make` knows, and the value of each. Throws std::out_of_range.
const std::vector<std::string>& any_kinds();
CORBA::Any any_of(const std::string& kind);

// The first kind whose value is of this type, or "unknown".
std::string first_of_type(CORBA::TypeCode_ptr wanted);

// Whether two anys have equivalent types and equal values.
bool same_any(const CORBA::Any& a, const CORBA::Any& b);

// Whether a kind carries wide characters, which GIOP 1.0 does not.
bool is_wide(const std::string& kind);

// Sets the ORB that `same_any` makes its DynAnys with.
void use_orb(CORBA::ORB_ptr orb);

}  // namespace samples
