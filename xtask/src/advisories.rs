//! `cargo xtask advisories`: compares the dependencies with a snapshot of the RustSec database, without a network.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Error, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use clap::Args;

/// Compare Cargo.lock with xtask/advisories, a snapshot of the RustSec advisory database
///
/// By cargo-deny and without a network. First a control: an advisory about a dependency that is planted in a copy must
/// be found. The lock files of fuzz and examples/plug-in have the same versions, or packages that no advisory is about.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Write the snapshot anew: the date, and the advisories about crates in the lock files, each without its
    /// description. Takes them from FOLDER, a checkout of the database, or fetches the database
    #[arg(long, value_name = "FOLDER", num_args = 0..=1)]
    update: Option<Option<PathBuf>>,
}

/// The snapshot.
const SNAPSHOT: &str = "xtask/advisories";
/// The lock file that cargo-deny reads.
const LOCK: &str = "Cargo.lock";
/// Those of the folders that are workspaces of their own.
const OTHER_LOCKS: [&str; 2] = ["fuzz/Cargo.lock", "examples/plug-in/Cargo.lock"];
/// Where the databases that cargo-deny reads are made.
const MADE: &str = "target/advisories";
/// What cargo-deny calls its copy of the RustSec database.
const DATABASE: &str = "advisory-db-3157b0e258782691";
/// The advisory of the control, and the crate that it is about.
const PLANTED: (&str, &str) = ("RUSTSEC-9999-0001", "libc");

pub(crate) fn command(root: &Path, options: &Options, out: &mut dyn Write) -> io::Result<ExitCode> {
    match &options.update {
        None => check(root, out),
        Some(Some(database)) => update_snapshot(root, database, out),
        Some(None) => update_snapshot(root, &fetched(root)?, out),
    }
}

