//! Splits Rust text into code and comments of the same shape: every byte keeps its place, and what
//! belongs to the other half (or to a string) is a blank.

/// The code alone and the comments alone.
pub(super) fn split(text: &str) -> (String, String) {
    let mut code = String::with_capacity(text.len());
    let mut comments = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        let (kind, length) = token(rest, first, previous);
        let (piece, after) = rest.split_at(length);
        match kind {
            Kind::Code => {
                code.push_str(piece);
                blank(&mut comments, piece);
            }
            Kind::Comment => {
                blank(&mut code, piece);
                comments.push_str(piece);
            }
            Kind::Literal => {
                blank(&mut code, piece);
                blank(&mut comments, piece);
            }
        }
        previous = piece.chars().next_back().unwrap_or(' ');
        rest = after;
    }
    (code, comments)
}

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// What `rest` starts with, and how many bytes of it belong together.
fn token(rest: &str, first: char, previous: char) -> (Kind, usize) {
    let in_name = previous.is_alphanumeric() || previous == '_';
    match first {
        '/' if rest.starts_with("//") => (Kind::Comment, rest.find('\n').unwrap_or(rest.len())),
        '/' if rest.starts_with("/*") => (Kind::Comment, block_comment(rest)),
        '"' => (Kind::Literal, quoted(rest, '"')),
        '\'' => char_literal(rest).map_or((Kind::Code, 1), |length| (Kind::Literal, length)),
        'r' | 'b' | 'c' if !in_name => prefixed(rest).unwrap_or((Kind::Code, 1)),
        _ => (Kind::Code, first.len_utf8()),
    }
}

/// Blanks of the same byte length, with the line ends kept.
fn blank(target: &mut String, piece: &str) {
    target.extend(piece.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
}

/// Block comments nest.
fn block_comment(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// A literal that starts with its quote and may hold escapes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// A character, told from a lifetime or a label.
fn char_literal(rest: &str) -> Option<usize> {
    let mut chars = rest.char_indices().skip(1);
    let (_, first) = chars.next()?;
    let (end, second) = chars.next()?;
    match (first, second) {
        ('\\', _) => Some(quoted(rest, '\'')),
        (_, '\'') => Some(end + 1),
        _ => None,
    }
}

/// Literals with a prefix: `r"…"`, `r#"…"#`, `b"…"`, `b'…'`, `br"…"`, `c"…"`, `cr"…"`.
fn prefixed(rest: &str) -> Option<(Kind, usize)> {
    let letters = rest.len() - rest.trim_start_matches(['r', 'b', 'c']).len();
    if letters > 2 {
        return None;
    }
    let (prefix, body) = rest.split_at(letters);
    if prefix.ends_with('r') {
        let hashes = body.len() - body.trim_start_matches('#').len();
        let inner = body[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = inner.find(&close).map_or(inner.len(), |at| at + close.len());
        return Some((Kind::Literal, letters + hashes + 1 + end));
    }
    match body.chars().next()? {
        '"' => Some((Kind::Literal, letters + quoted(body, '"'))),
        '\'' if prefix == "b" => Some((Kind::Literal, letters + quoted(body, '\''))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let (code, comments) = split(text);
        assert_eq!((code.len(), comments.len()), (text.len(), text.len()), "the shape is kept");
        code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn comments(text: &str) -> String {
        split(text).1.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_leave_the_code() {
        let text = "a // b \"c\n d /* e /* f */ g */ h";
        assert_eq!(code(text), "a d h");
        assert_eq!(comments(text), "// b \"c /* e /* f */ g */");
    }

    #[test]
    fn strings_of_every_kind_are_blank() {
        for literal in
            [r#""a\"b""#, r##"r#"a"b"#"##, "r\"a\"", "b\"a\"", "br#\"a\"#", "c\"a\"", "\"// a\""]
        {
            assert_eq!(code(&format!("x {literal} y")), "x y", "{literal}");
        }
    }

    #[test]
    fn characters_are_blank_and_lifetimes_stay() {
        assert_eq!(code(r#"x '\'' '\u{41}' 'é' '"' b'\\' y"#), "x y");
        assert_eq!(
            code("fn f<'a>(x: &'a str) -> &'static str"),
            code("fn f<'a>(x: &'a str) -> &'static str")
        );
        assert!(code("&'a str; 'outer: loop").contains("'outer: loop"));
    }

    #[test]
    fn raw_names_and_names_that_end_like_prefixes_are_code() {
        assert_eq!(code("r#type bar(\"x\") crc"), "r#type bar( ) crc");
    }

    #[test]
    fn unfinished_text_ends_with_the_file() {
        assert_eq!(code("a \"b"), "a");
        assert_eq!(code("a /* b"), "a");
        assert_eq!(code("a r#\"b\""), "a");
    }
}
