//! A corpus of realistic manifests in many styles, the same for the same seed: applications that drain as they should.
//!
//! Nothing is copied from anywhere: [`app`] draws an application, [`yaml`] writes it as people write YAML, and [`mutate`] breaks it
//! in one known way.

pub(crate) mod app;
pub(crate) mod beside;
pub(crate) mod mutate;
pub(crate) mod yaml;

pub(crate) use app::App;

/// Numbers that look random and are the same for the same seed (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).expect("below the bound")
    }

    /// A number of a range, both ends included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = usize::try_from(high - low + 1).expect("a range");
        low + i64::try_from(self.below(width)).expect("a small number")
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of some.
    pub(crate) fn pick<'a, T>(&mut self, some: &'a [T]) -> &'a T {
        &some[self.below(some.len())]
    }
}
