//! The tree of facts as text for people.

use std::fmt::Write as _;

use super::facts::{Fact, Facts, Named, hex, printable};
use crate::screen::{FAINT, HEADING, paint, visible};

/// Octets on one line; more are dumped.
const SHORT: usize = 24;
/// Octets on one line of a dump.
const ROW: usize = 16;

pub(super) fn render(facts: &Facts) -> String {
    let mut text = String::new();
    write_facts(&mut text, facts, 0);
    text
}

fn write_facts(text: &mut String, facts: &Facts, depth: usize) {
    let indent = "  ".repeat(depth);
    let is_plain = |named: &&&Named| !matches!(named.fact, Fact::Group(_) | Fact::Groups(_));
    let shown: Vec<&Named> = facts.iter().filter(|named| !named.is_for_programs).collect();
    let width = shown.iter().filter(is_plain).map(|named| named.name.len()).max().unwrap_or(0);
    for Named { name, fact, .. } in shown {
        let label = name.replace('_', " ");
        let mut line = |value: &str| {
            let label = paint(FAINT, &format!("{label:width$}"));
            let _ = writeln!(text, "{indent}{label}  {value}");
        };
        match fact {
            Fact::Text(value) => line(&visible(value)),
            Fact::Number(value) => line(&value.to_string()),
            Fact::Flag(value) => line(if *value { "yes" } else { "no" }),
            Fact::Texts(values) if values.is_empty() => line("none"),
            Fact::Texts(values) => line(&visible(&values.join(", "))),
            Fact::Octets(octets) if octets.is_empty() => line("none"),
            Fact::Octets(octets) if octets.len() <= SHORT => {
                line(&format!("{}  {}", hex(octets), paint(FAINT, &quoted(octets))));
            }
            Fact::Octets(octets) => {
                line(&format!("{} octets", octets.len()));
                dump(text, octets, depth + 1);
            }
            Fact::Group(group) => write_group(text, &label, group, depth),
            Fact::Groups(groups) if groups.is_empty() => line("none"),
            Fact::Groups(groups) => {
                for (index, group) in groups.iter().enumerate() {
                    let label = format!("{} {}", singular(&label), index + 1);
                    write_group(text, &label, group, depth);
                }
            }
        }
    }
}

fn write_group(text: &mut String, name: &str, group: &Facts, depth: usize) {
    let indent = "  ".repeat(depth);
    let title = visible(group.title());
    let heading = format!("{indent}{}  {title}", paint(HEADING, name));
    let _ = writeln!(text, "{}", heading.trim_end());
    write_facts(text, group, depth + 1);
}

fn singular(plural: &str) -> &str {
    match plural {
        "policies" => "policy",
        "addresses" => "address",
        plural => plural.strip_suffix('s').unwrap_or(plural),
    }
}

fn quoted(octets: &[u8]) -> String {
    format!("\"{}\"", printable(octets))
}

fn dump(text: &mut String, octets: &[u8], depth: usize) {
    let indent = "  ".repeat(depth);
    for (row, chunk) in octets.chunks(ROW).enumerate() {
        let digits: Vec<String> = chunk.iter().map(|octet| format!("{octet:02x}")).collect();
        let digits = digits.join(" ");
        let width = ROW * 3 - 1;
        let offset = paint(FAINT, &format!("{:04x}", row * ROW));
        let _ = writeln!(text, "{indent}{offset}  {digits:width$}  {}", printable(chunk));
    }
}
