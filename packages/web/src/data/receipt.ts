import type { PitClient } from '@pit/client'
import { powerOfTen } from '@pit/protocol'

type Verified = Awaited<ReturnType<PitClient['plan']>>

/**
 * Value received against value sold, by the marks that this browser read before signing, in basis points. Positive
 * is better for the trader. Null without both marks.
 */
export function againstMarksBps(
  { reading: { tokenIn, tokenOut, amountIn }, own: { marks } }: Pick<Verified, 'reading' | 'own'>,
  amountOut: bigint | null,
  weth: string,
): number | null {
  const markOf = (token: string) =>
    marks.get(token as `0x${string}`) ??
    (/^0x0{40}$/.test(token) ? marks.get(weth as `0x${string}`) : undefined)
  const [paid, got] = [markOf(tokenIn), markOf(tokenOut)]
  if (!paid || !got || amountOut === null || amountIn === 0n) return null
  const valueIn = amountIn * paid.priceE18 * powerOfTen(got.decimals)
  const valueOut = amountOut * got.priceE18 * powerOfTen(paid.decimals)
  // A tenth of a basis point is kept.
  return valueIn === 0n ? null : Number(((valueOut - valueIn) * 100_000n) / valueIn) / 10
}
