//! Which terms make up a number of seconds, and what does each stand for?

use super::amount::whole;
use super::at_least::AtLeast;

/// A sum of seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Sum {
    /// Whole seconds: the terms added up.
    pub seconds: u64,
    /// What was added up, in this order.
    pub terms: Vec<SumTerm>,
    /// The id of the slowest traffic source, whose figures these are; `None` where none needs any time.
    pub slowest: Option<&'static str>,
    /// Why it is only a lower bound; empty where nothing that counts is unknown.
    pub at_least: Vec<AtLeast>,
}

impl Sum {
    /// Nothing that counts is unknown; otherwise the sum is a lower bound.
    #[must_use]
    pub const fn complete(&self) -> bool {
        self.at_least.is_empty()
    }
}

/// One summand.
#[derive(Debug, Clone, PartialEq)]
pub struct SumTerm {
    /// What it is.
    pub of: TermOf,
    /// Seconds; negative where it is subtracted.
    pub seconds: f64,
}

/// What a summand is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermOf {
    /// A summand of the slowest traffic source's formula.
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
    /// Time that this traffic source provides, so that preStop need not.
    Credit(&'static str),
    /// The preStop delay.
    PreStop,
    /// The longest request, or the time after which this traffic source cuts it off.
    Request(Option<&'static str>),
}

pub(super) fn total(terms: &[SumTerm]) -> f64 {
    terms.iter().map(|term| term.seconds).sum()
}

/// Adds terms up to whole seconds; what is missing to the next one becomes a term of its own.
pub(super) fn sum(
    mut terms: Vec<SumTerm>,
    slowest: Option<&'static str>,
    at_least: Vec<AtLeast>,
) -> Sum {
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
        at_least,
    }
}

/// The names of a formula as people write them.
fn spelled(names: &str) -> String {
    names
        .split(' ')
        .map(|name| match name {
            // The catalogue's constants.
            "E" => "EndpointSlice update".to_owned(),
            "DP" => "the nodes' data plane".to_owned(),
            "kube_proxy_sync" => "kube-proxy sync".to_owned(),
            "as3_post" => "AS3 post".to_owned(),
            "elb_propagation" => "ELB propagation".to_owned(),
            "nlb_propagation" => "NLB propagation".to_owned(),
            "neg_detach" => "NEG detach".to_owned(),
            "ttl" => "TTL".to_owned(),
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
                write!(f, "{} = {numbers}", spelled(names))?;
            }
            TermOf::TrafficSource { names, .. } => f.write_str(&spelled(names))?,
            TermOf::RoundedUp => f.write_str("rounded up")?,
            TermOf::Margin => f.write_str("margin")?,
            TermOf::Credit(from) => write!(f, "provided by {from}")?,
            TermOf::PreStop => f.write_str("preStop")?,
            TermOf::Request(None) => f.write_str("longest request")?,
            TermOf::Request(Some(by)) => write!(f, "longest request, cut off by {by}")?,
        }
        f.write_str(")")
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at_least = if self.complete() { "" } else { "at least " };
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
            f.write_str("no traffic source needs any")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_source(names: &str, numbers: &str, seconds: f64) -> SumTerm {
        SumTerm {
            of: TermOf::TrafficSource {
                id: "a",
                names: names.to_owned(),
                numbers: numbers.to_owned(),
            },
            seconds,
        }
    }

    fn term(of: TermOf, seconds: f64) -> SumTerm {
        SumTerm { of, seconds }
    }

    #[test]
    fn a_sum_says_what_its_terms_are() {
        let kube_proxy = vec![
            of_source("E", "1", 1.0),
            of_source("kube_proxy_sync", "1", 1.0),
            term(TermOf::Margin, 5.0),
        ];
        assert_eq!(
            sum(
                kube_proxy,
                Some("kube-proxy"),
                vec![AtLeast::LongestRequest]
            )
            .to_string(),
            "at least 7 s = 1 (EndpointSlice update) + 1 (kube-proxy sync) + 5 (margin)"
        );
        let products = vec![
            of_source("1 / sync_rate", "1 / 0.3", 10.0 / 3.0),
            of_source("59", "59", 59.0),
            term(TermOf::Credit("b"), -25.0),
        ];
        assert_eq!(
            sum(products, Some("a"), Vec::new()).to_string(),
            "38 s = 3.333 (1 / sync rate = 1 / 0.3) + 59 (a) - 25 (provided by b) + 0.667 (rounded up)"
        );
        let cut = vec![
            term(TermOf::PreStop, 65.0),
            term(TermOf::Request(Some("gke-neg")), 60.0),
        ];
        assert_eq!(
            sum(cut, None, Vec::new()).to_string(),
            "125 s = 65 (preStop) + 60 (longest request, cut off by gke-neg)"
        );
    }
}
