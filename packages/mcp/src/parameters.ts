import { nearestName, visibleText } from '@pit/protocol'
import type { TObject } from '@sinclair/typebox'
import { ToolRefusal } from './refusal.ts'

/** Parameter names of earlier versions of the tools. */
const EARLIER_NAMES: Readonly<Record<string, string>> = {
  sell: 'token_in',
  buy: 'token_out',
  usd: 'notional_usd',
  query: 'q',
  include_refused: 'refused',
  max_usd_per_trade: 'limits',
  max_usd_per_day: 'limits',
  max_position_usd: 'limits',
}

interface Checked {
  issues?: readonly { message: string }[] | undefined
}

/** Rejects unknown and invalid arguments; suggests the most similar parameter name. */
export function checkParameters(input: TObject, args: object, validate: (args: object) => Checked): void {
  const names = Object.keys(input.properties)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const earlier = Object.hasOwn(EARLIER_NAMES, unknown) ? EARLIER_NAMES[unknown]! : ''
    const nearest = names.includes(earlier) ? earlier : nearestName(unknown, names)
    const all = names.length === 0 ? 'The tool has no parameters.' : `The tool accepts ${names.join(', ')}.`
    throw new ToolRefusal(
      'UNKNOWN_PARAMETER',
      `Unknown parameter "${visibleText(unknown)}"; nothing was done.`,
      nearest === null ? all : `Did you mean ${nearest}? ${all}`,
    )
  }
  const { issues } = validate(args)
  if (issues)
    throw new ToolRefusal(
      'BAD_PARAMETER',
      `A parameter is missing or malformed; nothing was done. ${visibleText(issues[0]?.message ?? '', 300)}`,
      'Correct it as the tool’s input schema requires, then call again.',
    )
}
