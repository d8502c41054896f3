// Servants that echo basic types, strings, structs, sequences and arrays.
#include "echo.h"
#include "servants.h"

using namespace Interop;

namespace {

class BasicsServant : public POA_Interop::Basics {
public:
    ECHO_VALUE(CORBA::Boolean, echo_boolean)
    ECHO_VALUE(CORBA::Char, echo_char)
    ECHO_VALUE(CORBA::Octet, echo_octet)
    ECHO_VALUE(CORBA::Short, echo_short)
    ECHO_VALUE(CORBA::UShort, echo_ushort)
    ECHO_VALUE(CORBA::Long, echo_long)
    ECHO_VALUE(CORBA::ULong, echo_ulong)
    ECHO_VALUE(CORBA::LongLong, echo_longlong)
    ECHO_VALUE(CORBA::ULongLong, echo_ulonglong)
    ECHO_VALUE(CORBA::Float, echo_float)
    ECHO_VALUE(CORBA::Double, echo_double)
    ECHO_VALUE(Values::Count, echo_count)

    void nothing() override {}

    CORBA::Long mixed(CORBA::Octet a, CORBA::Double& b, CORBA::Short& c, const char* d,
                      CORBA::LongLong& size, CORBA::Boolean& flip) override {
        b = a * 1.5;
        c = static_cast<CORBA::Short>(-c);
        size = static_cast<CORBA::LongLong>(strlen(d));
        flip = !flip;
        return 42;
    }
};

class TextsServant : public POA_Interop::Texts {
public:
    ECHO_STRING(echo_string)
    ECHO_STRING(echo_short_name)
    ECHO_STRING(echo_alias)

    char* repeat(const char* unit, CORBA::ULong count) override {
        std::string text;
        for (CORBA::ULong i = 0; i < count; i++) text += unit;
        return CORBA::string_dup(text.c_str());
    }
};

class WidesServant : public POA_Interop::Wides {
public:
    ECHO_VALUE(CORBA::WChar, echo_wchar)
    ECHO_WSTRING(echo_wstring)
    ECHO_WSTRING(echo_short_wide)
    ECHO_VARIABLE(Data::WideSeq, echo_wide_seq)

    CORBA::WChar katakana() override { return Values::KATAKANA; }
    CORBA::WChar* greeting() override { return CORBA::wstring_dup(Values::WGREETING); }
};

class RecordsServant : public POA_Interop::Records {
public:
    ECHO_VALUE(Shapes::Colour, echo_colour)
    ECHO_FIXED(Shapes::Point, echo_point)
    ECHO_FIXED(Shapes::Segment, echo_segment)
    ECHO_FIXED(Data::Mixed, echo_mixed)
    ECHO_VARIABLE(Data::Person, echo_person)
    ECHO_VARIABLE(Data::Crate, echo_crate)
};

class ListsServant : public POA_Interop::Lists {
public:
    ECHO_VARIABLE(Data::BooleanSeq, echo_booleans)
    ECHO_VARIABLE(Data::CharSeq, echo_chars)
    ECHO_VARIABLE(Data::Blob, echo_blob)
    ECHO_VARIABLE(Data::ShortSeq, echo_shorts)
    ECHO_VARIABLE(Data::LongSeq, echo_longs)
    ECHO_VARIABLE(Data::LongLongSeq, echo_longlongs)
    ECHO_VARIABLE(Data::FloatSeq, echo_floats)
    ECHO_VARIABLE(Data::DoubleSeq, echo_doubles)
    ECHO_VARIABLE(Data::StringSeq, echo_strings)
    ECHO_VARIABLE(Data::AliasSeq, echo_aliases)
    ECHO_VARIABLE(Data::ColourSeq, echo_colours)
    ECHO_VARIABLE(Shapes::Path, echo_path)
    ECHO_VARIABLE(Data::PersonSeq, echo_persons)
    ECHO_VARIABLE(Data::LongSeqSeq, echo_long_lists)
    ECHO_VARIABLE(Data::StringTable, echo_table)
    ECHO_VARIABLE(Data::FewLongs, echo_few_longs)
    ECHO_VARIABLE(Data::FewNames, echo_few_names)
    ECHO_VARIABLE(Data::FewOctets, echo_few_octets)
    ECHO_VARIABLE(Data::RowSeq, echo_row_list)
    ECHO_VARIABLE(Data::ByLongSeq, echo_unions)
};

class ArraysServant : public POA_Interop::Arrays {
public:
    ECHO_ARRAY(Data::Row, echo_row)
    ECHO_ARRAY(Data::Grid, echo_grid)
    ECHO_VARIABLE_ARRAY(Data::Couple, echo_couple)
    ECHO_VARIABLE_ARRAY(Data::Words, echo_words)
    ECHO_ARRAY(Data::Rows, echo_rows)
    ECHO_ARRAY(Data::Address, echo_address)
    ECHO_VARIABLE_ARRAY(Data::SeqPair, echo_seq_pair)
    ECHO_ARRAY(Data::Flag, echo_flag)
    ECHO_ARRAY(Shapes::Triangle, echo_triangle)
};

}  // namespace

PortableServer::Servant new_basics() { return new BasicsServant; }
PortableServer::Servant new_texts() { return new TextsServant; }
PortableServer::Servant new_wides() { return new WidesServant; }
PortableServer::Servant new_records() { return new RecordsServant; }
PortableServer::Servant new_lists() { return new ListsServant; }
PortableServer::Servant new_arrays() { return new ArraysServant; }
