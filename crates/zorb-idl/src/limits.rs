//! The limits that keep any input, however hostile, from exhausting the compiler.
//!
//! Each is far above what real IDL needs. Passing one is an error with a code, never a
//! crash.

/// The largest source file, in bytes: 4 MiB (E0018).
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// The most tokens of a compilation after preprocessing, all files together (E0018).
pub const MAX_TOKENS: usize = 1_000_000;

/// The most bytes read in one compilation; a file included twice counts twice: 64 MiB
/// (E0018).
pub const MAX_TOTAL_BYTES: usize = 64 << 20;

/// How deep `#include`s may nest (E0003).
pub const MAX_INCLUDE_DEPTH: usize = 64;

/// The most `#include`s carried out in a compilation (E0003).
pub const MAX_INCLUDES: usize = 10_000;

/// How deep `#if`s may nest in one file (E0006).
pub const MAX_CONDITIONAL_DEPTH: usize = 256;

/// The most tokens that macros may produce in one compilation, those read again while they
/// are expanded further included (E0014).
pub const MAX_EXPANSION_TOKENS: usize = 250_000;

/// The most bytes that `#`, `##` and string concatenation may produce in all (E0014).
pub const MAX_PASTED_BYTES: usize = 4 << 20;

/// How deep macro arguments may be expanded within macro arguments (E0014).
pub const MAX_EXPANSION_DEPTH: usize = 64;

/// How deep modules, types and expressions may nest (E0204).
pub const MAX_NESTING: usize = 64;

/// The most interfaces that one interface may inherit from, directly or not; also for
/// valuetypes, structs and bit sets (E0419).
pub const MAX_ANCESTORS: usize = 256;

/// The most inherited names that are compared for clashes in one compilation (E0419).
pub const MAX_INHERITED_NAMES: usize = 4_000_000;

/// The most bytes that scoped names, repository ids and copies of string constants may take in
/// a compilation
/// (E0018).
pub const MAX_NAME_BYTES: usize = 64 << 20;

/// The most ports of the components and connectors of one compilation, those of extended ports
/// included (E0460).
pub const MAX_PORTS: usize = 5_000;

/// The most definitions that instances of template modules may make in one compilation, those
/// in nested modules not counted (E0461).
pub const MAX_TEMPLATE_ITEMS: usize = 10_000;

/// The most tokens that are read again for instances of template modules in one compilation
/// (E0461).
pub const MAX_TEMPLATE_TOKENS: usize = 250_000;

/// The most members of an annotation's declaration (E0464).
pub const MAX_ANNOTATION_MEMBERS: usize = 64;

/// How deep instances of template modules may make instances of others (E0461).
pub const MAX_TEMPLATE_DEPTH: usize = 16;

/// The longest message, note, label or hint of a diagnostic, in characters; the rest is cut.
pub const MAX_MESSAGE: usize = 1_000;

/// The most elements of an array, its dimensions multiplied, arrays of arrays through
/// typedefs included (E0511).
pub const MAX_ARRAY_ELEMENTS: u64 = 1 << 24;

/// The most diagnostics kept; the rest are counted (E0019).
pub const MAX_DIAGNOSTICS: usize = 500;
