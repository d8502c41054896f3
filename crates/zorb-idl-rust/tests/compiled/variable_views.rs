//! Views of structs with strings and sequences.

use zorb_core::{CollocationStrategy, Interface, Result, SequenceView};

use super::calls::{orb, seen_from};
use crate::views::journal::{Author, AuthorView, Entry, EntryView, Level, Log, LogServant};
use crate::views::radar::Point;

#[derive(Debug)]
struct Keeper;

impl LogServant for Keeper {
    fn keep(
        &self,
        entries: SequenceView<'_, Entry>,
        words: SequenceView<'_, String>,
    ) -> Result<(Vec<Entry>, String, Vec<u8>)> {
        let kept = entries.iter().filter(|entry| words.iter().any(|word| word == entry.text()));
        let longest = words.iter().max_by_key(|word| word.len()).unwrap_or_default();
        let digest = entries.iter().map(EntryView::id).take(9).collect();
        Ok((kept.map(Entry::from).collect(), longest.to_owned(), digest))
    }

    fn sign(&self, one: EntryView<'_>, by: AuthorView<'_>) -> Result<(Vec<String>, Author)> {
        let names = one.readers().iter().map(|reader| reader.name().to_owned());
        Ok((names.collect(), Author { name: one.writer().name().into(), ..by.into() }))
    }
}

fn author(name: &str) -> Author {
    Author { name: name.to_owned(), initial: name.chars().next().expect("a name") }
}

fn entry(number: u8, text: &str) -> Entry {
    let count = usize::from(number);
    Entry {
        id: number,
        writer: author("Ada"),
        grade: if number.is_multiple_of(2) { Level::Low } else { Level::High },
        text: text.to_owned(),
        image: vec![number; count],
        levels: vec![0.5; count % 5],
        readers: ["Bo", "Cleo", "D\u{e9}"].iter().take(count).map(|name| author(name)).collect(),
        rows: (0..count).map(|row| vec![-7; row]).collect(),
        at: Point { x: 1.0, y: f64::from(number) },
        fresh: number > 2,
        tags: [["", "a", "bc"], ["d\u{e9}", "", "efgh"]].map(|row| row.map(str::to_owned)),
        title: format!("{number} \u{1f980}"),
        marks: ["", "\u{20ac}x"].iter().take(count).map(|&mark| mark.to_owned()).collect(),
        teams: [vec![author("Eve"); count], Vec::new()],
        heads: ["Flo", "Gus", "Hal", "Ida"].map(author),
    }
}

/// All members of a view, read one by one from the last to the first.
fn members(entry: EntryView<'_>) -> Entry {
    let own = |author: AuthorView<'_>| Author {
        initial: author.initial(),
        name: author.name().to_owned(),
    };
    let texts = |row: SequenceView<'_, _>| row.to_vec().try_into().expect("three texts");
    let rows: Vec<[String; 3]> = entry.tags().iter().map(texts).collect();
    let teams: Vec<Vec<Author>> = entry.teams().iter().map(SequenceView::to_vec).collect();
    let heads: Vec<Author> = entry.heads().iter().map(own).collect();
    Entry {
        heads: heads.try_into().expect("four heads"),
        teams: teams.try_into().expect("two teams"),
        marks: entry.marks().iter().map(|mark| mark.to_string()).collect(),
        title: entry.title().chars().collect(),
        tags: rows.try_into().expect("two rows"),
        fresh: entry.fresh(),
        at: entry.at().into(),
        rows: entry.rows().iter().map(|row| row.iter().collect()).collect(),
        readers: entry.readers().iter().map(own).collect(),
        levels: entry.levels().to_vec(),
        image: entry.image().to_owned(),
        text: entry.text().to_owned(),
        grade: entry.grade(),
        writer: own(entry.writer()),
        id: entry.id(),
    }
}

fn check(log: &Log) {
    let entries: Vec<Entry> =
        (0..6).map(|number| entry(number, &"ab".repeat(number.into()))).collect();
    let words = ["", "ababab", "\u{20ac}", "ab"].map(str::to_owned);
    let kept: Vec<Entry> = [0, 1, 3].map(|index: usize| entries[index].clone()).into();
    let digest = vec![0, 1, 2, 3, 4, 5];
    let expected = (kept.clone(), "ababab".to_owned(), digest.clone());
    assert_eq!(log.keep(&entries, &words), Ok(expected));
    let seen = log.view_keep(&entries, &words, |found, longest, octets| {
        assert_eq!((longest, octets), ("ababab", &digest[..]));
        assert_eq!(format!("{found:?}"), format!("{kept:?}"));
        assert_eq!(found.get(2).map(Entry::from).as_ref(), kept.last());
        assert_eq!((found.len(), found.get(3).is_none()), (3, true));
        found.iter().map(members).collect::<Vec<_>>()
    });
    assert_eq!(seen, Ok(kept));
    let names = ["Bo", "Cleo", "D\u{e9}"].map(str::to_owned).to_vec();
    let by = Author { name: "Ada".to_owned(), initial: 'Z' };
    assert_eq!(log.sign(&entries[4], &author("Zoe")), Ok((names, by)));
    let first = log.view_sign(&entries[1], &author("Zoe"), |names, by| {
        (names.iter().map(str::len).sum::<usize>(), by.initial())
    });
    assert_eq!(first, Ok((2, 'Z')));
    let mut unbounded = entries[3].clone();
    unbounded.levels = vec![1.0; 5];
    assert!(log.sign(&unbounded, &author("Zoe")).is_err(), "the bound is four");
    let mut unbounded = entries[3].clone();
    unbounded.marks = vec!["abcde".to_owned()];
    assert!(log.sign(&unbounded, &author("Zoe")).is_err(), "the bound is four");
    unbounded.marks.clear();
    unbounded.tags[1][2] = "123456789".to_owned();
    assert!(log.sign(&unbounded, &author("Zoe")).is_err(), "the bound is eight");
}

#[test]
fn strings_and_sequences_are_read_in_place() {
    let (server, client) = (orb(), orb());
    let log: Log = server.root_poa().activate(Keeper).expect("a reference");
    check(&seen_from(&client, &log));
    for strategy in
        [CollocationStrategy::Marshalled, CollocationStrategy::ThruPoa, CollocationStrategy::Direct]
    {
        check(&log.with_collocation(strategy));
    }
    client.shutdown(true).expect("the client ends");
    server.shutdown(true).expect("the server ends");
}
