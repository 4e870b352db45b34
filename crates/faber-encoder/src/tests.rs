//! Compares with a naive 64-bit implementation.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::convert::{ConvertError, WEIGHTS, convert};
use crate::{Encoder, InvalidFile, Wheel, cosine};

const WIDTH: usize = 32;
const HEADS: usize = 4;
const EXACT_WIDTH: f64 = 32.0;
const EXACT_HEAD: f64 = 8.0;
const INNER: usize = 48;
const LAYERS: usize = 2;
const POSITIONS: usize = 12;
const PIECES: [&str; 12] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "key", "##s", "rotate", "sign", "##ing", ".", "##e",
];

#[derive(Clone)]
struct Model {
    tensors: BTreeMap<String, (Vec<usize>, Vec<f32>)>,
    files: BTreeMap<String, Vec<u8>>,
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f32::from((self.0 >> 48) as u16) / 32_768.0 - 1.0
    }
}

impl Model {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut tensors = BTreeMap::new();
        let mut add = |name: String, shape: &[usize], around: f32, size: f32| {
            let count = shape.iter().product();
            let numbers = (0..count).map(|_| around + size * random.next()).collect();
            tensors.insert(name, (shape.to_vec(), numbers));
        };
        let embeddings = |kind| format!("embeddings.{kind}_embeddings.weight");
        add(embeddings("word"), &[PIECES.len(), WIDTH], 0.0, 1.0);
        add(embeddings("position"), &[POSITIONS, WIDTH], 0.0, 0.2);
        add(embeddings("token_type"), &[2, WIDTH], 0.0, 0.1);
        let mut norms = vec!["embeddings.LayerNorm".to_owned()];
        for layer in 0..LAYERS {
            let part = |name: &str| format!("encoder.layer.{layer}.{name}");
            let square = ["self.query", "self.key", "self.value", "output.dense"];
            let mut linear =
                square.map(|name| (part(&format!("attention.{name}")), WIDTH, WIDTH)).to_vec();
            linear.push((part("intermediate.dense"), INNER, WIDTH));
            linear.push((part("output.dense"), WIDTH, INNER));
            for (name, outputs, inputs) in linear {
                add(format!("{name}.weight"), &[outputs, inputs], 0.0, 0.4);
                add(format!("{name}.bias"), &[outputs], 0.0, 0.1);
            }
            norms.extend(["attention.output.LayerNorm", "output.LayerNorm"].map(part));
        }
        for name in norms {
            add(format!("{name}.weight"), &[WIDTH], 1.0, 0.2);
            add(format!("{name}.bias"), &[WIDTH], 0.0, 0.1);
        }
        let config = json!({
            "model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH,
            "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER,
            "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "vocab_size": PIECES.len(),
        });
        let files = BTreeMap::from([
            ("config.json".to_owned(), config.to_string().into_bytes()),
            ("vocab.txt".to_owned(), PIECES.join("\n").into_bytes()),
        ]);
        Self { tensors, files }
    }

    fn set(&mut self, file: &str, key: &str, value: Value) {
        let bytes = self.files.entry(file.to_owned()).or_insert_with(|| b"{}".to_vec());
        let mut object: Value = serde_json::from_slice(bytes).unwrap();
        object[key] = value;
        *bytes = object.to_string().into_bytes();
    }

    fn weights(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, (shape, numbers)) in &self.tensors {
            let start = data.len();
            data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            let entry =
                json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            header.insert(name.clone(), entry);
        }
        let header = Value::Object(header).to_string().into_bytes();
        [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
    }

    fn file(&self, name: &str) -> Option<Vec<u8>> {
        if name == WEIGHTS { Some(self.weights()) } else { self.files.get(name).cloned() }
    }

    fn convert(&self) -> Result<Vec<u8>, ConvertError> {
        convert("tiny", &|name| self.file(name).map(Cow::from))
    }

    fn row(&self, name: &str, at: usize) -> Vec<f64> {
        let (shape, numbers) = &self.tensors[name];
        let width = *shape.last().unwrap();
        numbers[at * width..(at + 1) * width].iter().copied().map(f64::from).collect()
    }

    fn linear(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let bias = self.row(&format!("{name}.bias"), 0);
        let row = |at: usize| self.row(&format!("{name}.weight"), at);
        (0..bias.len()).map(|at| bias[at] + dot(&row(at), input)).collect()
    }

    fn norm(&self, name: &str, input: &[f64]) -> Vec<f64> {
        let (weight, bias) =
            (self.row(&format!("{name}.weight"), 0), self.row(&format!("{name}.bias"), 0));
        let count = EXACT_WIDTH;
        let mean = input.iter().sum::<f64>() / count;
        let variance = input.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let scaled = input.iter().map(|x| (x - mean) / (variance + 1e-12).sqrt());
        scaled.zip(weight.iter().zip(bias)).map(|(x, (weight, bias))| x * weight + bias).collect()
    }

    fn encode(&self, ids: &[usize]) -> Vec<f64> {
        let state = |(at, id): (usize, &usize)| {
            let parts = [("word", *id), ("position", at), ("token_type", 0)];
            let rows = parts
                .map(|(kind, row)| self.row(&format!("embeddings.{kind}_embeddings.weight"), row));
            let sums: Vec<f64> = (0..WIDTH).map(|x| rows.iter().map(|row| row[x]).sum()).collect();
            self.norm("embeddings.LayerNorm", &sums)
        };
        let mut states: Vec<Vec<f64>> = ids.iter().enumerate().map(state).collect();
        for layer in 0..LAYERS {
            let part = |name: &str| format!("encoder.layer.{layer}.{name}");
            let all = |kind: &str| -> Vec<Vec<f64>> {
                let name = part(&format!("attention.self.{kind}"));
                states.iter().map(|state| self.linear(&name, state)).collect()
            };
            let (queries, keys, values) = (all("query"), all("key"), all("value"));
            let attended: Vec<Vec<f64>> =
                queries.iter().map(|query| attend(query, &keys, &values)).collect();
            for (state, attended) in states.iter_mut().zip(attended) {
                let output = self.linear(&part("attention.output.dense"), &attended);
                *state = self.norm(&part("attention.output.LayerNorm"), &sum(state, &output));
                let inner = self.linear(&part("intermediate.dense"), state);
                let inner: Vec<f64> = inner.into_iter().map(|x| x * normal(x)).collect();
                let output = self.linear(&part("output.dense"), &inner);
                *state = self.norm(&part("output.LayerNorm"), &sum(state, &output));
            }
        }
        (0..WIDTH).map(|at| states.iter().map(|state| state[at]).sum()).collect()
    }
}

