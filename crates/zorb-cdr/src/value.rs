//! Value tags, and the nesting limit of values.

/// Announces an indirection, in place of a tag, an id or a list of ids.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;
/// The first value tag. Smaller numbers are chunk sizes.
pub(crate) const FIRST_TAG: u32 = 0x7fff_ff00;
/// The last value tag. Greater numbers are end tags, which are negative.
pub(crate) const LAST_TAG: u32 = 0x7fff_ffff;
/// A codebase URL follows.
pub(crate) const CODEBASE: u32 = 0x01;
/// One repository id follows.
pub(crate) const ONE_ID: u32 = 0x02;
/// A list of repository ids follows.
pub(crate) const IDS: u32 = 0x06;
/// The state is chunked.
pub(crate) const IS_CHUNKED: u32 = 0x08;

/// The maximum nesting depth of valuetypes, counted apart from other types: a linked list nests.
/// Values with large states may reach [`MAX_VALUE_STACK`] first.
pub const MAX_VALUE_DEPTH: u16 = 512;

/// The maximum stack use of nested valuetypes, in octets. Zorb's threads have at least 2 MiB of stack.
pub const MAX_VALUE_STACK: usize = 3 << 19;

/// The nesting of the values being read or written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Nesting {
    pub(crate) depth: u16,
    /// The stack address at the outermost value.
    stack: usize,
}

impl Nesting {
    /// Enters a value; `false` when it exceeds a limit.
    pub(crate) fn enter(&mut self) -> bool {
        let here = 0_u8;
        let stack = core::ptr::from_ref(core::hint::black_box(&here)).addr();
        if self.depth == 0 {
            self.stack = stack;
        }
        self.depth += 1;
        self.depth <= MAX_VALUE_DEPTH && self.stack.abs_diff(stack) <= MAX_VALUE_STACK
    }

    /// Leaves a value.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
