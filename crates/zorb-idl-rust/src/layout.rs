//! Formatting of the generated code: items with `prettyplease`, macro calls by this module.
//!
//! A formatter cannot parse the arguments of these macros. So the source that it formats has a
//! placeholder for each macro call, which is formatted afterwards at the placeholder's indentation.

/// The width of a line.
const WIDTH: usize = 100;

const PLACEHOLDER: &str = "__zorb_macro!";

/// A macro call.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    /// `path!(part, part)`, the body of a function.
    List { path: String, parts: Vec<String> },
    /// `path!(head, { row, row } more { row } end);`, an item.
    Table {
        path: String,
        head: String,
        /// Rows, with the words before each block of them; the first block has none.
        blocks: Vec<(&'static str, Vec<String>)>,
        end: String,
        /// Whether lines are filled with rows, instead of one row per line.
        fill: bool,
    },
}

/// Macro calls to be inserted into the code.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    calls: Vec<Call>,
}

impl Layout {
    /// Adds a call and returns its placeholder.
    pub(crate) fn place(&mut self, call: Call) -> String {
        self.calls.push(call);
        format!("{PLACEHOLDER}({})", self.calls.len() - 1)
    }

    /// The formatted code of `source`; on failure the error message and `source` itself.
    pub(crate) fn finish(&self, source: &str) -> Result<String, (String, String)> {
        let file =
            syn::parse_file(source).map_err(|error| (error.to_string(), source.to_owned()))?;
        let mut text = String::new();
        let mut previous = "";
        let unparsed = join_signatures(&prettyplease::unparse(&file));
        for line in unparsed.lines() {
            // A blank line between items, before the attributes of the second.
            if previous.ends_with([';', '}']) && line.trim_start().starts_with(['/', '#']) {
                text.push('\n');
            }
            previous = line;
            match self.call_in(line) {
                Some((indent, call)) => call.write(indent, line.ends_with(';'), &mut text),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        Ok(text)
    }

    fn call_in(&self, line: &str) -> Option<(usize, &Call)> {
        let words = line.trim_start();
        let number = words.strip_prefix(PLACEHOLDER)?.trim_matches(['(', ')', ';']);
        Some((line.len() - words.len(), self.calls.get(number.parse::<usize>().ok()?)?))
    }
}

/// Joins signatures that fit on one line: the formatter's own width is narrower.
fn join_signatures(text: &str) -> String {
    let mut joined = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let is_open = line.ends_with('(') && line.trim_start_matches(' ').contains("fn ");
        let mut rest = lines.clone();
        let mut signature = line.to_owned();
        if is_open {
            let ends = rest.by_ref().find(|part| {
                let part = part.trim_start();
                let ends = part.starts_with(')');
                if ends && signature.ends_with(',') {
                    signature.pop();
                }
                if !ends && !signature.ends_with('(') {
                    signature.push(' ');
                }
                signature.push_str(part);
                ends
            });
            if ends.is_some() && signature.len() <= WIDTH {
                lines = rest;
            } else {
                line.clone_into(&mut signature);
            }
        }
        joined.push_str(&signature);
        joined.push('\n');
    }
    joined
}

impl Call {
    fn write(&self, indent: usize, ends: bool, out: &mut String) {
        let margin = " ".repeat(indent);
        let end = if ends { ";" } else { "" };
        let line = format!("{margin}{}{end}", self.on_one_line());
        if line.len() <= WIDTH {
            out.push_str(&line);
            return;
        }
        match self {
            Self::List { path, parts } => {
                out.push_str(&format!("{margin}{path}!(\n"));
                for part in parts {
                    out.push_str(&format!("{margin}    {part},\n"));
                }
                // No comma after the last part: the macros do not accept one.
                out.truncate(out.len() - 2);
                out.push_str(&format!("\n{margin}){end}"));
            }
            Self::Table { path, head, blocks, end: last, fill } => {
                out.push_str(&format!("{margin}{path}!({head}, "));
                for (words, rows) in blocks {
                    out.push_str(&format!("{words}{{\n"));
                    write_rows(rows, indent + 4, *fill, out);
                    out.push_str(&format!("{margin}}}"));
                }
                out.push_str(&format!("{last}){end}"));
            }
        }
    }

    fn on_one_line(&self) -> String {
        match self {
            Self::List { path, parts } => format!("{path}!({})", parts.join(", ")),
            Self::Table { path, head, blocks, end, .. } => {
                let blocks: String = blocks
                    .iter()
                    .map(|(words, rows)| match rows.as_slice() {
                        [] => format!("{words}{{}}"),
                        rows => format!("{words}{{ {} }}", rows.join(", ")),
                    })
                    .collect();
                format!("{path}!({head}, {blocks}{end})")
            }
        }
    }
}

fn write_rows(rows: &[String], indent: usize, fill: bool, out: &mut String) {
    let margin = " ".repeat(indent);
    let mut line = String::new();
    for row in rows {
        let fits = fill && indent + line.len() + row.len() + 2 <= WIDTH;
        if !line.is_empty() && !fits {
            out.push_str(&format!("{margin}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        match row.rfind(") [") {
            // A skeleton's row breaks before its results.
            Some(arguments) if line.is_empty() && indent + row.len() >= WIDTH => {
                let (before, results) = row.split_at(arguments + 1);
                line.push_str(&format!("{before}\n{margin}   {results}"));
            }
            _ => line.push_str(row),
        }
        line.push(',');
    }
    if !line.is_empty() {
        out.push_str(&format!("{margin}{line}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(call: Call) -> String {
        let mut layout = Layout::default();
        let placeholder = layout.place(call);
        layout.finish(&format!("mod m {{ {placeholder}; }}")).expect("it is Rust")
    }

    #[test]
    fn short_calls_take_one_line() {
        let call = Call::List { path: "go".into(), parts: vec!["a".into(), "b => c".into()] };
        assert_eq!(laid_out(call), "mod m {\n    go!(a, b => c);\n}\n");
    }

    #[test]
    fn signatures_take_one_line_where_they_fit() {
        let wide = |name: &str, count: usize| {
            let parameters = vec!["parameter: &Parameter"; count].join(", ");
            let text = format!("trait T {{ fn {name}(&self, {parameters}) -> Result<Answer>; }}");
            Layout::default().finish(&text).expect("it is Rust").lines().count()
        };
        assert_eq!((wide("short", 1), wide("long_function", 2), wide("f", 4)), (3, 3, 9));
    }

    #[test]
    fn long_calls_are_broken_at_their_parts() {
        let call = Call::List { path: "go".into(), parts: vec!["a".repeat(60), "b".repeat(60)] };
        let expected = format!(
            "mod m {{\n    go!(\n        {},\n        {}\n    );\n}}\n",
            "a".repeat(60),
            "b".repeat(60)
        );
        assert_eq!(laid_out(call), expected);
    }

    #[test]
    fn tables_fill_lines_on_request() {
        let rows = vec!["a".repeat(40), "b".repeat(40), "c".repeat(40)];
        let table = |fill| Call::Table {
            path: "go".into(),
            head: "H".into(),
            blocks: vec![("", rows.clone()), (" more ", vec!["d".into()])],
            end: " else E".into(),
            fill,
        };
        assert_eq!(laid_out(table(true)).lines().count(), 8);
        assert_eq!(laid_out(table(false)).lines().count(), 9);
        assert!(laid_out(table(false)).contains("    } more {\n        d,\n    } else E);\n"));
    }
}
