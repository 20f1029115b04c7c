//! Which objects may a selector select? Those with its rarest label, found without looking at the others.

use std::collections::BTreeMap;

/// Items by namespace and by each of their labels, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct LabelIndex<T>(BTreeMap<String, ByLabel<T>>);

type ByLabel<T> = BTreeMap<String, BTreeMap<String, Vec<T>>>;

impl<T> Default for LabelIndex<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone> LabelIndex<T> {
    pub(crate) fn add(&mut self, namespace: &str, labels: &BTreeMap<String, String>, item: &T) {
        let keys = match self.0.get_mut(namespace) {
            Some(keys) => keys,
            None => self.0.entry(namespace.to_owned()).or_default(),
        };
        for (key, value) in labels {
            let values = match keys.get_mut(key) {
                Some(values) => values,
                None => keys.entry(key.clone()).or_default(),
            };
            match values.get_mut(value) {
                Some(alike) => alike.push(item.clone()),
                None => {
                    values.insert(value.clone(), vec![item.clone()]);
                }
            }
        }
    }

    /// The items with the one label of a selector that the fewest have: a superset of what it selects. None for an empty selector.
    pub(crate) fn rarest(&self, namespace: &str, selector: &BTreeMap<String, String>) -> &[T] {
        let keys = self.0.get(namespace);
        let with_label = |(key, value): (&String, &String)| {
            let found = keys.and_then(|keys| keys.get(key)?.get(value));
            found.map_or(&[][..], Vec::as_slice)
        };
        let all = selector.iter().map(with_label);
        all.min_by_key(|found| found.len()).unwrap_or_default()
    }

    /// Every item, once for each of its labels.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        let namespaces = self.0.values().flat_map(BTreeMap::values);
        namespaces.flat_map(BTreeMap::values).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn the_label_that_the_fewest_have_is_looked_at() {
        let mut known = LabelIndex::default();
        known.add("shop", &labels(&[("app", "web"), ("tier", "front")]), &1);
        known.add("shop", &labels(&[("app", "api"), ("tier", "front")]), &2);
        known.add("blog", &labels(&[("app", "web")]), &3);
        let found = |namespace, pairs| known.rarest(namespace, &labels(pairs)).to_vec();
        let none: Vec<i32> = Vec::new();
        assert_eq!(found("shop", &[("tier", "front")]), [1, 2]);
        assert_eq!(found("shop", &[("app", "web"), ("tier", "front")]), [1]);
        assert_eq!(found("shop", &[("app", "db"), ("tier", "front")]), none);
        assert_eq!(found("elsewhere", &[("app", "web")]), none);
        assert_eq!(found("shop", &[]), none);
    }
}
