import { createHash } from 'node:crypto'
import { createCrypto, type Hex } from '@pit/chain'
import { canonicalJson } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildFromTerms } from '../../test/fastClient.ts'
import { fastProfile } from '../../test/fastProfile.ts'
import { rebuild } from './rebuild.ts'
import { openTable } from './table.ts'

const crypto = await createCrypto()
const signature: Hex = `0x${'5a'.repeat(64)}1b`

describe.each(['2.1.0', '2.1.1', '2.1.2'] as const)('pinned routes on a router of release %s', (layout) => {
  const profile = fastProfile()
  profile.contracts.universal_router_layout = layout
  const { table, routes, addresses } = openTable(profile, crypto)
  const pairs = [...routes.keys()]

  it.each(pairs)('%s: a call built from the terms alone equals the one of the service', (pair) => {
    // Through JSON and back, as a client receives it.
    const terms = JSON.parse(JSON.stringify(table)) as typeof table
    const amounts = fc.bigInt(10_000n, 2n ** 100n)
    const permits = fc.option(
      fc.record({
        expiration: fc.integer({ min: 0, max: 2 ** 47 }),
        nonce: fc.nat(),
        sig_deadline: fc.integer({ min: 0, max: 9_999_999_999 }),
      }),
      { nil: null },
    )
    const times = fc.integer({ min: 1, max: 9_999_999_999 })
    fc.assert(
      fc.property(
        amounts,
        amounts,
        times,
        fc.integer({ min: 10, max: 35 }),
        permits,
        (amountIn, minOut, deadline, feeBps, values) => {
          const permit = values && routes.get(pair)!.row.permit ? { ...values, signature } : null
          const theirs = buildFromTerms(terms, {
            pair,
            amountIn,
            minOut,
            deadline,
            feeBps,
            ...(permit && { permit }),
          })
          const permitParam = permit && {
            amount: amountIn,
            expirationS: permit.expiration,
            nonce: permit.nonce,
            sigDeadlineS: permit.sig_deadline,
            signature,
          }
          const request = { amountIn, minOut, deadlineS: deadline, permit: permitParam }
          expect(theirs.data).toBe(rebuild(routes.get(pair)!, addresses!, request, feeBps))
          expect(theirs.value).toBe(pair.startsWith('ETH/') ? amountIn : 0n)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('the table', () => {
  it('has the hash of its served form', () => {
    const { table, sha256 } = openTable(fastProfile(), crypto)
    const served = JSON.parse(JSON.stringify({ ...table, sha256 })) as Record<string, never>
    const { sha256: _, ...rest } = served
    expect(createHash('sha256').update(canonicalJson(rest)).digest('hex')).toBe(sha256)
  })

  it('has another hash after any change of pin, cap, recipient or router', () => {
    const hashes = new Set<string>()
    for (const change of [
      () => {},
      (profile: ReturnType<typeof fastProfile>) => delete profile.pins.fast_pools['ETH/SPY'],
      (profile: ReturnType<typeof fastProfile>) => {
        profile.fee_recipient = `0x${'11'.repeat(20)}`
      },
      (profile: ReturnType<typeof fastProfile>) => {
        profile.contracts.universal_router = `0x${'22'.repeat(20)}`
      },
      (profile: ReturnType<typeof fastProfile>) => {
        profile.contracts.universal_router_layout = '2.1.1'
      },
    ]) {
      const profile = fastProfile()
      change(profile)
      hashes.add(openTable(profile, crypto).sha256)
    }
    expect(hashes.size).toBe(5)
  })

  it('returns no call for an amount that exceeds a word', () => {
    const { routes, addresses } = openTable(fastProfile(), crypto)
    const request = { amountIn: 10n ** 77n, minOut: 1n, deadlineS: 1, permit: null }
    expect(rebuild(routes.get('ETH/USDG')!, addresses!, request, 25)).toBeNull()
    expect(rebuild(routes.get('ETH/USDG')!, addresses!, { ...request, amountIn: 0n }, 25)).toBeNull()
  })
})
