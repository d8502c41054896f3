//! IDL comments as Rust documentation.

use std::fmt::Write as _;

/// `#[doc]` attributes for a comment, or for `default` when there is none.
///
/// The text is escaped so that nothing in it becomes a doctest, a link or an HTML tag.
pub(crate) fn attributes(docs: Option<&str>, otherwise: &str) -> String {
    let text = match docs.map(clean) {
        Some(text) if !text.is_empty() => text,
        _ => otherwise.to_owned(),
    };
    let mut attributes = String::new();
    for line in text.lines() {
        let line = if line.is_empty() { String::new() } else { format!(" {line}") };
        let _ = writeln!(attributes, "#[doc = {line:?}]");
    }
    attributes
}

fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    let mut fenced = false;
    for line in text.trim().lines() {
        let line = line.trim_end();
        let indent = line.len() - line.trim_start().len();
        let words = line.trim_start();
        if words.starts_with("```") {
            fenced = !fenced;
            cleaned.push_str(if fenced { "```text" } else { "```" });
        } else if fenced {
            cleaned.push_str(line);
        } else {
            // Four columns of indentation would start a code block, which rustdoc runs as a test.
            cleaned.push_str(&" ".repeat(indent.min(3)));
            escape_into(words, &mut cleaned);
        }
        cleaned.push('\n');
    }
    if fenced {
        cleaned.push_str("```\n");
    }
    cleaned.trim_end().to_owned()
}

fn escape_into(words: &str, out: &mut String) {
    let mut code = false;
    for character in words.chars() {
        match character {
            '`' => code = !code,
            '[' | ']' | '<' | '>' if !code => out.push('\\'),
            '\t' => {
                out.push(' ');
                continue;
            }
            _ => {}
        }
        out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_code_links_or_tags() {
        assert_eq!(clean("a <b> and [c]"), "a \\<b\\> and \\[c\\]");
        assert_eq!(clean("keep `<b>[c]`"), "keep `<b>[c]`");
        assert_eq!(clean("list:\n        deep\n\ttab"), "list:\n   deep\n tab");
        assert_eq!(clean("```\nlet x = [1];\n"), "```text\nlet x = [1];\n```");
        assert_eq!(clean("  \n "), "");
    }

    #[test]
    fn every_item_gets_a_line() {
        assert_eq!(attributes(None, "The thing."), "#[doc = \" The thing.\"]\n");
        assert_eq!(
            attributes(Some("one\n\n\"two\""), ""),
            "#[doc = \" one\"]\n#[doc = \"\"]\n#[doc = \" \\\"two\\\"\"]\n"
        );
    }
}
