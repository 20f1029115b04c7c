//! How much may a server make us hold? One budget for a run, made with the connection and handed down to whoever reads an answer.
//!
//! All of it follows from one number, so that one flag raises all of it. What is counted is what is there once it is unpacked: a
//! megabyte of gzip may hold a thousand (RFC 1951, 3.2.5: 258 bytes for two bits and less).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a megabyte.
pub(crate) const MB: u64 = 1024 * 1024;

/// The largest answer where nobody says, in megabytes: a page has 500 objects, and large pods have some tens of kilobytes.
pub(crate) const ANSWER: u32 = 64;

/// So many times the largest answer may be held at once, by requests that are answered side by side.
const AT_ONCE: u64 = 4;

/// So many times the largest answer may be read in all: with 64 MB that is room for 150 000 pods, the most that Kubernetes supports
/// (<https://kubernetes.io/docs/setup/best-practices/cluster-large/>), of 25 kB each.
const IN_ALL: u64 = 64;

/// So many objects may be read in all for each megabyte of the largest answer: with 64 MB, a million.
const OBJECTS: u64 = 16 * 1024;

/// A limit that was reached: of what, which, and how to raise it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{of} than {limit}")]
pub struct Exceeded {
    of: &'static str,
    limit: String,
    /// The megabytes of `--max-answer-size`.
    answer: u64,
}

impl Exceeded {
    /// What allows more, as a part of a sentence.
    #[must_use]
    pub fn help(&self) -> String {
        format!(
            "--max-answer-size {} allows twice that; a Kubernetes API server seldom sends so much",
            self.answer.saturating_mul(2)
        )
    }
}

/// What is left of a limit, for everybody who has the same budget.
#[derive(Debug, Clone, Default)]
struct Used(Arc<AtomicU64>);

impl Used {
    /// Takes some, if there is so much below the limit.
    fn take(&self, amount: u64, limit: u64) -> bool {
        let before = self.0.fetch_add(amount, Ordering::Relaxed);
        before.saturating_add(amount) <= limit
    }

    fn give_back(&self, amount: u64) {
        self.0.fetch_sub(amount, Ordering::Relaxed);
    }
}

/// The budget of one run; every clone is the same.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    /// The megabytes of one answer.
    answer: u64,
    held: Used,
    read: Used,
    objects: Used,
}

/// What one answer takes of a budget, until it is let go.
#[derive(Debug)]
pub(crate) struct Held {
    budget: Budget,
    bytes: u64,
}

impl Budget {
    /// So many megabytes for one answer, and what follows from that.
    pub(crate) fn new(answer: Option<u32>) -> Self {
        Self {
            answer: answer.unwrap_or(ANSWER).into(),
            held: Used::default(),
            read: Used::default(),
            objects: Used::default(),
        }
    }

    /// For what comes for as long as somebody watches, and of which nothing is kept: what is held at once counts together, and what was
    /// read before does not count.
    pub(crate) fn afresh(&self) -> Self {
        Self {
            answer: self.answer,
            held: self.held.clone(),
            read: Used::default(),
            objects: Used::default(),
        }
    }

    fn exceeded(&self, of: &'static str, limit: String) -> Exceeded {
        Exceeded {
            of,
            limit,
            answer: self.answer,
        }
    }

    /// For one answer, of which the server says that it has so many bytes.
    pub(crate) fn hold(&self, announced: Option<u64>) -> Result<Held, Exceeded> {
        if announced.is_some_and(|bytes| bytes > self.answer * MB) {
            return Err(self.exceeded("the server announces more", format!("{} MB", self.answer)));
        }
        Ok(Held {
            budget: self.clone(),
            bytes: 0,
        })
    }

    /// So many objects were read.
    pub(crate) fn objects(&self, count: usize) -> Result<(), Exceeded> {
        let most = self.answer * OBJECTS;
        if self.objects.take(count as u64, most) {
            return Ok(());
        }
        // Whoever is refused keeps none of them, and others may still have room.
        self.objects.give_back(count as u64);
        Err(self.exceeded("all lists together have more", format!("{most} objects")))
    }
}

impl Held {
    /// So many bytes came, unpacked.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Exceeded> {
        let (bytes, budget) = (bytes as u64, &self.budget);
        self.bytes = self.bytes.saturating_add(bytes);
        let held = budget.held.take(bytes, budget.answer * AT_ONCE * MB);
        let read = budget.read.take(bytes, budget.answer * IN_ALL * MB);
        let (of, times) = if self.bytes > budget.answer * MB {
            ("it has more", 1)
        } else if !held {
            ("answers that come side by side have more", AT_ONCE)
        } else if !read {
            ("all answers together have more", IN_ALL)
        } else {
            return Ok(());
        };
        Err(budget.exceeded(of, format!("{} MB", budget.answer * times)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.held.give_back(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: usize = 1024 * 1024;

    fn said(result: Result<(), Exceeded>) -> String {
        result.expect_err("a limit").to_string()
    }

    #[test]
    fn one_answer_has_its_limit_announced_or_not() {
        let budget = Budget::new(Some(2));
        assert!(budget.hold(Some(2 * MB)).is_ok());
        let error = budget.hold(Some(2 * MB + 1)).expect_err("a limit");
        assert_eq!(error.to_string(), "the server announces more than 2 MB");
        assert!(error.help().starts_with("--max-answer-size 4 "));
        let mut held = budget.hold(None).expect("room");
        assert_eq!(held.take(2 * ONE), Ok(()));
        assert_eq!(said(held.take(1)), "it has more than 2 MB");
    }

    #[test]
    fn what_is_let_go_makes_room_for_others_but_counts_in_all() {
        let budget = Budget::new(Some(1));
        let mut full = Vec::new();
        for _ in 0..AT_ONCE {
            let mut held = budget.hold(None).expect("room");
            held.take(ONE).expect("room");
            full.push(held);
        }
        let mut more = budget.hold(None).expect("room");
        let beside = "answers that come side by side have more than 4 MB";
        assert_eq!(said(more.take(1)), beside);
        drop((full, more));
        let mut read = AT_ONCE * MB + 1;
        let last = loop {
            let mut held = budget.hold(None).expect("room");
            match held.take(ONE) {
                Ok(()) => read += MB,
                Err(error) => break error,
            }
        };
        let all = "all answers together have more than 64 MB";
        assert_eq!(last.to_string(), all);
        assert_eq!(read / MB, IN_ALL - 1);
    }

    #[test]
    fn objects_are_counted_over_all_lists() {
        let budget = Budget::new(Some(1));
        assert_eq!(budget.objects(16 * 1024), Ok(()));
        let all = "all lists together have more than 16384 objects";
        assert_eq!(said(budget.clone().objects(1)), all);
    }
}
