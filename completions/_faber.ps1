using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'faber' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $faberWords = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
    $faberNext = @(if ($wordToComplete -eq '') { '--next' })
    $faberNames = @(& faber __complete @faberNext -- @faberWords 2>$null)
    if ($faberNames.Count -gt 0) {
        return $faberNames | ForEach-Object {
            [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)
        }
    }

    $commandElements = $commandAst.CommandElements
    $command = @(
        'faber'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'faber' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('assemble', 'assemble', [CompletionResultType]::ParameterValue, 'Assemble the prompt bundle of a role for a request')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Say why each context is in the bundle of a request, or is not')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Find what is wrong in a workspace, and mend what can be mended')
            [CompletionResult]::new('rules', 'rules', [CompletionResultType]::ParameterValue, 'List the rules of `validate`, or explain one')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print a context as all layers make it')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'Show what the overlays change: base against resolved text')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List roles, contexts, layers or platforms')
            [CompletionResult]::new('tokens', 'tokens', [CompletionResultType]::ParameterValue, 'Count tokens')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Show the configuration in force')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Create a workspace')
            [CompletionResult]::new('new', 'new', [CompletionResultType]::ParameterValue, 'Create a role, context, overlay, task, flow or platform')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of an output format')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a script that completes command lines')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            break
        }
        'faber;assemble' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'What to print')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'What to print')
            [CompletionResult]::new('--report', '--report', [CompletionResultType]::ParameterName, 'Report on standard error')
            [CompletionResult]::new('--report-file', '--report-file', [CompletionResultType]::ParameterName, 'Write the report to a file instead')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the bundle to a file instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the bundle to a file instead of standard output')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Compare with FILE instead of printing: exit 1 with a diff when it is not what would be')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'What to do; `-` reads standard input')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'What to do; `-` reads standard input')
            [CompletionResult]::new('--error', '--error', [CompletionResultType]::ParameterName, 'Error text, such as a stack trace; `-` reads standard input')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'A file at hand, for contexts with globs')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Take the files that git says differ from REV as files at hand')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Material to work on, such as a diff; `-` reads standard input')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Load a context whatever it says')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Leave a context out')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'Add a task of the role, and load what it says to load')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Add a flow of the role, and load what it says to load')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Tokens that the bundle may have')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Tokens that the bundle may have')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Count for this model, and take its window')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Count in this encoding')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'In which order contexts stand')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Refuse to assemble on any error in the workspace')
            [CompletionResult]::new('--keep-directives', '--keep-directives', [CompletionResultType]::ParameterName, 'Keep the lines of the prompt that faber has carried out')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;explain' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role; default: `settings.role`, else the only one')
            [CompletionResult]::new('--line', '--line', [CompletionResultType]::ParameterName, 'Say which file and line the N-th line of the bundle comes from, or those of a range')
            [CompletionResult]::new('--what-if', '--what-if', [CompletionResultType]::ParameterName, 'Compare with the bundle of another budget, platform, team, workflow, environment, date or model')
            [CompletionResult]::new('--bundle-format', '--bundle-format', [CompletionResultType]::ParameterName, 'The form of the bundle that is explained, in which tokens are counted')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('-r', '-r', [CompletionResultType]::ParameterName, 'What to do; `-` reads standard input')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'What to do; `-` reads standard input')
            [CompletionResult]::new('--error', '--error', [CompletionResultType]::ParameterName, 'Error text, such as a stack trace; `-` reads standard input')
            [CompletionResult]::new('--file', '--file', [CompletionResultType]::ParameterName, 'A file at hand, for contexts with globs')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Take the files that git says differ from REV as files at hand')
            [CompletionResult]::new('--input', '--input', [CompletionResultType]::ParameterName, 'Material to work on, such as a diff; `-` reads standard input')
            [CompletionResult]::new('--with', '--with', [CompletionResultType]::ParameterName, 'Load a context whatever it says')
            [CompletionResult]::new('--without', '--without', [CompletionResultType]::ParameterName, 'Leave a context out')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'Add a task of the role, and load what it says to load')
            [CompletionResult]::new('--flow', '--flow', [CompletionResultType]::ParameterName, 'Add a flow of the role, and load what it says to load')
            [CompletionResult]::new('-b', '-b', [CompletionResultType]::ParameterName, 'Tokens that the bundle may have')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'Tokens that the bundle may have')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Count for this model, and take its window')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Count in this encoding')
            [CompletionResult]::new('--order', '--order', [CompletionResultType]::ParameterName, 'In which order contexts stand')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'The same as `--format json`')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Refuse to assemble on any error in the workspace')
            [CompletionResult]::new('--keep-directives', '--keep-directives', [CompletionResultType]::ParameterName, 'Keep the lines of the prompt that faber has carried out')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;validate' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Report only these rules or groups of rules')
            [CompletionResult]::new('--ignore', '--ignore', [CompletionResultType]::ParameterName, 'Do not report these rules or groups of rules')
            [CompletionResult]::new('--deny', '--deny', [CompletionResultType]::ParameterName, 'End with status 1 also when there are only warnings')
            [CompletionResult]::new('--changed', '--changed', [CompletionResultType]::ParameterName, 'Report only what lies in files that git says differ from REV')
            [CompletionResult]::new('--baseline', '--baseline', [CompletionResultType]::ParameterName, 'Leave out the findings that FILE knows')
            [CompletionResult]::new('--write-baseline', '--write-baseline', [CompletionResultType]::ParameterName, 'Write the findings to FILE, so that `--baseline FILE` leaves them out')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--fix', '--fix', [CompletionResultType]::ParameterName, 'Mend what can be mended without losing anything')
            [CompletionResult]::new('--unsafe', '--unsafe', [CompletionResultType]::ParameterName, 'Mend also where what was meant is a guess')
            [CompletionResult]::new('--diff', '--diff', [CompletionResultType]::ParameterName, 'Print what mending would change, and change nothing')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;rules' {
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;show' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role; default: `settings.role`, else the only one')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--blame', '--blame', [CompletionResultType]::ParameterName, 'Print before each line the layer, file and line that it comes from')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;diff' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role; default: `settings.role`, else the only one')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;list' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'Only what this role sees')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;tokens' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Count for this model')
            [CompletionResult]::new('--encoding', '--encoding', [CompletionResultType]::ParameterName, 'Count in this encoding')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;config' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Print every value in force')
            break
        }
        'faber;config;show' {
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'Include the overlays of this role')
            [CompletionResult]::new('-f', '-f', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The form of the output')
            [CompletionResult]::new('--platform', '--platform', [CompletionResultType]::ParameterName, 'Use this platform instead of the configured one')
            [CompletionResult]::new('--team', '--team', [CompletionResultType]::ParameterName, 'Use this team''s overlay')
            [CompletionResult]::new('--workflow', '--workflow', [CompletionResultType]::ParameterName, 'Use this workflow''s overlay')
            [CompletionResult]::new('--environment', '--environment', [CompletionResultType]::ParameterName, 'Evaluate conditions for this environment')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Act as this user, in these groups')
            [CompletionResult]::new('--at', '--at', [CompletionResultType]::ParameterName, 'Judge validity by this date instead of today')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('--origin', '--origin', [CompletionResultType]::ParameterName, 'Say where each value comes from')
            [CompletionResult]::new('--no-user', '--no-user', [CompletionResultType]::ParameterName, 'Leave out the user''s overlay')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;init' {
            [CompletionResult]::new('--template', '--template', [CompletionResultType]::ParameterName, 'What to begin with')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;new' {
            [CompletionResult]::new('--category', '--category', [CompletionResultType]::ParameterName, 'The category of a context')
            [CompletionResult]::new('--role', '--role', [CompletionResultType]::ParameterName, 'The role that a context, task, flow or platform belongs to')
            [CompletionResult]::new('--layer', '--layer', [CompletionResultType]::ParameterName, 'The overlay: organization, platforms/NAME, roles/NAME, teams/NAME, workflows/NAME or users/NAME')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;schema' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;completions' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'faber;man' {
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Work in the workspace around DIR instead of the current directory')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say nothing but failures on standard error')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Print hints too, and shorten nothing on standard error')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
