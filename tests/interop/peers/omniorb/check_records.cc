// Checks of structs, enumerations and arrays.
#include "same.h"
#include "samples.h"

using namespace Interop;

namespace {

Data::Person nobody() {
    Data::Person person;
    person.age = 0;
    person.likes = Shapes::RED;
    person.place.x = person.place.y = 0;
    return person;
}

Data::Mixed zeros() {
    Data::Mixed m;
    memset(&m, 0, sizeof m);
    return m;
}

}  // namespace

void check_records(Run& run) {
    Records_var records = run.suite()->record_types();
    echo_values<Shapes::Colour>(run, "records/enum", {Shapes::RED, Shapes::GREEN, Shapes::BLUE},
                                CALL(records, echo_colour));
    echo_values<Shapes::Point>(run, "records/point", {{1, -1}, {INT32_MIN, INT32_MAX}},
                               CALL(records, echo_point));
    echo_values<Shapes::Segment>(run, "records/segment", {{{1, 2}, {3, 4}}, {{-1, -2}, {0, 0}}},
                                 CALL(records, echo_segment));
    echo_values<Data::Mixed>(run, "records/mixed", {samples::mixed(), zeros()},
                             CALL(records, echo_mixed));
    echo_variables<Data::Person>(run, "records/person", {samples::ada(), nobody()},
                                 CALL(records, echo_person));
    run.check("records/person_utf8", [&] {
        Data::Person a = samples::ada(), b = nobody();
        a.name = samples::TEXT;
        a.labels[1] = "\u00e9";
        Data::Person_var c, result = records->echo_person(a, b, c.out());
        require_echo(result.in(), b, c.in(), a, nobody());
    });
    echo_variables<Data::Crate>(run, "records/crate", 
                                {samples::crate(1), samples::crate(2), samples::crate(3)},
                                CALL(records, echo_crate));
}

void check_arrays(Run& run) {
    Arrays_var arrays = run.suite()->array_types();

    const Data::Row row1 = {1, -2, INT32_MAX, INT32_MIN}, row2 = {0, 0, 0, 0};
    echo_arrays<Data::Row, Data::Row_copyHelper, false>(run, "arrays/row", {&row1, &row2},
                                                        CALL(arrays, echo_row));
    const Data::Grid grid1 = {{1, 2, 3}, {4.5, 5.5, 6.5}}, grid2 = {{0, -1, 1e300}, {-1, -2, -3}};
    echo_arrays<Data::Grid, Data::Grid_copyHelper, false>(run, "arrays/grid", {&grid1, &grid2},
                                                          CALL(arrays, echo_grid));
    Data::Couple couple1, couple2;
    couple1[0] = couple1[1] = couple2[0] = samples::ada();
    couple2[1] = nobody();
    echo_arrays<Data::Couple, Data::Couple_copyHelper, true>(
        run, "arrays/structs", {&couple1, &couple2}, CALL(arrays, echo_couple));
    Data::Words words1, words2;
    for (int i = 0; i < 3; i++) {
        words1[i] = "word";
        words2[i] = "";
    }
    echo_arrays<Data::Words, Data::Words_copyHelper, true>(
        run, "arrays/strings", {&words1, &words2}, CALL(arrays, echo_words));
    const Data::Rows rows1 = {{1, 2, 3, 4}, {5, 6, 7, 8}}, rows2 = {{0, 0, 0, 0}, {-1, -1, -1, -1}};
    echo_arrays<Data::Rows, Data::Rows_copyHelper, false>(run, "arrays/arrays", {&rows1, &rows2},
                                                          CALL(arrays, echo_rows));
    const Data::Address address1 = {0, 1, 2, 253, 254, 255}, address2 = {9, 9, 9, 9, 9, 9};
    echo_arrays<Data::Address, Data::Address_copyHelper, false>(
        run, "arrays/octets", {&address1, &address2}, CALL(arrays, echo_address));
    Data::SeqPair pair1, pair2;
    pair1[1].length(3);
    for (CORBA::ULong i = 0; i < 3; i++) pair1[1][i] = CORBA::Long(i);
    pair2[0].length(1);
    pair2[0][0] = -1;
    echo_arrays<Data::SeqPair, Data::SeqPair_copyHelper, true>(
        run, "arrays/sequences", {&pair1, &pair2}, CALL(arrays, echo_seq_pair));
    const Data::Flag flag1 = {Shapes::RED, Shapes::GREEN, Shapes::BLUE},
                     flag2 = {Shapes::BLUE, Shapes::BLUE, Shapes::RED};
    echo_arrays<Data::Flag, Data::Flag_copyHelper, false>(run, "arrays/enums", {&flag1, &flag2},
                                                          CALL(arrays, echo_flag));
    const Shapes::Triangle triangle1 = {{1, 2}, {3, 4}, {5, 6}},
                           triangle2 = {{0, 0}, {-1, 1}, {1, -1}};
    echo_arrays<Shapes::Triangle, Shapes::Triangle_copyHelper, false>(
        run, "arrays/points", {&triangle1, &triangle2}, CALL(arrays, echo_triangle));
}
