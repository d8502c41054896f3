//! The sections of the chapter, with the operations that they define, and which of them the suite checks.
//!
//! Sections that define operations are listed by operation, in the standard's order.

use self::Scope::{Checked, No};
use crate::Paragraph;

/// Whether the suite checks a section.
pub(crate) enum Scope {
    /// By at least one paragraph.
    Checked,
    /// Not, for this reason.
    No(&'static str),
}

/// The sections of CORBA 3.3 part 1, chapter 15.
const CHAPTER: &[(&str, Scope)] = &[
    ("15.1", No("introduces the chapter")),
    ("15.2.1", No("defines terms")),
    ("15.2.2", No("shows how the terms relate")),
    ("15.2.3", Checked),
    ("15.2.4", No("the rows of create_reference and the conversions check it")),
    ("15.2.5", No("the rows of activation, deactivation and servant managers check it")),
    ("15.2.6", Checked),
    ("15.2.7", No("the rows of 15.3.8.7 check it")),
    ("15.2.8", Checked),
    ("15.2.9", No("every row runs with servants of the DSI")),
    ("15.2.10", No("every row runs collocated and remotely")),
    ("15.3.1", No("the language mapping defines servants")),
    ("15.3.2 activate", Checked),
    ("15.3.2 hold_requests", Checked),
    ("15.3.2 discard_requests", Checked),
    ("15.3.2 deactivate", Checked),
    ("15.3.2 get_state", Checked),
    ("15.3.2 get_id", Checked),
    ("15.3.3 create_POAManager", Checked),
    ("15.3.3 list", Checked),
    ("15.3.3 find", Checked),
    ("15.3.4 unknown_adapter", Checked),
    ("15.3.5", No("the base of the two kinds of servant managers, without operations")),
    ("15.3.6 incarnate", Checked),
    ("15.3.6 etherealize", Checked),
    ("15.3.7 preinvoke", Checked),
    ("15.3.7 postinvoke", Checked),
    ("15.3.8.1", Checked),
    ("15.3.8.2", Checked),
    ("15.3.8.3", Checked),
    ("15.3.8.4", Checked),
    ("15.3.8.5", Checked),
    ("15.3.8.6", Checked),
    ("15.3.8.7", Checked),
    ("15.3.9 create_POA", Checked),
    ("15.3.9 find_POA", Checked),
    ("15.3.9 destroy", Checked),
    ("15.3.9 create_thread_policy and the like", No("policies are values of `PoaPolicies`")),
    ("15.3.9 the_name", Checked),
    ("15.3.9 the_parent", No("the row of the_name checks it")),
    ("15.3.9 the_children", No("the row of the_name checks it")),
    ("15.3.9 the_POAManager", Checked),
    ("15.3.9 the_activator", Checked),
    ("15.3.9 get_servant_manager", Checked),
    ("15.3.9 set_servant_manager", Checked),
    ("15.3.9 get_servant", Checked),
    ("15.3.9 set_servant", Checked),
    ("15.3.9 activate_object", Checked),
    ("15.3.9 activate_object_with_id", Checked),
    ("15.3.9 deactivate_object", Checked),
    ("15.3.9 create_reference", Checked),
    ("15.3.9 create_reference_with_id", Checked),
    ("15.3.9 servant_to_id", Checked),
    ("15.3.9 servant_to_reference", Checked),
    ("15.3.9 reference_to_servant", Checked),
    ("15.3.9 reference_to_id", Checked),
    ("15.3.9 id_to_servant", Checked),
    ("15.3.9 id_to_reference", Checked),
    ("15.3.9 id", Checked),
    ("15.3.9 the_POAManagerFactory", No("the rows of 15.3.3 get it from the root adapter")),
    ("15.3.9 WrongAdapter", Checked),
    ("15.3.9 WrongPolicy", Checked),
    ("15.3.10 get_POA", Checked),
    ("15.3.10 get_object_id", Checked),
    ("15.3.10 get_reference", Checked),
    ("15.3.10 get_servant", Checked),
    ("15.3.10 NoContext", Checked),
    ("15.4", No("the IDL of the above; programs use Rust's API")),
    ("15.5", No("diagrams of the above")),
    ("15.6", No("scenarios that use the above")),
];

/// Checks that the table and the paragraphs agree.
pub(crate) fn check(paragraphs: &[impl AsRef<Paragraph>]) {
    let is_checked =
        |section: &str| paragraphs.iter().any(|paragraph| paragraph.as_ref().section == section);
    for (section, scope) in CHAPTER {
        match scope {
            Checked => assert!(is_checked(section), "{section} has no paragraph"),
            No(reason) => assert!(!is_checked(section), "{section} has paragraphs, but: {reason}"),
        }
    }
    for paragraph in paragraphs.iter().map(AsRef::as_ref) {
        let section = paragraph.section;
        assert!(
            CHAPTER.iter().any(|(known, _)| *known == section),
            "{section} is not in the table"
        );
    }
}
