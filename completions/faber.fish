function __faber_names
    set -l word (commandline -ct)
    faber __complete -- (commandline -opc) "$word" 2>/dev/null
end

# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_faber_global_optspecs
    string join \n C/root= color= q/quiet v/verbose no-cache h/help V/version
end

function __fish_faber_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_faber_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_faber_using_subcommand
    set -l cmd (__fish_faber_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c faber -n "__fish_faber_needs_command" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_needs_command" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_needs_command" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_needs_command" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_needs_command" -s V -l version -d 'Print version'
complete -c faber -n "__fish_faber_needs_command" -f -a "assemble" -d 'Assemble the prompt bundle of a role for a request'
complete -c faber -n "__fish_faber_needs_command" -f -a "explain" -d 'Explain why each context is or is not in the bundle of a request'
complete -c faber -n "__fish_faber_needs_command" -f -a "validate" -d 'Check a workspace for problems, and fix those that can be fixed'
complete -c faber -n "__fish_faber_needs_command" -f -a "rules" -d 'List the rules of `validate`, or explain one'
complete -c faber -n "__fish_faber_needs_command" -f -a "search" -d 'Search contexts, tasks, flows and history by words and meaning'
complete -c faber -n "__fish_faber_needs_command" -f -a "query" -d 'Answer a question with passages from contexts, within a token budget'
complete -c faber -n "__fish_faber_needs_command" -f -a "catalog" -d 'Summarize the available contexts, within a token budget'
complete -c faber -n "__fish_faber_needs_command" -f -a "expand" -d 'Print a search result in full, with its sources'
complete -c faber -n "__fish_faber_needs_command" -f -a "index" -d 'Inspect, rebuild or remove the search index'
complete -c faber -n "__fish_faber_needs_command" -f -a "encoder" -d 'Add, show or remove an encoder, a model that improves search by meaning'
complete -c faber -n "__fish_faber_needs_command" -f -a "remember" -d 'Draft a note, which is not used until it is approved'
complete -c faber -n "__fish_faber_needs_command" -f -a "extract" -d 'Draft notes from a conversation: decisions, rules, preferences, corrections'
complete -c faber -n "__fish_faber_needs_command" -f -a "review" -d 'List drafts of notes, with their sources and what they contradict'
complete -c faber -n "__fish_faber_needs_command" -f -a "approve" -d 'Approve a draft of a note, on its own or into a context'
complete -c faber -n "__fish_faber_needs_command" -f -a "reject" -d 'Reject a draft of a note'
complete -c faber -n "__fish_faber_needs_command" -f -a "serve" -d 'Serve agents over the Model Context Protocol'
complete -c faber -n "__fish_faber_needs_command" -f -a "hook" -d 'Add contexts to an agent\'s prompts, through its client\'s hooks'
complete -c faber -n "__fish_faber_needs_command" -f -a "lsp" -d 'Serve editors over the Language Server Protocol'
complete -c faber -n "__fish_faber_needs_command" -f -a "show" -d 'Print a context as resolved from all layers'
complete -c faber -n "__fish_faber_needs_command" -f -a "diff" -d 'Show what overlays change: base compared with resolved text'
complete -c faber -n "__fish_faber_needs_command" -f -a "graph" -d 'Draw a graph of roles, contexts, layers and references'
complete -c faber -n "__fish_faber_needs_command" -f -a "list" -d 'List contexts, roles, layers, platforms, triggers or models'
complete -c faber -n "__fish_faber_needs_command" -f -a "tokens" -d 'Count tokens'
complete -c faber -n "__fish_faber_needs_command" -f -a "test" -d 'Run the tests of the workspace: what requests must and must not load'
complete -c faber -n "__fish_faber_needs_command" -f -a "trial" -d 'Find out whether contexts help: compare a model\'s answers with and without them'
complete -c faber -n "__fish_faber_needs_command" -f -a "stats" -d 'Show statistics of the audit log of a served workspace'
complete -c faber -n "__fish_faber_needs_command" -f -a "tune" -d 'Propose changes based on the audit log'
complete -c faber -n "__fish_faber_needs_command" -f -a "suggest" -d 'Suggest fields of front matter'
complete -c faber -n "__fish_faber_needs_command" -f -a "watch" -d 'Re-run a command when its inputs change'
complete -c faber -n "__fish_faber_needs_command" -f -a "config" -d 'Show the effective configuration'
complete -c faber -n "__fish_faber_needs_command" -f -a "pack" -d 'Use contexts, roles and overlays from other repositories, pinned in faber.lock'
complete -c faber -n "__fish_faber_needs_command" -f -a "audit" -d 'Ship the audit log to a store, and list who received what'
complete -c faber -n "__fish_faber_needs_command" -f -a "store" -d 'Share knowledge through a store on PostgreSQL'
complete -c faber -n "__fish_faber_needs_command" -f -a "trust" -d 'Trust the workspace and the packs that it declares'
complete -c faber -n "__fish_faber_needs_command" -f -a "init" -d 'Create a workspace'
complete -c faber -n "__fish_faber_needs_command" -f -a "new" -d 'Create a role, context, overlay, task, flow or platform'
complete -c faber -n "__fish_faber_needs_command" -f -a "import" -d 'Import rules and skills of other tools as contexts'
complete -c faber -n "__fish_faber_needs_command" -f -a "export" -d 'Export contexts as files of another tool'
complete -c faber -n "__fish_faber_needs_command" -f -a "schema" -d 'Print the JSON Schema of an output format'
complete -c faber -n "__fish_faber_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c faber -n "__fish_faber_needs_command" -f -a "man" -d 'Print the manual page'
complete -c faber -n "__fish_faber_needs_command" -f -a "help" -d 'Print the help of a command'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l role -d 'The role, as for other commands' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -s r -l request -d 'The request: what the model should do; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l error -d 'Error text to show and to match, such as a stack trace; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l file -d 'A file that the request is about, for contexts with globs; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -l changed -d 'Like `--file`, for all files that differ from REV in git: `--changed=main` (default: HEAD)' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l input -d 'Material to work on; files of a diff count as `--file`; `-` reads standard input; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -l history -d 'The conversation so far: JSON Lines or a JSON array of messages; `-` reads standard input' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -l with -d 'Always include this context; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l without -d 'Leave this context out; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l task -d 'Add a task of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l flow -d 'Add a flow of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -s b -l budget -d 'Maximum tokens of the bundle: 8000, 32k, or 60% of the model\'s window' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l model -d 'Count tokens for this model, and use its context window' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l encoding -d 'Count tokens with this encoding, such as `o200k_base`' -r -f -a "o200k_base\t''
o200k_harmony\t''
cl100k_base\t''
claude_3\t''
claude_4.7\t''
claude_4.8\t''"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l order -d 'The order of contexts in the bundle' -r -f -a "sequence\t'Role, platform, standards, specialists, other contexts, request'
cache\t'Everything first that does not depend on the request, for prompt caches'"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l parts -d 'Only these parts of the bundle' -r -f -a "role\t'The role\'s prompt, and the task or flow'
contexts\t'The selected contexts'
catalog\t'The list of contexts that are not loaded'
history\t'The conversation so far'
input\t'Material to work on'
error\t'The error text'
request\t'The request'"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand assemble" -s f -l format -d 'The output format of the bundle' -r -f -a "markdown\t'For people and models'
xml\t'Tags around each part'
json\t'JSON with all details'
text\t'Contents without headings of groups, comments with ids, and the catalog'
anthropic\t'The body of a request to Anthropic\'s Messages API'
openai\t'The body of a request to OpenAI\'s Chat Completions API'"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l report -d 'Print a report about selection and budget on standard error' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l report-file -d 'Write the report to a file instead; `-` is standard output' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -s o -l output -d 'Write the bundle to a file instead of standard output' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -l check -d 'Compare with FILE instead of printing: exit 1 with a diff if FILE is out of date' -r -F
complete -c faber -n "__fish_faber_using_subcommand assemble" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand assemble" -l strict -d 'Fail on any error in the workspace'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l allow-insecure -d 'Accept texts with security errors'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l keep-directives -d 'Keep load directives in the prompt, including those that faber has followed'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l copy -d 'Copy the bundle to the clipboard instead of printing it'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l archive -d 'Write messages of the conversation that are shortened or left out to `.faber/history/`'
complete -c faber -n "__fish_faber_using_subcommand assemble" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand assemble" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand assemble" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand assemble" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand explain" -l role -d 'The role; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l hook -d 'Explain the selection for this event of a client\'s hook; `-` reads standard input' -r -F
complete -c faber -n "__fish_faber_using_subcommand explain" -l line -d 'Print the file and line that line N of the bundle, or lines A to B, come from' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l what-if -d 'Compare with the bundle of another budget, platform, team, workflow, environment, date or model' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l bundle-format -d 'The output format of the bundle, for counting tokens' -r -f -a "markdown\t'For people and models'
xml\t'Tags around each part'
json\t'JSON with all details'
text\t'Contents without headings of groups, comments with ids, and the catalog'
anthropic\t'The body of a request to Anthropic\'s Messages API'
openai\t'The body of a request to OpenAI\'s Chat Completions API'"
complete -c faber -n "__fish_faber_using_subcommand explain" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand explain" -l html -d 'Write an HTML page instead: budget, contexts, text and graph; `-` prints it' -r -F
complete -c faber -n "__fish_faber_using_subcommand explain" -s r -l request -d 'The request: what the model should do; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l error -d 'Error text to show and to match, such as a stack trace; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l file -d 'A file that the request is about, for contexts with globs; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand explain" -l changed -d 'Like `--file`, for all files that differ from REV in git: `--changed=main` (default: HEAD)' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l input -d 'Material to work on; files of a diff count as `--file`; `-` reads standard input; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand explain" -l history -d 'The conversation so far: JSON Lines or a JSON array of messages; `-` reads standard input' -r -F
complete -c faber -n "__fish_faber_using_subcommand explain" -l with -d 'Always include this context; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l without -d 'Leave this context out; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l task -d 'Add a task of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l flow -d 'Add a flow of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -s b -l budget -d 'Maximum tokens of the bundle: 8000, 32k, or 60% of the model\'s window' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l model -d 'Count tokens for this model, and use its context window' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l encoding -d 'Count tokens with this encoding, such as `o200k_base`' -r -f -a "o200k_base\t''
o200k_harmony\t''
cl100k_base\t''
claude_3\t''
claude_4.7\t''
claude_4.8\t''"
complete -c faber -n "__fish_faber_using_subcommand explain" -l order -d 'The order of contexts in the bundle' -r -f -a "sequence\t'Role, platform, standards, specialists, other contexts, request'
cache\t'Everything first that does not depend on the request, for prompt caches'"
complete -c faber -n "__fish_faber_using_subcommand explain" -l parts -d 'Only these parts of the bundle' -r -f -a "role\t'The role\'s prompt, and the task or flow'
contexts\t'The selected contexts'
catalog\t'The list of contexts that are not loaded'
history\t'The conversation so far'
input\t'Material to work on'
error\t'The error text'
request\t'The request'"
complete -c faber -n "__fish_faber_using_subcommand explain" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand explain" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand explain" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand explain" -l json -d 'The same as `--format json`'
complete -c faber -n "__fish_faber_using_subcommand explain" -l strict -d 'Fail on any error in the workspace'
complete -c faber -n "__fish_faber_using_subcommand explain" -l allow-insecure -d 'Accept texts with security errors'
complete -c faber -n "__fish_faber_using_subcommand explain" -l keep-directives -d 'Keep load directives in the prompt, including those that faber has followed'
complete -c faber -n "__fish_faber_using_subcommand explain" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand explain" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand explain" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand explain" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand validate" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people: each finding with its lines'
concise\t'Text with one line per finding'
json\t'JSON for programs'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations in GitHub Actions'
junit\t'JUnit XML, one test case per file'"
complete -c faber -n "__fish_faber_using_subcommand validate" -l select -d 'Report only these rules or groups of rules' -r
complete -c faber -n "__fish_faber_using_subcommand validate" -l ignore -d 'Do not report these rules or groups of rules' -r
complete -c faber -n "__fish_faber_using_subcommand validate" -l deny -d 'Exit with status 1 on warnings too' -r -f -a "warnings\t'Warnings in files of the workspace'
packs\t'Warnings in files of packs'"
complete -c faber -n "__fish_faber_using_subcommand validate" -l changed -d 'Report only findings in files that differ from REV in git: `--changed=main` (default: HEAD)' -r
complete -c faber -n "__fish_faber_using_subcommand validate" -l baseline -d 'Leave out the findings listed in FILE' -r -F
complete -c faber -n "__fish_faber_using_subcommand validate" -l write-baseline -d 'Write the findings to FILE, so that `--baseline FILE` leaves them out' -r -F
complete -c faber -n "__fish_faber_using_subcommand validate" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand validate" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand validate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand validate" -l fix -d 'Apply safe fixes'
complete -c faber -n "__fish_faber_using_subcommand validate" -l unsafe -d 'With `--fix`, also apply fixes that may change the meaning'
complete -c faber -n "__fish_faber_using_subcommand validate" -l diff -d 'Print what `--fix` would change, and change nothing'
complete -c faber -n "__fish_faber_using_subcommand validate" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand validate" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand validate" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand rules" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand rules" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand rules" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand rules" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand rules" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand rules" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand search" -l category -d 'Only contexts of this category' -r -f -a "specialist\t''
platform\t''
standard\t''
pattern\t''
playbook\t''
reference\t''
troubleshooting\t''"
complete -c faber -n "__fish_faber_using_subcommand search" -s n -l limit -d 'Maximum number of results, 1 to 50; default: `search.limit`, which is 5' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l mode -d 'Search by words, meaning or both; default: `search.mode`' -r -f -a "hybrid\t'Words and meaning'
keyword\t'Words'
semantic\t'Meaning'"
complete -c faber -n "__fish_faber_using_subcommand search" -l preview -d 'Print only the first N characters of each text (default: `previews` of the configuration)' -r
complete -c faber -n "__fish_faber_using_subcommand search" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand search" -l role -d 'The role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand search" -s s -l scope -d 'Use only contexts of this scope' -r -f -a "organization\t'The organization\'s overlay'
team\t'The team\'s overlay'
space\t'The workspace: its contexts, all roles, workflow and platform overlays'
area\t'The role with its overlay'
historical\t'Past conversations and notes'
all\t'Everywhere'"
complete -c faber -n "__fish_faber_using_subcommand search" -l freshness -d 'How to check whether files have changed; default: `search.freshness`' -r -f -a "auto\t'By size and modification time'
trust\t'Not at all'
verify\t'By reading all files'"
complete -c faber -n "__fish_faber_using_subcommand search" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand search" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand search" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l store -d 'Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand search" -l space -d 'Use only this space of the store, and omit it from ids' -r
complete -c faber -n "__fish_faber_using_subcommand search" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand search" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand search" -l group -d 'Combine the passages of a text into one result'
complete -c faber -n "__fish_faber_using_subcommand search" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand search" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand search" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand search" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand search" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand query" -l purpose -d 'The purpose of the answer; default: `query.purpose`, which is `answer`' -r -f -a "answer\t'Answer a question'
verify\t'Check whether something is true'
explore\t'Get an overview'
decide\t'Choose between options'
create\t'Make something new'"
complete -c faber -n "__fish_faber_using_subcommand query" -l max-tokens -d 'Maximum tokens of the answer as Markdown; default: `query.max_tokens`, which is 2000' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l target-tokens -d 'Stop when the answer has this many tokens; default: the maximum' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l abstraction -d 'The level of detail; default: `query.abstraction`, which is `adaptive`' -r -f -a "detailed\t'Everything in full'
summary\t'Summaries'
essence\t'One sentence per passage'
adaptive\t'As detailed as the budget allows, by usefulness'"
complete -c faber -n "__fish_faber_using_subcommand query" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
markdown\t'A section for a system prompt'"
complete -c faber -n "__fish_faber_using_subcommand query" -l role -d 'The role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand query" -s s -l scope -d 'Use only contexts of this scope' -r -f -a "organization\t'The organization\'s overlay'
team\t'The team\'s overlay'
space\t'The workspace: its contexts, all roles, workflow and platform overlays'
area\t'The role with its overlay'
historical\t'Past conversations and notes'
all\t'Everywhere'"
complete -c faber -n "__fish_faber_using_subcommand query" -l freshness -d 'How to check whether files have changed; default: `search.freshness`' -r -f -a "auto\t'By size and modification time'
trust\t'Not at all'
verify\t'By reading all files'"
complete -c faber -n "__fish_faber_using_subcommand query" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand query" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand query" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l store -d 'Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand query" -l space -d 'Use only this space of the store, and omit it from ids' -r
complete -c faber -n "__fish_faber_using_subcommand query" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand query" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand query" -l derivations -d 'Print the sources of each passage'
complete -c faber -n "__fish_faber_using_subcommand query" -l contradictions -d 'Print what contradicts each passage'
complete -c faber -n "__fish_faber_using_subcommand query" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand query" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand query" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand query" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand query" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand catalog" -s r -l request -d 'List the contexts that are most relevant to this request first; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l max-tokens -d 'Maximum tokens of the catalog as text' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l role -d 'The role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand catalog" -s s -l scope -d 'Use only contexts of this scope' -r -f -a "organization\t'The organization\'s overlay'
team\t'The team\'s overlay'
space\t'The workspace: its contexts, all roles, workflow and platform overlays'
area\t'The role with its overlay'
historical\t'Past conversations and notes'
all\t'Everywhere'"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l freshness -d 'How to check whether files have changed; default: `search.freshness`' -r -f -a "auto\t'By size and modification time'
trust\t'Not at all'
verify\t'By reading all files'"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l store -d 'Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -l space -d 'Use only this space of the store, and omit it from ids' -r
complete -c faber -n "__fish_faber_using_subcommand catalog" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand catalog" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand catalog" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand catalog" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand catalog" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand catalog" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand expand" -l include -d 'What to print' -r -f -a "detail\t'Its text'
derivation\t'Its sources, by id'
evidence\t'The texts of its sources'
contradictions\t'What contradicts it'
related\t'Related contexts'"
complete -c faber -n "__fish_faber_using_subcommand expand" -l max-tokens -d 'Maximum tokens of all texts together' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand expand" -l role -d 'The role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand expand" -s s -l scope -d 'Use only contexts of this scope' -r -f -a "organization\t'The organization\'s overlay'
team\t'The team\'s overlay'
space\t'The workspace: its contexts, all roles, workflow and platform overlays'
area\t'The role with its overlay'
historical\t'Past conversations and notes'
all\t'Everywhere'"
complete -c faber -n "__fish_faber_using_subcommand expand" -l freshness -d 'How to check whether files have changed; default: `search.freshness`' -r -f -a "auto\t'By size and modification time'
trust\t'Not at all'
verify\t'By reading all files'"
complete -c faber -n "__fish_faber_using_subcommand expand" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand expand" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand expand" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -l store -d 'Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -l space -d 'Use only this space of the store, and omit it from ids' -r
complete -c faber -n "__fish_faber_using_subcommand expand" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand expand" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand expand" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand expand" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand expand" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand expand" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand expand" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand index" -l role -d 'The role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand index" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand index" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand index" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand index" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand index" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand index" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand index" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand index" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand index" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand index" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand index" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand index" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand index" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand index" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -f -a "add" -d 'Convert a model and use it: all-MiniLM-L6-v2, or another small uncased BERT'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -f -a "list" -d 'Show the encoder'
complete -c faber -n "__fish_faber_using_subcommand encoder; and not __fish_seen_subcommand_from add list remove" -f -a "remove" -d 'Remove the encoder'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand encoder; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand remember" -s s -l scope -d 'Where it applies' -r -f -a "area\t'For one role'
space\t'In the whole workspace'
team\t'For one team'"
complete -c faber -n "__fish_faber_using_subcommand remember" -l from -d 'What it was derived from, such as `history/chat.jsonl#12`' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -l tags -d 'Words for searching' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -l role -d 'The role of the scope `area`; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand remember" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand remember" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand remember" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand remember" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand remember" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand remember" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand remember" -l private -d 'Hide it from other users'
complete -c faber -n "__fish_faber_using_subcommand remember" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand remember" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand remember" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand remember" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand remember" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand extract" -s s -l scope -d 'Where the notes apply' -r -f -a "area\t'For one role'
space\t'In the whole workspace'
team\t'For one team'"
complete -c faber -n "__fish_faber_using_subcommand extract" -l role -d 'The role of the scope `area`; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand extract" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand extract" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand extract" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand extract" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand extract" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand extract" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand extract" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand extract" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand extract" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand extract" -l dry-run -d 'Print the notes without creating drafts'
complete -c faber -n "__fish_faber_using_subcommand extract" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand extract" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand extract" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand extract" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand extract" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand review" -l role -d 'The role whose contexts drafts are compared with; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand review" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand review" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand review" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand review" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand review" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand review" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand review" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand review" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand review" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand review" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand review" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand review" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand review" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand review" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand approve" -l into -d 'Add the text to this context, which is created if it does not exist; default: the context that the draft proposes to change' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand approve" -l overlay -d 'Write an overlay of that context in this layer: `organization`, `teams/NAME` or the like' -r
complete -c faber -n "__fish_faber_using_subcommand approve" -l role -d 'The role of the context; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand approve" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand approve" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand approve" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand approve" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand approve" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand approve" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand approve" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand approve" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand approve" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand approve" -l allow-insecure -d 'Approve it even if it has a security finding'
complete -c faber -n "__fish_faber_using_subcommand approve" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand approve" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand approve" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand approve" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand approve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand reject" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand reject" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand reject" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand reject" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand reject" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand reject" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand reject" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand reject" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand reject" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand reject" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand reject" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand reject" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand reject" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand reject" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand serve" -l http -d 'Serve HTTP on this address instead of standard input: `127.0.0.1:PORT`' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l role -d 'The role, unless a call names one; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand serve" -l allow-scope -d 'Serve only contexts of these scopes; default: all that the user may see' -r -f -a "organization\t'The organization\'s overlay'
team\t'The team\'s overlay'
space\t'The workspace: its contexts, all roles, workflow and platform overlays'
area\t'The role with its overlay'
historical\t'Past conversations and notes'
all\t'Everywhere'"
complete -c faber -n "__fish_faber_using_subcommand serve" -l oidc -d 'Accept access tokens of this issuer; each request acts as the user of its token' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l audience -d 'The audience that tokens must have; default: the URL of the endpoint' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l url -d 'The public URL of the server, if it differs from the address: `https://HOST`' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l tls-cert -d 'Serve HTTPS with this certificate and its chain, as PEM' -r -F
complete -c faber -n "__fish_faber_using_subcommand serve" -l tls-key -d 'The private key of the certificate, as PEM' -r -F
complete -c faber -n "__fish_faber_using_subcommand serve" -l behind-proxy -d 'Accept only connections from proxies with these addresses, and trust the client addresses they send' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand serve" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand serve" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l store -d 'Answer from a store; default address: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -l space -d 'Use only this space of the store, and omit it from ids' -r
complete -c faber -n "__fish_faber_using_subcommand serve" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand serve" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand serve" -l audit-required -d 'Refuse calls that cannot be written to the audit log'
complete -c faber -n "__fish_faber_using_subcommand serve" -l allow-write -d 'Let clients draft notes, with the tools `remember` and `propose_change`'
complete -c faber -n "__fish_faber_using_subcommand serve" -l allow-insecure -d 'Serve texts even if they have a security error'
complete -c faber -n "__fish_faber_using_subcommand serve" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand serve" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand serve" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand serve" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand serve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -f -a "install" -d 'Add faber to the hook file of a client'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -f -a "uninstall" -d 'Remove faber from the hook file of a client'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -f -a "status" -d 'Show where hooks are installed, and the results of the last calls'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -f -a "run" -d 'Answer the event on standard input; clients call this'
complete -c faber -n "__fish_faber_using_subcommand hook; and not __fish_seen_subcommand_from install uninstall status run replay" -f -a "replay" -d 'Show what each prompt of a past conversation would have been given'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l scope -d 'Which hook file' -r -f -a "project\t'Everyone who works in the project'
user\t'You, in all projects'
local\t'You, in this project'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l events -d 'Only these events; default: events that add contexts or that faber tracks' -r -f -a "session-start\t'A session starts, is resumed, or continues after a compaction'
prompt\t'A prompt'
before-tool\t'A tool is about to touch a file'
tool\t'A tool has touched a file'
tool-failure\t'A tool has failed'
instructions\t'The client has loaded a file of instructions'
compaction\t'The conversation is about to be compacted'
session-end\t'A session ends'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l check -d 'Write nothing; exit 1 with a diff if the file is out of date'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l dry-run -d 'Write nothing; print the diff'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from install" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l scope -d 'Which hook file' -r -f -a "project\t'Everyone who works in the project'
user\t'You, in all projects'
local\t'You, in this project'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l dry-run -d 'Write nothing; print the diff'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from uninstall" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -l calls -d 'How many of the last calls to show' -r
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -l client -d 'The client, if neither the event nor the environment identifies it: claude, codex, cursor, copilot, gemini, vscode or opencode' -r
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -l event -d 'The client\'s name of the event, if the input does not contain it' -r
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -l strict -d 'Fail if an error prevents an answer, for tests'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -l client -d 'The client whose limits apply' -r -f -a "claude\t'Claude Code'
claude-code\t'The same as `claude`'
codex\t'OpenAI Codex CLI'
cursor\t'Cursor'
copilot\t'GitHub Copilot CLI, and the agent of Visual Studio Code'
vscode\t'The same as `copilot`'
gemini\t'Gemini CLI'
opencode\t'opencode'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -l timings -d 'Print how long each answer took'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand hook; and __fish_seen_subcommand_from replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand lsp" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand lsp" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand lsp" -l stdio -d 'Use standard input and output (always the case; for editors that pass it)'
complete -c faber -n "__fish_faber_using_subcommand lsp" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand lsp" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand lsp" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand lsp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand show" -l role -d 'The role; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand show" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand show" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand show" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand show" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand show" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand show" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand show" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand show" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand show" -l blame -d 'Print before each line the layer, file and line that it comes from'
complete -c faber -n "__fish_faber_using_subcommand show" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand show" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand show" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand show" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand diff" -l role -d 'The role; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand diff" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand diff" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand diff" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand diff" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand diff" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand diff" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand diff" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand diff" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand diff" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand diff" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand diff" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand diff" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand diff" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand graph" -s f -l format -d 'The output format; default: by the extension of `--output`, else mermaid' -r -f -a "mermaid\t'A Mermaid flowchart, which many renderers of Markdown draw'
dot\t'The DOT language of Graphviz'
json\t'JSON for programs'
html\t'An HTML page'"
complete -c faber -n "__fish_faber_using_subcommand graph" -l role -d 'Only contexts of this role; default: `settings.role`, else the only one, else all' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand graph" -l focus -d 'Only the neighbourhood of this context, role, task, flow or layer' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand graph" -l depth -d 'The number of steps from `--focus`' -r
complete -c faber -n "__fish_faber_using_subcommand graph" -s o -l output -d 'Write to a file instead of standard output' -r -F
complete -c faber -n "__fish_faber_using_subcommand graph" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand graph" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand graph" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand graph" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand graph" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand graph" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand graph" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand graph" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand graph" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand graph" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand graph" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand graph" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand graph" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand list" -l role -d 'Only contexts of this role' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand list" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand list" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand list" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand list" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand list" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand list" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand list" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand list" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand list" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand list" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand list" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand list" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand tokens" -l depth -d 'Fold directories that are N levels deep into one line' -r
complete -c faber -n "__fish_faber_using_subcommand tokens" -l model -d 'Count for this model; may be repeated, to compare several' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand tokens" -l encoding -d 'Count tokens with this encoding, such as `o200k_base`' -r -f -a "o200k_base\t''
o200k_harmony\t''
cl100k_base\t''
claude_3\t''
claude_4.7\t''
claude_4.8\t''"
complete -c faber -n "__fish_faber_using_subcommand tokens" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand tokens" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand tokens" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand tokens" -l tree -d 'Count directories too, as a tree, without what git ignores; default: the current directory'
complete -c faber -n "__fish_faber_using_subcommand tokens" -l compare -d 'Compare the models of `--model` side by side; with fewer than two, add one model per encoding'
complete -c faber -n "__fish_faber_using_subcommand tokens" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand tokens" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand tokens" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand tokens" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand test" -l at -d 'Use this date instead of today, in cases without a date' -r
complete -c faber -n "__fish_faber_using_subcommand test" -l since -d 'With `--suggest`, use only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand test" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
junit\t'JUnit XML, for continuous integration'"
complete -c faber -n "__fish_faber_using_subcommand test" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand test" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand test" -l update -d 'Write the snapshots that differ instead of failing'
complete -c faber -n "__fish_faber_using_subcommand test" -l fail-fast -d 'Run cases sequentially and stop at the first failure'
complete -c faber -n "__fish_faber_using_subcommand test" -l suggest -d 'Print test cases for the requests in the audit log, most frequent first; run none'
complete -c faber -n "__fish_faber_using_subcommand test" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand test" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand test" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -f -a "plan" -d 'Write pairs of bundles for the cases of `faber test`, with and without each context'
complete -c faber -n "__fish_faber_using_subcommand trial; and not __fish_seen_subcommand_from plan read" -f -a "read" -d 'Read verdicts on the answers, print the effect of each context, and save it for `validate`'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -l context -d 'Leave out only this context, by id; default: each context of a bundle in turn' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -l against -d 'Compare with the workspace in DIR instead, such as a worktree of the last release' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s f -l format -d 'The tool to write for' -r -f -a "files\t'Only the bundles, and a `trial.json` that describes them'
promptfoo\t'A configuration of promptfoo'
evals\t'`evals.json`, the format of tools for skills'"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s o -l output -d 'The directory to write to' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -l at -d 'Use this date instead of today, in cases without a date' -r
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -l plan -d 'The plan of these results' -r -F
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -l seed -d 'The random seed of the confidence interval' -r
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s n -l dry-run -d 'Print only; do not write `.faber/evidence.json`'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand trial; and __fish_seen_subcommand_from read" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand stats" -l since -d 'Count only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand stats" -l store -d 'Count the calls of all logs of this store; default address as for `search --store`' -r
complete -c faber -n "__fish_faber_using_subcommand stats" -l by -d 'Instead, count for each context, question or session' -r -f -a "context\t'How often each context was given, shortened, expanded and found, including those never given'
query\t'The questions without an answer'
session\t'The calls of each session, and the tokens that it saved'"
complete -c faber -n "__fish_faber_using_subcommand stats" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand stats" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand stats" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand stats" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand stats" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand stats" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand stats" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand tune" -l since -d 'Use only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand tune" -l only -d 'Only these kinds of proposals' -r -f -a "keyword\t'A new keyword for a context that requests describe in other words'
always\t'A context that most requests need later: it always loads'
on-demand\t'A context that always loads but is never needed: it loads on demand'
related\t'A context that is usually needed after another one: it loads with that one, if there is room'
summary\t'A context whose shorter form is not enough: it is not shortened'
unused\t'A context that no request or search returned: it is no longer offered'
missing\t'Questions without an answer: missing documentation'
budget\t'A part of the token budget that is too small for the conversations'"
complete -c faber -n "__fish_faber_using_subcommand tune" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
patch\t'A patch for `git apply`, with the reasons above it'"
complete -c faber -n "__fish_faber_using_subcommand tune" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand tune" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand tune" -l apply -d 'Change the files of the workspace as proposed'
complete -c faber -n "__fish_faber_using_subcommand tune" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand tune" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand tune" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand tune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand suggest; and not __fish_seen_subcommand_from keywords" -f -a "keywords" -d 'Suggest keywords and errors for contexts that have none'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l role -d 'The role; default: `settings.role`, else the only one' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l apply -d 'Write the suggestions into the front matter of the contexts'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand suggest; and __fish_seen_subcommand_from keywords" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -l debounce -d 'Wait until no file has changed for this many milliseconds' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -l poll -d 'Poll every half second instead of using file events, as needed on some network drives'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -f -a "assemble" -d 'Assemble the prompt bundle of a role for a request'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -f -a "validate" -d 'Check a workspace for problems'
complete -c faber -n "__fish_faber_using_subcommand watch; and not __fish_seen_subcommand_from assemble validate test" -f -a "test" -d 'Run the tests of the workspace: what requests must and must not load'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l role -d 'The role, as for other commands' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s r -l request -d 'The request: what the model should do; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l error -d 'Error text to show and to match, such as a stack trace; `-` reads standard input' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l file -d 'A file that the request is about, for contexts with globs; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l changed -d 'Like `--file`, for all files that differ from REV in git: `--changed=main` (default: HEAD)' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l input -d 'Material to work on; files of a diff count as `--file`; `-` reads standard input; may be repeated' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l history -d 'The conversation so far: JSON Lines or a JSON array of messages; `-` reads standard input' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l with -d 'Always include this context; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l without -d 'Leave this context out; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l task -d 'Add a task of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l flow -d 'Add a flow of the role, and load the contexts that it names' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s b -l budget -d 'Maximum tokens of the bundle: 8000, 32k, or 60% of the model\'s window' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l model -d 'Count tokens for this model, and use its context window' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l encoding -d 'Count tokens with this encoding, such as `o200k_base`' -r -f -a "o200k_base\t''
o200k_harmony\t''
cl100k_base\t''
claude_3\t''
claude_4.7\t''
claude_4.8\t''"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l order -d 'The order of contexts in the bundle' -r -f -a "sequence\t'Role, platform, standards, specialists, other contexts, request'
cache\t'Everything first that does not depend on the request, for prompt caches'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l parts -d 'Only these parts of the bundle' -r -f -a "role\t'The role\'s prompt, and the task or flow'
contexts\t'The selected contexts'
catalog\t'The list of contexts that are not loaded'
history\t'The conversation so far'
input\t'Material to work on'
error\t'The error text'
request\t'The request'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s f -l format -d 'The output format of the bundle' -r -f -a "markdown\t'For people and models'
xml\t'Tags around each part'
json\t'JSON with all details'
text\t'Contents without headings of groups, comments with ids, and the catalog'
anthropic\t'The body of a request to Anthropic\'s Messages API'
openai\t'The body of a request to OpenAI\'s Chat Completions API'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l report -d 'Print a report about selection and budget on standard error' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l report-file -d 'Write the report to a file instead; `-` is standard output' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s o -l output -d 'Write the bundle to a file instead of standard output' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l check -d 'Compare with FILE instead of printing: exit 1 with a diff if FILE is out of date' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l debounce -d 'Wait until no file has changed for this many milliseconds' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l strict -d 'Fail on any error in the workspace'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l allow-insecure -d 'Accept texts with security errors'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l keep-directives -d 'Keep load directives in the prompt, including those that faber has followed'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l copy -d 'Copy the bundle to the clipboard instead of printing it'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l archive -d 'Write messages of the conversation that are shortened or left out to `.faber/history/`'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l poll -d 'Poll every half second instead of using file events, as needed on some network drives'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from assemble" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people: each finding with its lines'
concise\t'Text with one line per finding'
json\t'JSON for programs'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations in GitHub Actions'
junit\t'JUnit XML, one test case per file'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l select -d 'Report only these rules or groups of rules' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l ignore -d 'Do not report these rules or groups of rules' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l deny -d 'Exit with status 1 on warnings too' -r -f -a "warnings\t'Warnings in files of the workspace'
packs\t'Warnings in files of packs'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l changed -d 'Report only findings in files that differ from REV in git: `--changed=main` (default: HEAD)' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l baseline -d 'Leave out the findings listed in FILE' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l write-baseline -d 'Write the findings to FILE, so that `--baseline FILE` leaves them out' -r -F
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l debounce -d 'Wait until no file has changed for this many milliseconds' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l fix -d 'Apply safe fixes'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l unsafe -d 'With `--fix`, also apply fixes that may change the meaning'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l diff -d 'Print what `faber validate --fix` would change'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l poll -d 'Poll every half second instead of using file events, as needed on some network drives'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l at -d 'Use this date instead of today, in cases without a date' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
junit\t'JUnit XML, for continuous integration'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l since -d 'With `--suggest`, use only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l debounce -d 'Wait until no file has changed for this many milliseconds' -r
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l fail-fast -d 'Run cases sequentially and stop at the first failure'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l update -d 'Write the snapshots that differ instead of failing'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l suggest -d 'Print test cases for the requests in the audit log, most frequent first; run none'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l poll -d 'Poll every half second instead of using file events, as needed on some network drives'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand watch; and __fish_seen_subcommand_from test" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand config; and not __fish_seen_subcommand_from show" -f -a "show" -d 'Print the effective values'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l role -d 'Include the overlays of this role' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'Show where each value comes from'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "add" -d 'Add a pack to the configuration, fetch it and pin it in faber.lock'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "remove" -d 'Remove a pack from the configuration and faber.lock'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "list" -d 'List the packs, their versions and sources'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "update" -d 'Pin the latest commit of each ref, and show the effects'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "verify" -d 'Compare every byte of the packs with faber.lock'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "vendor" -d 'Copy the packs into `.faber/packs`, to be put into version control'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "outdated" -d 'List packs whose refs point to a different commit than faber.lock'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "relock" -d 'Update faber.lock after a program such as a dependency bot has changed commits in it'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "prune" -d 'Remove unused packs from your cache directory'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "publish" -d 'Publish contexts and roles as skills, a plugin and a marketplace, for clients without faber'
complete -c faber -n "__fish_faber_using_subcommand pack; and not __fish_seen_subcommand_from add remove list update verify vendor outdated relock prune publish report" -f -a "report" -d 'Compare the pack versions of several checkouts'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l ref -d 'A branch, tag, commit or range of versions such as `^1.2`; default: the remote\'s default branch' -r
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l path -d 'The directory of the pack in the repository' -r
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
markdown\t'Markdown for a pull request'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l skills -d 'Add the skills that the site publishes in `/.well-known/agent-skills`'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l dry-run -d 'Write nothing'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l accept -d 'Write even if something stops the change, such as new security errors'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
markdown\t'Markdown for a pull request'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -l dry-run -d 'Write nothing'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
markdown\t'Markdown for a pull request'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l locked -d 'Fetch the commits in faber.lock and write nothing; the default if `CI` is set'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l no-locked -d 'Update faber.lock even if `CI` is set'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l dry-run -d 'Write nothing'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l accept -d 'Write even if something stops the change, such as new security errors'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from vendor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from outdated" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'
markdown\t'Markdown for a pull request'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -l user -d 'Use your own configuration, whose packs apply in every workspace'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from relock" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -l unused-for -d 'Remove packs that were not used for this many days' -r
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -l dry-run -d 'Remove nothing; print what would be removed'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s o -l output -d 'The directory to write; files in it that faber did not write stay' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -l role -d 'Only this role; default: what all roles share, and what each has for itself' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -l check -d 'Write nothing; exit 1 with a diff if a file is out of date'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from publish" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand pack; and __fish_seen_subcommand_from report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -f -a "ship" -d 'Copy new lines of this workspace\'s audit log to the store'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -f -a "who-saw" -d 'List the calls that returned a text, in all logs of the store'
complete -c faber -n "__fish_faber_using_subcommand audit; and not __fish_seen_subcommand_from ship who-saw of" -f -a "of" -d 'List the calls of a user, in all logs of the store'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from ship" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -l since -d 'List only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from who-saw" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -l since -d 'List only calls since a date, a time, or a period ago such as `12h` or `7d`' -r
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand audit; and __fish_seen_subcommand_from of" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "init" -d 'Create the schema `faber` in a database'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "migrate" -d 'Update the schema, and add a vector index if there are many vectors'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "push" -d 'Write the workspace as a space of the store'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "pull" -d 'Copy the source files of a space into a directory'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "status" -d 'Show the spaces of the store, their revisions and sizes'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "drop" -d 'Remove a space from the store'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "forget" -d 'Erase history, notes and log contents of a person, or a conversation'
complete -c faber -n "__fish_faber_using_subcommand store; and not __fish_seen_subcommand_from init migrate push pull status drop forget prune" -f -a "prune" -d 'Erase history, notes and log lines that are older than `store.keep_days`'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l space -d 'The space to write' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l revision -d 'A name for this revision of the workspace; default: the git commit' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from push" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l space -d 'The space to copy' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -l space -d 'The space to remove' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from drop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l principal -d 'Erase history and notes that this user owns, and the contents of the user\'s log lines' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l conversation -d 'Erase this conversation: `history/NAME.jsonl`' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l owner -d 'Erase history and notes whose `owner` this is; log lines stay' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -l store -d 'The address; default: `FABER_STORE_URL`, `store.url`, libpq\'s variables' -r
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand store; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand trust" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand trust" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand trust" -l list -d 'List the trusted workspaces'
complete -c faber -n "__fish_faber_using_subcommand trust" -l revoke -d 'Stop trusting this workspace'
complete -c faber -n "__fish_faber_using_subcommand trust" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand trust" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand trust" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand init" -l template -d 'The template to use' -r -f -a "default\t''
minimal\t''"
complete -c faber -n "__fish_faber_using_subcommand init" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand init" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand init" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand init" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand init" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand new" -l category -d 'The category of a context' -r -f -a "specialist\t''
platform\t''
standard\t''
pattern\t''
playbook\t''
reference\t''
troubleshooting\t''"
complete -c faber -n "__fish_faber_using_subcommand new" -l role -d 'The role that a context, task, flow or platform belongs to' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand new" -l layer -d 'The overlay: organization, platforms/NAME, roles/NAME, teams/NAME, workflows/NAME or users/NAME' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand new" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand new" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand new" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand new" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand new" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand new" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand import" -l category -d 'The category of documents, with `markdown`; default: by their titles, else reference' -r -f -a "specialist\t''
platform\t''
standard\t''
pattern\t''
playbook\t''
reference\t''
troubleshooting\t''"
complete -c faber -n "__fish_faber_using_subcommand import" -l into -d 'The target directory: a workspace, a role or an overlay; default: the workspace around the current directory, else a new one there' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand import" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand import" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand import" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand import" -l translations -d 'Also import translations of other files'
complete -c faber -n "__fish_faber_using_subcommand import" -l update -d 'Update imported files, except those that were edited here'
complete -c faber -n "__fish_faber_using_subcommand import" -l check -d 'Write nothing; exit 1 if imported files differ from their sources. Without PATH, check all imports'
complete -c faber -n "__fish_faber_using_subcommand import" -l watch -d 'Update whenever a source changes'
complete -c faber -n "__fish_faber_using_subcommand import" -l outside -d 'Also update imports from directories outside the workspace'
complete -c faber -n "__fish_faber_using_subcommand import" -l prune -d 'Remove contexts whose source is gone, unless they were edited here'
complete -c faber -n "__fish_faber_using_subcommand import" -l ours -d 'For files that changed here and in the source, keep the text of the workspace'
complete -c faber -n "__fish_faber_using_subcommand import" -l theirs -d 'For files that changed here and in the source, take the text of the source'
complete -c faber -n "__fish_faber_using_subcommand import" -l dry-run -d 'List the files that would be created, and create nothing'
complete -c faber -n "__fish_faber_using_subcommand import" -l in-place -d 'Copy nothing: use the files where they are, as a pack declared in the configuration'
complete -c faber -n "__fish_faber_using_subcommand import" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand import" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand import" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand export" -l role -d 'The role; default: `settings.role`, else the only one, else the contexts that all share' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand export" -s o -l output -d 'The file to write, with `mcp`; default: `.mcp.json` at the workspace root' -r -F
complete -c faber -n "__fish_faber_using_subcommand export" -s f -l format -d 'The output format' -r -f -a "human\t'Text for people'
json\t'JSON for programs'"
complete -c faber -n "__fish_faber_using_subcommand export" -l platform -d 'Use this platform instead of the configured one' -r
complete -c faber -n "__fish_faber_using_subcommand export" -l team -d 'Use this team\'s overlay; may be repeated' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand export" -l workflow -d 'Use this workflow\'s overlay' -r -f -a "(__faber_names)"
complete -c faber -n "__fish_faber_using_subcommand export" -l environment -d 'The environment for `when` conditions, such as `production`' -r
complete -c faber -n "__fish_faber_using_subcommand export" -l as -d 'Act as this user, in these groups' -r
complete -c faber -n "__fish_faber_using_subcommand export" -l at -d 'Use this date instead of today' -r
complete -c faber -n "__fish_faber_using_subcommand export" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand export" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand export" -l check -d 'Write nothing; exit 1 with a diff if a file is out of date'
complete -c faber -n "__fish_faber_using_subcommand export" -l dry-run -d 'Write nothing; list what would be written, and what the tool cannot use'
complete -c faber -n "__fish_faber_using_subcommand export" -l allow-insecure -d 'Export even if a text has a security error'
complete -c faber -n "__fish_faber_using_subcommand export" -l no-user -d 'Leave out the user\'s overlay'
complete -c faber -n "__fish_faber_using_subcommand export" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand export" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand export" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand export" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand schema" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand schema" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand schema" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand schema" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand schema" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand completions" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand completions" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand completions" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand completions" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand completions" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand man" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand man" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand man" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand man" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand man" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand help" -s C -l root -d 'Use the workspace that contains DIR instead of the current directory' -r -f -a "(__fish_complete_directories)"
complete -c faber -n "__fish_faber_using_subcommand help" -l color -d 'When to use colour' -r -f -a "auto\t'On a terminal, unless `NO_COLOR` is set'
always\t'Always'
never\t'Never'"
complete -c faber -n "__fish_faber_using_subcommand help" -s q -l quiet -d 'Print only errors on standard error'
complete -c faber -n "__fish_faber_using_subcommand help" -s v -l verbose -d 'Print hints on standard error, and complete lists'
complete -c faber -n "__fish_faber_using_subcommand help" -l no-cache -d 'Neither read nor write the cache'
complete -c faber -n "__fish_faber_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c faber -n "__fish_faber_using_subcommand assemble explain rules expand show diff schema" -f -a "(__faber_names)"
