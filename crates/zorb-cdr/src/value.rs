//! The tags of values.

/// Stands for a tag, an id or a list of ids where an earlier one is pointed at.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;
/// Tags are numbers from here to [`LAST_TAG`]; smaller ones are sizes of chunks.
pub(crate) const FIRST_TAG: u32 = 0x7fff_ff00;
/// The last tag; beyond are end tags, which are negative.
pub(crate) const LAST_TAG: u32 = 0x7fff_ffff;
/// A codebase URL follows.
pub(crate) const CODEBASE: u32 = 0x01;
/// One repository id follows.
pub(crate) const ONE_ID: u32 = 0x02;
/// A list of repository ids follows.
pub(crate) const IDS: u32 = 0x06;
/// The state comes in chunks.
pub(crate) const IS_CHUNKED: u32 = 0x08;

/// How deep values of valuetypes may nest, which lists of them do; counted apart from other types.
/// Where their states are large, [`MAX_VALUE_STACK`] may be reached first.
pub const MAX_VALUE_DEPTH: u16 = 512;

/// Octets of stack that values inside one another may take: a thread has at least 2 MiB.
pub const MAX_VALUE_STACK: usize = 3 << 19;

/// How deep values nest at the moment.
#[derive(Clone, Copy, Default)]
pub(crate) struct Nesting {
    pub(crate) depth: u16,
    /// Where the stack was at the outermost one.
    stack: usize,
}

impl Nesting {
    /// One more value; says whether there may be one.
    pub(crate) fn enter(&mut self) -> bool {
        let here = 0_u8;
        let stack = core::ptr::from_ref(core::hint::black_box(&here)).addr();
        if self.depth == 0 {
            self.stack = stack;
        }
        self.depth += 1;
        self.depth <= MAX_VALUE_DEPTH && self.stack.abs_diff(stack) <= MAX_VALUE_STACK
    }

    /// One value less.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
