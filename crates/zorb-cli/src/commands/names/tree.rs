//! `zorb names tree`.

use std::collections::HashSet;

use clap::Args;
use serde::Serialize;
use zorb::Interface as _;
use zorb_naming::cos_naming::{NameComponent, NamingContext};

use super::service::{Names, Shown, bindings};
use crate::failure::{Failure, OK, Outcome};
use crate::screen;

/// Show a context and all contexts below it
///
/// The contents of a context are shown once. At its other names, `(loop)` marks a context that contains itself, and
/// `(shown above)` any other. JSON: a list of objects with `name`, `id`, `kind`, `type`, and for contexts `bindings`,
/// `loop`, `shown` or `error`.
#[derive(Args, Debug)]
pub(crate) struct TreeArgs {
    /// The context, as a name or `corbaname:`; the root by default
    #[arg(value_name = "NAME")]
    context: Option<String>,
    /// Levels of contexts to show
    #[arg(long, value_name = "COUNT", default_value_t = 32)]
    depth: usize,
}

/// A binding and what is below it.
#[derive(Serialize)]
struct Node {
    #[serde(flatten)]
    shown: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    bindings: Option<Vec<Self>>,
    #[serde(rename = "loop", skip_serializing_if = "std::ops::Not::not")]
    is_loop: bool,
    /// Whether the context has been shown before.
    #[serde(rename = "shown", skip_serializing_if = "std::ops::Not::not")]
    is_shown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The contexts that have been visited, by their references.
struct Visited {
    /// Those above.
    path: Vec<String>,
    all: HashSet<String>,
}

pub(super) fn run(args: &TreeArgs, names: &Names) -> Outcome {
    let context = names.context(args.context.as_deref())?;
    let reference = context.to_ior_string();
    let mut visited = Visited { path: vec![reference.clone()], all: HashSet::from([reference]) };
    let nodes = below(&context, args.depth, &mut visited)?;
    match names.json {
        true => screen::print_json(&nodes)?,
        false => {
            let mut text = String::new();
            nodes.iter().for_each(|node| write(node, 0, &mut text));
            screen::print(&text)?;
        }
    }
    Ok(OK)
}

/// What is in a context.
fn below(
    context: &NamingContext,
    depth: usize,
    visited: &mut Visited,
) -> Result<Vec<Node>, Failure> {
    let all = bindings(context)?;
    Ok(all.into_iter().map(|shown| node(context, shown, depth, visited)).collect())
}

fn node(context: &NamingContext, shown: Shown, depth: usize, visited: &mut Visited) -> Node {
    let name = [NameComponent { id: shown.id.clone(), kind: shown.kind.clone() }];
    let mut node = Node { shown, bindings: None, is_loop: false, is_shown: false, error: None };
    if !node.shown.is_context() || depth <= 1 {
        return node;
    }
    let inner: NamingContext = match context.resolve(&name) {
        Ok(Some(object)) => object.unchecked_narrow(),
        Ok(None) => return node,
        Err(error) => {
            node.error = Some(zorb::Report(&error).to_string());
            return node;
        }
    };
    let reference = inner.to_ior_string();
    if !visited.all.insert(reference.clone()) {
        node.is_loop = visited.path.contains(&reference);
        node.is_shown = !node.is_loop;
        return node;
    }
    visited.path.push(reference);
    match below(&inner, depth - 1, visited) {
        Ok(nodes) => node.bindings = Some(nodes),
        Err(failure) => node.error = Some(failure.to_string()),
    }
    visited.path.pop();
    node
}

fn write(node: &Node, level: usize, text: &mut String) {
    text.push_str(&"  ".repeat(level));
    text.push_str(&node.shown.line());
    if node.is_loop {
        text.push_str(" (loop)");
    }
    if node.is_shown {
        text.push_str(" (shown above)");
    }
    if let Some(error) = &node.error {
        text.push_str(&format!(" ({})", screen::visible(error)));
    }
    text.push('\n');
    node.bindings.iter().flatten().for_each(|node| write(node, level + 1, text));
}
