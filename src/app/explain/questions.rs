//! Which question of the FAQ is meant by some words?

use std::fmt::Write as _;

/// The page with a section for each question.
const FAQ: &str = include_str!("../../../docs/faq.md");

/// Words of questions that say nothing about their subject.
const EMPTY: [&str; 22] = [
    "and", "are", "can", "did", "does", "for", "has", "have", "how", "its", "not", "our", "should",
    "still", "that", "the", "there", "this", "what", "when", "why", "with",
];

/// The shortest word that says something.
const SHORTEST: usize = 3;

/// From this length on a word is the same as one with a short ending: `drop` and `drops`.
const SHORTEST_STEM: usize = 4;

/// The longest such ending.
const LONGEST_ENDING: usize = 3;

fn questions(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = page.split("\n### ").skip(1);
    sections.filter_map(|section| {
        let (question, text) = section.split_once('\n')?;
        // The last one of a group is followed by the next group.
        Some((question, text.split("\n## ").next()?))
    })
}

/// The words that say what a text is about, in small letters.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    let words = words.map(str::to_lowercase);
    words
        .filter(|word| word.len() >= SHORTEST && !EMPTY.contains(&word.as_str()))
        .collect()
}

fn same(one: &str, other: &str) -> bool {
    let begins = |long: &str, short: &str| {
        let ending = long.strip_prefix(short);
        short.len() >= SHORTEST_STEM && ending.is_some_and(|rest| rest.len() <= LONGEST_ENDING)
    };
    one == other || begins(one, other) || begins(other, one)
}

fn page(question: &str, text: &str) -> String {
    format!("# {question}\n{}\n", text.trim_end())
}

/// Every question.
pub(super) fn list() -> String {
    under("Questions", questions(FAQ).map(|(question, _)| question))
}

fn under<'q>(title: &str, questions: impl Iterator<Item = &'q str>) -> String {
    let mut text = format!("# {title}\n\n");
    for question in questions {
        // Writing to a text does not fail.
        let _ = writeln!(text, "- {question}");
    }
    text.push_str(
        "\n`kubectl drain-check explain` with some words of a question prints its answer.\n",
    );
    text
}

/// The question that has most of these words in it, at least half of them; several if they are equal. A name that is put together with
/// hyphens is no question.
pub(super) fn found(asked: &str) -> Option<String> {
    found_in(FAQ, asked)
}

fn found_in(faq: &str, asked: &str) -> Option<String> {
    let wanted = words(asked);
    if wanted.is_empty() || (asked.contains('-') && !asked.contains(' ')) {
        return None;
    }
    let score = |question: &str| {
        let in_it = words(question);
        let has = |word: &&String| in_it.iter().any(|one| same(one, word));
        wanted.iter().filter(has).count()
    };
    let scored: Vec<_> = questions(faq)
        .map(|(question, text)| (score(question), question, text))
        .collect();
    let best = scored.iter().map(|(score, ..)| *score).max()?;
    if best * 2 < wanted.len() || best == 0 {
        return None;
    }
    let mut best = scored.into_iter().filter(|(score, ..)| *score == best);
    let (_, question, text) = best.next()?;
    let mut others = best.map(|(_, question, _)| question).peekable();
    if others.peek().is_none() {
        return Some(page(question, text));
    }
    let all = std::iter::once(question).chain(others);
    Some(under("Questions with these words", all))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Questions\n\n### `kubectl get endpoints` says `<none>`. Why?\n\nBecause.\n\n### Each rollout gives a burst of 502s\n\n\
                        So.\n\n### 502s in a rollout, with a load balancer\n\nThus.\n\n### WebSockets are cut\n\nYes.\n";

    #[test]
    fn the_question_with_most_of_the_words_is_shown_and_equal_ones_are_listed() {
        let found = |asked: &str| found_in(PAGE, asked);
        let none = "# `kubectl get endpoints` says `<none>`. Why?\n\nBecause.\n";
        assert_eq!(
            found("why does get endpoints show none").as_deref(),
            Some(none)
        );
        assert_eq!(found("Endpoints: NONE?").as_deref(), Some(none));
        assert_eq!(
            found("websocket").as_deref(),
            Some("# WebSockets are cut\n\nYes.\n")
        );
        assert_eq!(
            found("burst in a rollout").as_deref(),
            Some("# Each rollout gives a burst of 502s\n\nSo.\n")
        );
        let several = found("502s rollout").expect("two of them");
        assert!(
            several.contains("- Each rollout") && several.contains("- 502s in a rollout"),
            "{several}"
        );
        assert!(!several.contains("WebSockets"), "{several}");
        for unknown in [
            "",
            "why",
            "nginx",
            "endpoints-nginx",
            "one two three endpoints",
        ] {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn every_question_is_found_by_its_own_words() {
        for (question, text) in questions(FAQ) {
            assert_eq!(found(question), Some(page(question, text)));
        }
    }
}
