use std::time::Duration;

use super::*;

/// How flags are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shown {
    Bright,
    Dim,
}

crate::option_words!(Shown { "bright" => Bright, "dim" => Dim });

crate::options! {
    /// One option of each type.
    #[derive(Clone, Debug, PartialEq)]
    struct Sample of "sample", set by (trait SetSample) {
        /// A text
        /// of two lines.
        "SampleText" sample_text: String = "a".to_owned();
        /// A list.
        "SampleList" sample_list: Vec<String> = Vec::new();
        /// Pairs.
        "SamplePairs" sample_pairs: NameValuePairs = Vec::new();
        /// A truth.
        "SampleFlag" sample_flag: bool = true;
        /// A word.
        "SampleWord" sample_word: Shown = Shown::Bright;
        /// A small number.
        "SampleOctet" sample_octet: u8 = 3, 1..=200;
        /// A size.
        "SampleSize" sample_size: Option<usize> = None, 0..=1 << 20, "octets";
        /// A time.
        "SampleTime" sample_time: Duration = Duration::from_micros(7), 0..=1000, "us";
        /// A time-out.
        "SampleLimit" sample_limit: Option<Duration> = Some(Duration::from_secs(2)), 0..=5000, "ms";
    }
}

/// Collects what setters set.
#[derive(Default)]
struct Settings(Vec<(&'static str, String)>);

impl SetOption for Settings {
    fn set_option(mut self, name: &'static str, value: String) -> Self {
        self.0.push((name, value));
        self
    }
}

fn spec(name: &str) -> &'static OptionSpec {
    Sample::OPTIONS.iter().find(|spec| spec.is(name)).unwrap()
}

fn set(sample: &mut Sample, name: &str, text: &str) -> Result<(), String> {
    sample.take(spec(name), text)
}

#[test]
fn the_table_follows_from_the_definition() {
    let text = spec("sampletext");
    assert_eq!((text.owner, text.name, text.key), ("sample", "SampleText", "sample_text"));
    assert_eq!((text.help, text.default().as_str()), ("A text of two lines.", "a"));
    assert_eq!(text.variable(), "ZORB_SAMPLE_TEXT");
    let limit = spec("sample_limit");
    assert_eq!((limit.kind, limit.unit), (OptionKind::Number(0, 5000), "ms"));
    assert_eq!(limit.default(), "2000");
    assert_eq!(spec("SampleWord").kind, OptionKind::OneOf(&["bright", "dim"]));
    assert_eq!(spec("SampleOctet").kind.describe(), "1 to 200");
    for spec in Sample::OPTIONS {
        assert_eq!(Sample::default().text(spec), spec.default(), "{}", spec.name);
    }
}

#[test]
fn text_becomes_values() {
    let mut sample = Sample::default();
    set(&mut sample, "SampleList", "a, b;;c").unwrap();
    set(&mut sample, "SampleList", "d").unwrap();
    assert_eq!(sample.sample_list, ["a", "b", "c", "d"]);
    sample.clear(spec("SampleList"));
    assert!(sample.sample_list.is_empty());
    for pair in ["x=1", "y = 2", "x=a=b"] {
        set(&mut sample, "SamplePairs", pair).unwrap();
    }
    sample.clear(spec("SamplePairs"));
    assert_eq!(sample.text(spec("SamplePairs")), "y=2;x=a=b");
    set(&mut sample, "SampleFlag", " NO ").unwrap();
    set(&mut sample, "SampleWord", "Dim").unwrap();
    assert_eq!((sample.sample_flag, sample.sample_word), (false, Shown::Dim));
    set(&mut sample, "SampleSize", "0").unwrap();
    assert_eq!(sample.sample_size, None);
    set(&mut sample, "SampleSize", "1048576").unwrap();
    assert_eq!(sample.sample_size, Some(1 << 20));
    set(&mut sample, "SampleTime", "12").unwrap();
    assert_eq!(sample.sample_time, Duration::from_micros(12));
    set(&mut sample, "SampleLimit", "0").unwrap();
    assert_eq!(sample.sample_limit, None);
}

#[test]
fn errors_name_the_expected_value() {
    for (name, text, why) in [
        ("SampleOctet", "0", "out of range: 1 to 200"),
        ("SampleOctet", "many", "expected a number from 1 to 200"),
        ("SampleSize", "1048577", "out of range: 0 to 1048576 octets"),
        ("SampleLimit", "-1", "expected a number from 0 to 5000 ms"),
        ("SampleFlag", "maybe", "expected one of yes, no"),
        ("SampleWord", "loud", "expected one of bright, dim"),
        ("SamplePairs", "name", "expected NAME=VALUE"),
        ("SamplePairs", "=x", "expected NAME=VALUE"),
        ("SamplePairs", "x=", "expected NAME=VALUE"),
    ] {
        let mut sample = Sample::default();
        assert_eq!(set(&mut sample, name, text).unwrap_err(), why, "{name} = {text}");
        assert_eq!(sample, Sample::default());
    }
}

#[test]
fn each_option_has_a_setter() {
    let settings = Settings::default()
        .sample_text("b")
        .sample_list(["c", "d"])
        .sample_pairs("e", "f")
        .sample_flag(false)
        .sample_word(Shown::Dim)
        .sample_octet(4)
        .sample_size(Some(5))
        .sample_time(Duration::from_nanos(6001))
        .sample_limit(Duration::from_millis(8))
        .sample_limit(None);
    let texts: Vec<_> = settings.0.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["b", "c;d", "e=f", "no", "dim", "4", "5", "7", "8", "0"]);
    let mut sample = Sample::default();
    for (name, text) in &settings.0 {
        set(&mut sample, name, text).unwrap();
    }
    assert_eq!((sample.sample_time, sample.sample_limit), (Duration::from_micros(7), None));
}

#[test]
fn sets_are_found_by_their_type() {
    let mut sets = OptionSets::default();
    assert!(sets.get::<Sample>().is_none());
    sets.add(Box::new(Sample { sample_octet: 9, ..Sample::default() }));
    sets.add(Box::new(Sample::default()));
    for set in sets.iter_mut() {
        set.take(spec("SampleFlag"), "no").unwrap();
    }
    let sets = sets.clone();
    let sample: &Sample = sets.get().unwrap();
    assert_eq!((sample.sample_octet, sample.sample_flag), (9, false));
    assert_eq!(sets.iter().count(), 1);
}
