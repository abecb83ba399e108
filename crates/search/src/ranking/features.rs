//! Numbers about a thing, one for each feature of its kind.

use std::marker::PhantomData;

/// What says which feature a number is.
pub trait FeatureNumber: Copy {
    /// Its place among all of its kind.
    fn number(self) -> usize;
}

/// The `N` features of a thing; one that is not known is 0.
#[derive(Clone, Copy, Debug)]
pub struct Features<F, const N: usize>([f32; N], PhantomData<F>);

impl<F, const N: usize> Default for Features<F, N> {
    fn default() -> Self {
        Self([0.0; N], PhantomData)
    }
}

impl<F: FeatureNumber, const N: usize> Features<F, N> {
    /// Returns a feature.
    pub fn get(&self, feature: F) -> f32 {
        self.0[feature.number()]
    }

    /// Returns all features by number.
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    pub(super) fn set(&mut self, feature: F, value: f64) {
        self.0[feature.number()] = value as f32;
    }

    /// Raises a feature to `value` if it is less.
    pub(super) fn raise(&mut self, feature: F, value: f32) {
        let known = &mut self.0[feature.number()];
        *known = known.max(value);
    }
}