fn attend(query: &[f64], keys: &[Vec<f64>], values: &[Vec<f64>]) -> Vec<f64> {
    let size = WIDTH / HEADS;
    let of_head = |head: usize| {
        let part = head * size..(head + 1) * size;
        let score = |key: &Vec<f64>| {
            (dot(&query[part.clone()], &key[part.clone()]) / EXACT_HEAD.sqrt()).exp()
        };
        let scores: Vec<f64> = keys.iter().map(score).collect();
        let total: f64 = scores.iter().sum();
        part.map(move |at| {
            scores.iter().zip(values).map(|(score, value)| score * value[at]).sum::<f64>() / total
        })
    };
    (0..HEADS).flat_map(of_head).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn normal(x: f64) -> f64 {
    let steps = 2000;
    let step = x / f64::from(steps);
    let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    0.5 + (0..steps).map(|at| density((f64::from(at) + 0.5) * step) * step).sum::<f64>()
}

fn open(model: &Model) -> Encoder {
    let encoder = Encoder::open(model.convert().unwrap().into()).unwrap();
    encoder.check().unwrap();
    encoder
}

#[test]
fn vectors_are_those_of_the_definition() {
    for seed in [3, 17, 4711] {
        let model = Model::new(seed);
        let encoder = open(&model);
        let texts: [(&str, &[usize]); 4] = [
            ("Rotate the signing keys.", &[2, 7, 4, 8, 9, 5, 6, 10, 3]),
            ("KEY", &[2, 5, 3]),
            ("", &[2, 3]),
            ("the unknown \u{1F980} key", &[2, 4, 1, 1, 5, 3]),
        ];
        for (text, ids) in texts {
            let found: Vec<f64> = encoder.encode(text).into_iter().map(f64::from).collect();
            let exact = model.encode(ids);
            let cosine = dot(&found, &exact) / (dot(&found, &found) * dot(&exact, &exact)).sqrt();
            assert!(cosine > 0.999, "{text}: {cosine}");
        }
    }
}

#[test]
fn instructions_of_the_processor_change_nothing() {
    let encoder = open(&Model::new(5));
    for text in ["Rotate the signing keys.", "the key", ""] {
        let rows = encoder.pieces(text);
        let fast =
            fearless_simd::dispatch!(fearless_simd::Level::new(), _simd => encoder.forward(&rows));
        assert_eq!(fast, encoder.forward(&rows), "{text}");
    }
}

#[test]
fn long_texts_count_by_their_beginning() {
    let encoder = open(&Model::new(9));
    let long = "key ".repeat(POSITIONS - 2);
    assert_eq!(encoder.encode(&long), encoder.encode(&format!("{long} rotate the sign")));
    assert_eq!(encoder.pieces(&long).len(), POSITIONS);
}

#[test]
fn the_file_says_what_it_is() {
    let encoder = open(&Model::new(1));
    assert_eq!((encoder.name(), encoder.width(), encoder.layers()), ("tiny", WIDTH, LAYERS));
    let other = open(&Model::new(2));
    assert_ne!(encoder.digest(), other.digest());
    let [a, b] = ["the key", "rotate"].map(|text| encoder.encode(text));
    assert!((cosine(&a, &a) - 1.0).abs() < 1e-9 && cosine(&a, &b) < 1.0);
    assert!(cosine(&a, &a[1..]).abs() < 1e-9 && cosine(&[], &[]).abs() < 1e-9);
}

#[test]
fn tokenizers_are_read_from_either_file() {
    let mut model = Model::new(1);
    let expected = model.convert().unwrap();
    let vocab: serde_json::Map<String, Value> =
        PIECES.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), json!(id))).collect();
    model.files.remove("vocab.txt");
    model.set("tokenizer.json", "model", json!({ "type": "WordPiece", "vocab": vocab }));
    assert_eq!(model.convert().unwrap(), expected);
    model.set("tokenizer.json", "normalizer", json!({ "lowercase": false }));
    assert!(matches!(model.convert(), Err(ConvertError::Unsupported { what: "tokenizer", .. })));
}

