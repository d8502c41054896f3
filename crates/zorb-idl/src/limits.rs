//! The limits that keep any input, however hostile, from exhausting the compiler.
//!
//! Each is far above what real IDL needs. Passing one is an error with a code, never a
//! crash.

/// The largest source file, in bytes: 8 MiB (E0018).
pub const MAX_FILE_BYTES: usize = 8 << 20;

/// The most tokens of a compilation after preprocessing, all files together (E0018).
pub const MAX_TOKENS: usize = 2_000_000;

/// How deep `#include`s may nest (E0003).
pub const MAX_INCLUDE_DEPTH: usize = 64;

/// The most `#include`s carried out in a compilation (E0003).
pub const MAX_INCLUDES: usize = 10_000;

/// How deep `#if`s may nest in one file (E0006).
pub const MAX_CONDITIONAL_DEPTH: usize = 256;

/// The most tokens that macros may produce in one compilation, those read again while they
/// are expanded further included (E0014).
pub const MAX_EXPANSION_TOKENS: usize = 1_000_000;

/// The most bytes that `#`, `##` and string concatenation may produce in all (E0014).
pub const MAX_PASTED_BYTES: usize = 16 << 20;

/// How deep macro arguments may be expanded within macro arguments (E0014).
pub const MAX_EXPANSION_DEPTH: usize = 64;

/// How deep modules, types and expressions may nest (E0204).
pub const MAX_NESTING: usize = 64;

/// The most interfaces that one interface may inherit from, directly or not (E0419).
pub const MAX_ANCESTORS: usize = 256;

/// The most operations and attributes of an interface, inherited ones included, that are
/// compared for clashes (E0419).
pub const MAX_INHERITED_EXPORTS: usize = 65_536;

/// The most elements of an array, its dimensions multiplied, arrays of arrays through
/// typedefs included (E0512).
pub const MAX_ARRAY_ELEMENTS: u64 = 1 << 24;

/// The most diagnostics kept; the rest are counted (E0019).
pub const MAX_DIAGNOSTICS: usize = 500;
