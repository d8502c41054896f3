//! Documentation comments.

use std::rc::Rc;

/// A comment between two tokens.
#[derive(Debug)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) first_line: u32,
    pub(super) last_line: u32,
    /// Column offset in its line, which identifies continued trailing comments.
    pub(super) column: usize,
    /// Whether it is the first thing on its line.
    pub(super) own_line: bool,
}

/// The documentation in `comments`, which precede a token on `line`: the block that ends on the
/// line above the token (or on the token's line) and contains no blank lines. A comment after other
/// code belongs to that code, except `/** ... */` directly before the token.
pub(super) fn documentation(comments: &[Comment], line: u32) -> Option<Rc<str>> {
    let mut below = line;
    let mut first = comments.len();
    for (index, comment) in comments.iter().enumerate().rev() {
        let adjacent = comment.last_line.saturating_add(1) >= below;
        let inline = comment.text.starts_with("/**") && comment.last_line == line;
        if !adjacent || !(comment.own_line || inline) {
            break;
        }
        below = comment.first_line;
        first = index;
    }
    // A comment that continues a trailing comment on the next line belongs to it.
    if let Some(before) = first.checked_sub(1).and_then(|index| comments.get(index))
        && !before.own_line
    {
        let mut last_line = before.last_line;
        while let Some(next) = comments.get(first)
            && next.column == before.column
            && next.first_line == last_line + 1
            && next.text.starts_with("//")
        {
            last_line = next.last_line;
            first += 1;
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for comment in comments.get(first..).unwrap_or(&[]) {
        clean(&comment.text, &mut lines);
    }
    let is_rule = |line: &String| line.chars().all(|char| "/*-=#~ ".contains(char));
    let start = lines.iter().position(|line| !is_rule(line))?;
    let end = lines.iter().rposition(|line| !is_rule(line))?;
    Some(lines.get(start..=end)?.join("\n").into())
}

/// Strips comment markers and common decoration.
fn clean(text: &str, lines: &mut Vec<String>) {
    if let Some(rest) = text.strip_prefix("//") {
        let rest = rest.strip_prefix(['/', '!']).unwrap_or(rest);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        lines.push(rest.trim_end().to_owned());
        return;
    }
    let body = text.strip_prefix("/*").unwrap_or(text);
    let body = body.strip_suffix("*/").unwrap_or(body);
    let body = body.strip_prefix(['*', '!']).unwrap_or(body);
    for line in body.lines() {
        let line = line.trim();
        let line = line.strip_prefix('*').unwrap_or(line);
        let line = line.strip_prefix(' ').unwrap_or(line);
        lines.push(line.trim_end().to_owned());
    }
}
