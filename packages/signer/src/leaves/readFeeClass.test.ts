import { type Hex, NATIVE } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { rpcOf } from '@pit/platform/test/scriptedChain'
import { describe, expect, it } from 'vitest'
import { JUNK, PARTNER, PINS, STOCK, STRANGER, USDG } from '../../test/kit.ts'
import { createFeeClassReader } from './readFeeClass.ts'

const BEACON = PINS.stockBeacon!
const word = (address: string): Hex => `0x${'0'.repeat(24)}${address.slice(2)}`

function reader(slots: Record<string, Hex | Error>) {
  const reads: string[] = []
  const rpc = rpcOf(async (method, params) => {
    expect(method).toBe('eth_getStorageAt')
    const token = params[0] as string
    expect(params.slice(1)).toEqual([
      '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50',
      'latest',
    ])
    reads.push(token)
    const value = slots[token] ?? word(NATIVE)
    if (value instanceof Error) throw new RpcError(method, -1, 'silent', null)
    return value
  })
  return { asked: reads, slots, classes: createFeeClassReader({ rpc, pins: PINS }) }
}
const MAJOR = { feeClass: 'major', hasStock: false }
const OTHER = { feeClass: 'other', hasStock: false }
const STOCKS = { feeClass: 'major', hasStock: true }

describe('the fee class', () => {
  it('is major for two core tokens, without a chain read', () => {
    const { classes, asked } = reader({})
    expect(classes.read([NATIVE, USDG])).toEqual(MAJOR)
    expect(classes.read([PARTNER, USDG])).toEqual(MAJOR)
    expect(asked).toEqual([])
  })

  it('is major for tokens on the stock beacon, and other for the rest', async () => {
    const { classes } = reader({ [STOCK]: word(BEACON), [JUNK]: word(STRANGER) })
    expect(await classes.read([STOCK, USDG])).toEqual(STOCKS)
    expect(await classes.read([JUNK, USDG])).toEqual(OTHER)
    expect(await classes.read([JUNK, STOCK])).toEqual({ feeClass: 'other', hasStock: true })
    // A listed stock off the beacon pays the other fee, but keeps the rules of stocks.
    expect(await reader({}).classes.read([STOCK, USDG])).toEqual({ feeClass: 'other', hasStock: true })
  })

  it('is major for an unlisted token on the beacon: listing decides the risk, not the class', async () => {
    const { classes } = reader({ [JUNK]: word(BEACON), [STOCK]: word(BEACON) })
    expect(await classes.read([JUNK, USDG])).toEqual(STOCKS)
    expect(await classes.read([STOCK, JUNK])).toEqual(STOCKS)
  })

  it('is cached for a while, but not after a failed read', async () => {
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
