// Servants for unions, recursive types, keywords as names, macros and constants.
#include "echo.h"
#include "servants.h"

using namespace Interop;

namespace {

class UnionsServant : public POA_Interop::Unions {
public:
    ECHO_VARIABLE(Data::ByLong, echo_by_long)
    ECHO_VARIABLE(Data::ByULong, echo_by_ulong)
    ECHO_VARIABLE(Data::ByShort, echo_by_short)
    ECHO_VARIABLE(Data::ByUShort, echo_by_ushort)
    ECHO_VARIABLE(Data::ByLongLong, echo_by_longlong)
    ECHO_VARIABLE(Data::ByULongLong, echo_by_ulonglong)
    ECHO_VARIABLE(Data::ByChar, echo_by_char)
    ECHO_VARIABLE(Data::ByBoolean, echo_by_boolean)
    ECHO_FIXED(Data::Maybe, echo_maybe)
    ECHO_VARIABLE(Data::ByColour, echo_by_colour)
    ECHO_VARIABLE(Data::ByKind, echo_by_kind)
    ECHO_VARIABLE(Data::Choices, echo_choices)
    ECHO_VARIABLE(Data::Nested, echo_nested)
};

class RecursionServant : public POA_Interop::Recursion {
public:
    ECHO_VARIABLE(Data::Tree, echo_tree)
    ECHO_VARIABLE(Data::Node, echo_node)
    ECHO_VARIABLE(Data::Expression, echo_expression)
    ECHO_VARIABLE(Data::Document, echo_document)

    CORBA::Long evaluate(const Data::Expression& tree) override {
        switch (tree._d()) {
            case Data::LITERAL: return tree.value();
            case Data::NEGATE:
                return tree.operand().length() == 0 ? 0 : -evaluate(tree.operand()[0]);
            case Data::ADD: {
                CORBA::Long sum = 0;
                for (CORBA::ULong i = 0; i < tree.terms().length(); i++)
                    sum += evaluate(tree.terms()[i]);
                return sum;
            }
        }
        return 0;
    }
};

class NamesServant : public POA_Interop::Names {
public:
    ECHO_FIXED(Interop::Names::Keywords, echo_keywords)
    ECHO_VALUE(Interop::Names::_cxx_enum, echo_enum)

    CORBA::Long match(CORBA::Long type, CORBA::Long self, CORBA::Long in) override {
        return type * 100 + self * 10 + in;
    }
    CORBA::Long interface(CORBA::Long move) override { return move + 1; }
    void use(CORBA::Long& ref, CORBA::Long& mut) override {
        mut = ref * 2;
        ref += 1;
    }
    CORBA::Long mod() override { return 7; }
    CORBA::Long oneway() override { return oneway_; }
    void oneway(CORBA::Long value) override { oneway_ = value; }

private:
    CORBA::Long oneway_ = 0;
};

class MacrosServant : public POA_Interop::Macros {
public:
    ECHO_VALUE(CORBA::Long, echo_number)
    ECHO_STRING(echo_words)
    CORBA::Long add(CORBA::Long left, CORBA::Long right) override { return left + right; }
    CORBA::Long doubled_value() override { return Interop::Macros::DOUBLED; }
    char* quoted_value() override { return CORBA::string_dup(Interop::Macros::QUOTED); }
};

class ConstantsServant : public POA_Interop::Constants {
public:
    ConstantReport* report() override {
        ConstantReport_var r = new ConstantReport;
        r->small = Values::SMALL;
        r->usmall = Values::USMALL;
        r->product = Values::PRODUCT;
        r->shifted = Values::SHIFTED;
        r->quotient = Values::QUOTIENT;
        r->remainder = Values::REMAINDER;
        r->masked = Values::MASKED;
        r->toggled = Values::TOGGLED;
        r->halved = Values::HALVED;
        r->all_bits = Values::ALL_BITS;
        r->distance = Values::FAR;
        r->longest = Values::LONGEST;
        r->ratio = Values::RATIO;
        r->tiny = Values::TINY;
        r->part = Values::PART;
        r->letter = Values::LETTER;
        r->newline = Values::NEWLINE;
        r->quote = Values::QUOTE;
        r->hexed = Values::HEXED;
        r->octal = Values::OCTAL;
        r->yes = Values::YES;
        r->byte = Values::BYTE;
        r->greeting = Values::GREETING;
        r->favourite = Values::FAVOURITE;
        r->total = Values::TOTAL;
        return r._retn();
    }
};

}  // namespace

PortableServer::Servant new_unions() { return new UnionsServant; }
PortableServer::Servant new_recursion() { return new RecursionServant; }
PortableServer::Servant new_names() { return new NamesServant; }
PortableServer::Servant new_macros() { return new MacrosServant; }
PortableServer::Servant new_constants() { return new ConstantsServant; }
