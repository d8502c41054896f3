//! Code, links and paths in the book, the README and ARCHITECTURE.md agree with the project.

use crate::support::pages::{Block, blocks, files_below, pages, read, root};

/// Rust and IDL files that are compiled, by their path from the root.
pub(crate) fn compiled() -> Vec<(String, Vec<String>)> {
    let mut paths = files_below("tests/book/src", "rs");
    paths.extend(files_below("tests/book/idl", "idl"));
    paths.extend(files_below("examples/hello", "rs"));
    paths.extend(files_below("examples/hello/idl", "idl"));
    paths.extend(files_below("examples/accounts", "rs"));
    paths.extend(files_below("examples/accounts/idl", "idl"));
    paths.extend(files_below("examples/deferred", "rs"));
    paths.extend(files_below("examples/deferred/idl", "idl"));
    paths.extend(files_below("examples/web", "rs"));
    paths.extend(files_below("examples/web/idl", "idl"));
    paths.extend(files_below("examples/plug-in/src", "rs"));
    paths.extend(files_below("examples/plug-in/tests", "rs"));
    paths.extend(files_below("examples/sensor", "rs"));
    paths.push("examples/sensor/sensor.idl".to_owned());
    paths.push("tests/book/build.rs".to_owned());
    let generated = ["clock", "bank", "mapping"].map(|stem| {
        let path = format!("{}/{stem}.rs", env!("OUT_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        (format!("the Rust of {stem}.idl"), text)
    });
    let named = paths.into_iter().map(|path| (path.clone(), read(path)));
    named
        .chain(generated)
        .map(|(name, text)| (name, text.lines().map(str::to_owned).collect()))
        .collect()
}

/// The index of `piece` in `lines` at or after `from`, regardless of its indentation.
fn find(lines: &[String], from: usize, piece: &[String]) -> Option<usize> {
    (from..=lines.len().checked_sub(piece.len())?).find(|&start| {
        let window = &lines[start..start + piece.len()];
        let margin = window.iter().zip(piece).find(|(_, wanted)| !wanted.is_empty());
        let Some(margin) = margin.and_then(|(line, wanted)| line.strip_suffix(wanted.as_str()))
        else {
            return false;
        };
        margin.trim().is_empty()
            && window.iter().zip(piece).all(|(line, wanted)| {
                line.is_empty() && wanted.is_empty() || *line == format!("{margin}{wanted}")
            })
    })
}

/// Whether one file contains the pieces of the block between `// ...` lines, in order.
pub(crate) fn stands_in(block: &Block, lines: &[String]) -> bool {
    let mut from = 0;
    block.lines.split(|line| line.trim() == "// ...").filter(|piece| !piece.is_empty()).all(
        |piece| {
            let index = find(lines, from, piece);
            from = index.unwrap_or(from) + piece.len();
            index.is_some()
        },
    )
}

#[test]
fn every_rust_and_idl_block_is_part_of_a_compiled_file() {
    let compiled = compiled();
    let mut checked = 0;
    let mut missing = Vec::new();
    let mut all = pages();
    all.push("README.md".to_owned());
    for block in all.iter().flat_map(|page| blocks(page)) {
        if !matches!(block.language.as_str(), "rust" | "idl") {
            assert!(!block.language.contains("rust"), "{}: write `rust` alone", block.place);
            continue;
        }
        checked += 1;
        if !compiled.iter().any(|(_, lines)| stands_in(&block, lines)) {
            missing.push(format!("{}\n{}", block.place, block.lines.join("\n")));
        }
    }
    assert!(missing.is_empty(), "not compiled:\n{}", missing.join("\n\n"));
    assert!(checked > 40, "{checked} blocks only");
}

#[test]
fn every_source_file_is_part_of_the_library() {
    let library = read("tests/book/src/lib.rs") + &read("tests/book/src/tutorial.rs");
    for path in files_below("tests/book/src", "rs") {
        let stem = path.rsplit('/').next().unwrap().trim_end_matches(".rs");
        let is_root = stem == "lib" || path.contains("/bin/");
        assert!(is_root || library.contains(&format!("mod {stem};")), "{path}");
    }
}

/// Asserts that the page has the Rust and IDL files of a folder as they are.
fn assert_shows(page: &str, folder: &str, files: &[&str]) {
    let shown = read(page);
    for file in files {
        let text = read(format!("{folder}/{file}"));
        let language = if file.ends_with(".idl") { "idl" } else { "rust" };
        let block = format!("```{language}\n{}\n```", text.trim_end());
        assert!(shown.contains(&block), "{file} is not in {page} as it is");
    }
}

#[test]
fn the_page_of_the_small_orb_shows_a_program_whole() {
    let (page, folder) = ("docs/src/nano.md", "examples/sensor");
    assert_shows(page, folder, &["sensor.idl", "build.rs", "src/main.rs"]);
    let manifest = read(format!("{folder}/Cargo.toml"));
    // The first line is about the folder.
    let (_, manifest) = manifest.split_once('\n').unwrap();
    let block = format!("```toml\n{manifest}```").replace("../../crates", "../zorb/crates");
    assert!(read(page).contains(&block), "the manifest is not in {page} as it is");
}

#[test]
fn the_readme_shows_the_hello_example_whole() {
    let readme = read("README.md");
    let files = ["idl/hello.idl", "build.rs", "src/bin/hello-server.rs", "src/bin/hello-client.rs"];
    assert_shows("README.md", "examples/hello", &files);
    let manifest = read("examples/hello/Cargo.toml");
    let (_, dependencies) = manifest.split_once("[dependencies]").unwrap();
    for line in dependencies.lines().filter(|line| line.contains('=')) {
        let name = line.split_whitespace().next().unwrap();
        assert!(readme.contains(&format!("{name} = {{ path = ")), "{name} is not in README.md");
    }
    for command in ["cargo run --release -- demo", "cargo test --workspace"] {
        assert!(readme.contains(command), "{command}");
    }
}

#[test]
fn the_summary_lists_every_page() {
    let summary = read("docs/src/SUMMARY.md");
    for page in pages() {
        let name = page.trim_start_matches("docs/src/");
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{page}");
    }
}

/// The anchors of a page, which mdBook and forges derive from headings.
fn anchors(page: &str) -> Vec<String> {
    let text = read(page);
    let headings = text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    headings
        .map(|heading| {
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
        })
        .collect()
}

#[test]
fn links_inside_the_book_lead_to_headings() {
    let mut checked = 0;
    for page in pages() {
        let text = read(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let Some((file, anchor)) = link.split_once('#') else { continue };
            let target = if file.is_empty() { page.clone() } else { format!("docs/src/{file}") };
            checked += 1;
            assert!(anchors(&target).contains(&anchor.to_owned()), "{page}: {link}");
        }
    }
    assert!(checked > 5, "{checked} links only");
}

/// Code spans that look like paths: they contain a slash and only characters of paths.
fn paths(text: &str) -> Vec<&str> {
    let is_path = |span: &&str| {
        span.contains('/')
            && span.bytes().all(|o| o.is_ascii_alphanumeric() || b"_-./".contains(&o))
            && !span.starts_with('/')
    };
    text.split('`').skip(1).step_by(2).filter(is_path).collect()
}

#[test]
fn every_path_in_the_architecture_exists() {
    let text = read("ARCHITECTURE.md");
    let paths = paths(&text);
    for path in &paths {
        assert!(root().join(path).exists(), "{path}");
    }
    assert!(paths.len() > 50, "{} paths only", paths.len());
}

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let text = read("SECURITY.md");
    let paths = paths(&text);
    let tests: Vec<_> = paths.iter().filter(|path| path.ends_with(".rs")).collect();
    for path in &tests {
        assert!(root().join(path).is_file(), "{path}");
    }
    assert!(tests.len() >= 10, "{} tests only", tests.len());
}

/// The text and target of every link of a page.
fn links(text: &str) -> Vec<(&str, &str)> {
    let link = |middle: usize| {
        let (before, after) = (text.get(..middle)?, text.get(middle + 2..)?);
        Some((before.rsplit('[').next()?, after.split(')').next()?))
    };
    text.match_indices("](").filter_map(|(middle, _)| link(middle)).collect()
}

#[test]
fn every_pattern_of_the_performance_chapter_leads_to_its_code() {
    let page = read("docs/src/performance.md");
    let patterns: Vec<&str> =
        page.split("\n## ").filter(|part| part.contains("<!-- principle: ")).collect();
    assert_eq!(patterns.len(), 9);
    for pattern in patterns {
        let heading = pattern.lines().next().unwrap();
        let mut folders = Vec::new();
        for (name, target) in links(pattern).into_iter().filter(|(_, to)| to.ends_with(".rs")) {
            let code = read(format!("docs/src/{target}"));
            let name = name.trim_matches('`');
            let defined = ["fn", "const"].iter().any(|word| {
                let begin = format!("{word} {name}");
                let after = |at: usize| code[at + begin.len()..].chars().next();
                code.match_indices(&begin).any(|(at, _)| {
                    after(at).is_some_and(|next| !next.is_alphanumeric() && next != '_')
                })
            });
            assert!(defined, "{heading}: {target} has no {name}");
            folders.push(target.trim_start_matches("../").split('/').next().unwrap());
        }
        // The optimized and the plain version.
        assert!(
            folders.contains(&"crates") && folders.contains(&"tests"),
            "{heading}: {folders:?}"
        );
        // The table has been measured: two header lines, two versions and their comparison.
        let rows = pattern.lines().filter(|line| line.starts_with('|')).count();
        assert_eq!(rows, 5, "{heading}: run cargo xtask principles");
    }
}

#[test]
fn every_example_of_the_mapping_table_is_compiled() {
    let page = read("docs/src/mapping.md");
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let idl = squeeze(&(read("tests/book/idl/mapping.idl") + &read("tests/book/idl/common.idl")));
    let generated = format!("{}/mapping.rs", env!("OUT_DIR"));
    let rust = read("tests/book/src/mapping.rs") + &read("tests/book/src/values.rs");
    let rust = rust + &std::fs::read_to_string(generated).unwrap();
    let rust = squeeze(&rust);
    let rows = page.lines().skip_while(|line| !line.starts_with("| IDL |"));
    let rows: Vec<&str> = rows.take_while(|line| line.starts_with('|')).skip(2).collect();
    assert!(rows.len() >= 25, "{} rows only", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, in_idl, in_rust] = cells[..] else { panic!("four cells: {row}") };
        let spans = |cell: &str| -> Vec<String> {
            cell.split('`').skip(1).step_by(2).map(squeeze).collect()
        };
        assert!(!spans(in_idl).is_empty() && !spans(in_rust).is_empty(), "no example: {row}");
        for span in spans(in_idl) {
            assert!(idl.contains(&span), "not in mapping.idl: {span}");
        }
        for span in spans(in_rust) {
            assert!(rust.contains(&span), "not in mapping.rs, values.rs nor generated: {span}");
        }
    }
}
