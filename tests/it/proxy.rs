//! Do the selection and its modes say what real kube-proxies do?

mod data_planes;
mod dual;
mod minimal;
mod misfits;
mod modes;
mod oracle;
mod properties;
