import type { Answer } from '@pit/protocol'
import { amount } from '@pit/ui'
import type { Fill } from '@pit/ui/charts'
import { useAccount } from './account.ts'
import { useRead } from './api.ts'
import { useTokenFacts } from './own.ts'

/** The visitor's mined trades of a token as the server lists them, for its chart; none when signed out. */
export function useFills(address: string | undefined): readonly Fill[] {
  const signedIn = useAccount()
  const trades = useRead(
    'me.trades',
    { query: { limit: 100 } },
    { everyMs: 30_000, enabled: signedIn !== null && address !== undefined },
  )
  const decimals = useTokenFacts(address === undefined ? [] : [address]).get(
    address?.toLowerCase() ?? '',
  )?.decimals
  return address === undefined
    ? []
    : (trades.data?.trades ?? []).flatMap((trade) => fillOf(trade, address, decimals ?? null))
}

function fillOf(
  trade: Answer<'me.trades'>['trades'][number],
  address: string,
  decimals: number | null,
): Fill[] {
  const { status, time, token_in, token_out, amount_in, amount_out } = trade
  const isOf = (token: { address: string }) => token.address.toLowerCase() === address.toLowerCase()
  if (status !== 'mined' || (!isOf(token_in) && !isOf(token_out))) return []
  const side = isOf(token_out) ? 'buy' : 'sell'
  const atoms = side === 'buy' ? amount_out : amount_in
  return [{ atS: time, side, ...(atoms !== null && { text: amount(atoms, decimals, 4) }) }]
}
