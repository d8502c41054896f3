//! The conformance suite of the object adapter: the paragraphs of CORBA 3.3 part 1, chapter 15.
//!
//! Each paragraph is a row of a table in `paragraphs`, with its section and what it says. It runs over typed, dynamic
//! and default servants, with every serving strategy, and with references in the server's own ORB and in another one.
//! The table in `chapter` lists the sections, and those that are out of scope.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]

mod chapter;
mod closures;
mod paragraphs;
mod scene;
mod servants;

use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::scene::{Scene, Serving};
use crate::servants::Kind;

/// A paragraph of the standard.
struct Paragraph {
    /// The section of CORBA 3.3 part 1, and the operation that the section defines, if it defines several.
    section: &'static str,
    /// What it says, briefly.
    says: &'static str,
    /// The kinds of servants that it is about.
    kinds: &'static [Kind],
    /// Panics if the ORB does not do it.
    check: fn(&Scene),
}

fn main() {
    let trial = |paragraph: &Arc<Paragraph>, serving: Serving, kind: Kind| {
        let name = format!("{}: {}: {kind:?}, {serving:?}", paragraph.section, paragraph.says);
        let paragraph = Arc::clone(paragraph);
        Trial::test(name, move || {
            let scene = Scene::new(serving, kind);
            (paragraph.check)(&scene);
            scene.end();
            Ok(())
        })
    };
    let paragraphs: Vec<_> = paragraphs::all().map(Arc::new).collect();
    let mut trials = Vec::new();
    for paragraph in &paragraphs {
        for serving in Serving::ALL {
            trials.extend(paragraph.kinds.iter().map(|&kind| trial(paragraph, serving, kind)));
        }
    }
    trials.push(Trial::test(
        "the sections of the chapter are checked, or out of scope",
        move || {
            chapter::check(&paragraphs);
            Ok(())
        },
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
