//! The file of an encoder, read in place.
//!
//! All numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `MAGIC` |
//! | 32 | SHA-256 of everything that follows |
//! | 12 × 4 | [`ModelShape`] |
//! | … | name |
//! | … | `u32` offset of each piece, and end of the last |
//! | … | pieces: word beginnings, then continuations, each sorted by bytes |
//! | … | rows of pieces, then of positions: `i8` values, then an `f32` scale per row |
//! | … | `f32` row of the first sentence; weight and bias of the norm |
//! | … | each layer: matrices of queries, keys and values in one, and of the output; norm |
//! | … | each layer, continued: matrices of both linear steps; norm |
//!
//! A matrix is its `i8` values, one row per output, then an `f32` scale and bias per output.

use std::ops::Range;

use bytes::Bytes;
use sha2::{Digest, Sha256};

/// The last byte is the version of the layout.
pub(crate) const MAGIC: &[u8; 8] = b"faber\0e1";
const DIGEST: Range<usize> = 8..40;
pub(crate) const BLOCK: usize = 4;

macro_rules! model_shape {
    ($($(#[$of:meta])* $size:ident: $most:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct ModelShape { $($(#[$of])* pub(crate) $size: usize,)* }

        pub(crate) const MAX_SHAPE: ModelShape = ModelShape { $($size: $most),* };

        const SIZES: usize = [$($most),*].len();

        impl ModelShape {
            fn new([$($size),*]: [usize; SIZES]) -> Self {
                Self { $($size),* }
            }

            pub(crate) fn sizes(&self) -> [usize; SIZES] {
                [$(self.$size),*]
            }
        }
    };
}

// With the maximum of each size.
model_shape! {
    name: 100,
    pieces: 200_000,
    beginnings: 200_000,
    text: 10_000_000,
    /// Dimensions of a vector.
    width: 1024,
    layers: 24,
    heads: 64,
    /// An `i32` holds the sum of `inner` products of 8 and 12 bits.
    inner: 4096,
    /// Maximum pieces of a text, including beginning and end.
    positions: 512,
    /// Rows of the pieces for beginning, end and unknown words.
    first: 200_000,
    last: 200_000,
    unknown: 200_000,
}

impl ModelShape {
    pub(crate) fn is_sound(&self) -> bool {
        let is_small = self.sizes().iter().zip(MAX_SHAPE.sizes()).all(|(size, most)| *size <= most);
        let has_pieces = [self.first, self.last, self.unknown].iter().all(|row| *row < self.pieces);
        is_small
            && has_pieces
            && self.beginnings <= self.pieces
            && self.positions > 2
            && self.layers > 0
            && [self.width, self.inner].iter().all(|size| *size > 0 && size % BLOCK == 0)
            && self.heads > 0
            && self.width.is_multiple_of(self.heads)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFile {
    #[error("it is not an encoder file, or one of another version")]
    Magic,
    #[error("its sizes are not possible")]
    Sizes,
    #[error("it is cut short, or longer than its sizes say")]
    Length,
    #[error("its hash is wrong")]
    Hash,
}

#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) values: Range<usize>,
    pub(crate) scales: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    pub(crate) inputs: usize,
    pub(crate) values: Range<usize>,
    pub(crate) scales: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(crate) struct EncoderLayer {
    pub(crate) inputs: Matrix,
    pub(crate) output: Matrix,
    pub(crate) attention_norm: Norm,
    pub(crate) widen: Matrix,
    pub(crate) narrow: Matrix,
    pub(crate) norm: Norm,
}

#[derive(Clone, Debug)]
pub struct Encoder {
    pub(crate) bytes: Bytes,
    pub(crate) shape: ModelShape,
    name: String,
    pub(crate) offsets: Range<usize>,
    pub(crate) text: Range<usize>,
    pub(crate) words: Rows,
    pub(crate) positions: Rows,
    pub(crate) sentence: Vec<f32>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<EncoderLayer>,
}

impl Encoder {
    /// Constant time, without [`Self::check`].
    ///
    /// # Errors
    ///
    /// If magic, sizes or length are wrong.
    pub fn open(bytes: Bytes) -> Result<Self, InvalidFile> {
        let mut reader = ModelReader { bytes: &bytes, at: 0 };
        let magic = reader.take(MAGIC.len()).map_err(|_| InvalidFile::Magic)?;
        if &bytes[magic] != MAGIC {
            return Err(InvalidFile::Magic);
        }
        reader.take(DIGEST.len())?;
        let mut sizes = [0; SIZES];
        for size in &mut sizes {
            let at = reader.take(4)?.start;
            *size = u32_at(&bytes, at).ok_or(InvalidFile::Length)? as usize;
        }
        let shape = ModelShape::new(sizes);
        if !shape.is_sound() {
            return Err(InvalidFile::Sizes);
        }
        let name = reader.take(shape.name)?;
        let name = String::from_utf8_lossy(&bytes[name]);
        let name = name.chars().filter(|c| !c.is_control()).collect();
        let offsets = reader.take(4 * (shape.pieces + 1))?;
        let text = reader.take(shape.text)?;
        let ModelShape { width, inner, .. } = shape;
        let words = reader.rows(shape.pieces, width)?;
        let positions = reader.rows(shape.positions, width)?;
        let sentence = reader.numbers(width)?;
        let norm = reader.norm(width)?;
        let mut layers = Vec::new();
        for _ in 0..shape.layers {
            layers.push(EncoderLayer {
                inputs: reader.matrix(3 * width, width)?,
                output: reader.matrix(width, width)?,
                attention_norm: reader.norm(width)?,
                widen: reader.matrix(inner, width)?,
                narrow: reader.matrix(width, inner)?,
                norm: reader.norm(width)?,
            });
        }
        if reader.at != bytes.len() {
            return Err(InvalidFile::Length);
        }
        Ok(Self { bytes, shape, name, offsets, text, words, positions, sentence, norm, layers })
    }

    /// # Errors
    ///
    /// If the file differs from its hash.
    pub fn check(&self) -> Result<(), InvalidFile> {
        let digest = Sha256::digest(&self.bytes[DIGEST.end..]);
        if *digest == self.bytes[DIGEST] { Ok(()) } else { Err(InvalidFile::Hash) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Vectors of different files cannot be compared.
    pub fn digest(&self) -> &[u8] {
        &self.bytes[DIGEST]
    }

    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    pub fn width(&self) -> usize {
        self.shape.width
    }

    pub fn layers(&self) -> usize {
        self.shape.layers
    }
}

pub(crate) fn seal(file: &mut [u8]) {
    let digest = Sha256::digest(&file[DIGEST.end..]);
    file[DIGEST].copy_from_slice(&digest);
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

struct ModelReader<'a> {
    bytes: &'a Bytes,
    at: usize,
}

impl ModelReader<'_> {
    fn take(&mut self, length: usize) -> Result<Range<usize>, InvalidFile> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or(InvalidFile::Length)?;
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<f32>, InvalidFile> {
        let range = self.take(4 * count)?;
        let bits = self.bytes[range].as_chunks::<4>().0.iter();
        Ok(bits.map(|four| f32::from_le_bytes(*four)).collect())
    }

    fn rows(&mut self, count: usize, width: usize) -> Result<Rows, InvalidFile> {
        Ok(Rows { values: self.take(count * width)?, scales: self.take(4 * count)? })
    }

    fn matrix(&mut self, outputs: usize, inputs: usize) -> Result<Matrix, InvalidFile> {
        Ok(Matrix {
            inputs,
            values: self.take(outputs * inputs)?,
            scales: self.numbers(outputs)?,
            bias: self.numbers(outputs)?,
        })
    }

    fn norm(&mut self, width: usize) -> Result<Norm, InvalidFile> {
        Ok(Norm { weight: self.numbers(width)?, bias: self.numbers(width)? })
    }
}
