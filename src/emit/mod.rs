pub(crate) mod format;
pub(crate) mod hits;
