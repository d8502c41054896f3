//! The operations of contexts.

use zorb::codegen::Operations;

pub(super) const BIND: usize = 0;
pub(super) const REBIND: usize = 1;
pub(super) const BIND_CONTEXT: usize = 2;
pub(super) const REBIND_CONTEXT: usize = 3;
pub(super) const RESOLVE: usize = 4;
pub(super) const UNBIND: usize = 5;
pub(super) const NEW_CONTEXT: usize = 6;
pub(super) const BIND_NEW_CONTEXT: usize = 7;
pub(super) const DESTROY: usize = 8;
pub(super) const LIST: usize = 9;
pub(super) const TO_STRING: usize = 10;
pub(super) const TO_NAME: usize = 11;
pub(super) const TO_URL: usize = 12;
pub(super) const RESOLVE_STR: usize = 13;
pub(super) const ORPHANS: usize = 14;
pub(super) const BIND_FOR: usize = 15;
pub(super) const REBIND_FOR: usize = 16;

/// Their names.
pub(super) static OPERATIONS: Operations<17> = Operations::new(&[
    "bind",
    "rebind",
    "bind_context",
    "rebind_context",
    "resolve",
    "unbind",
    "new_context",
    "bind_new_context",
    "destroy",
    "list",
    "to_string",
    "to_name",
    "to_url",
    "resolve_str",
    "orphans",
    "bind_for",
    "rebind_for",
]);
