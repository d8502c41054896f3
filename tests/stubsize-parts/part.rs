// A part of the build script: what uses the generated code of a part, as a program would.

use std::fmt::Write as _;

/// What of the generated code is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Every stub.
    Client,
    /// Every skeleton, with a servant that implements every interface.
    Server,
    /// The methods of that servant alone.
    Servant,
}

/// A path without what the mapping to Rust changes in names.
pub(crate) fn plain(path: &str) -> String {
    path.replace(['_', '#'], "").to_lowercase()
}

/// A function that uses all these functions, so that the compiler generates them.
pub(crate) fn using(functions: &[String]) -> String {
    let mut text = String::from(
        "/// Uses the part.\n#[allow(clippy::all, clippy::pedantic)]\npub fn everything() {\n",
    );
    for function in functions {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    ::core::hint::black_box({function} as *const ());");
    }
    text + "}\n"
}

/// The generated code with implementations of its servant traits, and a function that uses what the role needs of the
/// interfaces that are its own.
pub(crate) fn with_users(generated: &str, role: Role, is_own: &dyn Fn(&str) -> bool) -> String {
    let mut scan = Scan { lines: generated.lines(), text: String::new() };
    let mut modules: Vec<(usize, &str)> = Vec::new();
    let mut functions = Vec::new();
    while let Some(line) = scan.next() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let path = |name: &str| {
            let outer = modules.iter().map(|(_, module)| *module);
            outer.chain([name]).collect::<Vec<_>>().join("::")
        };
        if code == "}" && modules.last().is_some_and(|(at, _)| *at == indent) {
            modules.pop();
        } else if let Some(name) = between(code, "pub mod ", " {") {
            modules.push((indent, name));
        } else if let Some(name) = between(code, "impl ", " {") {
            let (body, path) = (scan.block(indent), path(name));
            if role == Role::Client && is_own(&path) {
                functions.extend(stubs(&body, indent).map(|method| format!("{path}::{method}")));
            }
        } else if let Some(name) = servant_trait(code) {
            // The bounds may take several lines.
            let mut header = line;
            while !header.ends_with('{') {
                let Some(next) = scan.next() else { break };
                header = next;
            }
            let methods = declarations(&scan.block(indent), indent);
            scan.text.push_str(&implementation(name, &methods));
            let (servant, interface) = (path(name), path(name.trim_end_matches("Servant")));
            if is_own(&interface) {
                functions.extend(match role {
                    Role::Client => Vec::new(),
                    Role::Server => ["dispatch", "servant_object"]
                        .map(|function| {
                            format!("<{interface} as ::zorb::codegen::ServedBy<crate::Servant>>::{function}")
                        })
                        .to_vec(),
                    Role::Servant => methods
                        .iter()
                        .map(|method| format!("<crate::Servant as {servant}>::{}", name_of(method)))
                        .collect(),
                });
            }
        }
    }
    scan.text + &using(&functions)
}

/// Generated code line by line, and a copy of what was read.
struct Scan<'t> {
    lines: std::str::Lines<'t>,
    text: String,
}

impl<'t> Scan<'t> {
    fn next(&mut self) -> Option<&'t str> {
        let line = self.lines.next()?;
        self.text.push_str(line);
        self.text.push('\n');
        Some(line)
    }

    /// The lines up to the end of a block that starts at an indentation.
    fn block(&mut self, indent: usize) -> Vec<&'t str> {
        let mut body = Vec::new();
        while let Some(line) = self.next() {
            if is_end(line, indent) {
                break;
            }
            body.push(line);
        }
        body
    }
}

fn is_end(line: &str, indent: usize) -> bool {
    line.trim_start() == "}" && line.len() == indent + 1
}

/// The word between a prefix and a suffix.
fn between<'t>(code: &'t str, prefix: &str, suffix: &str) -> Option<&'t str> {
    let word = code.strip_prefix(prefix)?.strip_suffix(suffix)?;
    word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '#').then_some(word)
}

fn servant_trait(code: &str) -> Option<&str> {
    let (name, _) = code.strip_prefix("pub trait ")?.split_once(':')?;
    name.ends_with("Servant").then_some(name)
}

/// The methods of a reference that make calls themselves, instead of delegating to the base.
fn stubs<'t>(body: &[&'t str], indent: usize) -> impl Iterator<Item = &'t str> {
    let methods = body.split(move |line| is_end(line, indent + 4));
    let calling = methods.filter(|method| method.iter().any(|line| line.contains("::codegen::")));
    calling.filter_map(|method| {
        let head = method.iter().find_map(|line| line.trim_start().strip_prefix("pub fn "))?;
        Some(head.split_once('(')?.0)
    })
}

/// The declarations of a trait, each without its semicolon.
fn declarations(body: &[&str], indent: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Option<String> = None;
    for line in body {
        let code = line.trim_start();
        if line.len() - code.len() == indent + 4 && code.starts_with("fn ") {
            current = Some(String::new());
        }
        let Some(mut declaration) = current.take() else { continue };
        declaration.push_str(code);
        declaration.push(' ');
        match code.strip_suffix(';') {
            Some(_) => found.push(declaration.trim_end().trim_end_matches(';').to_owned()),
            None => current = Some(declaration),
        }
    }
    found
}

fn name_of(declaration: &str) -> &str {
    let head = declaration.strip_prefix("fn ").unwrap_or_default();
    head.split_once('(').map_or("", |(name, _)| name)
}

/// The names of the parameters, each of which a colon and a space follow.
fn parameters(declaration: &str) -> String {
    let words = declaration.split(": ").filter_map(|before| {
        let word = before.rsplit(['(', ' ', ',']).next()?;
        (!word.is_empty()).then(|| format!("&{word}, "))
    });
    let count = declaration.matches(": ").count();
    words.take(count).collect()
}

fn implementation(name: &str, methods: &[String]) -> String {
    let mut text = format!("impl {name} for crate::Servant {{\n");
    for method in methods {
        let arguments = parameters(method);
        // Skeletons must not contain what the servant does.
        let _ = writeln!(
            text,
            "    #[inline(never)]\n    {method} {{ crate::answer(&({arguments})) }}"
        );
    }
    text + "}\n"
}
