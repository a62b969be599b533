import { BEACON_SLOT, createCrypto, type Hex } from '@pit/chain'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import type { ChainProfile } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { isUnchanged, readCode } from './readCode.ts'

const crypto = await createCrypto()
const TOKEN: Hex = `0x${'ee'.repeat(20)}`
const BEACON: Hex = `0x${'be'.repeat(20)}`
const CODE: Hex = `0x${'c0'.repeat(20)}`
const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`
const ZERO = word('0x0')
const profile = { stocks: { issuer: 'robinhood', beacon: BEACON } } as unknown as ChainProfile

/** Reads a token whose beacon slot and whose beacon's `implementation()` answer as given. */
async function stockBeaconBy(slot: Hex | Error, implementation: Hex | Error = word(CODE)) {
  const answer = (value: Hex | Error): Hex => {
    if (value instanceof Error) throw value
    return value
  }
  const rpc = rpcOf(async (method, params) => {
    if (method === 'eth_getStorageAt') return params[1] === BEACON_SLOT ? answer(slot) : ZERO
    if (method === 'eth_getCode') return '0x6001'
    return answer(implementation)
  })
  return (await readCode({ rpc, crypto, profile }, TOKEN))!.code
}

describe('the reading of the stock beacon', () => {
  it('goes by the beacon slot alone', async () => {
    expect(await stockBeaconBy(word(BEACON))).toMatchObject({ stockBeacon: true, proxy: { kind: 'beacon' } })
    expect(await stockBeaconBy(word(TOKEN))).toMatchObject({ stockBeacon: false, proxy: { kind: 'beacon' } })
    expect(await stockBeaconBy(ZERO)).toMatchObject({ stockBeacon: false, proxy: null })
  })
  it('holds when the beacon does not answer with its implementation', async () => {
    const reverted = new RpcError('eth_call', 3, 'execution reverted', null)
    expect(await stockBeaconBy(word(BEACON), reverted)).toMatchObject({ stockBeacon: true, proxy: null })
  })
  it('is null when the node refuses to read the slot, and fails with a silent node', async () => {
    const refused = new RpcError('eth_getStorageAt', -32000, 'missing trie node', null)
    expect((await stockBeaconBy(refused)).stockBeacon).toBeNull()
    await expect(stockBeaconBy(new RpcUnreachable('eth_getStorageAt'))).rejects.toThrow()
  })
  it('fails when the beacon’s answer is lost: the token would look like one without a proxy', async () => {
    const lost = new RpcUnreachable('eth_call')
    await expect(stockBeaconBy(word(BEACON), lost)).rejects.toThrow(lost)
    const origin = await stockBeaconBy(word(BEACON))
    const rpc = rpcOf(async (method) => {
      if (method === 'eth_getStorageAt') return word(BEACON)
      throw lost
    })
    await expect(isUnchanged({ rpc, crypto, profile }, TOKEN, origin)).rejects.toThrow(lost)
  })
})
