//! What does the help of `explain` show?

pub(super) const EXAMPLES: &str = "\
Examples:
  kubectl drain-check explain                 every topic
  kubectl drain-check explain DC101           a rule, by its id or its slug
  kubectl drain-check explain serving         a word of the answer
  kubectl drain-check explain 1.26            what changed in a version
  kubectl drain-check explain aws             the topics that begin with aws
  kubectl drain-check explain faq             the questions
  kubectl drain-check explain get endpoints none   the question with these words";