fn check(root: &Path, out: &mut dyn Write) -> io::Result<ExitCode> {
    let (id, package) = PLANTED;
    let planted = format!(
        "```toml\n[advisory]\nid = \"{id}\"\npackage = \"{package}\"\ndate = \"2026-01-01\"\n\n\
         [versions]\npatched = []\n```\n\n# Planted\n"
    );
    let control = deny(root, "control", Some(&planted))?;
    if control.status.success() || !text(&control).contains(id) {
        let why = text(&control);
        return Err(Error::other(format!("the planted advisory {id} is not found:\n{why}")));
    }
    let found = deny(root, "snapshot", None)?;
    let date = fs::read_to_string(root.join(SNAPSHOT).join("date"))?;
    out.write_all(text(&found).as_bytes())?;
    let mut uncertain = Vec::new();
    for lock in OTHER_LOCKS {
        let has_advisories = |name: &str| root.join(SNAPSHOT).join("crates").join(name).exists();
        let (own, other) = (fs::read_to_string(root.join(LOCK))?, root.join(lock));
        for package in uncompared(&own, &fs::read_to_string(other)?, has_advisories)? {
            uncertain.push(format!("{lock}: {package} has advisories and is not in {LOCK}"));
        }
    }
    for line in &uncertain {
        writeln!(out, "advisories: {line}: update it")?;
    }
    writeln!(out, "advisories: compared with the snapshot of {}", date.trim())?;
    let is_good = found.status.success() && uncertain.is_empty();
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The packages of `other` which the comparison of `own` does not cover, and which have advisories.
fn uncompared(
    own: &str,
    other: &str,
    has_advisories: impl Fn(&str) -> bool,
) -> io::Result<Vec<String>> {
    let own = packages(own)?;
    let mut others = packages(other)?;
    others.retain(|package| !own.contains(package) && has_advisories(&package.0));
    Ok(others.into_iter().map(|(name, version)| format!("{name} {version}")).collect())
}

/// Runs cargo-deny with the snapshot, and with one more advisory if there is one.
fn deny(root: &Path, name: &str, planted: Option<&str>) -> io::Result<Output> {
    let databases = root.join(MADE).join(name);
    let database = databases.join(DATABASE);
    let _ = fs::remove_dir_all(&database);
    copy(&root.join(SNAPSHOT).join("crates"), &database.join("crates"))?;
    if let Some(advisory) = planted {
        let (id, package) = PLANTED;
        let folder = database.join("crates").join(package);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{id}.md")), advisory)?;
    }
    // cargo-deny reads repositories only, and takes the date of the last commit for that of the database.
    git(&database, &["init", "--quiet"])?;
    git(&database, &["add", "--all"])?;
    let author = ["-c", "user.name=xtask", "-c", "user.email=xtask@localhost"];
    git(&database, &[&author[..], &["commit", "--quiet", "--message", "Snapshot"]].concat())?;
    let config = config(root, &databases)?;
    cargo_deny(root, &config, &["--offline", "check", "advisories"])
}

/// The configuration of the workspace for databases in this folder.
fn config(root: &Path, databases: &Path) -> io::Result<PathBuf> {
    let own = fs::read_to_string(root.join("deny.toml"))?;
    let setting = format!("[advisories]\ndb-path = {:?}\n", databases.display().to_string());
    let text = own.replacen("[advisories]\n", &setting, 1);
    fs::create_dir_all(databases)?;
    let file = databases.join("deny.toml");
    fs::write(&file, text)?;
    Ok(file)
}

fn cargo_deny(root: &Path, config: &Path, args: &[&str]) -> io::Result<Output> {
    let mut program = Command::new("cargo-deny");
    program.current_dir(root).arg("--config").arg(config).args(args).output()
}

fn git(folder: &Path, args: &[&str]) -> io::Result<()> {
    let output = Command::new("git").current_dir(folder).args(args).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::other(format!("git {}: {}", args.join(" "), text(&output))))
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Fetches the database into a folder.
fn fetched(root: &Path) -> io::Result<PathBuf> {
    let databases = root.join(MADE).join("fetched");
    let config = config(root, &databases)?;
    let fetched = cargo_deny(root, &config, &["fetch", "db"])?;
    if !fetched.status.success() {
        return Err(Error::other(text(&fetched)));
    }
    Ok(databases.join(DATABASE))
}

fn update_snapshot(root: &Path, database: &Path, out: &mut dyn Write) -> io::Result<ExitCode> {
    if !database.join("crates").is_dir() {
        let why = format!("{} has no folder `crates`: is it a checkout?", database.display());
        return Err(Error::other(why));
    }
    // Another repository around a plain copy says nothing of the copy's age.
    let show = ["--git-dir=.git", "show", "--no-patch", "--format=%cs", "HEAD"];
    let shown = Command::new("git").current_dir(database).args(show).output()?;
    let snapshot = root.join(SNAPSHOT);
    let _ = fs::remove_dir_all(snapshot.join("crates"));
    let (count, newest) = write_snapshot(database, &names(root)?, &snapshot)?;
    let date = if shown.status.success() { text(&shown) } else { newest };
    fs::write(snapshot.join("date"), format!("{}\n", date.trim()))?;
    writeln!(out, "{SNAPSHOT}: {count} advisories")?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the advisories of `database` about these packages to `snapshot`; their number, and the date of the newest.
fn write_snapshot(
    database: &Path,
    packages: &BTreeSet<String>,
    snapshot: &Path,
) -> io::Result<(usize, String)> {
    let (mut count, mut newest) = (0, String::new());
    for package in packages {
        let Ok(entries) = fs::read_dir(database.join("crates").join(package)) else { continue };
        for entry in entries {
            let entry = entry?;
            let Some(advisory) = shortened(&fs::read_to_string(entry.path())?) else { continue };
            let folder = snapshot.join("crates").join(package);
            fs::create_dir_all(&folder)?;
            newest = newest.max(date_of(&advisory).unwrap_or_default().to_owned());
            fs::write(folder.join(entry.file_name()), advisory)?;
            count += 1;
        }
    }
    Ok((count, newest))
}

/// When an advisory was issued.
fn date_of(advisory: &str) -> Option<&str> {
    let line = advisory.lines().find(|line| line.starts_with("date"))?;
    line.split('"').nth(1)
}

/// The names of the packages from registries in all lock files.
fn names(root: &Path) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for lock in [LOCK].into_iter().chain(OTHER_LOCKS) {
        let packages = packages(&fs::read_to_string(root.join(lock))?)?;
        names.extend(packages.into_iter().map(|(name, _)| name));
    }
    Ok(names)
}

/// The packages from registries: names and versions.
fn packages(lock: &str) -> io::Result<Vec<(String, String)>> {
    let lock: toml::Table = toml::from_str(lock).map_err(Error::other)?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    let foreign = packages.filter(|package| package.get("source").is_some());
    let text = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let named =
        foreign.filter_map(|package| Some((text(package, "name")?, text(package, "version")?)));
    Ok(named.collect())
}

/// An advisory without its description; `None` if it was withdrawn.
fn shortened(advisory: &str) -> Option<String> {
    let (front, rest) = advisory.strip_prefix("```toml\n")?.split_once("\n```")?;
    let title = rest.lines().find(|line| line.starts_with("# ")).unwrap_or("# No title");
    let is_withdrawn = front.lines().any(|line| line.starts_with("withdrawn"));
    (!is_withdrawn).then(|| format!("```toml\n{front}\n```\n\n{title}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_those_of_registries() {
        let lock = "[[package]]\nname = \"own\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"rand\"\nversion = \"1.0.0\"\nsource = \"registry+x\"\n\n\
                    [[package]]\nname = \"rand\"\nversion = \"2.0.0\"\nsource = \"registry+x\"\n";
        let of = |version: &str| ("rand".to_owned(), version.to_owned());
        assert_eq!(packages(lock).expect("a lock file"), [of("1.0.0"), of("2.0.0")]);
    }

    #[test]
    fn other_lock_files_have_nothing_to_compare() {
        let entry = |name: &str, version: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"x\"\n")
        };
        let own = entry("rand", "2.0.0") + &entry("ring", "1.0.0");
        let has_advisories = |name: &str| name == "rand";
        let found = |other: &str| uncompared(&own, other, has_advisories).expect("lock files");
        assert!(found(&own).is_empty());
        assert!(found(&entry("fuzzer", "1.0.0")).is_empty());
        assert_eq!(found(&entry("rand", "1.0.0")), ["rand 1.0.0"]);
    }

    #[test]
    fn advisories_lose_their_descriptions_and_withdrawn_ones_are_left_out() {
        let advisory = "```toml\n[advisory]\nid = \"X\"\n```\n\n# Title\n\nText.\n\n# More\n";
        let short = "```toml\n[advisory]\nid = \"X\"\n```\n\n# Title\n";
        assert_eq!(shortened(advisory).as_deref(), Some(short));
        assert_eq!(shortened(short).as_deref(), Some(short));
        assert_eq!(shortened(&advisory.replace("id = \"X\"", "withdrawn = \"2026-01-01\"")), None);
    }

    #[test]
    fn a_snapshot_is_made_from_a_checkout() {
        let folder = std::env::temp_dir().join(format!("zorb-advisories-{}", std::process::id()));
        let advisory = |package: &str, date: &str, withdrawn: &str| {
            format!(
                "```toml\n[advisory]\nid = \"X\"\npackage = \"{package}\"\ndate = \"{date}\"\n\
                 {withdrawn}[versions]\npatched = []\n```\n\n# Title\n\nText.\n"
            )
        };
        let files = [
            ("rand/1.md", advisory("rand", "2026-02-03", "")),
            ("rand/2.md", advisory("rand", "2026-02-04", "withdrawn = \"2026-02-05\"\n")),
            ("ring/3.md", advisory("ring", "2025-02-03", "")),
            ("other/4.md", advisory("other", "2026-02-06", "")),
        ];
        for (name, text) in &files {
            let file = folder.join("crates").join(name);
            fs::create_dir_all(file.parent().expect("a folder")).expect("created");
            fs::write(file, text).expect("written");
        }
        let packages = ["none", "rand", "ring"].map(str::to_owned).into();
        let snapshot = folder.join("snapshot");
        let made = write_snapshot(&folder, &packages, &snapshot).expect("a snapshot");
        assert_eq!(made, (2, "2026-02-03".to_owned()));
        for (name, is_there) in [("rand/1.md", true), ("rand/2.md", false), ("other/4.md", false)] {
            assert_eq!(snapshot.join("crates").join(name).exists(), is_there, "{name}");
        }
        let short = fs::read_to_string(snapshot.join("crates/ring/3.md")).expect("an advisory");
        assert!(short.ends_with("# Title\n") && !short.contains("Text"));
        fs::remove_dir_all(folder).expect("removed");
    }

    /// Reads every advisory of the snapshot as the check does.
    #[test]
    fn the_snapshot_is_about_packages_of_the_lock_file() {
        let root = crate::root();
        let names = names(&root).expect("lock files");
        for folder in fs::read_dir(root.join(SNAPSHOT).join("crates")).expect("a snapshot") {
            let folder = folder.expect("a folder");
            let name = folder.file_name().to_string_lossy().into_owned();
            assert!(names.contains(&name), "{name} is no dependency any more");
            for file in fs::read_dir(folder.path()).expect("a folder") {
                let text = fs::read_to_string(file.expect("a file").path()).expect("an advisory");
                assert_eq!(shortened(&text).as_deref(), Some(text.as_str()));
            }
        }
    }
}
