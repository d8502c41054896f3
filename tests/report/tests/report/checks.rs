//! Properties that every page has.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::browser::{Browser, DESKTOP, PHONE, Result, Screen};
use crate::sight::{Marks, Spacing, contrast, look_at, series, value_at};

pub(crate) type Check = fn(&mut Browser) -> Result<()>;

pub(crate) const CHECKS: &[(&str, Check)] = &[
    ("asks_for_nothing_and_draws_no_complaint", asks_for_nothing),
    ("fits_screens_of_all_widths", fits_screens),
    ("curves_have_their_points_where_the_axes_say", curves),
    ("throughput_is_drawn_over_size_and_threads", throughput),
    ("distributions_pass_through_their_quantiles", distributions),
    ("bars_end_at_their_values", bars),
    ("peers_keep_their_colours_and_differ_in_marks", peers),
    ("light_and_dark_have_contrast", schemes),
    ("charts_are_described_and_tables_headed", accessible),
    ("parts_of_a_call_stand_side_by_side", parts),
    ("unknown_experiments_are_shown", unknown),
    ("hostile_names_are_text", hostile),
    ("no_scripts_are_needed", scripts),
];

/// The fixtures of usual runs, those of a hostile one, those of an experiment nobody knows.
const USUAL: &str = "usual";
const HOSTILE: &str = "hostile";
const UNKNOWN: &str = "unknown";
/// The fixtures of an experiment that shows the steps of calls.
const PARTS: &str = "parts";

macro_rules! ensure {
    ($condition:expr, $($failure:tt)+) => {
        let holds: bool = $condition;
        if !holds { return Err(format!($($failure)+)); }
    };
}

fn asks_for_nothing(browser: &mut Browser) -> Result<()> {
    for fixtures in [USUAL, HOSTILE, UNKNOWN, PARTS] {
        let sight = look_at(browser, fixtures, DESKTOP)?;
        let [own] = sight.urls.as_slice() else { return Err(format!("asked {:?}", sight.urls)) };
        ensure!(own.starts_with("file://"), "{own}");
        ensure!(sight.complaints.is_empty(), "{:?}", sight.complaints);
    }
    Ok(())
}

fn fits_screens(browser: &mut Browser) -> Result<()> {
    for width in [320, 360, 768, 1240, 2560] {
        for fixtures in [USUAL, HOSTILE, UNKNOWN, PARTS] {
            let seen = look_at(browser, fixtures, Screen { width, ..PHONE })?.seen;
            ensure!(seen["width"] == width, "the screen is {} wide", seen["width"]);
            ensure!(seen["content"] == width, "{fixtures}: {} of {width}", seen["content"]);
            let boxes = seen["boxes"].as_array().ok_or("no tables")?;
            for one in boxes {
                let right = one["right"].as_f64().unwrap_or(f64::INFINITY);
                ensure!(right <= f64::from(width), "{} ends at {right}", one["caption"]);
            }
            let scrolls = |one: &&Value| one["content"].as_f64() > one["shown"].as_f64();
            if fixtures == USUAL && width == 360 {
                ensure!(boxes.iter().any(|one| scrolls(&one)), "no table has to scroll: no test");
            }
            for figure in seen["figures"].as_array().ok_or("no figures")? {
                let title = &figure["title"];
                let height = figure["smallest_text"].as_f64().unwrap_or_default();
                let least = if width < 360 { 9.5 } else { 11.0 };
                ensure!(height >= least, "text of {title} is {height} high at {width}");
                let cut_off = &figure["cut_off"];
                let whole = *cut_off == Value::Array(Vec::new());
                // Names of any length end with the picture.
                ensure!(whole || fixtures == HOSTILE, "{title}: {cut_off} at {width}");
            }
        }
    }
    Ok(())
}

