//! A `Cargo.toml` as the rules see it: the package, its dependencies with their lines, the targets without
//! unit tests, and whether it uses the workspace's lints.

use std::collections::BTreeMap;

use toml::de::DeTable;

/// The section of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Normal,
    Dev,
    Build,
}

/// One entry of a dependency table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name of the package, even if the entry renames it.
    pub(crate) package: String,
    pub(crate) kind: DependencyKind,
    pub(crate) line: usize,
    /// Whether it is a path or comes from the workspace, and thus may be a crate of the project.
    pub(crate) local: bool,
}

/// One `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) path: String,
    /// The line and reason if the file is not valid TOML; everything else is empty then.
    pub(crate) broken: Option<(usize, String)>,
    /// The name of the package and its line; `None` for a virtual workspace.
    pub(crate) package: Option<(String, usize)>,
    pub(crate) dependencies: Vec<Dependency>,
    /// `[lints] workspace = true`.
    pub(crate) workspace_lints: bool,
    /// Libraries and programs with `test = false`.
    pub(crate) untested: Vec<Untested>,
}

/// A target whose unit tests Cargo neither builds nor runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Untested {
    /// Its root, from the package's folder.
    pub(crate) root: String,
    /// The line of `test = false`.
    pub(crate) line: usize,
}

impl Manifest {
    /// Reads a manifest; `renames` comes from [`workspace_renames`].
    pub(crate) fn parse(path: &str, text: &str, renames: &BTreeMap<String, String>) -> Self {
        let mut manifest = Self {
            path: path.to_owned(),
            broken: None,
            package: None,
            dependencies: Vec::new(),
            workspace_lints: false,
            untested: Vec::new(),
        };
        let table = match DeTable::parse(text) {
            Ok(table) => table.into_inner(),
            Err(error) => {
                let line = error.span().map_or(1, |span| line_of(text, span.start));
                manifest.broken = Some((line, error.message().to_owned()));
                return manifest;
            }
        };
        manifest.read(&table, text, renames);
        manifest
    }

    fn read(&mut self, table: &DeTable<'_>, text: &str, renames: &BTreeMap<String, String>) {
        if let Some(package) = sub_table(table, "package") {
            self.package = package.get("name").and_then(|name| {
                Some((name.get_ref().as_str()?.to_owned(), line_of(text, name.span().start)))
            });
        }
        self.workspace_lints = sub_table(table, "lints").is_some_and(|t| is_true(t, "workspace"));
        self.read_untested(table, text);
        self.read_dependencies(table, text, renames);
        if let Some(targets) = sub_table(table, "target") {
            for target in targets.values() {
                if let Some(table) = target.get_ref().as_table() {
                    self.read_dependencies(table, text, renames);
                }
            }
        }
    }

    fn read_untested(&mut self, table: &DeTable<'_>, text: &str) {
        let library = sub_table(table, "lib").map(|library| (library, "src/lib.rs".to_owned()));
        let programs = table.get("bin").and_then(|programs| programs.get_ref().as_array());
        let programs = programs.into_iter().flatten().filter_map(|program| {
            let program = program.get_ref().as_table()?;
            Some((program, format!("src/bin/{}.rs", string(program, "name")?)))
        });
        for (target, usual) in library.into_iter().chain(programs) {
            let Some(test) = target.get("test") else { continue };
            if test.get_ref().as_bool() == Some(false) {
                let root = string(target, "path").unwrap_or(usual);
                self.untested.push(Untested { root, line: line_of(text, test.span().start) });
            }
        }
    }

    fn read_dependencies(
        &mut self,
        table: &DeTable<'_>,
        text: &str,
        renames: &BTreeMap<String, String>,
    ) {
        for (section, kind) in [
            ("dependencies", DependencyKind::Normal),
            ("dev-dependencies", DependencyKind::Dev),
            ("build-dependencies", DependencyKind::Build),
        ] {
            let Some(entries) = sub_table(table, section) else { continue };
            for (key, value) in entries {
                let name: &str = key.get_ref();
                let details = value.get_ref().as_table();
                let inherited = details.is_some_and(|d| is_true(d, "workspace"));
                let renamed = details.and_then(|d| string(d, "package"));
                let shared = if inherited { renames.get(name).cloned() } else { None };
                self.dependencies.push(Dependency {
                    package: renamed.or(shared).unwrap_or_else(|| name.to_owned()),
                    kind,
                    line: line_of(text, key.span().start),
                    local: inherited || details.is_some_and(|d| d.get("path").is_some()),
                });
            }
        }
    }
}

/// The entries of `[workspace.dependencies]` that rename their package.
pub(crate) fn workspace_renames(text: &str) -> BTreeMap<String, String> {
    let Ok(table) = DeTable::parse(text) else { return BTreeMap::new() };
    let Some(entries) = sub_table(table.get_ref(), "workspace")
        .and_then(|workspace| sub_table(workspace, "dependencies"))
    else {
        return BTreeMap::new();
    };
    let renamed = entries.iter().filter_map(|(key, value)| {
        let package = string(value.get_ref().as_table()?, "package")?;
        Some((key.get_ref().to_string(), package))
    });
    renamed.collect()
}

fn sub_table<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    table.get(key)?.get_ref().as_table()
}

fn string(table: &DeTable<'_>, key: &str) -> Option<String> {
    table.get(key)?.get_ref().as_str().map(str::to_owned)
}

fn is_true(table: &DeTable<'_>, key: &str) -> bool {
    table.get(key).and_then(|value| value.get_ref().as_bool()) == Some(true)
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
