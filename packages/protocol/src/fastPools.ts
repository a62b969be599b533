import { lower } from './lower.ts'
import type { PoolPin } from './profile.ts'
import type { FastPool } from './schemas/fastTable.ts'

const NATIVE = '0x0000000000000000000000000000000000000000'
/** v4 fees from here on mean that the hook sets the fee. */
const FEE_END = 1_000_000

/** Throws on a pin that cannot be a fast route, so that the process does not start with a wrong profile. */
export function poolOf(
  pair: string,
  pin: PoolPin,
  { tokenIn, tokenOut, weth }: { tokenIn: string; tokenOut: string; weth: string },
): FastPool {
  const wrong = (why: string): never => {
    throw new Error(`fast pool ${pair}: ${why}`)
  }
  if (pin.version === 'v2') return wrong('only v3 and v4 pools are pinned')
  if (pin.fee >= FEE_END) return wrong('its fee is not fixed')
  if (pin.version === 'v3') {
    const wrapped = (token: string) => (token === NATIVE ? weth : token)
    const [token_in, token_out] = [wrapped(tokenIn), wrapped(tokenOut)]
    if (token_in === token_out) return wrong('both ends are the same token')
    const path = `${token_in}${pin.fee.toString(16).padStart(6, '0')}${token_out.slice(2)}`
    return { version: 'v3', address: lower(pin.address), fee: pin.fee, token_in, token_out, path }
  }
  const [currency0, currency1] = [lower(pin.currency0), lower(pin.currency1)]
  if (lower(pin.hooks) !== NATIVE) return wrong('it has a hook')
  const zero_for_one = currency0 === tokenIn
  if ((zero_for_one ? currency1 : currency0) !== tokenOut || (!zero_for_one && currency1 !== tokenIn)) {
    return wrong('its currencies are not the two tokens')
  }
  return {
    version: 'v4',
    currency0,
    currency1,
    fee: pin.fee,
    tick_spacing: pin.tick_spacing,
    hooks: NATIVE,
    token_in: tokenIn,
    token_out: tokenOut,
    zero_for_one,
  }
}