#[test]
fn other_models_are_refused() {
    let refusal = |file: &str, key: &str, value: Value| {
        let mut model = Model::new(1);
        model.set(file, key, value);
        model.convert().unwrap_err()
    };
    let unsupported = [
        ("config.json", "model_type", json!("roberta"), "type of model"),
        ("config.json", "hidden_act", json!("relu"), "activation"),
        ("config.json", "position_embedding_type", json!("relative_key"), "type of positions"),
        ("config.json", "hidden_size", json!(4096), "size"),
        ("config.json", "num_attention_heads", json!(5), "size"),
        ("1_Pooling/config.json", "pooling_mode_mean_tokens", json!(false), "pooling"),
        ("tokenizer_config.json", "do_lower_case", json!(false), "vocabulary"),
    ];
    for (file, key, value, expected) in unsupported {
        let found = refusal(file, key, value);
        assert!(
            matches!(found, ConvertError::Unsupported { what, .. } if what == expected),
            "{found}"
        );
    }
    let tensor = |found: ConvertError| matches!(found, ConvertError::Tensor(_));
    assert!(tensor(refusal("config.json", "intermediate_size", json!(64))));
    assert!(tensor(refusal("config.json", "num_hidden_layers", json!(3))));
    assert!(tensor(refusal("config.json", "type_vocab_size", json!(0))));
    let few = refusal("config.json", "vocab_size", json!(3));
    assert_eq!(few, ConvertError::Damaged("tokenizer.json"));
    let mut model = Model::new(1);
    model.files.insert("config.json".to_owned(), b"{".to_vec());
    assert_eq!(model.convert().unwrap_err(), ConvertError::Damaged("config.json"));
    model.files.clear();
    assert_eq!(model.convert().unwrap_err(), ConvertError::Missing("config.json"));
}