/// That the marks of a figure stand for these values, to a hundredth.
fn expect(found: &[Marks], expected: &[(&str, &[(f64, f64)])]) -> Result<()> {
    let near = |a: f64, b: f64| (a - b).abs() <= 0.01 * b.abs();
    let same = found.len() == expected.len()
        && found.iter().zip(expected).all(|((peer, points), (name, values))| {
            peer == name
                && points.len() == values.len()
                && points.iter().zip(*values).all(|(a, b)| near(a.0, b.0) && near(a.1, b.1))
        });
    ensure!(same, "found {found:?}, not {expected:?}");
    Ok(())
}

fn curves(browser: &mut Browser) -> Result<()> {
    for screen in [PHONE, DESKTOP] {
        let sight = look_at(browser, USUAL, screen)?;
        let logarithmic = |figure| series(figure, Spacing::Logarithmic, Spacing::Logarithmic);
        let times = logarithmic(sight.figure("Median time of a call: echo_octets")?)?;
        expect(
            &times,
            &[
                ("raw", &[(4.0, 10.0), (1024.0, 12.5), (65_536.0, 40.0)]),
                ("zorb", &[(4.0, 10.5), (1024.0, 13.0), (65_536.0, 44.0)]),
                ("omniorb", &[(4.0, 11.5), (1024.0, 15.0), (65_536.0, 90.0)]),
            ],
        )?;
        // The bare program is the line that the ratios are compared with.
        let figure = sight.figure("Ratio to bare sockets: echo_octets")?;
        expect(
            &logarithmic(figure)?,
            &[
                ("zorb", &[(4.0, 1.05), (1024.0, 1.04), (65_536.0, 1.1)]),
                ("omniorb", &[(4.0, 1.15), (1024.0, 1.2), (65_536.0, 2.25)]),
            ],
        )?;
        let whisker = &figure["series"][1]["whiskers"][2];
        for (index, expected) in [(3, 2.1), (2, 2.4)] {
            let place = whisker[index].as_f64().unwrap_or(f64::NAN);
            let found = value_at(&figure["y"], place, Spacing::Logarithmic)?;
            ensure!((found - expected).abs() < 0.02 * expected, "a quartile at {found}");
        }
    }
    Ok(())
}

fn throughput(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, USUAL, PHONE)?;
    let logarithmic =
        |title: &str| series(sight.figure(title)?, Spacing::Logarithmic, Spacing::Logarithmic);
    expect(
        &logarithmic("Throughput: send_structs")?,
        &[
            ("raw", &[(1008.0, 180.0), (16_368.0, 3000.0), (131_064.0, 7000.0)]),
            ("zorb", &[(1008.0, 170.0), (16_368.0, 1900.0), (131_064.0, 2500.0)]),
        ],
    )?;
    expect(
        &logarithmic("Calls per second: ping, own")?,
        &[
            ("raw", &[(1.0, 15_000.0), (2.0, 28_000.0), (8.0, 60_000.0)]),
            ("zorb", &[(1.0, 14_500.0), (2.0, 27_000.0), (8.0, 57_000.0)]),
        ],
    )?;
    expect(
        &logarithmic("Calls per second: ping, shared")?,
        &[
            ("raw", &[(1.0, 15_000.0), (2.0, 14_000.0), (8.0, 12_000.0)]),
            ("zorb", &[(1.0, 14_500.0), (2.0, 20_000.0), (8.0, 33_000.0)]),
        ],
    )
}

fn distributions(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, USUAL, DESKTOP)?;
    let figure = sight.figure("Distribution of all calls: ping")?;
    let found = series(figure, Spacing::Logarithmic, Spacing::Nines)?;
    // 9000 calls of 8 us, 990 of 16 us and 10 of 1 ms; of Zorb the first are of 9 us.
    let expected = |usual: f64| [(usual, 0.5), (16.0, 0.99), (16.0, 0.999)];
    expect(&found, &[("raw", &expected(8.0)), ("zorb", &expected(9.0))])?;
    for series in figure["series"].as_array().ok_or("no series")? {
        let length = series["line"].as_f64().unwrap_or_default();
        // It crosses the picture in both directions.
        ensure!(length > 300.0, "the curve of {} is {length} long", series["peer"]);
    }
    Ok(())
}

