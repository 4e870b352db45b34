//! Embeddings: texts about the same subject have similar vectors. A [`Pool`] adds up rows of BERT
//! word pieces, in integers for equal sums on every machine.

mod pool;
mod table;
mod words;

pub use pool::{Embedder, Pool, QueryVector, Vector, cosine};
pub use table::{DIMENSIONS, longest_piece};

/// An [`Embedder`] is faster for many texts.
pub fn embed(text: &str) -> Vector {
    let mut pool = Pool::new();
    pool.add(text);
    pool.finish()
}

/// As in uncased BERT.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    words::chunks(text).flat_map(|chunk| {
        let mut found = Vec::new();
        words::fold(chunk, |word| found.push(word.to_owned()));
        found
    })
}

/// From 0 (in all texts) to about 5. `None` if it has several pieces.
pub fn weight(word: &str) -> Option<f64> {
    let mut rows = Vec::new();
    for chunk in words::chunks(word) {
        words::fold(chunk, |word| table::cut_word(word, &mut rows));
    }
    let [row] = &*rows else { return None };
    let square = |&byte: &u8| i32::from(byte.cast_signed()).pow(2);
    let sum: i32 = table::row(*row).iter().map(square).sum();
    Some(f64::from(sum).sqrt() * f64::from(table::STEP))
}

/// From 0 to 1.
pub fn known_share(text: &str) -> f64 {
    let (mut known, mut all) = (0_u32, 0_u32);
    let mut rows = Vec::new();
    for chunk in words::chunks(text).filter(|chunk| !words::is_punctuation(chunk)) {
        words::fold(chunk, |word| {
            rows.clear();
            table::cut_word(word, &mut rows);
            let is_word = word.is_ascii() || word.chars().nth(1).is_some();
            let is_whole = rows.len() == 1 && is_word;
            let counts = !is_whole || !table::is_zero_row(rows[0]);
            known += u32::from(is_whole && counts);
            all += u32::from(counts);
        });
    }
    f64::from(known) / f64::from(all.max(1))
}

#[cfg(test)]
mod tests;
