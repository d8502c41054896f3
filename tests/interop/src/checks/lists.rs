//! Checks of sequences.

use zorb::SystemExceptionKind::{BadParam, Marshal};

use super::records::at;
use super::{Checked, Run, present};
use crate::interop::data::ByLong;
use crate::samples;
use crate::shapes::Colour;

fn octets(size: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 7) as u8).collect()
}

pub(super) fn check(run: &mut Run<'_>) -> Checked {
    let lists = &present(run.suite.list_types()?)?;
    run.echo("lists/booleans", &[vec![], vec![true, false, true]], |a, b| {
        lists.echo_booleans(a, b)
    });
    run.echo("lists/chars", &[vec![], vec!['a', '\0', '~']], |a, b| lists.echo_chars(a, b));
    run.echo("lists/octets", &[octets(0), octets(1), octets(1000)], |a, b| lists.echo_blob(a, b));
    run.echo("lists/shorts", &[vec![], vec![i16::MIN, 0, i16::MAX]], |a, b| {
        lists.echo_shorts(a, b)
    });
    run.echo("lists/longs", &[vec![], vec![i32::MIN, 0, i32::MAX]], |a, b| lists.echo_longs(a, b));
    // An empty sequence of 8-octet elements has no alignment to 8 after its length.
    run.echo("lists/longlongs", &[vec![], vec![i64::MIN, 1, i64::MAX]], |a, b| {
        lists.echo_longlongs(a, b)
    });
    run.echo("lists/floats", &[vec![], vec![1.5, -0.25, 3e38]], |a, b| lists.echo_floats(a, b));
    run.echo("lists/doubles", &[vec![], vec![1.5, -0.25, 1e308]], |a, b| lists.echo_doubles(a, b));
    let words = ["", "one", "three words here"].map(String::from).to_vec();
    run.echo("lists/strings", &[vec![], words], |a, b| lists.echo_strings(a, b));
    run.echo("lists/aliases", &[vec![], vec!["x".to_owned()]], |a, b| lists.echo_aliases(a, b));
    run.echo("lists/enums", &[vec![], vec![Colour::Blue, Colour::Red]], |a, b| {
        lists.echo_colours(a, b)
    });
    run.echo("lists/points", &[vec![], vec![at(1, 2), at(3, 4), at(-5, -6)]], |a, b| {
        lists.echo_path(a, b)
    });
    run.echo("lists/structs", &[vec![], vec![samples::ada(); 2]], |a, b| lists.echo_persons(a, b));

    run.echo("lists/nested", &[vec![vec![], vec![1], vec![1, 2, 3]], vec![]], |a, b| {
        lists.echo_long_lists(a, b)
    });
    let table = vec![vec!["a".to_owned(), String::new()], vec![], vec!["bc".to_owned()]];
    run.echo("lists/nested_anonymous", &[table, vec![]], |a, b| lists.echo_table(a, b));
    run.echo("lists/arrays", &[vec![[-4, -3, -2, -1], [0, 1, 2, 3]], vec![]], |a, b| {
        lists.echo_row_list(a, b)
    });
    let choices = vec![
        ByLong::Text("one".into()),
        ByLong::Number { label: 0, value: 2 },
        ByLong::Number { label: 2, value: 3 },
    ];
    run.echo("lists/unions", &[choices, vec![]], |a, b| lists.echo_unions(a, b));

    run.echo("lists/bounded", &[vec![], vec![1, 2, 3, 4]], |a, b| lists.echo_few_longs(a, b));
    let names = ["", "twelve chars", "x"].map(String::from).to_vec();
    run.echo("lists/bounded_strings", &[vec![], names], |a, b| lists.echo_few_names(a, b));
    run.echo("lists/bounded_octets", &[vec![], (240..=255).rev().collect()], |a, b| {
        lists.echo_few_octets(a, b)
    });
    run.refused("lists/bound_exceeded", &[Marshal, BadParam], || {
        lists.echo_few_longs(&[1, 2, 3, 4, 5], &[])
    });
    Ok(())
}