fn bars(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, USUAL, PHONE)?;
    let figures = sight.figures().iter();
    let figure = figures.clone().find(|figure| figure["section"] == "Two-way calls");
    let figure = figure.ok_or("no bars of latency")?;
    ensure!(figure["title"] == "Ratio to bare sockets", "{}", figure["title"]);
    let mut found = Vec::new();
    for series in figure["series"].as_array().ok_or("no series")? {
        let at = |place: &Value| {
            value_at(&figure["x"], place.as_f64().unwrap_or(f64::NAN), Spacing::Linear)
        };
        let (from, to) = (at(&series["bar"][0])?, at(&series["bar"][1])?);
        ensure!(from.abs() < 0.01, "a bar begins at {from}");
        let whisker = &series["whiskers"][0];
        let round = |value: f64| (value * 50.0).round() / 50.0;
        let peer = series["peer"].as_str().unwrap_or_default().to_owned();
        found.push((peer, round(to), round(at(&whisker[0])?), round(at(&whisker[1])?)));
    }
    let expected =
        [("zorb", 1.1, 1.0, 1.2), ("zorb", 1.1, 1.08, 1.12), ("omniorb", 2.24, 2.1, 2.4)];
    let near = |a: f64, b: f64| (a - b).abs() < 0.025;
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(a, b)| a.0 == b.0 && near(a.1, b.1) && near(a.2, b.2) && near(a.3, b.3));
    ensure!(same, "found {found:?}, not {expected:?}");
    Ok(())
}

fn peers(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, USUAL, DESKTOP)?;
    let mut colours: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for figure in sight.figures() {
        for series in figure["series"].as_array().ok_or("no series")? {
            let peer = series["peer"].as_str().unwrap_or_default();
            let colours = colours.entry(peer.to_owned()).or_default();
            colours.insert(series["painted"].to_string());
        }
        let legend = figure["legend"].as_array().ok_or("no legend")?;
        let marks: BTreeSet<_> = legend.iter().map(|item| item[1].to_string()).collect();
        ensure!(marks.len() == legend.len(), "{}: {legend:?}", figure["title"]);
    }
    let names: Vec<&str> = colours.keys().map(String::as_str).collect();
    ensure!(names == ["omniorb", "raw", "zorb"], "{names:?}");
    ensure!(colours.values().all(|colours| colours.len() == 1), "{colours:?}");
    let distinct: BTreeSet<_> = colours.values().collect();
    ensure!(distinct.len() == names.len(), "{colours:?}");
    Ok(())
}

fn schemes(browser: &mut Browser) -> Result<()> {
    let mut backgrounds = BTreeSet::new();
    for scheme in ["light", "dark"] {
        let sight = look_at(browser, USUAL, Screen { scheme, ..PHONE })?;
        let background = &sight.seen["background"];
        backgrounds.insert(background.to_string());
        // What WCAG 2 asks for: of text, and of graphics.
        for (text, least) in [("ink", 7.0), ("muted", 4.5)] {
            let found = contrast(&sight.seen[text], background)?;
            ensure!(found >= least, "{scheme}: {text} has a contrast of {found}");
        }
        for figure in sight.figures() {
            for series in figure["series"].as_array().ok_or("no series")? {
                let found = contrast(&series["painted"], background)?;
                ensure!(found >= 3.0, "{scheme}: {} has a contrast of {found}", series["peer"]);
            }
        }
    }
    ensure!(backgrounds.len() == 2, "{backgrounds:?}");
    Ok(())
}

