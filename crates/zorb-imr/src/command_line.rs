//! Command lines as one text, as the repository's interface has them: words separated by blanks, quoted as in a shell.
//! Nothing else of a shell is known: no variables, patterns or redirections.

/// The words of a command line; `None` if a quotation does not end.
///
/// ```
/// use zorb_imr::command_line::split;
///
/// let words = split(r#"server "a b" c\ d '' 'e"f'"#);
/// assert_eq!(words.unwrap(), ["server", "a b", "c d", "", "e\"f"]);
/// assert_eq!(split("server 'a"), None);
/// ```
#[must_use]
pub fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            (_, Some(open)) if char == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().push(chars.next()?),
            ('"' | '\'', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (_, None) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// The command line of these words.
///
/// ```
/// use zorb_imr::command_line::join;
///
/// assert_eq!(join(&["server", "a b", "", "it's"]), r"server 'a b' '' 'it'\''s'");
/// ```
#[must_use]
pub fn join<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word.as_ref())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let is_special = |char: char| char.is_whitespace() || matches!(char, '\'' | '"' | '\\');
    match word.is_empty() || word.contains(is_special) {
        true => format!("'{}'", word.replace('\'', r"'\''")),
        false => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_words_are_the_same_when_split() {
        let words = ["server", "", "a b", "it's", "\"", "\\", "'", "ü\t"];
        assert_eq!(split(&join(&words)).unwrap(), words);
        assert_eq!(split("  a \t b ").unwrap(), ["a", "b"]);
        assert_eq!(split("").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn open_quotations_are_no_command_line() {
        for text in ["'a", "a \"b", "a\\"] {
            assert_eq!(split(text), None, "{text}");
        }
    }
}
