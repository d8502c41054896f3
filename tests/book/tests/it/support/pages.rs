//! Reads and parses the project's Markdown.

use std::fs;
use std::path::{Path, PathBuf};

/// The project's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the project.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Writes a file of the project atomically, because other tests may be reading it.
pub(crate) fn write(path: &str, text: &str) {
    let (whole, part) = (root().join(path), root().join(format!("{path}.new")));
    fs::write(&part, text).and_then(|()| fs::rename(&part, &whole)).unwrap();
}

/// The pages of the book, from the root.
pub(crate) fn pages() -> Vec<String> {
    files_below("docs/src", "md")
}

/// The files below `folder` with that extension, from the root, in order.
pub(crate) fn files_below(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if root().join(&path).is_dir() {
            found.extend(files_below(&path, extension));
        } else if name.ends_with(&format!(".{extension}")) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The page and line of its fence.
    pub(crate) place: String,
    pub(crate) language: String,
    pub(crate) lines: Vec<String>,
}

/// The fenced blocks of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (index, line) in read(page).lines().enumerate() {
        match (open, line.strip_prefix("```")) {
            (false, Some(language)) => {
                open = true;
                let place = format!("{page}:{}", index + 1);
                found.push(Block { place, language: language.to_owned(), lines: Vec::new() });
            }
            (true, Some(_)) => open = false,
            (true, None) => found.last_mut().unwrap().lines.push(line.to_owned()),
            (false, None) => {}
        }
    }
    found
}
