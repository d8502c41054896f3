//! The files that the rules check: everything that git tracks or would track, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::manifest::Manifest;

/// Larger files contain data, not text written by people.
const MAX_TEXT: u64 = 1 << 20;

/// One text file.
#[derive(Debug)]
pub(crate) struct File {
    /// From the workspace's root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The workspace, as the rules see it.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    paths: BTreeSet<String>,
    files: Vec<File>,
    manifests: Vec<Manifest>,
}

impl Tree {
    /// Reads the workspace at `root`.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub(crate) fn load(root: &Path) -> io::Result<Self> {
        let mut texts = Vec::new();
        let mut paths = BTreeSet::new();
        for path in list(root)? {
            let full = root.join(&path);
            // A file may be in git's index but deleted on disk.
            let Ok(meta) = fs::metadata(&full) else { continue };
            paths.insert(path.clone());
            if meta.is_file()
                && meta.len() <= MAX_TEXT
                && let Ok(text) = String::from_utf8(fs::read(&full)?)
            {
                texts.push((path, text));
            }
        }
        Ok(Self::build(paths, texts))
    }

    /// A workspace of these files, for tests of the rules.
    #[cfg(test)]
    pub(crate) fn from_texts(files: &[(&str, &str)]) -> Self {
        let texts: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self::build(texts.iter().map(|(path, _)| path.clone()).collect(), texts)
    }

    fn build(paths: BTreeSet<String>, texts: Vec<(String, String)>) -> Self {
        let renames = texts
            .iter()
            .find(|(path, _)| path == "Cargo.toml")
            .map_or_else(BTreeMap::new, |(_, text)| super::manifest::workspace_renames(text));
        let manifests = texts
            .iter()
            .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
            .map(|(path, text)| Manifest::parse(path, text, &renames))
            .collect();
        let files = texts.into_iter().map(|(path, text)| File { path, text }).collect();
        Self { paths, files, manifests }
    }

    /// Every text file.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    /// Every `Cargo.toml`, including the workspace's own.
    pub(crate) fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// Whether the project contains a file or folder of this name.
    pub(crate) fn contains(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let folder = format!("{path}/");
        let below = || self.paths.range(folder.clone()..).next();
        path.is_empty()
            || self.paths.contains(path)
            || below().is_some_and(|first| first.starts_with(&folder))
    }
}

/// Whether Rust is hand-written: not in a folder named `generated`.
pub(crate) fn is_written_by_hand(path: &str) -> bool {
    path.ends_with(".rs") && !path.split('/').any(|part| part == "generated")
}

/// Whether a file contains tests: in a folder of tests, named for its tests, or in a crate of test code.
pub(crate) fn is_test_path(path: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    let tests =
        |part| matches!(part, "tests" | "benches" | "fuzz" | "zorb-conformance" | "zorb-testkit");
    stem.ends_with("_tests") || stem.split('/').any(tests)
}

/// The files below `root`: git's list if there is one, otherwise all.
fn list(root: &Path) -> io::Result<Vec<String>> {
    let git = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output();
    if let Ok(output) = git {
        let names: Vec<String> = output
            .stdout
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        if output.status.success() && !names.is_empty() {
            return Ok(names);
        }
    }
    let mut names = Vec::new();
    walk(root, "", &mut names)?;
    Ok(names)
}

fn walk(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "target" || name == ".git" {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), names)?;
        } else {
            names.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_the_folders_above_them_are_contained() {
        let tree = Tree::from_texts(&[("docs/book/intro.md", ""), ("docs.md", "")]);
        for there in ["docs/book/intro.md", "docs/book", "docs/", "docs.md", ""] {
            assert!(tree.contains(there), "{there}");
        }
        for missing in ["docs/boo", "intro.md", "docs/book/intro.md/x"] {
            assert!(!tree.contains(missing), "{missing}");
        }
    }

    #[test]
    fn the_walk_without_git_skips_build_outputs() {
        let mut names = Vec::new();
        walk(&crate::root().join("xtask"), "", &mut names).expect("xtask's folder can be read");
        assert!(names.iter().any(|name| name == "src/tidy/tree.rs"), "{names:?}");
        assert!(!names.iter().any(|name| name.starts_with("target/")), "{names:?}");
    }
}
