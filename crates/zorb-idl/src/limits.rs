//! Limits that keep hostile input from exhausting the compiler.
//!
//! Each is far above what real IDL needs. Exceeding one is an error with a code, never a crash.

/// The largest source file, in bytes: 4 MiB (E0018).
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// The maximum number of tokens of a compilation after preprocessing, all files together (E0018).
pub const MAX_TOKENS: usize = 1_000_000;

/// The maximum number of bytes read in one compilation: 64 MiB. A file included twice counts twice
/// (E0018).
pub const MAX_TOTAL_BYTES: usize = 64 << 20;

/// The maximum nesting depth of `#include` (E0003).
pub const MAX_INCLUDE_DEPTH: usize = 64;

/// The maximum number of `#include`s in a compilation (E0003).
pub const MAX_INCLUDES: usize = 10_000;

/// The maximum nesting depth of `#if` in one file (E0006).
pub const MAX_CONDITIONAL_DEPTH: usize = 256;

/// The maximum number of tokens that macros may produce in one compilation, rescanned tokens
/// included (E0014).
pub const MAX_EXPANSION_TOKENS: usize = 250_000;

/// The maximum number of bytes that `#`, `##` and string concatenation may produce in total
/// (E0014).
pub const MAX_PASTED_BYTES: usize = 4 << 20;

/// The maximum nesting depth of macro arguments being expanded (E0014).
pub const MAX_EXPANSION_DEPTH: usize = 64;

/// The maximum nesting depth of modules, types and expressions (E0204).
pub const MAX_NESTING: usize = 64;

/// The maximum number of direct and indirect bases of an interface, valuetype, struct or bitset
/// (E0419).
pub const MAX_ANCESTORS: usize = 256;

/// The maximum number of inherited names compared for clashes in one compilation (E0419).
pub const MAX_INHERITED_NAMES: usize = 4_000_000;

/// The maximum number of bytes of scoped names, repository ids and copies of string constants in a
/// compilation (E0018).
pub const MAX_NAME_BYTES: usize = 64 << 20;

/// The maximum number of ports of all components and connectors of one compilation, the expanded
/// ports of extended ports included (E0460).
pub const MAX_PORTS: usize = 5_000;

/// The maximum number of definitions that instances of template modules may produce in one
/// compilation, not counting those in nested modules (E0461).
pub const MAX_TEMPLATE_ITEMS: usize = 10_000;

/// The maximum number of tokens parsed again for instances of template modules in one compilation
/// (E0461).
pub const MAX_TEMPLATE_TOKENS: usize = 250_000;

/// The maximum number of members of an annotation declaration (E0464).
pub const MAX_ANNOTATION_MEMBERS: usize = 64;

/// The maximum nesting depth of template module instantiation (E0461).
pub const MAX_TEMPLATE_DEPTH: usize = 16;

/// The maximum length of a message, note, label or hint of a diagnostic, in characters; longer
/// texts are truncated.
pub const MAX_MESSAGE: usize = 1_000;

/// The maximum number of elements of an array: the product of its dimensions and of those of nested
/// arrays, also through typedefs (E0511).
pub const MAX_ARRAY_ELEMENTS: u64 = 1 << 24;

/// The maximum number of diagnostics recorded; the rest are counted (E0019).
pub const MAX_DIAGNOSTICS: usize = 500;
