import { type Address, parseSignedTx, senderOf } from '@pit/chain'
import { RpcError } from '@pit/platform/rpc'
import { withDb } from '@pit/platform/test/withDb'
import type { SignedRefund } from '@pit/signer-wire'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  BASE_FEE,
  callNonce,
  type ExecutorWorld,
  openExecutorWorld,
  redeemTx,
  refusedAs,
} from '../../test/executorWorld.ts'
import { crypto, grant, makeBinding, NOW_S, storedOf, WHO } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { describeExecutor } from './createExecutor.ts'
import { refundGas } from './refundGas.ts'
import { signExecutorTx } from './signExecutorTx.ts'

withDb(
  'an executor’s gas',
  (db) => {
    let world: ExecutorWorld
    let executor: Address
    beforeEach(async () => {
      await db.query('update state set frozen = false')
      world = await openExecutorWorld(db)
      executor = await world.create()
    })
    const refund = () => refundGas(world.deps, executor)
    const closed = async () => (await describeExecutor(world.deps, executor)).closed
    function mine({ raw, tx_hash, nonce, value_wei }: SignedRefund, status = '0x1'): void {
      const parsed = parseSignedTx(raw)
      if (!parsed.ok) throw new Error(parsed.why)
      world.chain.nonce = nonce + 1
      world.chain.receipts.set(tx_hash, { status, blockNumber: '0x1', blockHash: '0x01', logs: [] })
      world.chain.balance -= 21_000n * BASE_FEE + (status === '0x1' ? BigInt(value_wei) : 0n)
    }

    describe('goes home', () => {
      it('as one plain transfer of all of it but its own gas to the owner on record', async () => {
        world.chain.nonce = 7
        const answer = await refund()
        const value = 10n ** 16n - 21_000n * 2n * BASE_FEE
        expect(answer).toMatchObject({
          executor,
          to: WHO.wallet,
          value_wei: value.toString(),
          balance_wei: (10n ** 16n).toString(),
          nonce: 7,
          gas: 21_000,
          max_fee_per_gas: (2n * BASE_FEE).toString(),
          already: false,
          closed: true,
        })
        const parsed = parseSignedTx(answer.raw)
        if (!parsed.ok) throw new Error(parsed.why)
        expect(parsed.tx).toMatchObject({
          type: 2,
          chainId: 4663,
          to: WHO.wallet,
          value,
          data: '0x',
          accessList: [],
          nonce: 7,
          gas: 21_000n,
        })
        expect(senderOf(crypto, parsed.tx)).toBe(executor)
        expect(crypto.keccak256(answer.raw)).toBe(answer.tx_hash)
        expect(await describeExecutor(world.deps, executor)).toMatchObject({
          closed: true,
          closed_at: NOW_S,
          refund: { tx_hash: answer.tx_hash, nonce: 7 },
        })
      })

      it('once: a repeated call returns the same bytes, before and after they are mined', async () => {
        const first = await refund()
        world.chain.balance += 5n
        expect(await refund()).toEqual({ ...first, already: true })
        world.chain.balance -= 5n
        mine(first)
        expect(await refund()).toEqual({ ...first, already: true })
      })

      it('once, for concurrent calls too', async () => {
        const answers = await Promise.all([1, 2, 3, 4].map(refund))
        expect(new Set(answers.map(({ tx_hash }) => tx_hash)).size).toBe(1)
        expect(answers.filter(({ already }) => !already)).toHaveLength(1)
      })

      it('by another transfer when something else took its nonce, or it reverted', async () => {
        const first = await refund()
        world.chain.nonce = 1
        const second = await refund()
        expect(second).toMatchObject({ nonce: 1, already: false })
        expect(second.tx_hash).not.toBe(first.tx_hash)
        mine(second, '0x0')
        expect(await refund()).toMatchObject({ nonce: 2, already: false })
      })

      it('by another transfer when more came after it was sent', async () => {
        const first = await refund()
        mine(first)
        world.chain.balance += 10n ** 15n
        const second = await refund()
        expect(second).toMatchObject({ nonce: 1, already: false })
        mine(second)
        expect(await refund()).toEqual({ ...second, already: true })
      })

      it('to a wallet that runs code, with the gas that takes and some room', async () => {
        world.chain.gas = 23_400n
        expect(await refund()).toMatchObject({ gas: 29_250 })
      })
    })

    describe('stays', () => {
      it('while a session of the executor can be co-signed, which does not close it', async () => {
        const { stored } = await world.register(executor)
        expect(await refusedAs(refund())).toBe('REFUND_REFUSED SESSION_ACTIVE')
        expect(await closed()).toBe(false)
        await world.ledger.revoke(stored.hash)
        expect(await refund()).toMatchObject({ already: false })
      })

      it('while a trade it signed may still be mined', async () => {
        const { stored, session } = await world.register(executor)
        const leaf = await world.cosign(session.root)
        if (Array.isArray(leaf)) throw new Error(leaf.join())
        await signExecutorTx(world.deps, { executor, tx: redeemTx(leaf, stored.root, { nonce: 0 }) })
        await world.ledger.revoke(stored.hash)
        expect(await refusedAs(refund())).toBe('REFUND_REFUSED LEAF_LIVE')
        world.time.nowMs += 149_000
        expect(await refusedAs(refund())).toBe('REFUND_REFUSED LEAF_LIVE')
        expect(await closed()).toBe(false)
        world.time.nowMs += 1_000
        expect(await refund()).toMatchObject({ already: false })
      })

      it('only until the trade is mined, and not for a leaf that cannot be sent any more', async () => {
        const { stored, session } = await world.register(executor)
        const leaf = await world.cosign(session.root)
        if (Array.isArray(leaf)) throw new Error(leaf.join())
        await signExecutorTx(world.deps, { executor, tx: redeemTx(leaf, stored.root, { nonce: 0 }) })
        // It needs the executor's signature, and the executor signs nothing after this.
        await world.cosign(session.root)
        await world.ledger.revoke(stored.hash)
        world.chain.nonce = 1
        expect(await refund()).toMatchObject({ nonce: 1, already: false })
      })

      it('while a transaction is pending', async () => {
        world.chain.pending = 1
        expect(await refusedAs(refund())).toBe('REFUND_REFUSED TX_PENDING')
      })

      it('when nothing is left above the gas, and the executor is closed all the same', async () => {
        world.chain.balance = 21_000n * 2n * BASE_FEE
        expect(await refusedAs(refund())).toBe('REFUND_REFUSED BALANCE')
        expect(await closed()).toBe(true)
        world.chain.balance += 1n
        expect(await refund()).toMatchObject({ value_wei: '1' })
      })

      it('while an earlier refund is ahead of what the chain shows', async () => {
        world.chain.nonce = 3
        await refund()
        world.chain.nonce = 2
        expect(await refusedAs(refund())).toBe('REFUND_IN_FLIGHT')
      })

      it('when the owner refuses ETH, or the chain does not answer', async () => {
        world.chain.gas = new RpcError('eth_estimateGas', 3, 'execution reverted', '0x')
        expect(await refusedAs(refund())).toBe('REFUND_GAS')
        world.chain.silent = true
        expect(await refusedAs(refund())).toBe('CHAIN_UNAVAILABLE')
      })

      it('for the sanctioned, for an owner that cannot be one, and while frozen', async () => {
        world.sanctioned.add(WHO.wallet)
        expect(await refusedAs(refund())).toBe('SANCTIONED')
        world.sanctioned.clear()
        await world.ledger.setFrozen(true, callNonce())
        expect(await refusedAs(refund())).toBe('SIGNER_FROZEN')
        await world.ledger.setFrozen(false, callNonce())
        await db.query('update executors set owner = $1 where address = $2', [WHO.cosigner, executor])
        expect(await refusedAs(refund())).toBe('REFUND_OWNER')
        expect(await closed()).toBe(false)
      })
    })

    describe('gone, the executor', () => {
      it('never accepts a session or signs anything again', async () => {
        const { stored, session } = await world.register(executor)
        const leaf = await world.cosign(session.root)
        if (Array.isArray(leaf)) throw new Error(leaf.join())
        await world.ledger.revoke(stored.hash)
        world.time.nowMs += 200_000
        await refund()
        const again = await world.ledger.register(storedOf(grant(makeBinding({ executor }))))
        expect(again).toBe('closed')
        expect(await world.cosign(session.root)).toEqual(['SESSION_REVOKED', 'EXECUTOR_CLOSED'])
        world.time.nowMs -= 200_000
        const tx = redeemTx(leaf, stored.root)
        expect(await refusedAs(signExecutorTx(world.deps, { executor, tx }))).toBe(
          'EXECUTOR_CLOSED EXECUTOR_CLOSED',
        )
      })

      it('is closed before a session that comes at the same time, or not at all', async () => {
        const stored = storedOf(grant(makeBinding({ executor })))
        const [registered, refunded] = await Promise.all([world.ledger.register(stored), refusedAs(refund())])
        expect([
          ['registered', 'REFUND_REFUSED SESSION_ACTIVE'],
          ['closed', 'not refused'],
        ]).toContainEqual([registered, refunded])
      })
    })
  },
  ledgerMigrations(),
)
