//! The items that macros define. Their expansion is not in the source; the record has the invocation, or the macro's body
//! if the invocation has no arguments.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Item, ItemMacro};

/// The invocations of macros in a module that define the item `name`, or a part of it.
pub(super) fn definitions_of(name: &str, items: &[Item]) -> Vec<Item> {
    let macros: BTreeMap<String, &TokenStream> = items.iter().filter_map(macro_rules).collect();
    let invoked = items.iter().filter_map(|item| match item {
        Item::Macro(item) if item.ident.is_none() => Some(item),
        _ => None,
    });
    let mut found = Vec::new();
    for invocation in invoked {
        let path = &invocation.mac.path;
        let body = path.get_ident().and_then(|ident| macros.get(&ident.to_string()).copied());
        let tokens = &invocation.mac.tokens;
        let of_body = body.map(defined).unwrap_or_default();
        if defined(tokens).contains(name) || of_body.contains(name) {
            let shown = if tokens.is_empty() { body.unwrap_or(tokens) } else { tokens };
            found.push(Item::Macro(with_tokens(invocation, without_docs(shown))));
        }
    }
    found
}

fn macro_rules(item: &Item) -> Option<(String, &TokenStream)> {
    match item {
        Item::Macro(item) => Some((item.ident.as_ref()?.to_string(), &item.mac.tokens)),
        _ => None,
    }
}

fn with_tokens(invocation: &ItemMacro, tokens: TokenStream) -> ItemMacro {
    let mut shown = invocation.clone();
    shown.attrs.clear();
    shown.mac.tokens = tokens;
    shown
}

/// The names after `struct`, `enum`, `trait`, `type` and `impl` in `tokens`.
fn defined(tokens: &TokenStream) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(tokens, &mut names);
    names
}

fn collect(tokens: &TokenStream, names: &mut BTreeSet<String>) {
    const KEYWORDS: [&str; 6] = ["enum", "impl", "struct", "trait", "type", "union"];
    let mut follows_keyword = false;
    let mut depth = 0_usize;
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => {
                collect(&group.stream(), names);
                follows_keyword = false;
            }
            TokenTree::Ident(ident) if depth == 0 => {
                let ident = ident.to_string();
                let is_keyword = KEYWORDS.contains(&ident.as_str());
                if follows_keyword && !is_keyword {
                    names.insert(ident);
                }
                follows_keyword = is_keyword;
            }
            // The parameters of an `impl`.
            TokenTree::Punct(punct) if follows_keyword && punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if follows_keyword && punct.as_char() == '>' => {
                depth = depth.saturating_sub(1);
            }
            _ if depth > 0 => {}
            _ => follows_keyword = false,
        }
    }
}

/// The tokens without `#[doc]` attributes.
fn without_docs(tokens: &TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => {
                let is_doc = group.delimiter() == Delimiter::Bracket
                    && matches!(group.stream().into_iter().next(),
                        Some(TokenTree::Ident(first)) if first == "doc");
                let is_attribute =
                    matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
                if is_doc && is_attribute {
                    kept.pop();
                    continue;
                }
                let inside = without_docs(&group.stream());
                kept.push(proc_macro2::Group::new(group.delimiter(), inside).into());
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, source: &str) -> String {
        let file = syn::parse_file(source).expect("Rust");
        let items = definitions_of(name, &file.items);
        let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items };
        prettyplease::unparse(&file)
    }

    #[test]
    fn what_a_macro_defines_is_its_invocation() {
        let options = "some::options! {
            /// Options.
            pub struct Tea of \"tea\", set by (trait SetTea) {
                /// In the pot.
                \"Leaves\" leaves: u32 = 3;
            }
        }
        other!(3);";
        for name in ["Tea", "SetTea"] {
            let shown = shown(name, options);
            assert!(shown.contains("\"Leaves\" leaves : u32 = 3"), "{shown}");
            assert!(!shown.contains("doc") && !shown.contains("other"), "{shown}");
        }
        assert_eq!(shown("Leaves", options), "");
    }

    #[test]
    fn a_macro_of_the_module_defines_what_its_body_does() {
        let source = "macro_rules! ids {
            ($($name:ident = $value:literal;)*) => {
                impl<'a> Id<'a> { $(pub const $name: u32 = $value;)* }
            };
        }
        ids! { FIRST = 1; }
        macro_rules! colours { () => { enum Colour { Red } }; }
        colours!();";
        let ids = shown("Id", source);
        assert!(ids.contains("FIRST = 1"), "{ids}");
        let colours = shown("Colour", source);
        assert!(colours.contains("Red") && !colours.contains("FIRST"), "{colours}");
    }
}
