//! Converts a model to the file of an encoder.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::file::{BLOCK, MAGIC, MAX_SHAPE, ModelShape, seal};
use crate::safetensors::{Numbers, Tensors};

pub const WEIGHTS: &str = "model.safetensors";
const CONFIG: &str = "config.json";
const TOKENIZER: &str = "tokenizer.json";
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const VOCABULARY: &str = "vocab.txt";
const POOLING: &str = "1_Pooling/config.json";
const SENTENCES: &str = "sentence_bert_config.json";
/// Pieces of a text, unless the model has a limit.
const POSITIONS: usize = 256;
const CONTINUES: &str = "##";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    #[error("it has no file `{0}`")]
    Missing(&'static str),
    #[error("its file `{0}` is damaged")]
    Damaged(&'static str),
    #[error("its {what} is {found}; supported is {supported}")]
    Unsupported { what: &'static str, found: String, supported: &'static str },
    #[error("its weights have no 32-bit tensor `{0}` of the expected shape")]
    Tensor(String),
    #[error("its vocabulary has no piece `{0}`")]
    Piece(&'static str),
}

/// `None` for a missing file.
pub type ModelFiles<'a> = dyn Fn(&str) -> Option<Cow<'a, [u8]>> + 'a;

#[derive(Deserialize)]
struct BertConfig {
    #[serde(default)]
    model_type: String,
    #[serde(default)]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    vocab_size: usize,
}

#[derive(Deserialize)]
struct Pooling {
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
}

#[derive(Deserialize)]
struct TokenizerFile {
    model: TokenizerModel,
    normalizer: Option<NormalizerConfig>,
}

#[derive(Deserialize)]
struct TokenizerModel {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    vocab: HashMap<String, usize>,
}

#[derive(Deserialize)]
struct NormalizerConfig {
    lowercase: Option<bool>,
}

/// # Errors
///
/// If a file is missing or damaged, or the model is not an uncased BERT with mean pooling.
pub fn convert(name: &str, files: &ModelFiles<'_>) -> Result<Vec<u8>, ConvertError> {
    let config: BertConfig = json(files, CONFIG)?.ok_or(ConvertError::Missing(CONFIG))?;
    let positions = check(&config, files)?;
    let vocabulary = SortedPieces::new(ids(files)?, config.vocab_size)?;
    let weights = files(WEIGHTS).ok_or(ConvertError::Missing(WEIGHTS))?;
    let tensors = Tensors::open(&weights).ok_or(ConvertError::Damaged(WEIGHTS))?;
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_SHAPE.name / 4).collect();
    let shape = ModelShape {
        name: name.len(),
        pieces: vocabulary.pieces.len(),
        beginnings: vocabulary.beginnings,
        text: vocabulary.pieces.iter().map(|(piece, _)| piece.len()).sum(),
        width: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        inner: config.intermediate_size,
        positions,
        first: vocabulary.row("[CLS]")?,
        last: vocabulary.row("[SEP]")?,
        unknown: vocabulary.row("[UNK]")?,
    };
    if !shape.is_sound() {
        return Err(ConvertError::Unsupported {
            what: "size",
            found: format!("{} × {} × {}", shape.width, shape.inner, shape.layers),
            supported: "a width of at most 1024, an inner width of at most 4096, 24 layers",
        });
    }
    let mut writer = ModelWriter { bytes: Vec::new(), tensors, shape };
    writer.bytes.extend_from_slice(MAGIC);
    writer.bytes.extend_from_slice(&[0; 32]);
    for size in shape.sizes() {
        writer.size(size);
    }
    writer.bytes.extend_from_slice(name.as_bytes());
    writer.vocabulary(&vocabulary);
    writer.model(&vocabulary, &config)?;
    let mut bytes = writer.bytes;
    seal(&mut bytes);
    Ok(bytes)
}

/// Maximum pieces of a text.
fn check(config: &BertConfig, files: &ModelFiles<'_>) -> Result<usize, ConvertError> {
    let unsupported = |what, found: &str, supported| {
        Err(ConvertError::Unsupported { what, found: format!("`{found}`"), supported })
    };
    if config.model_type != "bert" {
        return unsupported("type of model", &config.model_type, "`bert`");
    }
    if config.hidden_act != "gelu" {
        return unsupported("activation", &config.hidden_act, "`gelu`");
    }
    if let Some(kind) = config.position_embedding_type.as_deref().filter(|it| *it != "absolute") {
        return unsupported("type of positions", kind, "`absolute`");
    }
    if json::<Pooling>(files, POOLING)?.is_some_and(|pooling| !pooling.pooling_mode_mean_tokens) {
        return unsupported("pooling", "of another kind", "the mean of all pieces");
    }
    let tokenizer: Option<TokenizerConfig> = json(files, TOKENIZER_CONFIG)?;
    if tokenizer.is_some_and(|tokenizer| tokenizer.do_lower_case == Some(false)) {
        return unsupported("vocabulary", "cased", "an uncased one");
    }
    let sentences: Option<SentenceConfig> = json(files, SENTENCES)?;
    let length = sentences.and_then(|sentences| sentences.max_seq_length).unwrap_or(POSITIONS);
    Ok(length.min(config.max_position_embeddings).min(MAX_SHAPE.positions))
}

fn json<T: DeserializeOwned>(
    files: &ModelFiles<'_>,
    name: &'static str,
) -> Result<Option<T>, ConvertError> {
    let parse = |bytes: Cow<'_, [u8]>| serde_json::from_slice(&bytes);
    files(name).map(parse).transpose().map_err(|_| ConvertError::Damaged(name))
}

fn ids(files: &ModelFiles<'_>) -> Result<HashMap<String, usize>, ConvertError> {
    if let Some(TokenizerFile { model, normalizer }) = json(files, TOKENIZER)? {
        let is_cased = normalizer.is_some_and(|normalizer| normalizer.lowercase == Some(false));
        if model.kind != "WordPiece" || is_cased {
            let found = format!("`{}`{}", model.kind, if is_cased { ", cased" } else { "" });
            let supported = "an uncased `WordPiece`";
            return Err(ConvertError::Unsupported { what: "tokenizer", found, supported });
        }
        return Ok(model.vocab);
    }
    let text = files(VOCABULARY).ok_or(ConvertError::Missing(TOKENIZER))?;
    let text = std::str::from_utf8(&text).map_err(|_| ConvertError::Damaged(VOCABULARY))?;
    let pieces = text.lines().enumerate().map(|(id, piece)| (piece.to_owned(), id));
    Ok(pieces.collect())
}

struct SortedPieces {
    pieces: Vec<(String, usize)>,
    beginnings: usize,
}

impl SortedPieces {
    fn new(ids: HashMap<String, usize>, rows: usize) -> Result<Self, ConvertError> {
        if ids.values().any(|id| *id >= rows) {
            return Err(ConvertError::Damaged(TOKENIZER));
        }
        let (mut beginnings, mut continuations) = (BTreeMap::new(), BTreeMap::new());
        for (piece, id) in ids {
            match piece.strip_prefix(CONTINUES).filter(|rest| !rest.is_empty()) {
                Some(rest) => continuations.insert(rest.to_owned(), id),
                None => beginnings.insert(piece, id),
            };
        }
        let count = beginnings.len();
        let pieces = beginnings.into_iter().chain(continuations).collect();
        Ok(Self { pieces, beginnings: count })
    }

    fn row(&self, piece: &'static str) -> Result<usize, ConvertError> {
        let beginnings = &self.pieces[..self.beginnings];
        let row = beginnings.binary_search_by(|(known, _)| known.as_str().cmp(piece));
        row.map_err(|_| ConvertError::Piece(piece))
    }
}

struct ModelWriter<'a> {
    bytes: Vec<u8>,
    tensors: Tensors<'a>,
    shape: ModelShape,
}

