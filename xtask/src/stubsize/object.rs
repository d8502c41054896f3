//! The sections of object files.

use std::io;
use std::path::Path;
use std::process::Command;

use super::{Octets, SECTIONS, expect_success};

/// The octets of an object file, or of all those in an archive.
pub(super) fn sizes(file: &Path) -> io::Result<Octets> {
    let output = Command::new("size").args(["-A", "-d"]).arg(file).output()?;
    expect_success("size", output.status.success())?;
    Ok(sections(&String::from_utf8_lossy(&output.stdout)))
}

/// The sections in the output of `size -A -d` for object files, where templates and constants have sections of their own.
fn sections(text: &str) -> Octets {
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
        let octets = sections(text);
        let of = |name: &str| octets[SECTIONS.iter().position(|one| *one == name).unwrap()];
        assert_eq!([".text", ".data.rel.ro", ".data", ".eh_frame"].map(of), [15, 8, 1, 2]);
        assert_eq!(octets.iter().sum::<i64>(), 29);
    }
}
