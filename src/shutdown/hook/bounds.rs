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

/// How many steps reading one hook may take. Few hooks are read as far as they go; many, which whoever writes manifests may make,
/// share what all of them may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps(pub(super) usize);

impl Steps {
    /// What all hooks of an input may take, which is a second or so.
    const ALL: usize = 256 << 20;

    /// What each may take, however many there are: more than most published hooks do.
    const LEAST: usize = 8 << 10;

    /// Of each of so many hooks.
    #[must_use]
    pub fn of(hooks: usize) -> Self {
        Self((Self::ALL / hooks.max(1)).clamp(Self::LEAST, Bounds::HOOK.steps))
    }
}

impl Default for Steps {
    fn default() -> Self {
        Self(Bounds::HOOK.steps)
    }
}

impl Bounds {
    /// Wide for what people write: the longest of some two hundred published hooks has 2 KB.
    pub(super) const HOOK: Self = Self {
        text: 64 * 1024,
        steps: 1024 * 1024,
        depth: 40,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_hooks_are_read_as_far_as_they_go_and_many_share_what_all_may_cost() {
        for few in [0, 1, 256] {
            assert_eq!(Steps::of(few), Steps::default());
        }
        assert_eq!(Steps::of(1024), Steps(256 * 1024));
        for many in [257, 14_000, 32_000] {
            assert!(Steps::of(many).0 * many <= Steps::ALL);
        }
        assert_eq!(Steps::of(usize::MAX), Steps(Steps::LEAST));
    }
}