impl<'a> ModelWriter<'a> {
    fn size(&mut self, size: usize) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.bytes.extend_from_slice(&size.to_le_bytes());
    }

    fn vocabulary(&mut self, vocabulary: &SortedPieces) {
        let mut end = 0;
        self.size(0);
        for (piece, _) in &vocabulary.pieces {
            end += piece.len();
            self.size(end);
        }
        for (piece, _) in &vocabulary.pieces {
            self.bytes.extend_from_slice(piece.as_bytes());
        }
    }

    fn model(
        &mut self,
        vocabulary: &SortedPieces,
        config: &BertConfig,
    ) -> Result<(), ConvertError> {
        let ModelShape { width, inner, positions, .. } = self.shape;
        let embeddings = |kind: &str| format!("embeddings.{kind}_embeddings.weight");
        let words = self.numbers(&embeddings("word"), &[config.vocab_size, width])?;
        self.rows(words, vocabulary.pieces.iter().map(|(_, id)| *id), width);
        let all = config.max_position_embeddings;
        let places = self.numbers(&embeddings("position"), &[all, width])?;
        self.rows(places, 0..positions, width);
        if config.type_vocab_size == 0 {
            return Err(ConvertError::Tensor(embeddings("token_type")));
        }
        let sentence = self.numbers(&embeddings("token_type"), &[config.type_vocab_size, width])?;
        self.floats(sentence.row(0, width));
        self.norm("embeddings.LayerNorm")?;
        for layer in 0..self.shape.layers {
            let part = |name: &str| format!("encoder.layer.{layer}.{name}");
            let own = ["query", "key", "value"].map(|kind| part(&format!("attention.self.{kind}")));
            self.matrix(&own, width, width)?;
            self.matrix(&[part("attention.output.dense")], width, width)?;
            self.norm(&part("attention.output.LayerNorm"))?;
            self.matrix(&[part("intermediate.dense")], inner, width)?;
            self.matrix(&[part("output.dense")], width, inner)?;
            self.norm(&part("output.LayerNorm"))?;
        }
        Ok(())
    }

    fn numbers(&self, name: &str, shape: &[usize]) -> Result<Numbers<'a>, ConvertError> {
        let numbers = self.tensors.numbers(name, shape);
        numbers.ok_or_else(|| ConvertError::Tensor(name.to_owned()))
    }

    fn floats(&mut self, numbers: impl Iterator<Item = f32>) {
        for number in numbers {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    fn norm(&mut self, name: &str) -> Result<(), ConvertError> {
        let width = self.shape.width;
        for kind in ["weight", "bias"] {
            let numbers = self.numbers(&format!("{name}.{kind}"), &[width])?;
            self.floats(numbers.row(0, width));
        }
        Ok(())
    }

    fn matrix(
        &mut self,
        names: &[String],
        outputs: usize,
        inputs: usize,
    ) -> Result<(), ConvertError> {
        debug_assert_eq!(outputs % BLOCK, 0);
        let mut scales = Vec::new();
        for name in names {
            let numbers = self.numbers(&format!("{name}.weight"), &[outputs, inputs])?;
            scales.extend((0..outputs).map(|row| self.row(numbers.row(row, inputs))));
        }
        self.floats(scales.into_iter());
        for name in names {
            let bias = self.numbers(&format!("{name}.bias"), &[outputs])?;
            self.floats(bias.row(0, outputs));
        }
        Ok(())
    }

    fn rows(&mut self, numbers: Numbers<'_>, ids: impl Iterator<Item = usize>, width: usize) {
        let scales: Vec<f32> = ids.map(|id| self.row(numbers.row(id, width))).collect();
        self.floats(scales.into_iter());
    }

    fn row(&mut self, numbers: impl Iterator<Item = f32> + Clone) -> f32 {
        let max = numbers.clone().fold(0.0_f32, |most, x| most.max(x.abs()));
        let factor = if max > 0.0 && max.is_finite() { 127.0 / max } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "they are in the range")]
        let bytes = numbers.map(|x| ((x * factor).round() as i8).cast_unsigned());
        self.bytes.extend(bytes);
        if factor > 0.0 { 1.0 / factor } else { 0.0 }
    }
}
