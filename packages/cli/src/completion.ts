import { Argument, Command } from 'commander'
import { type CommandMap, mapOf } from './map.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `pit completion bash`: a script that completes commands and options, without starting pit. */
export const completionCommand = (program: () => Command, print: (text: string) => void): Command =>
  new Command('completion')
    .description('Print a shell completion script: eval "$(pit completion bash)".')
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .action((shell: Shell) => print(SCRIPTS[shell](nodesOf(mapOf(program())))))

interface Node {
  /** The commands on the way to it, without `pit`: `session run`; empty for pit itself. */
  path: string
  words: { word: string; description: string }[]
}

/** Each command with its possible next words: subcommands, choices, its options and the global ones. */
function nodesOf(program: CommandMap): Node[] {
  const globals = wordsOfOptions(program)
  const walk = (command: CommandMap, path: string[]): Node[] => [
    {
      path: path.join(' '),
      words: [
        ...command.commands.map(({ name, description }) => ({ word: name, description })),
        ...command.arguments.flatMap(({ choices = [] }) =>
          choices.map((word) => ({ word, description: '' })),
        ),
        ...(path.length === 0 ? [] : wordsOfOptions(command)),
        ...globals,
      ],
    },
    ...command.commands.flatMap((one) => walk(one, [...path, one.name])),
  ]
  return walk(program, [])
}

const wordsOfOptions = ({ options }: CommandMap) => [
  ...options.map(({ name, description }) => ({ word: name, description })),
]

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const wordsText = ({ words }: Node): string => words.map(({ word }) => word).join(' ')

/** Finds the command on the line, skipping options between its words. (`path` is reserved in zsh.) */
const FIND = `  local at='' one
  for one in "\${line[@]}"; do
    case " $known " in *" \${at:+$at/}$one "*) at="\${at:+$at/}$one" ;; esac
  done`

const keyOf = ({ path }: Node): string => path.replaceAll(' ', '/')
const knownText = (nodes: readonly Node[]): string =>
  nodes
    .map(keyOf)
    .filter((key) => key !== '')
    .join(' ')

const casesText = (nodes: readonly Node[], of: (node: Node) => string): string =>
  nodes.map((node) => `    ${quoted(keyOf(node))}) ${of(node)} ;;`).join('\n')

const SCRIPTS: Record<Shell, (nodes: readonly Node[]) => string> = {
  bash: (nodes) => `_pit() {
  local known=${quoted(knownText(nodes))} words=''
  local line=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
${FIND}
  case "$at" in
${casesText(nodes, (node) => `words=${quoted(wordsText(node))}`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pit pit`,
  zsh: (nodes) => `#compdef pit
_pit() {
  local known=${quoted(knownText(nodes))}
  local -a line=("\${words[@]:1:CURRENT-2}") found
${FIND}
  case "$at" in
${casesText(nodes, ({ words }) => {
  const shown = words.map(({ word, description }) =>
    quoted(`${word.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`),
  )
  return `found=(${shown.join(' ')})`
})}
  esac
  _describe 'pit' found
  _files
}
compdef _pit pit`,
  fish: (nodes) =>
    nodes
      .flatMap((node) => {
        const way = node.path.split(' ').filter(Boolean)
        const seen = way.map((word) => `__fish_seen_subcommand_from ${word}`)
        const when = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ')
        return node.words.map(({ word, description }) => {
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
          return `complete -c pit -n ${quoted(when)} ${what} -d ${quoted(description)}`
        })
      })
      .join('\n'),
}
