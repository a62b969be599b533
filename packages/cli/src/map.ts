import type { Argument, Command, Option } from 'commander'

/** Machine-readable description of a command and its subcommands. */
export interface CommandMap {
  name: string
  description: string
  arguments: { name: string; description: string; required: boolean; variadic: boolean; choices?: string[] }[]
  options: OptionMap[]
  commands: CommandMap[]
}

interface OptionMap {
  flags: string
  name: string
  description: string
  /** True if it takes a value, false for a flag. */
  value: boolean
  variadic: boolean
  required: boolean
  default?: unknown
  choices?: string[]
}

/** Every command, argument and option, read from the commands themselves. */
export const mapOf = (command: Command): CommandMap => ({
  name: command.name(),
  description: command.description(),
  arguments: command.registeredArguments.map(argumentOf),
  options: command.options.map(optionOf),
  commands: command.commands.map(mapOf),
})

const argumentOf = (argument: Argument) => ({
  name: argument.name(),
  description: argument.description,
  required: argument.required,
  variadic: argument.variadic,
  ...(argument.argChoices && { choices: [...argument.argChoices] }),
})

const optionOf = (option: Option): OptionMap => ({
  flags: option.flags,
  name: option.long ?? option.short ?? option.flags,
  description: option.description,
  value: option.required || option.optional,
  variadic: option.variadic,
  required: option.mandatory,
  // The default of `--no-x` is always true: leave it out.
  ...(option.defaultValue !== undefined && !option.negate && { default: option.defaultValue }),
  ...(option.argChoices && { choices: [...option.argChoices] }),
})
