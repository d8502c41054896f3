//! The standard's IDL as omniORB ships it (Debian's package `omniorb-idl`) becomes Rust that
//! compiles: it is part of this program, a module for each file.
//!
//! Without the package there is one ignored test; with `REQUIRE_TOOLS` set, that is a failure.

use std::collections::BTreeSet;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

#[allow(dead_code, unused_imports, reason = "to compile is all that is asked of it")]
mod idl {
    include!(concat!(env!("OUT_DIR"), "/corpora.rs"));
}

/// Rejected files with their diagnostic codes and the reason.
const REFUSED: &[(&str, &[&str], &[&str])] = &[(
    "it uses the pseudo type `CORBA::Environment` in an interface that is not local",
    &["E0437"],
    &["COS/CosTSPortability.idl"],
)];

/// Files that the package has at least.
const MIN_FILES: usize = 60;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let count = idl::COMPILED.len() + idl::REFUSED.len();
    let trials = if count == 0 {
        let required = std::env::var_os("REQUIRE_TOOLS").is_some_and(|value| value != "0");
        let why = || Err("it was not there when this test was built".into());
        vec![Trial::test("omniorb_idl_is_installed", why).with_ignored_flag(!required)]
    } else {
        let known = idl::REFUSED.iter().map(|&(file, codes)| {
            Trial::test(format!("refused/{file}"), move || refused_rightly(file, codes))
        });
        let mut trials: Vec<Trial> = known.collect();
        trials.push(Trial::test("nothing_compiles_that_is_said_not_to", no_listed_file_compiles));
        trials.push(Trial::test("the_corpus_is_there", move || match count {
            MIN_FILES.. => Ok(()),
            few => Err(format!("only {few} files").into()),
        }));
        trials
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn refused_rightly(file: &str, codes: &[&str]) -> Result<(), Failed> {
    let known = REFUSED.iter().find(|(_, _, files)| files.contains(&file));
    match known {
        Some((_, expected, _)) if *expected == codes => Ok(()),
        Some((why, ..)) => Err(format!("{codes:?} instead of: {why}").into()),
        None => Err(format!("it has no Rust: {codes:?}").into()),
    }
}

/// The list above is no longer than it has to be.
fn no_listed_file_compiles() -> Result<(), Failed> {
    let refused: BTreeSet<&str> = idl::REFUSED.iter().map(|(file, _)| *file).collect();
    let listed = REFUSED.iter().flat_map(|(_, _, files)| *files);
    let compiled: Vec<_> = listed.filter(|file| !refused.contains(*file)).collect();
    if compiled.is_empty() { Ok(()) } else { Err(format!("{compiled:?}").into()) }
}
