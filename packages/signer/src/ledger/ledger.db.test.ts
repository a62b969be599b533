import { type Delegation, delegationHash, signDelegation } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withDb'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  crypto,
  grant,
  KEYS,
  LIMITS,
  makeBinding,
  NOW_S,
  ownPrice,
  PINS,
  storedOf,
  swapCall,
  WHO,
} from '../../test/kit.ts'
import { ask, clock, leaf, nonce, register, resetTime, time } from '../../test/ledgerKit.ts'
import { type CosignDeps, cosignTrade } from '../leaves/cosignTrade.ts'
import { openSessions } from '../roots/openSessions.ts'
import { ledgerMigrations, migrateLedger, openLedger } from './openLedger.ts'

// Fifty by hand: LEDGER_ROUNDS=50 npx vitest run --project db packages/signer
const ROUNDS = Number(process.env['LEDGER_ROUNDS'] ?? 6)
const PARALLEL = 200
/** With the 120 seconds in which a leaf may still run. */
const SPEND_WINDOW_MS = 86_520_000

withDb(
  'the ledger',
  (db, store) => {
    const open = (on: Db = db) => openLedger({ db: on, clock })
    beforeEach(resetTime)

    describe('a root', () => {
      it('is stored as its owner signed it', async () => {
        const ledger = open()
        const stored = await register(ledger)
        expect(await ledger.load(stored.hash)).toEqual(stored)
        expect(await ledger.load(`0x${'0'.repeat(64)}`)).toBeNull()
        expect(await ledger.status(stored.hash)).toEqual({
          root_hash: stored.hash,
          session_id: stored.sessionId,
          wallet: WHO.wallet,
          executor: WHO.executor,
          binding_version: 3,
          status: 'active',
          registered_at: NOW_S,
          expires_at: stored.binding.expires_at,
          revoked_at: null,
          sequence: 0,
          spend: { trades: 0, trades_left: 50, day_micro_usd: 0, day_left_micro_usd: 100_000_000 },
        })
      })

      it('is registered once, for concurrent calls too', async () => {
        const ledger = open()
        const stored = storedOf(grant())
        const outcomes = await Promise.all([1, 2, 3, 4].map(() => ledger.register(stored)))
        expect(outcomes.sort()).toEqual(['registered', 'reused', 'reused', 'reused'])
      })

      it('has a nonce that no other root of its wallet has', async () => {
        const ledger = open()
        const binding = makeBinding()
        expect(await ledger.register(storedOf(grant(binding)))).toBe('registered')
        // The same terms, signed again a second later: a second set of caps.
        expect(await ledger.register(storedOf(grant(binding, { nowS: NOW_S + 1 })))).toBe('nonce used')
      })

      it('that was revoked is never registered, before or after', async () => {
        const ledger = open()
        const stored = storedOf(grant())
        await ledger.revoke(stored.hash)
        expect(await ledger.register(stored)).toBe('revoked')
        expect(await ledger.load(stored.hash)).toBeNull()
        const other = await register(ledger)
        await ledger.revoke(other.hash)
        expect(await ledger.register(other)).toBe('reused')
      })

      it('changed in the store is refused', async () => {
        const ledger = open()
        const stored = await register(ledger)
        const sessions = () => openSessions({ crypto, pins: PINS, ledger })
        expect(await sessions().find(stored.hash)).toMatchObject({ rootHash: stored.hash })
        const wider = { ...stored.binding, limits: { ...LIMITS, max_day_micro_usd: 2_500_000_000 } }
        await db.query('update roots set binding = $1 where hash = $2', [JSON.stringify(wider), stored.hash])
        await expect(sessions().find(stored.hash)).rejects.toMatchObject({ code: 'ROOT_BINDS_LIMITS' })
      })
    })

    describe('a leaf', () => {
      it('is counted with its number and what is left', async () => {
        const ledger = open()
        const stored = await register(ledger)
        expect(await ledger.countLeaf(leaf(stored))).toEqual({
          ok: true,
          sequence: 1,
          atMs: time.nowMs,
          spend: {
            trades: 1,
            trades_left: 49,
            day_micro_usd: 10_000_000,
            day_left_micro_usd: 90_000_000,
            this_micro_usd: 10_000_000,
          },
        })
        expect(await ask(ledger, leaf(stored))).toBe('leaf 2')
      })

      it('is not counted if an earlier rule failed, and reports all failures', async () => {
        const ledger = open()
        const stored = await register(ledger, { max_trades: 1 })
        const failures = [{ rule: 'PRICE', ok: false, message: 'low' }] as const
        expect(await ask(ledger, leaf(stored, { failures }))).toBe('PRICE')
        expect(await ask(ledger, leaf(stored, { microUsd: null }))).toBe('')
        expect(await ask(ledger, leaf(stored))).toBe('leaf 1')
        expect(await ask(ledger, leaf(stored, { failures, microUsd: 95_000_000n, sequence: 9 }))).toBe(
          'PRICE SESSION_TRADES_LEFT SEQUENCE SESSION_MAX_DAY',
        )
        expect((await ledger.status(stored.hash))?.sequence).toBe(1)
      })

      it('with a value too large for the store does not fail others of its batch', async () => {
        const ledger = open()
        const [stored, other] = [await register(ledger), await register(ledger)]
        const failures = [{ rule: 'SESSION_MAX_TRADE', ok: false, message: 'too much' }] as const
        const huge = [2n ** 63n - 1n, 2n ** 63n, 2n ** 255n]
        // Concurrent: one statement judges them all.
        const answers = await Promise.all([
          ...huge.map((microUsd) => ask(ledger, leaf(stored, { failures, microUsd }))),
          ask(ledger, leaf(other)),
        ])
        const refused = 'SESSION_MAX_TRADE SESSION_MAX_DAY'
        expect(answers).toEqual([refused, refused, refused, 'leaf 1'])
        expect((await ledger.status(stored.hash))?.sequence).toBe(0)
      })

      it('of an unknown root is refused', async () => {
        const stored = storedOf(grant())
        expect(await ask(open(), leaf(stored))).toBe('ROOT')
      })

      it('is the one that was expected', async () => {
        const ledger = open()
        const stored = await register(ledger)
        expect(await ask(ledger, leaf(stored, { sequence: 2 }))).toBe('SEQUENCE')
        expect(await ask(ledger, leaf(stored, { sequence: 1 }))).toBe('leaf 1')
        expect(await ask(ledger, leaf(stored, { sequence: 1 }))).toBe('SEQUENCE')
        expect(await ask(ledger, leaf(stored, { sequence: 0 }))).toBe('SEQUENCE')
      })

      it('is not counted twice for the same call, by this process or the next', async () => {
        const ledger = open()
        const stored = await register(ledger)
        const once = leaf(stored)
        expect(await Promise.all([ask(ledger, once), ask(ledger, once)])).toEqual(['leaf 1', 'REPLAY'])
        expect(await ask(ledger, once)).toBe('REPLAY')
        expect(await ask(open(), once)).toBe('REPLAY')
      })

      it('is counted once per client_id, for concurrent calls too', async () => {
        const ledger = open()
        const [stored, other] = [await register(ledger), await register(ledger)]
        const named = (of = stored) => leaf(of, { clientId: 'trade 1', callNonce: nonce() })
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask(ledger, named())))
        expect(outcomes.filter((one) => one === 'leaf 1')).toHaveLength(1)
        expect(outcomes.filter((one) => one === 'CLIENT_ID')).toHaveLength(19)
        expect(await ask(open(), named())).toBe('CLIENT_ID')
        expect(await ask(ledger, named(other)), 'of another root').toBe('leaf 1')
        expect(await ask(ledger, leaf(stored, { clientId: 'trade 2' }))).toBe('leaf 2')
        expect((await ledger.status(stored.hash))?.sequence).toBe(2)
      })

      it('requested again by client_id is the same leaf, unless frozen, revoked or sanctioned', async () => {
        const ledger = open()
        const stored = await register(ledger)
        const session = (await openSessions({ crypto, pins: PINS, ledger }).find(stored.hash))!
        const sanctioned = new Set<string>()
        const deps: CosignDeps = {
          crypto,
          clock,
          pins: PINS,
          prices: { own: ownPrice, isChainRead: () => true } as never,
          ledger,
          cosigner: {
            sign: async (on: typeof PINS.addresses, delegation: Delegation) => ({
              signed: signDelegation(crypto, on, delegation, KEYS.cosigner),
              hash: delegationHash(crypto, delegation),
            }),
          } as never,
          feeClasses: { read: () => ({ feeClass: 'major', hasStock: false }) } as never,
          sessions: { find: () => session },
          isSanctioned: (address) => sanctioned.has(address),
          controls: null as never,
          walletNonce: null as never,
        }
        const trade = (clientId: string, execution = swapCall(), curveFeeWei: bigint | null = null) =>
          cosignTrade(deps, {
            rootHash: stored.hash,
            execution,
            curveFeeWei,
            feeBps: undefined,
            slippageBps: undefined,
            sequence: undefined,
            callNonce: nonce(),
            clientId,
          })
        const [first, beside] = await Promise.all([trade('a'), trade('a')])
        expect(beside).toEqual(first)
        const next = await trade('b')
        expect(next.sequence).toBe(2)
        time.nowMs += 3_600_000
        expect(await trade('a'), 'long after its deadline').toEqual({
          ...first,
          spend: { ...next.spend, this_micro_usd: first.spend.this_micro_usd },
        })
        const strange = { ...swapCall(), valueWei: 1n }
        for (const another of [() => trade('a', strange), () => trade('a', swapCall(), 1n)]) {
          await expect(another()).rejects.toMatchObject({
            code: 'REFUSED',
            extras: { signer_checks: [{ rule: 'CLIENT_ID' }] },
          })
        }
        sanctioned.add(WHO.wallet)
        await expect(trade('a')).rejects.toMatchObject({ code: 'SANCTIONED' })
        sanctioned.clear()
        await ledger.setFrozen(true, nonce())
        await expect(trade('a')).rejects.toMatchObject({ code: 'SIGNER_FROZEN' })
        await ledger.setFrozen(false, nonce())
        await ledger.revoke(stored.hash)
        await expect(trade('a')).rejects.toMatchObject({
          extras: { signer_checks: [{ rule: 'SESSION_REVOKED' }] },
        })
        expect((await ledger.status(stored.hash))?.sequence).toBe(2)
      })

      it('stops at the revocation and at the freeze, which survive', async () => {
        const ledger = open()
        const stored = await register(ledger)
        await ledger.setFrozen(true, nonce())
        expect(await ask(ledger, leaf(stored))).toBe('SIGNER_FROZEN')
        expect(await open().isFrozen()).toBe(true)
        expect(await ask(open(), leaf(stored))).toBe('SIGNER_FROZEN')
        expect(await ledger.register(storedOf(grant()))).toBe('frozen')
        const thaw = nonce()
        await ledger.setFrozen(false, thaw)
        expect(await ask(ledger, leaf(stored))).toBe('leaf 1')
        await ledger.setFrozen(true, nonce())
        await expect(ledger.setFrozen(false, thaw)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
        expect(await ledger.isFrozen()).toBe(true)
        await ledger.setFrozen(false, nonce())

        const revokedAtMs = await ledger.revoke(stored.hash)
        time.nowMs += 5_000
        expect(await ledger.revoke(stored.hash)).toBe(revokedAtMs)
        expect(await ask(ledger, leaf(stored))).toBe('SESSION_REVOKED')
        expect(await ask(open(), leaf(stored))).toBe('SESSION_REVOKED')
        expect(await ledger.status(stored.hash)).toMatchObject({ status: 'revoked', sequence: 1 })
      })

      it('counts for exactly 24 hours after it could last be redeemed', async () => {
        const ledger = open()
        const stored = await register(ledger)
        const startMs = time.nowMs
        for (let i = 0; i < 10; i++) {
          expect(await ask(ledger, leaf(stored))).toBe(`leaf ${i + 1}`)
          time.nowMs += 60_000
        }
        expect(await ask(ledger, leaf(stored, { microUsd: 1n }))).toBe('SESSION_MAX_DAY')
        time.nowMs = startMs + SPEND_WINDOW_MS - 1
        expect(await ask(ledger, leaf(stored))).toBe('SESSION_MAX_DAY')
        time.nowMs = startMs + SPEND_WINDOW_MS
        expect(await ask(ledger, leaf(stored))).toBe('leaf 11')
        expect(await ask(ledger, leaf(stored))).toBe('SESSION_MAX_DAY')
        time.nowMs = startMs
        // A clock that was set back does not drop it either.
        expect(await ask(ledger, leaf(stored))).toBe('SESSION_MAX_DAY')
      })
    })

    it(`never passes more than fit, ${PARALLEL} at once, ${ROUNDS} rounds`, async () => {
      const second = await store().openSecond?.()
      const ledgers = second ? [open(), open(second)] : [open()]
      for (let round = 0; round < ROUNDS; round++) {
        const k = 1 + Math.floor(Math.random() * 40)
        const byTrades = round % 2 === 0
        const stored = await register(ledgers[0]!, {
          max_trades: byTrades ? k : 10_000,
          max_day_micro_usd: byTrades ? 2_500_000_000 : Math.max(25_000_000, k * 1_000_000 + 999_999),
        })
        const fits = byTrades ? k : Math.floor(stored.binding.limits.max_day_micro_usd / 1_000_000)
        const verdicts = await Promise.all(
          Array.from({ length: PARALLEL }, (_, i) =>
            ledgers[i % ledgers.length]!.countLeaf(leaf(stored, { microUsd: 1_000_000n })),
          ),
        )
        const passed = verdicts.flatMap((verdict) => (verdict.ok ? [verdict.sequence] : []))
        expect(passed.sort((a, b) => a - b)).toEqual(Array.from({ length: fits }, (_, i) => i + 1))
        expect(await ledgers[0]!.status(stored.hash)).toMatchObject({
          sequence: fits,
          spend: { day_micro_usd: fits * 1_000_000 },
        })
      }
    })

    it('keeps many roots apart in concurrent calls', async () => {
      const ledger = open()
      const roots = await Promise.all(Array.from({ length: 8 }, () => register(ledger, { max_trades: 5 })))
      const order = Array.from({ length: 80 }, (_, i) => roots[i % roots.length]!)
      const outcomes = await Promise.all(order.map((stored) => ask(ledger, leaf(stored, { microUsd: 5n }))))
      for (const stored of roots) {
        const own = outcomes.filter((_, i) => order[i] === stored)
        expect(own).toEqual(
          [1, 2, 3, 4, 5].map((n) => `leaf ${n}`).concat(Array(5).fill('SESSION_TRADES_LEFT')),
        )
      }
    })

    it('passes none after a confirmed revocation', async () => {
      const ledger = open()
      for (let round = 0; round < ROUNDS; round++) {
        const stored = await register(ledger, { max_trades: 10_000, max_day_micro_usd: 2_500_000_000 })
        const before = Array.from({ length: 20 }, () => ask(ledger, leaf(stored, { microUsd: 5n })))
        await ledger.revoke(stored.hash)
        const after = await Promise.all(Array.from({ length: 20 }, () => ask(ledger, leaf(stored))))
        expect(new Set(after)).toEqual(new Set(['SESSION_REVOKED']))
        await Promise.all(before)
      }
    })

    it('refuses a store that is the server’s', async () => {
      await db.query('create table plans (id int)')
      await expect(migrateLedger(db)).rejects.toThrow('holds the server’s table plans')
      await db.query('drop table plans')
      expect(await migrateLedger(db)).toBe(0)
    })
  },
  ledgerMigrations(),
)
