//! How much may reading one hook cost?
//!
//! Whoever can create a pod writes its hook, and a script makes much of little: `a=$a$a` doubles a value, `$a $a $a` repeats it,
//! brackets nest. Where a bound is reached the hook is unknown from there on.

/// What bounds the reading of one text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The longest script that is read, and the most text that a value or the words of one command may hold, in bytes.
    pub(super) text: usize,
    /// How many steps are taken: one for each command, each byte that is read or expanded, each
    /// variable that is kept to come back to.
    pub(super) steps: usize,
    /// How deep commands, scripts and programs that start programs may nest.
    pub(super) depth: usize,
}

impl Bounds {
    /// Wide for what people write: the longest of some two hundred published hooks has 2 KB.
    pub(super) const HOOK: Self = Self {
        text: 64 * 1024,
        steps: 1024 * 1024,
        depth: 40,
    };
}