#[test]
fn damaged_weights_are_refused() {
    let model = Model::new(1);
    let weights = model.weights();
    let with = |weights: Vec<u8>| {
        let weights = &weights;
        convert("tiny", &|name| {
            if name == WEIGHTS {
                Some(Cow::from(weights.clone()))
            } else {
                model.file(name).map(Cow::from)
            }
        })
    };
    let header = usize::from(weights[0]) + 256 * usize::from(weights[1]);
    for length in (0..weights.len()).step_by(97).chain([7, 8, 8 + header, weights.len() - 1]) {
        assert!(with(weights[..length].to_vec()).is_err(), "cut at {length}");
    }
    for at in 0..8 + header {
        let mut other = weights.clone();
        other[at] ^= 0x15;
        let _ = with(other);
    }
    let mut endless = weights;
    endless[..8].fill(0xFF);
    assert_eq!(with(endless).unwrap_err(), ConvertError::Damaged(WEIGHTS));
}

#[test]
fn damaged_files_are_refused_or_encode_something() {
    let file = Model::new(1).convert().unwrap();
    let error = |bytes: Vec<u8>| Encoder::open(bytes.into()).err();
    assert_eq!(error(Vec::new()), Some(InvalidFile::Magic));
    assert_eq!(error(b"faber\0e2 and more".to_vec()), Some(InvalidFile::Magic));
    for length in (8..file.len()).step_by(61) {
        assert!(error(file[..length].to_vec()).is_some(), "cut at {length}");
    }
    assert_eq!(error([&file[..], b"x"].concat()), Some(InvalidFile::Length));
    let sizes = 40..40 + 12 * 4;
    let some = (0..file.len()).filter(|at| sizes.contains(at) || at % 251 == 0);
    for at in some {
        for value in [0x00, 0x7F, 0xFF] {
            let mut other = file.clone();
            if other[at] == value {
                continue;
            }
            other[at] = value;
            if let Ok(encoder) = Encoder::open(other.into()) {
                assert_eq!(encoder.check().is_err(), at >= 8, "byte {at}");
                assert!(encoder.encode("rotate the keys").len() <= 1024);
            }
        }
    }
}

#[test]
fn a_wheel_is_an_archive_with_weights() {
    let model = Model::new(1);
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    let mut names: Vec<&str> = model.files.keys().map(String::as_str).collect();
    names.push(WEIGHTS);
    for (at, name) in names.into_iter().enumerate() {
        let packed = at % 2 == 0;
        let method = if packed {
            rawzip::CompressionMethod::DEFLATE
        } else {
            rawzip::CompressionMethod::STORE
        };
        let (mut entry, config) = archive
            .new_file(format!("package/model/{name}"))
            .compression_method(method)
            .start()
            .unwrap();
        let content = model.file(name).unwrap();
        let data = if packed {
            miniz_oxide::deflate::compress_to_vec(&content, 6)
        } else {
            content.clone()
        };
        let mut writer = config.wrap(std::io::sink());
        std::io::Write::write_all(&mut writer, &content).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        std::io::Write::write_all(&mut entry, &data).unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    let wheel = Wheel::open(&bytes).unwrap();
    let converted = convert("tiny", &|name| wheel.file(name).map(Cow::from));
    assert_eq!(converted, model.convert());
    assert!(wheel.file("other").is_none() && Wheel::open(b"PK").is_none());
    for at in (0..bytes.len()).step_by(997).chain(bytes.len() - 1200..bytes.len()) {
        let mut other = bytes.clone();
        other[at] ^= 0x41;
        if let Some(wheel) = Wheel::open(&other) {
            let _ = convert("tiny", &|name| wheel.file(name).map(Cow::from));
        }
    }
}
