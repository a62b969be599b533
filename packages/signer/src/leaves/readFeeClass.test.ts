import { type Hex, NATIVE } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import { describe, expect, it } from 'vitest'
import { JUNK, PINS, STOCK, STRANGER, USDG } from '../../test/kit.ts'
import { createFeeClassReader } from './readFeeClass.ts'

const BEACON = PINS.stockBeacon!
const word = (address: string): Hex => `0x${'0'.repeat(24)}${address.slice(2)}`

function reader(slots: Record<string, Hex | Error>) {
  const asked: string[] = []
  const request = async (method: string, [token, slot, block]: readonly unknown[] = []) => {
    expect([method, block]).toEqual(['eth_getStorageAt', 'latest'])
    expect(slot).toBe('0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50')
    asked.push(token as string)
    const value = slots[token as string] ?? word(NATIVE)
    if (value instanceof Error) throw value
    return value
  }
  return { asked, slots, classes: createFeeClassReader({ rpc: { request } as unknown as Rpc, pins: PINS }) }
}

describe('the fee class', () => {
  it('is major for two core tokens, without asking the chain', () => {
    const { classes, asked } = reader({})
    expect(classes.read([NATIVE, USDG])).toBe('major')
    expect(asked).toEqual([])
  })

  it('is major for what stands on the stock beacon, and other for the rest', async () => {
    const { classes } = reader({ [STOCK]: word(BEACON), [JUNK]: word(STRANGER) })
    expect(await classes.read([STOCK, USDG])).toBe('major')
    expect(await classes.read([JUNK, USDG])).toBe('other')
    expect(await classes.read([JUNK, STOCK])).toBe('other')
    // Listed in the profile or not: only the chain says.
    expect(await reader({}).classes.read([STOCK, USDG])).toBe('other')
  })

  it('is asked once for a while, but never remembered from an answer that did not come', async () => {
    const { classes, asked, slots } = reader({ [STOCK]: new Error('silent') })
    expect(await classes.read([STOCK, USDG])).toBeUndefined()
    slots[STOCK] = word(BEACON)
    expect(await classes.read([STOCK, USDG])).toBe('major')
    expect(await classes.read([USDG, STOCK])).toBe('major')
    expect(asked).toEqual([STOCK, STOCK])
  })

  it('is unknown when one of two is', async () => {
    const { classes } = reader({ [STOCK]: word(BEACON), [JUNK]: new Error('silent') })
    expect(await classes.read([STOCK, JUNK])).toBeUndefined()
  })
})
