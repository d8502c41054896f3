//! Checks of structs, enumerations and arrays.

use super::{Checked, Run, present};
use crate::interop::data::{Mixed, Person};
use crate::samples;
use crate::shapes::{Colour, Point, Segment};

/// A point.
pub(super) const fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let records = &present(run.suite.record_types()?)?;
    let colours = [Colour::Red, Colour::Green, Colour::Blue];
    run.echo("records/enum", &colours, |a, b| records.echo_colour(*a, *b));
    let points = [at(1, -1), at(i32::MIN, i32::MAX)];
    run.echo("records/point", &points, |a, b| records.echo_point(a, b));
    let segments =
        [Segment { head: at(1, 2), tail: at(3, 4) }, Segment { head: at(-1, -2), tail: at(0, 0) }];
    run.echo("records/segment", &segments, |a, b| records.echo_segment(a, b));
    // A char of a struct that is made by default is a NUL.
    let mixed = [samples::mixed(), Mixed::default()];
    run.echo("records/mixed", &mixed, |a, b| records.echo_mixed(a, b));
    let echo = |a: &Person, b: &Person| records.echo_person(a, b);
    run.echo("records/person", &[samples::ada(), Person::default()], echo);
    if run.code_sets {
        let mut abroad = samples::ada();
        abroad.name = samples::TEXT.into();
        abroad.labels[1] = "é".into();
        run.echo("records/person_utf8", &[abroad, Person::default()], echo);
    }
    let crates = [1, 2, 3].map(samples::a_crate);
    run.echo("records/crate", &crates, |a, b| records.echo_crate(a, b));
    Ok(())
}

pub(super) fn check_arrays(run: &mut Run<'_>) -> Checked {
    let arrays = &present(run.suite.array_types()?)?;
    let rows = [[1, -2, i32::MAX, i32::MIN], [0; 4]];
    run.echo("arrays/row", &rows, |a, b| arrays.echo_row(a, b));
    let grids = [[[1.0, 2.0, 3.0], [4.5, 5.5, 6.5]], [[0.0, -1.0, 1e300], [-1.0, -2.0, -3.0]]];
    run.echo("arrays/grid", &grids, |a, b| arrays.echo_grid(a, b));
    let couples = [[samples::ada(), samples::ada()], [samples::ada(), Person::default()]];
    run.echo("arrays/structs", &couples, |a, b| arrays.echo_couple(a, b));
    let words = [["word", "", "w"].map(String::from), ["", "", ""].map(String::from)];
    run.echo("arrays/strings", &words, |a, b| arrays.echo_words(a, b));
    let rows = [[[1, 2, 3, 4], [5, 6, 7, 8]], [[0; 4], [-1; 4]]];
    run.echo("arrays/arrays", &rows, |a, b| arrays.echo_rows(a, b));
    let addresses = [[0, 1, 2, 253, 254, 255], [9; 6]];
    run.echo("arrays/octets", &addresses, |a, b| arrays.echo_address(a, b));
    let pairs = [[vec![], vec![0, 1, 2]], [vec![-1], vec![]]];
    run.echo("arrays/sequences", &pairs, |a, b| arrays.echo_seq_pair(a, b));
    let flags =
        [[Colour::Red, Colour::Green, Colour::Blue], [Colour::Blue, Colour::Blue, Colour::Red]];
    run.echo("arrays/enums", &flags, |a, b| arrays.echo_flag(a, b));
    let triangles = [[at(1, 2), at(3, 4), at(5, 6)], [at(0, 0), at(-1, 1), at(1, -1)]];
    run.echo("arrays/points", &triangles, |a, b| arrays.echo_triangle(a, b));
    Ok(())
}
