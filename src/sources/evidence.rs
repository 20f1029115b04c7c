//! Which object and field show that a traffic source is in use?

/// A field of an object that shows that a traffic source is in use for a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The object, as `Ingress shop/web`.
    pub object: String,
    /// The path of the field; `None` where it is enough that the object exists.
    pub field: Option<String>,
    /// The field's value.
    pub value: Option<String>,
    /// What to know about it, from the catalogue.
    pub note: Option<String>,
}

impl std::fmt::Display for Evidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.object)?;
        match (&self.field, &self.value) {
            (Some(field), Some(value)) => write!(f, " ({field}: {value})"),
            (Some(field), None) => write!(f, " ({field})"),
            (None, _) => Ok(()),
        }
    }
}
