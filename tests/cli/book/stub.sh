#!/usr/bin/env bash
# Replaces a program that a page of the book calls: checks its input, and answers with a line. The
# test copies it under the name of each program.
set -euo pipefail
name=${0##*/}

refuse() {
  echo "$name: $1" >&2
  exit 64
}

for argument in "$@"; do
  [ -n "$argument" ] || refuse "an argument is empty"
done

# A pipe must have input.
input() {
  text=$(cat)
  [ -n "$text" ] || refuse "standard input is empty"
}

# A prompt is in a file of an option, in an option, or in a pipe.
material() {
  while [ "$#" -gt 0 ]; do
    case $1 in
    -f | --sf | --*-file)
      [ -s "$2" ] || refuse "\`$2\` is empty"
      return
      ;;
    -s | --*-prompt)
      [ "${#2}" -gt 200 ] || refuse "\`$1\` has no prompt"
      return
      ;;
    esac
    shift
  done
  input
}

# The server of a client must start, and end with its input.
after_dashes() {
  while [ "$#" -gt 0 ] && [ "$1" != -- ]; do shift; done
  [ "$#" -gt 1 ] || refuse "no command after \`--\`"
  shift
  "$@" </dev/null >/dev/null || refuse "the server does not start: $*"
}

# A command that does not end: waits for its first output, then stops it.
lasting() {
  said=$(mktemp)
  "$BOOK_FABER" "$@" 2>"$said" &
  for _ in $(seq 1 400); do
    [ -s "$said" ] && break
    sleep 0.05
  done
  kill -TERM $!
  status=0
  wait $! || status=$?
  cat "$said" >&2
  [ "$status" = 0 ] && [ -s "$said" ] || refuse "ended with status $status"
  rm "$said"
}

case "$name $*" in
"faber "*" --http "* | "faber serve --http "*)
  # The port may be in use.
  lasting "${@//127.0.0.1:[0-9]*/127.0.0.1:0}"
  ;;
"faber watch "* | "faber -C "*" watch "*) lasting "$@" ;;
"faber "*) exec "$BOOK_FABER" "$@" ;;
"cargo run "*)
  while [ "$#" -gt 0 ] && [ "$1" != -- ]; do shift; done
  shift
  exec "$BOOK_FABER" "$@"
  ;;
"cargo test"*) echo "test cascade::keeps_the_base ... FAILED" ;;
"cargo "*) ;;
"python3 "*) [ -f "$BOOK_REPOSITORY/$1" ] || refuse "there is no \`$1\`" ;;
"claude mcp add "*" --transport http "* | "claude mcp add --transport http "*) ;;
"claude mcp add "* | "codex mcp add "*) case " $* " in
  *" --url "*) ;;
  *) after_dashes "$@" ;;
  esac ;;
"curl "*)
  input
  case $text in
  '{'*'"model"'*'"messages"'*) echo '{"id":"msg_1","content":[]}' ;;
  *) refuse "that is no request" ;;
  esac
  ;;
"claude "* | "codex "* | "llm"*)
  material "$@"
  echo "(what the model answers)"
  ;;
"openssl rand "*) echo "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff" ;;
"gh "*"--body-file -"*) input ;;
"gh "* | "pre-commit "* | "mdbook "*) ;;
*) refuse "nobody expects this call: $*" ;;
esac
