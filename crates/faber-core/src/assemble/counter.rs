//! Selects the token counter for a model.

use std::sync::Arc;

use crate::config::{Amount, Config};
use crate::error::Error;
use crate::tokens::{Counter, TokenCache, encoding};

#[derive(Clone, Debug)]
pub struct ModelCounter {
    pub counter: Counter,
    pub model: Option<String>,
    pub window: Option<u64>,
}

impl ModelCounter {
    /// Default: the configured model or encoding.
    ///
    /// # Errors
    ///
    /// [`Error::Unknown`].
    pub fn new(
        config: &Config,
        model: Option<&str>,
        cache: &Arc<TokenCache>,
    ) -> Result<Self, Error> {
        let configured = || config.model.as_ref().map(|model| model.value.clone());
        let Some(name) = model.map(str::to_owned).or_else(configured) else {
            let counter = Counter::exact(encoding(&config.encoding.value)?, cache);
            return Ok(Self { counter, model: None, window: None });
        };
        let Some(model) = config.model(&name) else {
            return Err(Error::unknown("model", &name, config.models.0.keys().map(String::as_str)));
        };
        let margin_percent = model.margin_percent;
        let counter = Counter::exact(encoding(&model.encoding)?, cache);
        let counter = Counter { margin_percent, ..counter };
        Ok(Self { counter, model: Some(name), window: Some(model.window) })
    }
}

pub(super) fn in_tokens(budget: Amount, window: Option<u64>) -> Result<u64, Error> {
    match (budget, window) {
        (Amount::Tokens(tokens), _) => Ok(tokens),
        (share @ Amount::Percent(_), Some(window)) => Ok(share.of(window)),
        (Amount::Percent(_), None) => Err(Error::usage(
            "a budget in percent needs a model, and none is set",
            "pass `--model NAME`, set `tokenizer.model`, or give the budget in tokens",
        )),
    }
}
