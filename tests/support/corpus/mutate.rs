//! One known defect.
