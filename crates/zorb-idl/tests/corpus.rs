//! The standard's IDL as omniORB ships it (Debian's package `omniorb-idl`) is accepted.
//!
//! Without the package there is one ignored test; with `REQUIRE_PEERS` set, that is a
//! failure.
#![allow(clippy::expect_used, reason = "an unreadable corpus fails the test")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use zorb_idl::{Code, Options, compile};

const FOLDER: &str = "/usr/share/idl/omniORB";

/// Files that are not valid standard IDL, with the expected code and the reason.
const EXCEPTIONS: [(&str, Code, &str); 1] = [(
    "COS/CosTSPortability.idl",
    Code::NativeUse,
    "it uses the pseudo type `CORBA::Environment` in an interface that is not local",
)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(FOLDER);
    let trials = if folder.is_dir() {
        let mut trials: Vec<Trial> =
            files(folder).into_iter().map(|file| trial(folder, &file)).collect();
        let count = trials.len();
        trials.push(Trial::test("the_corpus_is_there", move || match count {
            60.. => Ok(()),
            few => Err(format!("only {few} files in {FOLDER}").into()),
        }));
        trials
    } else {
        let required = std::env::var_os("REQUIRE_PEERS").is_some_and(|value| value != "0");
        let name = "omniorb-idl is not installed";
        let missing = Trial::test(name, || Err(format!("there is no {FOLDER}").into()));
        vec![missing.with_ignored_flag(!required)]
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// All IDL files in the folder tree.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut work = vec![folder.to_owned()];
    while let Some(at) = work.pop() {
        for entry in std::fs::read_dir(&at).expect("a readable folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "idl") {
                found.push(path.strip_prefix(folder).expect("inside").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn trial(folder: &Path, file: &Path) -> Trial {
    let (folder, file) = (folder.to_owned(), file.to_owned());
    Trial::test(file.display().to_string(), move || check(&folder, &file))
}

/// The files in `COS` include files of the same folder, and `orb.idl`, which is built in: omniORB's own omits most of
/// the module `CORBA`.
fn check(folder: &Path, file: &Path) -> Result<(), Failed> {
    let beside = folder.join(file.parent().unwrap_or(Path::new("")));
    let options = Options::new().include_path(beside);
    let compilation = compile(&options, &[folder.join(file)]);
    let exception = EXCEPTIONS.iter().find(|(name, ..)| file == Path::new(name));
    let Some((_, code, why)) = exception else {
        return if compilation.has_errors() { Err(compilation.render().into()) } else { Ok(()) };
    };
    let errors = compilation.diagnostics.iter().filter(|item| item.code.as_str().starts_with('E'));
    let codes: Vec<Code> = errors.map(|item| item.code).collect();
    if codes == [*code] {
        return Ok(());
    }
    Err(format!("expected {code} ({why}), found\n{}", compilation.render()).into())
}
