import { Argument, Command } from 'commander'
import { endingOnWrongUsage } from '../process/process-end.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const EXAMPLES = `
Examples:
  $ source <(tickertape completion bash)    in ~/.bashrc
  $ source <(tickertape completion zsh)     in ~/.zshrc
  $ tickertape completion fish | source     in ~/.config/fish/config.fish
`

/** `tickertape completion`: prints what a shell needs to complete commands and flags. */
export function completionCommand(program: Command): Command {
  return endingOnWrongUsage(new Command('completion'))
    .description('Print a script that completes commands and flags')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) => {
      process.stdout.write(completionScript(shell, wordsOf(program)))
    })
}

/** Names of the subcommands and flags of a command. */
export interface CommandWords {
  /** Names after the program, separated by blanks; empty: the program itself. */
  readonly path: string
  readonly words: readonly string[]
}

/** The words of a program and of all its commands. The flags of the default command may follow the program. */
export function wordsOf(program: Command): readonly CommandWords[] {
  const flags = ({ options }: Command) => options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]))
  const visit = (command: Command, path: readonly string[]): readonly CommandWords[] => [
    { path: path.join(' '), words: [...command.commands.map((one) => one.name()), ...flags(command), '--help'] },
    ...command.commands.flatMap((one) => visit(one, [...path, one.name()])),
  ]
  const [own, ...others] = visit(program, [])
  const start = others.find(({ path }) => path === 'start')
  return [{ path: '', words: [...new Set([...own!.words, ...(start?.words ?? [])])] }, ...others]
}

/** The script of a shell. zsh runs that of bash with its module for it. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  if (shell === 'fish') return fishScript(commands)
  const known = commands.filter(({ path }) => path !== '')
  return `${shell === 'zsh' ? 'autoload -U +X compinit bashcompinit && compinit && bashcompinit\n' : ''}_tickertape() {
  local command='' list='' word
  # The longest sequence of words before the cursor that is a command.
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "\${command:+$command }$word" in
${known.map(({ path }) => `      '${path}') command='${path}' ;;`).join('\n')}
    esac
  done
  case "$command" in
${commands.map(({ path, words }) => `    '${path}') list='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tickertape tickertape
`
}

function fishScript(commands: readonly CommandWords[]): string {
  const known = commands.filter(({ path }) => path !== '')
  return `function __tickertape_words
  set -l tokens (commandline -opc)
  set -e tokens[1]
  set -l command ''
  # The longest sequence of words before the cursor that is a command.
  for word in $tokens
    switch (string trim -- "$command $word")
${known.map(({ path }) => `      case '${path}'\n        set command '${path}'`).join('\n')}
    end
  end
  switch $command
${commands.map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`).join('\n')}
  end
end
complete -c tickertape -a '(__tickertape_words)'
`
}
