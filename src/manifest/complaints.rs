//! How much is said about one text? Enough to correct it, whatever is wrong with it: half a million complaints help nobody.

use super::{Problem, ProblemKind};

/// So many problems of one text are told; of the rest, how many there are.
const MOST: usize = 100;

/// What was found wrong with a text so far.
#[derive(Debug, Default)]
pub(crate) struct Complaints {
    problems: Vec<Problem>,
    /// How many of these count.
    told: usize,
    /// The place of the first one that is not told, and how many there are.
    untold: Option<((u32, u32), usize)>,
    template: bool,
}

impl Complaints {
    /// Takes in a problem at a place of the text.
    pub(crate) fn add(&mut self, problem: Problem) {
        if matches!(problem.kind, ProblemKind::NotRendered(_)) {
            // Of a template, one is all that is to be said.
            if !std::mem::replace(&mut self.template, true) {
                self.problems.push(problem);
            }
        } else if self.told < MOST {
            self.told += 1;
            self.problems.push(problem);
        } else {
            let place = (problem.line.unwrap_or(1), problem.column.unwrap_or(1));
            self.untold.get_or_insert((place, 0)).1 += 1;
        }
    }

    /// Takes in those of the next piece of the same text, as if it had been read at once.
    pub(crate) fn join(&mut self, next: Self) {
        for problem in next.problems {
            self.add(problem);
        }
        if let Some((place, number)) = next.untold {
            self.untold.get_or_insert((place, 0)).1 += number;
        }
    }

    /// Was anything wrong?
    pub(crate) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// What is told; of the rest, how many there are.
    pub(crate) fn told(mut self, file: &str) -> Vec<Problem> {
        if let Some((place, untold)) = self.untold {
            let message = match untold {
                1 => "one more problem of this text begins here".to_owned(),
                many => format!("{many} more problems of this text begin here"),
            };
            let help = format!("correct the first {MOST}, then run this again");
            self.problems.push(Problem::at(file, place, message, help));
        }
        self.problems
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Template, load_text};
    use super::*;

    #[test]
    fn of_very_many_problems_the_first_are_told_and_the_rest_counted() {
        for (text, line) in [
            // Each item is one line; the list begins on the second.
            (format!("kind: List\nitems:\n{}", "-\n".repeat(1100)), 103),
            // Each broken document ends on the line after the next marker.
            ("---\na\n".repeat(1100), 202),
        ] {
            let problems = load_text("a.yaml", &text).problems;
            assert_eq!(problems.len(), MOST + 1);
            let last = &problems[MOST];
            assert_eq!(last.message, "1000 more problems of this text begin here");
            assert_eq!(last.line, Some(line));
        }
    }

    #[test]
    fn a_text_with_as_many_problems_as_are_told_tells_them_all() {
        for (number, told) in [(MOST, MOST), (MOST + 1, MOST + 1)] {
            let problems = load_text("a.yaml", &"---\na\n".repeat(number)).problems;
            assert_eq!(problems.len(), told);
            let counted = problems.iter().any(|each| each.message.contains("more"));
            assert_eq!(counted, number > MOST);
        }
    }

    #[test]
    fn the_next_text_is_told_of_from_the_beginning() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ["a.yaml", "b.yaml"].map(|name| folder.path().join(name));
        for file in &files {
            std::fs::write(file, "---\na\n".repeat(MOST + 5)).expect("a file");
        }
        let loaded = super::super::load(&files, false, &mut std::io::empty());
        assert_eq!(loaded.problems.len(), 2 * (MOST + 1));
        let last = loaded.problems.last().expect("a problem");
        assert_eq!(last.message, "5 more problems of this text begin here");
        assert_eq!(last.file, files[1].to_string_lossy());
    }

    #[test]
    fn a_template_is_told_of_once_and_hides_no_other_problem() {
        let text = format!("{}---\na: [\n", "---\n{{ a }}: {{ b }}: [\n".repeat(500));
        let kinds: Vec<_> = load_text("a.yaml", &text)
            .problems
            .iter()
            .map(|problem| problem.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                ProblemKind::NotRendered(Template::Braces),
                ProblemKind::Unreadable
            ]
        );
    }
}
