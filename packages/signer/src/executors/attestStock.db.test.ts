import { type Address, type Hex, serializeSignature } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import { stockAttestationText } from '@pit/protocol'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ExecutorWorld, emptyExecutors, openExecutorWorld, refusedAs } from '../../test/executorWorld.ts'
import { crypto, KEYS, keyOf, NOW_S, STRANGER, WHO } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { type AttestRequest, attestStock, revokeStock } from './attestStock.ts'
import { describeExecutor } from './createExecutor.ts'

withDb(
  'an owner’s stock attestation',
  (db) => {
    let world: ExecutorWorld
    beforeEach(async () => {
      await emptyExecutors(db)
      world = await openExecutorWorld(db)
    })

    describe('an owner’s stock attestation', () => {
      let executor: Address
      let registered: Awaited<ReturnType<ExecutorWorld['register']>>
      beforeEach(async () => {
        executor = await world.create()
        registered = await world.register(executor)
      })
      function word(change: Partial<AttestRequest> = {}, key: Hex = KEYS.wallet): AttestRequest {
        const terms = {
          executor,
          agentId: 'agt_1',
          owner: WHO.wallet,
          sessionId: registered.stored.sessionId,
          rootHash: registered.stored.hash,
          issuedS: NOW_S - 10,
          expiresS: NOW_S + 600,
          ...change,
        }
        const text = stockAttestationText({ ...terms, chainId: 4663 })
        return { ...terms, signature: serializeSignature(crypto.sign(crypto.hashMessage(text), key)) }
      }
      const attest = (change?: Partial<AttestRequest>, key?: Hex) =>
        attestStock(world.deps, word(change, key))
      const trade = async () => {
        const answer = await world.cosign(registered.session.root, { touchesStock: true })
        return Array.isArray(answer) ? answer.join(' ') : 'signed'
      }

      it('lets the executor trade stocks in that session until it ends or is revoked', async () => {
        expect(await trade()).toBe('STOCK_ATTESTATION')
        await attest()
        expect(await trade()).toBe('signed')
        const another = await world.register(executor)
        expect(await world.cosign(another.session.root, { touchesStock: true })).toEqual([
          'STOCK_ATTESTATION',
        ])
        world.time.nowMs += 600_000
        expect(await trade()).toBe('STOCK_ATTESTATION')
        await attest({ issuedS: NOW_S + 500, expiresS: NOW_S + 1_200 })
        expect(await trade()).toBe('signed')
        expect(await revokeStock(world.deps, executor)).toBe(world.time.nowMs)
        expect(await trade()).toBe('STOCK_ATTESTATION')
        expect(await describeExecutor(world.deps, executor)).toMatchObject({
          stock: { issued: NOW_S + 500, revoked_at: NOW_S + 600 },
          stock_not_before: NOW_S + 600,
        })
      })

      it('is reported missing for a hosted executor’s trade', async () => {
        const refused = { failures: [{ rule: 'STOCK_ATTESTATION' }], carrier: 'hosted executor' }
        expect(await world.count(registered.session.root, { touchesStock: true })).toMatchObject(refused)
        const { session } = await world.register(WHO.executor)
        await world.ledger.revoke(session.rootHash)
        expect(await world.count(session.root)).toMatchObject({ ok: false, carrier: 'own executor' })
      })

      it('is needed by hosted executors alone', async () => {
        const { session } = await world.register(WHO.executor)
        expect(await world.cosign(session.root, { touchesStock: true })).toMatchObject({ leaf: {} })
      })

      it.each<[string, Partial<AttestRequest>, string]>([
        ['for another agent', { agentId: 'agt_2' }, 'STOCK_ATTESTATION'],
        ['of another owner', { owner: STRANGER }, 'STOCK_ATTESTATION'],
        ['for an unknown session', { rootHash: `0x${'1'.repeat(64)}` }, 'STOCK_ATTESTATION'],
        ['for another session of that root', { sessionId: 'ses_other' }, 'STOCK_ATTESTATION'],
        ['issued over an hour ago', { issuedS: NOW_S - 3_631 }, 'STOCK_ATTESTATION'],
        ['from the future', { issuedS: NOW_S + 31 }, 'STOCK_ATTESTATION'],
        ['that ends too soon', { expiresS: NOW_S + 269 }, 'BAD_EXPIRY'],
        ['that outlasts the session', { expiresS: NOW_S + 3_601 }, 'BAD_EXPIRY'],
      ])('is refused %s', async (_, change, code) => expect(await refusedAs(attest(change))).toBe(code))

      it('is refused if another signer signed it, or another text was signed', async () => {
        expect(await refusedAs(attest({}, keyOf('mallory')))).toBe('STOCK_ATTESTATION')
        const changed = { ...word(), expiresS: NOW_S + 601 }
        expect(await refusedAs(attestStock(world.deps, changed))).toBe('STOCK_ATTESTATION')
      })

      it('counts once: not again, not an older one, and none issued before a revocation', async () => {
        await attest()
        expect(await refusedAs(attest())).toBe('STOCK_ATTESTATION_OLD')
        expect(await refusedAs(attest({ issuedS: NOW_S - 11 }))).toBe('STOCK_ATTESTATION_OLD')
        await revokeStock(world.deps, executor)
        expect(await refusedAs(attest({ issuedS: NOW_S }))).toBe('STOCK_ATTESTATION_OLD')
        // An old attestation stays old for the agent's next executor.
        const next = await world.create()
        const { stored } = await world.register(next)
        const old = { executor: next, rootHash: stored.hash, sessionId: stored.sessionId }
        expect(await refusedAs(attest(old))).toBe('STOCK_ATTESTATION_OLD')
        await attest({ ...old, issuedS: NOW_S + 1 })
      })

      it('can be revoked before it was given', async () => {
        await revokeStock(world.deps, executor)
        expect(await refusedAs(attest())).toBe('STOCK_ATTESTATION_OLD')
        expect(await describeExecutor(world.deps, executor)).toMatchObject({
          stock: null,
          stock_not_before: NOW_S,
        })
      })

      it('is refused for a session that was revoked', async () => {
        await world.ledger.revoke(registered.stored.hash)
        expect(await refusedAs(attest())).toBe('SESSION_REVOKED')
      })
    })
  },
  ledgerMigrations(),
)
