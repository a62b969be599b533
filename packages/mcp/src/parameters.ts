import { nearestName } from '@pit/protocol'
import type { TObject } from '@sinclair/typebox'
import { ToolRefusal } from './refusal.ts'
import { untrusted } from './untrusted.ts'

/** Names that earlier versions of the tools took. */
const EARLIER: Readonly<Record<string, string>> = {
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

/** Refuses arguments that the tool does not take, by name and with the nearest name it does take. */
export function checkParameters(input: TObject, args: object, validate: (args: object) => Checked): void {
  const names = Object.keys(input.properties)
  const unknown = Object.keys(args).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const earlier = Object.hasOwn(EARLIER, unknown) ? EARLIER[unknown]! : ''
    const nearest = names.includes(earlier) ? earlier : nearestName(unknown, names)
    const all = names.length === 0 ? 'The tool takes no parameters.' : `The tool takes ${names.join(', ')}.`
    throw new ToolRefusal(
      'UNKNOWN_PARAMETER',
      `Unknown parameter "${untrusted(unknown)}"; nothing was done.`,
      nearest === null ? all : `Did you mean ${nearest}? ${all}`,
    )
  }
  const { issues } = validate(args)
  if (issues)
    throw new ToolRefusal(
      'BAD_PARAMETER',
      `A parameter is missing or malformed; nothing was done. ${untrusted(issues[0]?.message ?? '', 300)}`,
      'Correct it by the tool’s input schema, then call again.',
    )
}
