import type { ControlsRequest } from '@pit/protocol'
import { type Command, InvalidArgumentError } from 'commander'
import { duration, notNegative } from '../client/parse.ts'

type Breaker = NonNullable<ControlsRequest['breakers']>[number]

export interface ControlFlags {
  signatureAbove?: number
  breaker?: Breaker[]
}

const COOL_DOWN_S = 86_400

/** Limits that the co-signer enforces besides the session's own. */
export const withControls = (command: Command): Command =>
  command
    .option(
      '--signature-above <dollars>',
      'Trades above this in any hour need an order that you sign; 0 for every trade',
      notNegative,
    )
    .option(
      '--breaker <fall...>',
      'Refuse opening trades after a loss: FALL[/WINDOW][:COOLDOWN], such as 20/24h:1h (USD)',
      breakers,
    )

/** Undefined without any of the options. */
export const controlsOf = ({ signatureAbove, breaker }: ControlFlags): ControlsRequest | undefined =>
  signatureAbove === undefined && breaker === undefined
    ? undefined
    : {
        ...(signatureAbove !== undefined && { signature_above_usd: signatureAbove }),
        ...(breaker !== undefined && { breakers: breaker }),
      }

/** Adds one breaker: `20`, `20/24h`, `20:1h` or `20/24h:1h`. */
export function breakers(text: string, earlier: Breaker[] = []): Breaker[] {
  const [, fall, window, coolDown] = /^(\d+(?:\.\d+)?)(?:\/(\w+))?(?::(\w+))?$/.exec(text) ?? []
  if (fall === undefined || Number(fall) === 0)
    throw new InvalidArgumentError('Must be FALL[/WINDOW][:COOLDOWN], such as 20/24h:1h.')
  return [
    ...earlier,
    {
      max_fall_usd: Number(fall),
      window_s: window === undefined ? null : duration(window),
      cool_down_s: coolDown === undefined ? COOL_DOWN_S : duration(coolDown),
    },
  ]
}
