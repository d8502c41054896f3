//! The size of omniORB's stubs and skeletons for the same operations.

use std::io;
use std::path::Path;
use std::process::Command;

use super::{Octets, SECTIONS};

/// The octets of the stubs and skeletons together, which omniORB's IDL compiler writes to one file, at an optimization
/// level; `None` without that compiler.
pub(super) fn sizes(root: &Path, level: &str) -> io::Result<Option<Octets>> {
    let folder = root.join("target/stubsize/omniorb");
    std::fs::create_dir_all(&folder)?;
    let mut compiler = Command::new("omniidl");
    compiler.arg("-bcxx").arg("-C").arg(&folder);
    match compiler.arg(root.join("tests/stubsize/idl/param_test.idl")).status() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        status => expect_success("omniidl", status?.success())?,
    }
    let object = folder.join("param_test.o");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++20", &format!("-O{level}"), "-DNDEBUG", "-pthread", "-c"]);
    compiler.arg(folder.join("param_testSK.cc")).arg("-o").arg(&object);
    expect_success("g++", compiler.status()?.success())?;
    let output = Command::new("size").args(["-A", "-d"]).arg(&object).output()?;
    expect_success("size", output.status.success())?;
    Ok(Some(sections_of_object(&String::from_utf8_lossy(&output.stdout))))
}

fn expect_success(program: &str, succeeds: bool) -> io::Result<()> {
    match succeeds {
        true => Ok(()),
        false => Err(io::Error::other(format!("{program} failed"))),
    }
}

/// The sections in the output of `size -A -d` for an object file, where templates and constants have sections of their own.
fn sections_of_object(text: &str) -> Octets {
    let mut octets = Octets::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(size)) = (words.next(), words.next()) else { continue };
        let Ok(size) = size.parse::<i64>() else { continue };
        let is_part = |section: &str| {
            name.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let found = SECTIONS.iter().zip(&mut octets).filter(|(section, _)| is_part(section));
        if let Some((_, octets)) = found.max_by_key(|(section, _)| section.len()) {
            *octets += size;
        }
    }
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_templates_count() {
        let text = "x.o  :\nsection size addr\n.text 10 0\n.text._ZN1a 5 0\n.data.rel.ro._ZTV1a 8 0\n\
                    .group 4 0\n.data 1 0\n.eh_frame 2 0\n.eh_frame_hdr 3 0\nTotal 33\n";
        let octets = sections_of_object(text);
        let of = |name: &str| octets[SECTIONS.iter().position(|one| *one == name).unwrap()];
        assert_eq!([".text", ".data.rel.ro", ".data", ".eh_frame"].map(of), [15, 8, 1, 2]);
        assert_eq!(octets.iter().sum::<i64>(), 29);
    }
}
