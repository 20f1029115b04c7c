//! How are lists read that the API server keeps short? What has more is refused while it is read: it was never stored anywhere.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// So many endpoints an EndpointSlice may have (`pkg/apis/discovery/validation/validation.go`, `maxEndpoints`).
pub(super) const ENDPOINTS: usize = 1000;

/// A list, or nothing.
struct AtMost<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for AtMost<T, MOST> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST}")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, list: D) -> Result<Self::Value, D::Error> {
        list.deserialize_seq(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            if items.len() == MOST {
                return Err(A::Error::custom(format_args!(
                    "an API server takes at most {MOST}"
                )));
            }
            items.push(item);
        }
        Ok(Some(items))
    }
}

/// Reads a list of at most so many, or null.
pub(super) fn at_most<'de, const MOST: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    deserializer.deserialize_option(AtMost::<T, MOST>(PhantomData))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::decode::parts::EndpointSlice;
    use crate::decode::typed;

    fn read(endpoints: &Value) -> Result<Option<usize>, String> {
        let slice = json!({"metadata": {"name": "a"}, "endpoints": endpoints});
        let of = |slice: EndpointSlice| slice.endpoints.map(|all| all.len());
        let value = typed::value(&slice).map(of).map_err(String::from);
        let text = typed::text(&slice.to_string()).map(of);
        assert_eq!(text.map_err(String::from), value);
        value
    }

    #[test]
    fn a_slice_of_more_than_a_thousand_endpoints_is_none_that_an_api_server_stores() {
        let many = |most| vec![json!({"addresses": ["10.0.0.1"]}); most].into();
        assert_eq!(read(&Value::Null), Ok(None));
        assert_eq!(read(&json!([])), Ok(Some(0)));
        assert_eq!(read(&many(1000)), Ok(Some(1000)));
        let refused = read(&many(1001)).expect_err("too many");
        assert_eq!(refused, "endpoints: an API server takes at most 1000");
    }
}