fn accessible(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, USUAL, PHONE)?;
    ensure!(sight.seen["language"] == "en", "{}", sight.seen["language"]);
    for figure in sight.figures() {
        ensure!(figure["role"] == "img", "{}", figure["role"]);
        let labels = [&figure["title"], &figure["description"]];
        for (index, text) in labels.into_iter().enumerate() {
            ensure!(text.as_str().is_some_and(|text| text.len() > 3), "{figure}");
            ensure!(figure["labels"][index] == *text, "{}", figure["labels"]);
        }
        // The words have all the numbers that the picture has.
        let words = figure["description"].as_str().unwrap_or_default();
        for series in figure["series"].as_array().ok_or("no series")? {
            ensure!(words.contains(series["peer"].as_str().unwrap_or("?")), "{words}");
        }
    }
    let boxes = sight.seen["boxes"].as_array().ok_or("no tables")?;
    for one in boxes {
        ensure!(one["headed"] == true && one["focusable"] == true, "{}", one["caption"]);
    }
    let latency = boxes.iter().find(|one| {
        one["caption"].as_str().is_some_and(|caption| caption.contains("Two-way calls"))
    });
    let rows = latency.and_then(|one| one["rows"].as_array()).ok_or("no table of latency")?;
    ensure!(rows.len() == 11, "{} rows", rows.len());
    Ok(())
}

fn parts(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, PARTS, PHONE)?;
    let figure = sight.figure("Median time of a call")?;
    let bars = figure["series"].as_array().ok_or("no series")?;
    let mut found = Vec::new();
    for bar in bars {
        let end = bar["bar"][1].as_f64().unwrap_or(f64::NAN);
        let micros = value_at(&figure["x"], end, Spacing::Linear)?;
        found.push((bar["peer"].as_str().unwrap_or_default(), (micros * 10.0).round()));
    }
    let expected = [
        ("marshal", 2.0),
        ("I/O, wait and receive", 40.0),
        ("I/O, wait and receive", 30.0),
        ("operation demultiplex", 1.0),
        ("round trip", 90.0),
    ];
    ensure!(found.get(..5) == Some(&expected[..]), "{found:?}");
    let figure = sight.figure("Median time of a call: echo_octets/client")?;
    let curves = series(figure, Spacing::Logarithmic, Spacing::Logarithmic)?;
    let peers: Vec<&str> = curves.iter().map(|(peer, _)| peer.as_str()).collect();
    ensure!(peers == ["marshal", "I/O, wait and receive"], "{peers:?}");
    Ok(())
}

fn unknown(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, UNKNOWN, PHONE)?;
    let headings = &sight.seen["headings"];
    for expected in ["novelty", "layers", "Skipped files"] {
        let all = headings.as_array().ok_or("no headings")?;
        ensure!(all.iter().any(|heading| heading == expected), "{expected}: {headings}");
    }
    let [figure] = sight.figures() else { return Err(format!("{}", sight.seen["figures"])) };
    let bars = figure["series"].as_array().map_or(0, Vec::len);
    ensure!(bars == 3, "{bars} bars");
    let text = sight.seen["text"].as_str().unwrap_or_default();
    for expected in ["broken.json: it is no JSON", "foreign.json: it is no result", "marshalling"] {
        ensure!(text.contains(expected), "{expected} is not on the page");
    }
    Ok(())
}

fn hostile(browser: &mut Browser) -> Result<()> {
    let sight = look_at(browser, HOSTILE, PHONE)?;
    ensure!(sight.seen["strangers"] == 0, "{} strangers", sight.seen["strangers"]);
    let text = sight.seen["text"].as_str().unwrap_or_default();
    ensure!(text.contains("<script>document.title='x'</script>"), "the name is not shown as it is");
    ensure!(!sight.figures().is_empty(), "no charts");
    Ok(())
}

fn scripts(browser: &mut Browser) -> Result<()> {
    let with = look_at(browser, USUAL, DESKTOP)?;
    ensure!(with.seen["scripts"] == 0, "{} scripts", with.seen["scripts"]);
    let without = look_at(browser, USUAL, Screen { scripts: false, ..DESKTOP })?;
    ensure!(with.seen == without.seen, "the page differs without scripts");
    Ok(())
}
