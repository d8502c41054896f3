// Servants of decimal numbers, long double, TypeCodes, and of anys and wide text in other types.
#include "echo.h"
#include "samples.h"
#include "servants.h"

using namespace Interop;

namespace {

class DecimalsServant : public POA_Interop::Decimals {
public:
    ECHO_FIXED(Data::Price, echo_price)
    ECHO_FIXED(Data::Exact, echo_exact)
    ECHO_FIXED(Data::Digit, echo_digit)
    ECHO_FIXED(Data::Fraction, echo_fraction)
    ECHO_FIXED(Data::Widest, echo_widest)
    ECHO_FIXED(Data::Finest, echo_finest)
    ECHO_VARIABLE(Data::PriceSeq, echo_prices)
    ECHO_ARRAY(Data::ExactPair, echo_exact_pair)
    ECHO_VARIABLE(Data::Bill, echo_bill)
    // The generated skeleton copies the result, whose number loses its limits (see `fresh`): the
    // process would abort.
    Data::Amount echo_amount(const Data::Amount&, Data::Amount&, Data::Amount&) override {
        throw CORBA::NO_IMPLEMENT(0, CORBA::COMPLETED_NO);
    }

    Data::Exact multiply(const Data::Price& left, const Data::Price& right) override {
        return Data::Exact(left * right);
    }
    void pay(const Data::Price& sum) override {
        const Data::Price limit("100.00");
        if (sum > limit) throw TooDear(limit);
    }
    Data::Price rate() override { return Data::Price(RATE); }
};

class LongDoublesServant : public POA_Interop::LongDoubles {
public:
    ECHO_VALUE(CORBA::LongDouble, echo_long_double)
    ECHO_FIXED(Data::Measured, echo_measured)
    ECHO_VARIABLE(Data::LongDoubleSeq, echo_long_doubles)

    CORBA::LongDouble widen(CORBA::Double value) override { return value; }
    CORBA::Double narrow(CORBA::LongDouble value) override { return CORBA::Double(value); }
};

class TypesServant : public POA_Interop::Types {
public:
    CORBA::TypeCode_ptr echo_type(CORBA::TypeCode_ptr a, CORBA::TypeCode_ptr& b,
                                  CORBA::TypeCode_OUT_arg c) override {
        c = b;
        b = CORBA::TypeCode::_duplicate(a);
        return CORBA::TypeCode::_duplicate(a);
    }
    ECHO_VARIABLE(Data::TypeSeq, echo_types)
    ECHO_VARIABLE(Data::Described, echo_described)
    ECHO_VARIABLE(Data::Variant, echo_variant)
    ECHO_VARIABLE(Data::AnySeq, echo_any_seq)
    ECHO_VARIABLE_ARRAY(Data::AnyPair, echo_any_pair)
    ECHO_VARIABLE(Data::Property, echo_property)
    ECHO_VARIABLE(Data::PropertySeq, echo_properties)

    CORBA::TypeCode_ptr make_type(const char* kind) override {
        try {
            return samples::any_of(kind).type();
        } catch (const std::out_of_range&) {
            return CORBA::TypeCode::_duplicate(CORBA::_tc_null);
        }
    }
    char* kind_of_type(CORBA::TypeCode_ptr type) override {
        return CORBA::string_dup(samples::first_of_type(type).c_str());
    }
    CORBA::TypeCode_ptr type_of(const CORBA::Any& value) override { return value.type(); }
};

class WideTypesServant : public POA_Interop::WideTypes {
public:
    ECHO_VARIABLE(Data::Sign, echo_sign)
    ECHO_ARRAY(Data::WideCode, echo_wide_code)
    ECHO_VARIABLE(Data::WcharSeq, echo_wchars)
    ECHO_VARIABLE(Data::WideOrNot, echo_wide_or_not)

    void read(const CORBA::WChar* text) override {
        if (text[0] != 0) throw Unreadable(text, Values::KATAKANA);
    }
};

}  // namespace

PortableServer::Servant new_decimals() { return new DecimalsServant; }
PortableServer::Servant new_long_doubles() { return new LongDoublesServant; }
PortableServer::Servant new_types() { return new TypesServant; }
PortableServer::Servant new_wide_types() { return new WideTypesServant; }
