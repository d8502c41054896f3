//! Renders fields as text.

use std::fmt::Write as _;

use super::fields::{Field, Node, Value, hex, printable};
use crate::screen::{FAINT, HEADING, paint, visible};

/// The maximum number of octets shown on one line; more are dumped.
const SHORT: usize = 24;
/// The number of octets per line of a dump.
const ROW: usize = 16;

pub(super) fn render(fields: &Node) -> String {
    let mut text = String::new();
    write_facts(&mut text, fields, 0);
    text
}

fn write_facts(text: &mut String, fields: &Node, depth: usize) {
    let indent = "  ".repeat(depth);
    let is_plain = |named: &&&Field| !matches!(named.value, Value::Group(_) | Value::Groups(_));
    let shown: Vec<&Field> = fields.iter().filter(|named| !named.json_only).collect();
    let width = shown.iter().filter(is_plain).map(|named| named.name.len()).max().unwrap_or(0);
    for Field { name, value, .. } in shown {
        let label = name.replace('_', " ");
        let mut line = |value: &str| {
            let label = paint(FAINT, &format!("{label:width$}"));
            let _ = writeln!(text, "{indent}{label}  {value}");
        };
        match value {
            Value::Text(value) => line(&visible(value)),
            Value::Number(value) => line(&value.to_string()),
            Value::Flag(value) => line(if *value { "yes" } else { "no" }),
            Value::Texts(values) if values.is_empty() => line("none"),
            Value::Texts(values) => line(&visible(&values.join(", "))),
            Value::Octets(octets) if octets.is_empty() => line("none"),
            Value::Octets(octets) if octets.len() <= SHORT => {
                line(&format!("{}  {}", hex(octets), paint(FAINT, &quoted(octets))));
            }
            Value::Octets(octets) => {
                line(&format!("{} octets", octets.len()));
                dump(text, octets, depth + 1);
            }
            Value::Group(group) => write_group(text, &label, group, depth),
            Value::Groups(groups) if groups.is_empty() => line("none"),
            Value::Groups(groups) => {
                for (index, group) in groups.iter().enumerate() {
                    let label = format!("{} {}", singular(&label), index + 1);
                    write_group(text, &label, group, depth);
                }
            }
        }
    }
}

fn write_group(text: &mut String, name: &str, group: &Node, depth: usize) {
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
