import { type Hex, NATIVE } from '@pit/chain'
import { type Rpc, type RpcCall, RpcError } from '@pit/platform/rpc'
import { describe, expect, it } from 'vitest'
import { JUNK, PARTNER, PINS, STOCK, STRANGER, USDG } from '../../test/kit.ts'
import { createFeeClassReader } from './readFeeClass.ts'

const BEACON = PINS.stockBeacon!
const word = (address: string): Hex => `0x${'0'.repeat(24)}${address.slice(2)}`
const PROXY: Hex = '0x6001'

function reader(slots: Record<string, Hex | Error>, codes: Record<string, Hex> = {}) {
  const asked: string[] = []
  const answer = ([method, params]: RpcCall) => {
    const token = params[0] as string
    if (method === 'eth_getCode') return { ok: true, result: codes[token] ?? '0x6002' }
    expect(method).toBe('eth_getStorageAt')
    expect(params.slice(1)).toEqual([
      '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
      'latest',
    ])
    asked.push(token)
    const value = slots[token] ?? word(NATIVE)
    if (value instanceof Error) return { ok: false, error: new RpcError(method, -1, 'silent', null) }
    return { ok: true, result: value }
  }
  const batch = async (calls: readonly RpcCall[]) => calls.map(answer)
  return { asked, slots, classes: createFeeClassReader({ rpc: { batch } as unknown as Rpc, pins: PINS }) }
}
const MAJOR = { feeClass: 'major', hasStock: false }
const OTHER = { feeClass: 'other', hasStock: false }
const STOCKS = { feeClass: 'major', hasStock: true }

describe('the fee class', () => {
  it('is major for two core tokens, without asking the chain', () => {
    const { classes, asked } = reader({})
    expect(classes.read([NATIVE, USDG])).toEqual(MAJOR)
    expect(classes.read([PARTNER, USDG])).toEqual(MAJOR)
    expect(asked).toEqual([])
  })

  it('is major for listed stocks on the stock beacon, and other for the rest', async () => {
    const { classes } = reader({ [STOCK]: word(BEACON), [JUNK]: word(STRANGER) })
    expect(await classes.read([STOCK, USDG])).toEqual(STOCKS)
    expect(await classes.read([JUNK, USDG])).toEqual(OTHER)
    expect(await classes.read([JUNK, STOCK])).toEqual({ feeClass: 'other', hasStock: true })
    // Only the chain says what it stands on; whose word a stock token needs does not depend on it.
    expect(await reader({}).classes.read([STOCK, USDG])).toEqual({ feeClass: 'other', hasStock: true })
  })

  it('is major for an unlisted stock only if it runs a listed one’s code: anybody can write the slot', async () => {
    const slots = { [JUNK]: word(BEACON) }
    const own = reader(slots, { [STOCK]: PROXY, [JUNK]: '0x6003' })
    expect(await own.classes.read([JUNK, USDG])).toEqual({ feeClass: 'other', hasStock: true })
    const same = reader(slots, { [STOCK]: PROXY, [JUNK]: PROXY })
    expect(await same.classes.read([JUNK, USDG])).toEqual(STOCKS)
    const none = reader(slots, { [STOCK]: '0x', [JUNK]: '0x' })
    expect(await none.classes.read([JUNK, USDG])).toEqual({ feeClass: 'other', hasStock: true })
  })

  it('is asked once for a while, but never remembered from an answer that did not come', async () => {
    const { classes, asked, slots } = reader({ [STOCK]: new Error('silent') })
    expect(await classes.read([STOCK, USDG])).toBeUndefined()
    slots[STOCK] = word(BEACON)
    expect(await classes.read([STOCK, USDG])).toEqual(STOCKS)
    expect(await classes.read([USDG, STOCK])).toEqual(STOCKS)
    expect(asked).toEqual([STOCK, STOCK])
  })

  it('is unknown when one of two is', async () => {
    const { classes } = reader({ [STOCK]: word(BEACON), [JUNK]: new Error('silent') })
    expect(await classes.read([STOCK, JUNK])).toBeUndefined()
  })
})
