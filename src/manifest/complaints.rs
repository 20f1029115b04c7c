//! How much is said about one text? Enough to correct it, whatever is wrong with it: half a million complaints help nobody.

use super::{Problem, ProblemKind};

/// So many problems of one text are told; of the rest, how many there are.
const MOST: usize = 100;

/// What was found wrong with a text so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Complaints {
    told: usize,
    /// The place of the first one that is not told, and how many there are.
    untold: Option<((u32, u32), usize)>,
    template: bool,
}

impl Complaints {
    /// Takes in a problem at a place of the text; `problems` are those that are told.
    pub(crate) fn add(&mut self, problem: Problem, problems: &mut Vec<Problem>) {
        if problem.kind == ProblemKind::NotRendered {
            // Of a template, one is all that is to be said.
            if !std::mem::replace(&mut self.template, true) {
                problems.push(problem);
            }
        } else if self.told < MOST {
            self.told += 1;
            problems.push(problem);
        } else {
            let place = (problem.line.unwrap_or(1), problem.column.unwrap_or(1));
            self.untold.get_or_insert((place, 0)).1 += 1;
        }
    }

    /// How many problems of a text were not told, as a problem where there are any.
    pub(crate) fn untold(self, file: &str) -> Option<Problem> {
        let (place, untold) = self.untold?;
        let message = match untold {
            1 => "one more problem of this text begins here".to_owned(),
            many => format!("{many} more problems of this text begin here"),
        };
        let help = format!("correct the first {MOST}, then run this again");
        Some(Problem::at(file, place, message, help))
    }
}

#[cfg(test)]
mod tests {
    use super::super::load_text;
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
        let mut loaded = super::super::Loaded::default();
        for file in ["a.yaml", "b.yaml"] {
            loaded.text(file, &"---\na\n".repeat(MOST + 5));
        }
        assert_eq!(loaded.problems.len(), 2 * (MOST + 1));
        let last = loaded.problems.last().expect("a problem");
        assert_eq!(last.message, "5 more problems of this text begin here");
        assert_eq!(last.file, "b.yaml");
    }

    #[test]
    fn a_template_is_told_of_once_and_hides_no_other_problem() {
        let text = format!("{}---\na: [\n", "---\n{{ a }}: {{ b }}: [\n".repeat(500));
        let kinds: Vec<_> = load_text("a.yaml", &text)
            .problems
            .iter()
            .map(|problem| problem.kind)
            .collect();
        assert_eq!(kinds, [ProblemKind::NotRendered, ProblemKind::Unreadable]);
    }
}
