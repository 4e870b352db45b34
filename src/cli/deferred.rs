//! Lazily built arguments.

use std::ops::Deref;

use clap::builder::Resettable;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches, Id};

/// Building all arguments takes longer than a cached answer. Plain `defer` replaces descriptions.
#[derive(Debug)]
pub struct Deferred<T>(Box<T>);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(|args| Self(Box::new(args)))
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches_mut(matches).map(|args| Self(Box::new(args)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| described(command, T::augment_args_for_update))
    }
}

fn described(command: Command, augment: fn(Command) -> Command) -> Command {
    let about = command.get_about().cloned().map_or(Resettable::Reset, Resettable::Value);
    let long = command.get_long_about().cloned().map_or(Resettable::Reset, Resettable::Value);
    let parents: Vec<Id> = command.get_arguments().map(Arg::get_id).cloned().collect();
    let command = augment(command).about(about).long_about(long);
    // `mut_arg` moves an argument to the end.
    parents.into_iter().fold(command, |command, id| command.mut_arg(id, |arg| arg))
}
