use super::*;

fn made(texts: &[&str]) -> String {
    let run = |(index, text): (usize, &&str)| Run::parse(&format!("{index}.json"), text).unwrap();
    page(&Folder { runs: texts.iter().enumerate().map(run).collect(), left_out: Vec::new() })
        .unwrap()
}

fn row(experiment: &str, peer: &str, operation: &str, rest: &str) -> String {
    format!(
        "{{\"experiment\": \"{experiment}\", \"peer\": \"{peer}\", \"transport\": \"iiop\", \
         \"operation\": \"{operation}\"{rest}}}"
    )
}

fn run(rows: &[String]) -> String {
    format!("{{\"machine\": {{\"cpu\": \"a\"}}, \"rows\": [{}]}}", rows.join(", "))
}

/// The start tags of the page, which has to close every element that it opens.
fn tags(html: &str) -> Vec<&str> {
    const EMPTY: [&str; 3] = ["!DOCTYPE", "meta", "link"];
    let mut tags = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for part in html.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("no end of <{part}"));
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => {
                tags.push(tag);
                if !tag.ends_with('/') && !EMPTY.contains(&name) {
                    open.push(name);
                }
            }
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    tags
}

#[test]
fn elements_are_closed_and_identities_are_unique() {
    let rows = ["raw", "zorb"].map(|peer| {
        row("latency", peer, "ping", ", \"p50_us\": 5.5, \"ratio_to_raw\": 1.1, \"payload\": 0")
    });
    let html = made(&[&run(&rows), &run(&rows)]);
    let tags = tags(&html);
    let mut identities: Vec<&str> =
        tags.iter().filter_map(|tag| tag.split_once(" id=\"")?.1.split('"').next()).collect();
    let count = identities.len();
    assert!(count > 4, "{identities:?}");
    identities.sort_unstable();
    identities.dedup();
    assert_eq!(identities.len(), count);
}

#[test]
fn text_from_files_is_escaped() {
    let hostile = "<img src=x onerror=alert(1)>'\\\"&</script></style></svg>";
    let rows = [1, 2, 3].map(|payload| {
        row(
            hostile,
            hostile,
            hostile,
            &format!(
                ", \"payload\": {payload}, \"p50_us\": 5, \"{hostile}\": 4, \"word\": \"{hostile}\""
            ),
        )
    });
    let text = format!(
        "{{\"machine\": {{\"cpu\": \"{hostile}\", \"date\": \"{hostile}\"}}, \"rows\": [{}], \
         \"{hostile}\": [{{\"{hostile}\": \"{hostile}\"}}]}}",
        rows.join(", ")
    );
    let results = Folder {
        runs: vec![Run::parse(hostile, &text).unwrap()],
        left_out: vec![(hostile.to_owned(), hostile.to_owned())],
    };
    let html = page(&results).unwrap();
    for tag in tags(&html) {
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(!["img", "script", "iframe", "object"].contains(&name), "{tag}");
        assert!(!tag.contains(" onerror=\""), "{tag}");
    }
    assert_eq!(html.matches("</style>").count(), 1);
    assert!(html.contains("&#60;img src=x onerror=alert(1)&#62;"));
}

#[test]
fn unknown_experiments_have_bars_and_a_table() {
    let rows = [
        row("novelty", "zorb", "cdr", ", \"layer_ns\": 12.5, \"word\": \"client\""),
        row("novelty", "zorb", "giop", ", \"layer_ns\": 40"),
    ];
    let html = made(&[&run(&rows)]);
    assert!(html.contains("<h2>novelty</h2>"));
    assert_eq!(html.matches("<path class=\"bar\"").count(), 2);
    assert!(html.contains(">layer_ns</th>") && html.contains("<td class=\"n\">12.500</td>"));
}

#[test]
fn numbers_at_the_end_of_their_range_make_a_page_too() {
    let rows: Vec<String> = ["0", "1e308", "-1e308", "5e-324", "1"]
        .iter()
        .enumerate()
        .map(|(index, number)| {
            let rest = format!(
                ", \"payload\": {index}, \"p50_us\": {number}, \"p50_q1_us\": {number}, \
                 \"p50_q3_us\": {number}, \"ratio_to_raw\": {number}"
            );
            row("latency", "zorb", "echo", &rest)
        })
        .collect();
    let html = made(&[&run(&rows)]);
    tags(&html);
    for wrong in ["NaN", "inf"] {
        assert!(!html.contains(wrong), "{wrong}");
    }
}

#[test]
fn the_number_of_charts_is_limited() {
    let rows: Vec<String> = (0..2000)
        .map(|index| {
            row("latency", "zorb", &format!("work{index}"), ", \"p50_us\": 3, \"ratio_to_raw\": 2")
        })
        .collect();
    let html = made(&[&run(&rows)]);
    assert_eq!(html.matches("<path class=\"bar\"").count(), 60);
    assert_eq!(html.matches("<tr class=\"first\"").count(), 2000 + 1);
}

#[test]
fn the_page_begins_with_what_most_people_call_by() {
    let of = |transport: &str, count: usize| {
        let ping = row("latency", "zorb", "ping", ", \"p50_us\": 3").replace("iiop", transport);
        run(&vec![ping; count])
    };
    // Files come in the order of their names.
    let html = made(&[&of("shmiop", 9), &of("uiop", 1), &of("iiop", 1), &of("iiop", 2)]);
    let files: Vec<usize> = ["3.json", "2.json", "1.json", "0.json"]
        .map(|name| html.find(&format!("from <code>{name}</code>")).unwrap())
        .into();
    assert!(files.is_sorted(), "{files:?}");
}
