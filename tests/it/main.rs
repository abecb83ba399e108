//! The one integration binary: every test goes through the public boundary.

mod support;
