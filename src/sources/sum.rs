//! How is a number of seconds put together? Every term says what it stands for.

use super::amount::whole;

/// A sum of seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum {
    /// Whole seconds: the terms added up.
    pub seconds: u64,
    /// What was added up, in this order.
    pub terms: Vec<SumTerm>,
    /// The traffic source that decides it; `None` where nobody asks for any.
    pub slowest: Option<&'static str>,
    /// Nothing that it depends on is unknown; otherwise it is a lower bound.
    pub complete: bool,
}

/// One summand.
#[derive(Debug, Clone, PartialEq)]
pub struct SumTerm {
    /// What it is.
    pub of: TermOf,
    /// Seconds; negative where it is taken away.
    pub seconds: f64,
}

/// What a summand is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermOf {
    /// A part of the deciding traffic source's formula.
    TrafficSource {
        /// Its id.
        id: &'static str,
        /// As the formula names it: `interval × unhealthy`.
        names: String,
        /// With numbers: `10 × 2`.
        numbers: String,
    },
    /// Up to the next whole second.
    RoundedUp,
    /// The safety margin.
    Margin,
    /// Time that somebody gives.
    Credit(&'static str),
    /// The preStop delay.
    PreStop,
    /// The longest request, or the time after which the named load balancer ends it.
    Request(Option<&'static str>),
}

pub(super) fn total(terms: &[SumTerm]) -> f64 {
    terms.iter().map(|term| term.seconds).sum()
}

/// Adds up; what is missing to a whole second becomes a term of its own.
pub(super) fn sum(mut terms: Vec<SumTerm>, slowest: Option<&'static str>, complete: bool) -> Sum {
    let exact = total(&terms);
    let seconds = whole(exact);
    // Sums of seconds are far below where floats lose whole numbers.
    #[allow(clippy::cast_precision_loss)]
    let missing = seconds as f64 - exact;
    if missing > 1e-6 {
        terms.push(SumTerm {
            of: TermOf::RoundedUp,
            seconds: missing,
        });
    }
    Sum {
        seconds,
        terms,
        slowest,
        complete,
    }
}

/// The names of a formula as people read them.
fn plain(names: &str) -> String {
    names
        .split(' ')
        .map(|name| match name {
            // The catalogue's constant: the controller writes slices, and watchers get them.
            "E" => "slices written and seen".to_owned(),
            "DP" => "the nodes' data plane".to_owned(),
            name => name.replace('_', " "),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

impl std::fmt::Display for SumTerm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.seconds < 0.0 { "- " } else { "" };
        // A thousandth is finer than anything that the figures know.
        let seconds = (self.seconds.abs() * 1000.0).round() / 1000.0;
        write!(f, "{sign}{seconds} (")?;
        match &self.of {
            TermOf::TrafficSource { id, names, numbers } if names == numbers => f.write_str(id)?,
            TermOf::TrafficSource { names, numbers, .. } if numbers.contains(' ') => {
                write!(f, "{} = {numbers}", plain(names))?;
            }
            TermOf::TrafficSource { names, .. } => f.write_str(&plain(names))?,
            TermOf::RoundedUp => f.write_str("rounded up")?,
            TermOf::Margin => f.write_str("margin")?,
            TermOf::Credit(from) => write!(f, "given by {from}")?,
            TermOf::PreStop => f.write_str("preStop")?,
            TermOf::Request(None) => f.write_str("longest request")?,
            TermOf::Request(Some(by)) => write!(f, "longest request, cut by {by}")?,
        }
        f.write_str(")")
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at_least = if self.complete { "" } else { "at least " };
        write!(f, "{at_least}{} s = ", self.seconds)?;
        for (index, term) in self.terms.iter().enumerate() {
            let plus = match (index, term.seconds < 0.0) {
                (0, _) => "",
                (_, true) => " ",
                (_, false) => " + ",
            };
            write!(f, "{plus}{term}")?;
        }
        if self.terms.is_empty() {
            f.write_str("nobody asks for any")?;
        }
        Ok(())
    }
}
