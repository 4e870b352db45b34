mod broken;
mod effects;
mod forms;
mod git;
mod hostile;
mod layers;
mod nested;
mod prune;
mod publish;
pub(crate) mod remote;
#[cfg(unix)]
mod robust;
mod signed;
mod skills;
#[cfg(unix)]
mod transport;
mod trust;
mod user;
