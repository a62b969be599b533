import type { Hex } from '@pit/chain'
import type { SubmitParams } from '@pit/relay'
import { describe, expect, it } from 'vitest'
import type { Handler } from '../http/types.ts'
import { relayRoutes } from './relay.ts'

const HASHES: Hex[] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`]
const wallet = `0x${'ab'.repeat(20)}` as const

describe('live/submit', () => {
  const submit = async (
    body: object,
    key: object | null = { keyId: 7, accountId: 1, wallet, expiresAtS: 1 },
  ) => {
    const asks: SubmitParams[] = []
    const routes = relayRoutes({
      async submitBytes(ask) {
        asks.push(ask)
        const hashes = typeof ask.raws === 'string' ? [HASHES[0]!] : HASHES
        const timings = { checkMs: 1.234, writeMs: 2.345, sendMs: 3.999, totalMs: 8 }
        return { hashes, feeFirst: true, timings }
      },
    })
    const handler = routes['live.submit'] as Handler<'live.submit'>
    const answer = await handler({
      params: {},
      query: {},
      body,
      caller: { requestId: 'r', address: '::1', key },
    } as Parameters<typeof handler>[0])
    return { answer, ask: asks[0] }
  }
  const timings = { check: 1.23, write: 2.35, send: 4, total: 8 }

  it('returns the hash of one transaction, without a list', async () => {
    const { answer, ask } = await submit({ raw_tx: '0x02' })
    expect(answer).toStrictEqual({ tx_hash: HASHES[0], as_built: true, timings })
    expect(ask).toStrictEqual({ by: { keyId: 7, wallet }, raws: '0x02', reader: 'owner' })
  })

  it('lists the hashes of several, and whether a fee went first', async () => {
    const { answer, ask } = await submit({ raw_txs: ['0x02', '0x03'], fee_tx_hash: HASHES[1] })
    expect(answer).toStrictEqual({
      tx_hash: HASHES[1],
      as_built: true,
      timings,
      tx_hashes: HASHES,
      fee_first: true,
    })
    expect(ask).toStrictEqual({
      by: { keyId: 7, wallet },
      raws: ['0x02', '0x03'],
      feeTxHash: HASHES[1],
      reader: 'owner',
    })
  })

  it('rejects a key without a wallet', async () => {
    const unbound = { keyId: 7, accountId: 1, wallet: null, expiresAtS: 1 }
    await expect(submit({ raw_tx: '0x02' }, unbound)).rejects.toMatchObject({ code: 'WALLET_NOT_BOUND' })
    await expect(submit({ raw_tx: '0x02' }, null)).rejects.toMatchObject({ code: 'WALLET_NOT_BOUND' })
  })
})
