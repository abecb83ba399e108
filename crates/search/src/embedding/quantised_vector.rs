//! A vector as signed bytes with one scale. It takes a quarter of the room. Each number is off by at most half a scale,
//! which hardly changes a cosine of a few hundred numbers.

/// The largest byte of a vector.
const LARGEST: f32 = 127.0;

/// A vector of length 1: its numbers are the bytes times the scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuantisedVector {
    pub(super) scale: f32,
    pub(super) bytes: Vec<i8>,
}

impl QuantisedVector {
    /// Returns a vector scaled to the length 1. One without length, or with a number that is none, is zero.
    pub fn of(vector: &[f32]) -> Self {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        let largest = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        if !length.is_finite() || length <= 0.0 {
            return Self { scale: 0.0, bytes: vec![0; vector.len()] };
        }
        // A cast of a float saturates.
        let byte = |number: &f32| (number / largest * LARGEST).round() as i8;
        Self { scale: largest / LARGEST / length, bytes: vector.iter().map(byte).collect() }
    }

    /// Returns the number of its numbers.
    pub fn dimensions(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the scale, by which its bytes are multiplied.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns the cosine of the angle between two vectors.
    pub fn cosine(&self, other: &Self) -> f32 {
        let other_bytes: Vec<u8> = other.bytes.iter().map(|byte| byte.cast_unsigned()).collect();
        self.cosine_with_stored(&other_bytes, other.scale)
    }

    /// Returns the cosine with a stored vector.
    #[inline]
    pub(super) fn cosine_with_stored(&self, stored: &[u8], scale: f32) -> f32 {
        dot(&self.bytes, stored) as f32 * self.scale * scale
    }
}

/// Returns the sum of products. Written so that the compiler uses the vector instructions of the machine: a product of two bytes
/// fits into 16 bits, and those of a block into 32.
#[inline]
fn dot(one: &[i8], stored: &[u8]) -> i32 {
    let product = |(a, b): (&i8, &u8)| i32::from(i16::from(*a) * i16::from(b.cast_signed()));
    one.iter().zip(stored).map(product).sum()
}
