//! Every page shows where the names of Zorb come from that its Rust blocks use.

use crate::pages::{compiled, stands_in};
use crate::support::pages::{blocks, pages, read};

/// The names that `text` imports from Zorb's crates, but those of traits that are imported without a name.
fn imported(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for item in text.split(';') {
        let Some((_, path)) = item.rsplit_once("use zorb") else { continue };
        let list = path.split_once('{').map_or(path, |(_, list)| list.trim_end_matches('}'));
        let leaves = list.split(',').filter_map(|leaf| leaf.rsplit("::").next());
        names.extend(leaves.map(|leaf| leaf.trim().to_owned()));
    }
    names.retain(|name| !name.is_empty() && !name.contains(' '));
    names
}

/// Whether `text` has `name` as a whole word, neither in quotes nor in a path.
fn uses(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with("::") && !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[test]
fn every_page_imports_what_its_blocks_use() {
    let compiled = compiled();
    let mut missing = Vec::new();
    let mut checked = 0;
    // The tutorial says which files to copy.
    for page in pages().iter().filter(|page| !page.ends_with("/tutorial.md")) {
        let rust: Vec<_> =
            blocks(page).into_iter().filter(|block| block.language == "rust").collect();
        let shown: Vec<_> =
            rust.iter().flat_map(|block| imported(&block.lines.join("\n"))).collect();
        let prose = read(page);
        for block in &rust {
            let Some((file, lines)) = compiled.iter().find(|(_, lines)| stands_in(block, lines))
            else {
                continue;
            };
            // Its page says that the package shows the rest.
            if file.starts_with("examples/plug-in/") {
                continue;
            }
            let text = block.lines.join("\n");
            for name in imported(&lines.join("\n")) {
                if uses(&text, &name) {
                    checked += 1;
                    let is_said = prose.contains(&format!("`{name}` is in `zorb"));
                    if !is_said && !shown.contains(&name) {
                        missing.push(format!("{}: {name} of {file}", block.place));
                    }
                }
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "not imported on the page:\n{}", missing.join("\n"));
    assert!(checked > 100, "{checked} names only");
}
