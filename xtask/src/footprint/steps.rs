//! What each step of the book's page, from an IDL file to an image on the small ORB, adds to the image.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::nano::{TARGET, contents};
use super::{grouped, succeed, target_folder};

/// The page with the table.
pub(super) const PAGE: &str = "docs/src/nano.md";
/// The line before it.
pub(super) const MARKER: &str = "<!-- steps -->\n";

/// The program of the page.
const PROGRAM: &str = "examples/sensor";
const FILES: [&str; 5] = ["Cargo.toml", "Cargo.lock", "build.rs", IDL, MAIN];
const IDL: &str = "sensor.idl";
const MAIN: &str = "src/main.rs";

/// A part of the program that is replaced.
#[derive(Clone, Copy)]
struct Change {
    file: &'static str,
    text: &'static str,
    by: &'static str,
}

const NO_SERVER: Change = Change { file: MAIN, text: "i32::from(serve().is_err())", by: "0" };
const NO_OBJECT: Change = Change {
    file: MAIN,
    text: "    server.register(b\"sensor\", Box::new(SensorSkeleton(Thermometer { offset: 0 })))?;\n",
    by: "",
};
const NO_SECOND_OPERATION: [Change; 2] = [
    Change {
        file: IDL,
        text: "    /// Sets what is added to all values.\n    oneway void calibrate(in long offset);\n",
        by: "",
    },
    Change {
        file: MAIN,
        text: "\n    fn calibrate(&mut self, offset: i32) {\n        self.offset = offset;\n    }\n",
        by: "",
    },
];
/// A client that reads a channel in the same image.
const CLIENT: [Change; 2] = [
    Change { file: MAIN, text: "serve().is_err()", by: "call().is_err() || serve().is_err()" },
    Change {
        file: MAIN,
        text: "fn serve()",
        by: "fn call() -> Result<i32, sensor::ReadError> {\n    \
             let mut client = zorb_nano::Client::new(Linux::new(1), Limits::DEFAULT.max_connections(1));\n    \
             Sensor(zorb_nano::Reference::parse(\"corbaloc::192.0.2.7:2809/sensor\")?).read(&mut client, 3)\n\
             }\n\nfn serve()",
    },
];

/// A step, and how the program before it differs from the whole one.
struct Step {
    name: &'static str,
    changes: &'static [Change],
}

const STEPS: [Step; 5] = [
    Step {
        name: "1 to 3: a `main` that does nothing; what the IDL compiler generates is left out as long as nothing uses it",
        changes: &[NO_SERVER],
    },
    Step { name: "4: a server, without an object", changes: &[NO_OBJECT] },
    Step { name: "4: the object, with the operation `read`", changes: &NO_SECOND_OPERATION },
    Step { name: "4: the operation `calibrate`", changes: &[] },
    Step { name: "a client in the same image, which calls `read`", changes: &CLIENT },
];

/// Measures the steps: prints the table, and returns it.
pub(super) fn measure(root: &Path, out: &mut dyn Write) -> io::Result<String> {
    let mut table =
        String::from("| Step | Octets of code and constants | More | File |\n|---|---|---|---|\n");
    let mut before = 0;
    for step in &STEPS {
        let image = build(root, step)?;
        let octets = contents(&image)?.iter().sum::<u64>();
        let more = octets.saturating_sub(before);
        let [all, more, file] = [octets, more, image.metadata()?.len()].map(grouped);
        table += &format!("| {} | {all} | {more} | {file} |\n", step.name);
        before = octets;
    }
    writeln!(out, "\n{table}")?;
    Ok(table)
}

/// Builds the program of a step in a folder of its own.
fn build(root: &Path, step: &Step) -> io::Result<PathBuf> {
    let target = target_folder(root, std::env::var_os("CARGO_TARGET_DIR"));
    let folder = target.join("sensor-steps");
    std::fs::create_dir_all(folder.join("src"))?;
    for file in FILES {
        let text = std::fs::read_to_string(root.join(PROGRAM).join(file))?;
        let text = changed(file, &text, step.changes)?;
        let crates = root.join("crates");
        std::fs::write(folder.join(file), text.replace("../../crates", &crates.to_string_lossy()))?;
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Not the workspace's folder, which has the program itself.
    let built = folder.join("target");
    cargo.current_dir(&folder).env("CARGO_TARGET_DIR", &built);
    cargo.args(["build", "--quiet", "--release", "--target", TARGET]);
    succeed("cargo (is the target installed? `rustup target add` it)", &mut cargo)?;
    Ok(built.join(TARGET).join("release/sensor"))
}

/// A file with the changes that are of it.
fn changed(file: &str, text: &str, changes: &[Change]) -> io::Result<String> {
    let mut text = text.to_owned();
    for change in changes.iter().filter(|change| change.file == file) {
        if text.matches(change.text).count() != 1 {
            let what = format!("{PROGRAM}/{file} does not have once: {}", change.text);
            return Err(io::Error::other(what));
        }
        text = text.replace(change.text, change.by);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_has_what_the_steps_change() {
        for step in &STEPS {
            for file in FILES {
                let text = std::fs::read_to_string(crate::root().join(PROGRAM).join(file));
                changed(file, &text.unwrap_or_default(), step.changes).expect(step.name);
            }
        }
        assert!(changed(MAIN, "fn main() {}", &[NO_SERVER]).is_err());
    }

    #[test]
    fn the_page_has_a_row_for_each_step() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).expect(PAGE);
        let (_, table) = page.split_once(MARKER).expect("the marker");
        for name in STEPS.iter().map(|step| step.name) {
            assert!(table.contains(&format!("| {name} | ")), "{name}");
        }
    }
}
