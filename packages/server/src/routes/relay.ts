import type { Hex } from '@pit/chain'
import type { Relay } from '@pit/relay'
import type { Handlers } from '../http/types.ts'
import { traderOf } from './caller.ts'

export const relayRoutes = ({ submitBytes }: Pick<Relay, 'submitBytes'>): Pick<Handlers, 'live.submit'> => ({
  'live.submit': async ({ body, caller }) => {
    const several = body.raw_txs as Hex[] | undefined
    const { hashes, feeFirst, timings } = await submitBytes({
      by: traderOf(caller),
      raws: several ?? ((body.raw_tx ?? '0x') as Hex),
      ...(body.fee_tx_hash !== undefined && { feeTxHash: body.fee_tx_hash as Hex }),
      reader: 'owner',
    })
    const answer = {
      tx_hash: hashes[hashes.length - 1]!,
      as_built: true as const,
      timings: {
        check: round(timings.checkMs),
        write: round(timings.writeMs),
        send: round(timings.sendMs),
        total: round(timings.totalMs),
      },
    }
    return several ? { ...answer, tx_hashes: hashes, fee_first: feeFirst } : answer
  },
})

const round = (ms: number): number => Math.round(ms * 100) / 100
