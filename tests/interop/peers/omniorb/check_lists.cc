// Checks of sequences.
#include "same.h"
#include "samples.h"

using namespace Interop;

namespace {

// A sequence of these elements.
template <class Sequence, class Element>
Sequence list(std::initializer_list<Element> items) {
    Sequence sequence;
    sequence.length(CORBA::ULong(items.size()));
    CORBA::ULong i = 0;
    for (const Element& item : items) sequence[i++] = item;
    return sequence;
}

Data::Blob octets(CORBA::ULong size) {
    Data::Blob blob;
    blob.length(size);
    for (CORBA::ULong i = 0; i < size; i++) blob[i] = CORBA::Octet(i * 7);
    return blob;
}

void check_bounded(Run& run, Lists_ptr lists) {
    echo_variables<Data::FewLongs>(
        run, "lists/bounded",
        {Data::FewLongs(), list<Data::FewLongs, CORBA::Long>({1, 2, 3, 4})},
        CALL(lists, echo_few_longs));
    echo_variables<Data::FewNames>(
        run, "lists/bounded_strings",
        {Data::FewNames(), list<Data::FewNames, const char*>({"", "twelve chars", "x"})},
        CALL(lists, echo_few_names));
    Data::FewOctets full;
    full.length(16);
    for (CORBA::ULong i = 0; i < 16; i++) full[i] = CORBA::Octet(255 - i);
    echo_variables<Data::FewOctets>(run, "lists/bounded_octets", {Data::FewOctets(), full},
                                    CALL(lists, echo_few_octets));
}

void check_nested(Run& run, Lists_ptr lists) {
    Data::LongSeqSeq deep;
    deep.length(3);
    deep[1] = list<Data::LongSeq, CORBA::Long>({1});
    deep[2] = list<Data::LongSeq, CORBA::Long>({1, 2, 3});
    echo_variables<Data::LongSeqSeq>(run, "lists/nested", {deep, Data::LongSeqSeq()},
                                     CALL(lists, echo_long_lists));
    Data::StringTable table;
    table.length(3);
    table[0].length(2);
    table[0][0] = "a";
    table[0][1] = "";
    table[2].length(1);
    table[2][0] = "bc";
    echo_variables<Data::StringTable>(run, "lists/nested_anonymous", {table, Data::StringTable()},
                                      CALL(lists, echo_table));
    Data::RowSeq rows;
    rows.length(2);
    for (CORBA::ULong i = 0; i < 8; i++) rows[i / 4][i % 4] = CORBA::Long(i) - 4;
    echo_variables<Data::RowSeq>(run, "lists/arrays", {rows, Data::RowSeq()},
                                 CALL(lists, echo_row_list));
    Data::ByLongSeq choices;
    choices.length(3);
    choices[0].text("one");
    choices[1].number(2);
    choices[2].number(3);
    choices[2]._d(2);
    echo_variables<Data::ByLongSeq>(run, "lists/unions", {choices, Data::ByLongSeq()},
                                    CALL(lists, echo_unions));
}

}  // namespace

void check_lists(Run& run) {
    Lists_var lists = run.suite()->list_types();
    echo_variables<Data::BooleanSeq>(
        run, "lists/booleans",
        {Data::BooleanSeq(), list<Data::BooleanSeq, bool>({true, false, true})},
        CALL(lists, echo_booleans));
    echo_variables<Data::CharSeq>(run, "lists/chars",
                                  {Data::CharSeq(), list<Data::CharSeq, char>({'a', '\0', '~'})},
                                  CALL(lists, echo_chars));
    echo_variables<Data::Blob>(run, "lists/octets", {octets(0), octets(1), octets(1000)},
                               CALL(lists, echo_blob));
    echo_variables<Data::ShortSeq>(
        run, "lists/shorts",
        {Data::ShortSeq(), list<Data::ShortSeq, CORBA::Short>({-32768, 0, 32767})},
        CALL(lists, echo_shorts));
    echo_variables<Data::LongSeq>(
        run, "lists/longs",
        {Data::LongSeq(), list<Data::LongSeq, CORBA::Long>({INT32_MIN, 0, INT32_MAX})},
        CALL(lists, echo_longs));
    // An empty sequence of 8-octet elements has no alignment to 8 after its length.
    echo_variables<Data::LongLongSeq>(
        run, "lists/longlongs",
        {Data::LongLongSeq(), list<Data::LongLongSeq, CORBA::LongLong>({INT64_MIN, 1, INT64_MAX})},
        CALL(lists, echo_longlongs));
    echo_variables<Data::FloatSeq>(
        run, "lists/floats",
        {Data::FloatSeq(), list<Data::FloatSeq, CORBA::Float>({1.5f, -0.25f, 3e38f})},
        CALL(lists, echo_floats));
    echo_variables<Data::DoubleSeq>(
        run, "lists/doubles",
        {Data::DoubleSeq(), list<Data::DoubleSeq, CORBA::Double>({1.5, -0.25, 1e308})},
        CALL(lists, echo_doubles));
    echo_variables<Data::StringSeq>(
        run, "lists/strings",
        {Data::StringSeq(), list<Data::StringSeq, const char*>({"", "one", "three words here"})},
        CALL(lists, echo_strings));
    echo_variables<Data::AliasSeq>(run, "lists/aliases",
                                   {Data::AliasSeq(), list<Data::AliasSeq, const char*>({"x"})},
                                   CALL(lists, echo_aliases));
    echo_variables<Data::ColourSeq>(
        run, "lists/enums",
        {Data::ColourSeq(), list<Data::ColourSeq, Shapes::Colour>({Shapes::BLUE, Shapes::RED})},
        CALL(lists, echo_colours));
    echo_variables<Shapes::Path>(
        run, "lists/points",
        {Shapes::Path(), list<Shapes::Path, Shapes::Point>({{1, 2}, {3, 4}, {-5, -6}})},
        CALL(lists, echo_path));
    echo_variables<Data::PersonSeq>(
        run, "lists/structs",
        {Data::PersonSeq(),
         list<Data::PersonSeq, Data::Person>({samples::ada(), samples::ada()})},
        CALL(lists, echo_persons));
    check_nested(run, lists);
    check_bounded(run, lists);
}
