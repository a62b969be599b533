import type { Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import { type FeeClass, readBinding } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { CURVE, crypto, E18, JUNK, NOW_S, ownPrice, PINS, STRANGER, swapCall } from '../../test/kit.ts'
import rows from '../../test/storedSessions.json' with { type: 'json' }
import { failuresOf } from '../checks.ts'
import { readTrade } from '../leaves/readTrade.ts'
import { leafRules } from '../leaves/rules.ts'
import { ledgerMigrations, openLedger } from '../ledger/openLedger.ts'
import { priceOf } from '../prices/priceOf.ts'
import { openSessions } from './openSessions.ts'
import type { Session } from './readRoots.ts'

/**
 * Sessions of every version as they are stored by signers. Never edit the file: owners signed its content,
 * and a signer that cannot read one would end a session.
 */

function failed(session: Session, call: ReturnType<typeof swapCall>, feeClass: FeeClass): string[] {
  const request = {
    rootHash: session.rootHash,
    execution: call,
    curveFeeWei: null,
    feeBps: undefined,
    slippageBps: undefined,
    sequence: undefined,
    callNonce: '',
  }
  const priced = { pins: PINS, prices: { own: ownPrice }, binding: session.binding }
  return failuresOf(leafRules, {
    nowS: NOW_S,
    pins: PINS,
    session,
    request,
    trade: readTrade(PINS, session, request),
    feeClass,
    isChainRead: true,
    priceOf: (token) => priceOf(token, priced),
    isSanctioned: () => false,
  }).map(({ rule }) => rule)
}

withDb(
  'sessions stored by earlier versions',
  (db) => {
    const ledger = openLedger({ db, clock: { nowMs: () => NOW_S * 1000 } })
    const find = async (version: number): Promise<Session> => {
      const row = rows.find(({ binding }) => binding.version === version)!
      const session = await openSessions({ crypto, pins: PINS, ledger }).find(row.hash as Hex)
      if (!session) throw new Error(`version ${version} is not found`)
      return session
    }
    beforeEach(async () => {
      for (const { hash, session_id, binding, root, curve_roots, curve_tokens } of rows) {
        const values = [hash, session_id, binding.wallet, binding.executor, binding.nonce]
        const texts = [binding, root, curve_roots, curve_tokens].map((value) => JSON.stringify(value))
        await db.query(
          `insert into roots (hash, session_id, wallet, executor, binding_nonce, binding, root, curve_roots,
             curve_tokens, registered_at_ms)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0) on conflict do nothing`,
          [...values, ...texts],
        )
      }
    })

    it.each([1, 2, 3])('of version %i are read as their owners signed them', async (version) => {
      const { binding, rootHash } = await find(version)
      expect(readBinding(JSON.parse(JSON.stringify(binding)))).toMatchObject({ ok: true })
      const verdict = await ledger.countLeaf({
        rootHash,
        limits: binding.limits,
        microUsd: 1n,
        touchesStock: false,
        failures: [],
        sequence: undefined,
        executionHash: '',
        callNonce: `${version}`,
      })
      expect(verdict).toMatchObject({ ok: true, sequence: 1 })
    })

    it.each(['cosigner', 'router', 'feeRecipient'] as const)(
      'are refused with another %s than they were granted with',
      async (name) => {
        const pins = { ...PINS, [name]: STRANGER }
        for (const { hash } of rows) {
          const lookup = openSessions({ crypto, pins, ledger }).find(hash as Hex)
          await expect(lookup).rejects.toMatchObject({ code: 'BINDING_TERMS' })
        }
      },
    )

    describe('trade under their own terms', () => {
      it.each([1, 2])('version %i pays its one rate, whatever the class and shield', async (version) => {
        const session = await find(version)
        for (const feeClass of ['major', 'other'] as const) {
          expect(failed(session, swapCall({ bps: 30 }), feeClass)).toEqual([])
          for (const bps of [10, 25, 35, 40, 50, 60])
            expect(failed(session, swapCall({ bps }), feeClass)).toEqual(['FEE_REQUIRED'])
        }
      })

      it('version 2 has no price for a token without a feed, version 3 its owner’s', async () => {
        const buy = (bps: number) => swapCall({ tokenOut: JUNK, amountOutMin: 21_000n * E18, bps })
        expect(failed(await find(2), buy(30), 'other')).toEqual(['PRICE_UNAVAILABLE'])
        expect(failed(await find(3), buy(60), 'other')).toEqual([])
        expect(failed(await find(3), buy(50), 'other')).toEqual(['FEE_REQUIRED'])
      })

      it('version 3 has its curves', async () => {
        expect((await find(3)).curve?.tokens.get(CURVE)).toBe(JUNK)
      })
    })
  },
  ledgerMigrations(),
)
