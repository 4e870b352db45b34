//! The forward pass of BERT with mean pooling.
#![expect(clippy::inline_always, reason = "see `math.rs`")]

use fearless_simd::{Level, dispatch};

use crate::file::{BLOCK, Encoder, EncoderLayer, Matrix, Norm, Rows, u32_at};
use crate::math::{Quantized, exp, gelu, largest, products, sum};

/// Of BERT; prevents division by zero.
const EPSILON: f32 = 1e-12;

#[derive(Default)]
struct Work {
    quantized: Quantized,
    weights: Vec<i16>,
}

impl Encoder {
    /// Only the direction matters. Long texts are truncated.
    pub fn encode(&self, text: &str) -> Vec<i8> {
        let rows = self.pieces(text);
        let vector = dispatch!(Level::new(), _simd => self.forward(&rows));
        let max = largest(&vector);
        let factor = if max > 0.0 { 127.0 / max } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "they are in the range")]
        vector.iter().map(|x| (x * factor).round() as i8).collect()
    }

    #[inline(always)]
    pub(crate) fn forward(&self, rows: &[usize]) -> Vec<f32> {
        let width = self.shape.width;
        let mut work = Work::default();
        let mut states = vec![0.0; rows.len() * width];
        for (at, (state, row)) in states.chunks_exact_mut(width).zip(rows).enumerate() {
            state.copy_from_slice(&self.sentence);
            self.add_row(&self.words, *row, state);
            self.add_row(&self.positions, at, state);
        }
        normalize(&mut states, &self.norm);
        for layer in &self.layers {
            self.layer(layer, &mut states, &mut work);
        }
        let mut mean = vec![0.0; width];
        for state in states.chunks_exact(width) {
            for (sum, x) in mean.iter_mut().zip(state) {
                *sum += x;
            }
        }
        mean
    }

    #[inline(always)]
    fn add_row(&self, rows: &Rows, row: usize, to: &mut [f32]) {
        let width = to.len();
        let scale = u32_at(&self.bytes, rows.scales.start + 4 * row).map_or(0.0, f32::from_bits);
        let values = &self.bytes[rows.values.clone()][row * width..(row + 1) * width];
        for (to, value) in to.iter_mut().zip(values) {
            *to += f32::from(value.cast_signed()) * scale;
        }
    }

    #[inline(always)]
    fn layer(&self, layer: &EncoderLayer, states: &mut [f32], work: &mut Work) {
        let width = self.shape.width;
        work.quantized.set(states, width);
        let inputs = self.linear(&layer.inputs, work);
        let attended = attention(&inputs, width, self.shape.heads);
        work.quantized.set(&attended, width);
        add(states, &self.linear(&layer.output, work));
        normalize(states, &layer.attention_norm);
        work.quantized.set(states, width);
        let mut inner = self.linear(&layer.widen, work);
        for x in &mut inner {
            *x = gelu(*x);
        }
        work.quantized.set(&inner, self.shape.inner);
        add(states, &self.linear(&layer.narrow, work));
        normalize(states, &layer.norm);
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a sum needs no more digits")]
    fn linear(&self, matrix: &Matrix, work: &mut Work) -> Vec<f32> {
        let outputs = matrix.scales.len();
        let mut results = vec![0.0; work.quantized.scales.len() * outputs];
        work.weights.resize(BLOCK * matrix.inputs, 0);
        let blocks = self.bytes[matrix.values.clone()].chunks_exact(BLOCK * matrix.inputs);
        for (block, values) in blocks.enumerate() {
            for (to, from) in work.weights.iter_mut().zip(values) {
                *to = i16::from(from.cast_signed());
            }
            let place = block * BLOCK..(block + 1) * BLOCK;
            let (scales, bias) = (&matrix.scales[place.clone()], &matrix.bias[place.clone()]);
            let rows = work.quantized.values.chunks_exact(matrix.inputs);
            let results = results.chunks_exact_mut(outputs).map(|row| &mut row[place.clone()]);
            for ((row, scale), results) in rows.zip(&work.quantized.scales).zip(results) {
                let sums = products(row, &work.weights);
                for (at, sum) in sums.into_iter().enumerate() {
                    results[at] = sum as f32 * (scale * scales[at]) + bias[at];
                }
            }
        }
        results
    }
}

#[inline(always)]
fn add(to: &mut [f32], from: &[f32]) {
    for (to, x) in to.iter_mut().zip(from) {
        *to += x;
    }
}

#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn normalize(rows: &mut [f32], norm: &Norm) {
    let width = norm.weight.len();
    for row in rows.chunks_exact_mut(width) {
        let mean = sum(row, |x| x) / width as f32;
        let variance = sum(row, |x| (x - mean) * (x - mean)) / width as f32;
        let factor = 1.0 / (variance + EPSILON).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
            *x = (*x - mean) * factor * weight + bias;
        }
    }
}

/// Rows of `inputs` have queries, keys and values.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "heads are narrow")]
fn attention(inputs: &[f32], width: usize, heads: usize) -> Vec<f32> {
    let count = inputs.len() / (3 * width);
    let size = width / heads;
    let factor = 1.0 / (size as f32).sqrt();
    let mut results = vec![0.0; count * width];
    let mut keys = vec![0.0; count * size];
    let mut scores = vec![0.0; count];
    for head in 0..heads {
        let part = |kind: usize| kind * width + head * size..kind * width + (head + 1) * size;
        for (row, input) in inputs.chunks_exact(3 * width).enumerate() {
            for (number, key) in input[part(1)].iter().enumerate() {
                keys[number * count + row] = *key;
            }
        }
        for (row, result) in results.chunks_exact_mut(width).enumerate() {
            let query = &inputs[row * 3 * width..][part(0)];
            scores.fill(0.0);
            for (query, keys) in query.iter().zip(keys.chunks_exact(count)) {
                for (score, key) in scores.iter_mut().zip(keys) {
                    *score += query * factor * key;
                }
            }
            let max = scores.iter().fold(f32::MIN, |most, x| if *x > most { *x } else { most });
            for score in &mut scores {
                *score = exp(*score - max);
            }
            let share = 1.0 / sum(&scores, |x| x);
            let result = &mut result[head * size..(head + 1) * size];
            for (score, input) in scores.iter().zip(inputs.chunks_exact(3 * width)) {
                for (to, value) in result.iter_mut().zip(&input[part(2)]) {
                    *to += score * share * value;
                }
            }
        }
    }
    results
}
