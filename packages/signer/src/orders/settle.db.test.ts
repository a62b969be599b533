import { type Address, type Delegation, delegationManagerAbi, type Hex, signDelegation } from '@pit/chain'
import { withDb } from '@pit/platform/test/withDb'
import type { Cosigned } from '@pit/signer-wire'
import { encodeAbiParameters, encodeEventTopics } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlWorld,
  isFrom,
  openControlWorld,
  outcome,
  purchase,
  sale,
  word,
} from '../../test/controlKit.ts'
import { crypto, keyOf, NOW_S, PINS, STRANGER, USDG, WHO } from '../../test/kit.ts'
import { ledgerMigrations } from '../ledger/openLedger.ts'
import { confirm, outstandingOfSession } from './receipts.ts'
import { settleExpired } from './settleExpired.ts'
import { settleLeaf } from './settleLeaf.ts'

const TX: Hex = word(0x7e57)
const { manager } = PINS.addresses
const DELEGATION = delegationManagerAbi.find((one) => one.type === 'event')!.inputs[2]

function redeemed(leaf: Delegation, { by = manager as Address, wallet = WHO.wallet as Address } = {}) {
  return {
    address: by,
    topics: encodeEventTopics({
      abi: delegationManagerAbi,
      eventName: 'RedeemedDelegation',
      args: { rootDelegator: wallet, redeemer: WHO.executor },
    }),
    data: encodeAbiParameters([DELEGATION], [leaf as never]),
  }
}
const transfer = (
  token: Address,
  amount: bigint,
  { from = STRANGER as Address, to = WHO.wallet as Address } = {},
) => ({
  address: token,
  topics: [
    '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
    word(BigInt(from)),
    word(BigInt(to)),
  ],
  data: word(amount),
})
const receipt = (logs: object[], { status = '0x1' } = {}) => ({
  status,
  blockNumber: '0x64',
  blockHash: word(1),
  logs,
})

withDb(
  'a leaf’s settlement',
  (db) => {
    let world: ControlWorld
    let session: Hex
    let sold: Cosigned
    beforeEach(async () => {
      world = openControlWorld(db)
      session = await world.open()
      sold = await world.trade(session, sale(25))
    })
    const used = (received: bigint, atS = NOW_S) => ({
      state: 'used',
      received: received.toString(),
      settled_at: atS,
    })
    const settle = (sequence = sold.sequence) =>
      outcome(settleLeaf(world.deps, { rootHash: session, sequence, txHash: TX }))
    const show = (logs: object[], more = {}) => world.chain.receipts.set(TX, receipt(logs, more))
    const OPEN = { state: 'open', received: null, settled_at: null }

    describe('by a transaction', () => {
      it.each([
        ['as transferred', 24_800_000n, 24_800_000n],
        ['at least its minimum', 1n, sale(25).amountOutMin],
        ['at most its input’s value and 1%', 99_000_000n, 25_250_000n],
      ])('credits %s', async (_, amount, received) => {
        world.useLeaf(session, sold.sequence)
        show([
          redeemed(sold.leaf),
          transfer(USDG, amount + 7n),
          transfer(USDG, 7n, { from: WHO.wallet, to: STRANGER }),
        ])
        expect(await settle()).toEqual(used(received))
        world.chain.receipts.clear()
        world.time.nowMs += 5_000
        expect(await settle(), 'again').toEqual(used(received))
      })

      it('credits ETH by the balance over its block', async () => {
        const bought = await world.trade(session, purchase(25))
        world.useLeaf(session, bought.sequence)
        const amount = sale(24.9).amountIn
        world.chain.ether.set(0x63, 5n).set(0x64, 5n + amount)
        show([redeemed(bought.leaf)])
        expect(await settle(bought.sequence)).toEqual(used(amount))
      })

      it('credits the minimum if the wallet traded twice in it', async () => {
        const other = await world.trade(session, sale(20))
        world.useLeaf(session, sold.sequence)
        show([redeemed(sold.leaf), redeemed(other.leaf), transfer(USDG, 24_900_000n)])
        expect(await settle()).toEqual(used(sale(25).amountOutMin))
      })

      it('believes no other receipt', async () => {
        const other = await world.trade(session, sale(20))
        const foreign = await world.trade(await world.open(), sale(25))
        const forged = signDelegation(crypto, PINS.addresses, sold.leaf, keyOf('forger'))
        const paid = transfer(USDG, 24_900_000n)
        world.useLeaf(session, sold.sequence)
        const lies: [string, () => unknown][] = [
          ['none', () => world.chain.receipts.clear()],
          ['a failed one', () => show([redeemed(sold.leaf), paid], { status: '0x0' })],
          ['another wallet’s', () => show([redeemed(sold.leaf, { wallet: STRANGER }), paid])],
          ['another manager’s', () => show([redeemed(sold.leaf, { by: STRANGER }), paid])],
          ['another leaf’s', () => show([redeemed(other.leaf), paid])],
          ['another session’s', () => show([redeemed(foreign.leaf), paid])],
          ['a forged leaf’s', () => show([redeemed(forged), paid])],
          ['a transfer alone', () => show([paid])],
          ['unreadable data', () => show([{ ...redeemed(sold.leaf), data: '0x1234' }, paid])],
        ]
        for (const [name, lie] of lies) {
          lie()
          expect([name, await settle()]).toEqual([name, OPEN])
        }
        show([redeemed(sold.leaf), paid])
        world.chain.used.clear()
        expect(await settle(), 'the IdEnforcer says unused').toEqual(OPEN)
        world.chain.isDown = true
        expect(await settle()).toBe('CHAIN_UNAVAILABLE')
        world.chain.isDown = false
        world.useLeaf(session, sold.sequence)
        expect(await settle()).toEqual(used(24_900_000n))
      })

      it('is refused for a leaf that does not exist', async () => {
        expect(await settle(99)).toBe('NO_SESSION')
        expect(await outcome(settleLeaf(world.deps, { rootHash: word(5), sequence: 1, txHash: TX }))).toBe(
          'NO_SESSION',
        )
      })
    })

    describe('after its expiry', () => {
      const stateOf = async () =>
        (await db.query('select state, received::text from order_leaves where root_hash = $1', [session]))[0]

      it('is released if it was not used, and not before', async () => {
        world.time.nowMs = sold.expires_at * 1000
        await settleExpired(world.deps)
        expect(await stateOf()).toEqual({ state: null, received: null })
        world.time.nowMs += 1000
        await settleExpired(world.deps)
        expect(await stateOf()).toEqual({ state: 'unused', received: null })
        expect(await settle()).toMatchObject({ state: 'unused', received: null })
      })

      describe('when it was used', () => {
        const log = (leaf: Delegation, more = {}) => ({
          ...redeemed(leaf, more),
          blockNumber: '0x5a',
          blockHash: word(1),
          transactionHash: TX,
          logIndex: '0x0',
        })
        beforeEach(() => {
          world.useLeaf(session, sold.sequence)
          world.time.nowMs = (sold.expires_at + 1) * 1000
        })

        it('counts with what its transaction delivered, found by the manager’s logs', async () => {
          const other = await world.trade(session, sale(20))
          world.chain.logs = [log(other.leaf), log(sold.leaf)]
          show([redeemed(sold.leaf), transfer(USDG, 24_800_000n)])
          await settleExpired(world.deps)
          expect(await stateOf()).toEqual({ state: 'used', received: '24800000' })
        })

        it.each<[string, () => void]>([
          ['there is no log', () => {}],
          ['the log is another leaf’s', () => (world.chain.logs = [log(sold.leaf, { wallet: STRANGER })])],
          ['there is no receipt', () => (world.chain.logs = [log(sold.leaf)])],
          ['the logs cannot be read', () => (world.chain.logs = null as never)],
        ])('counts with its minimum a minute later if %s', async (_, lie) => {
          lie()
          await settleExpired(world.deps)
          expect(await stateOf()).toEqual({ state: null, received: null })
          world.time.nowMs += 60_000
          await settleExpired(world.deps)
          expect(await stateOf()).toEqual({ state: 'used', received: sale(25).amountOutMin.toString() })
        })
      })

      it('goes by the chain’s time and stops when it cannot be read', async () => {
        world.chain.headS = sold.expires_at
        world.time.nowMs = (sold.expires_at + 500) * 1000
        await settleExpired(world.deps)
        expect(await stateOf()).toEqual({ state: null, received: null })
        world.chain.isDown = true
        await expect(settleExpired(world.deps)).rejects.toThrow()
      })
    })

    it('counts as outstanding in a revocation’s receipt until then', async () => {
      const atMs = await world.ledger.revoke(session)
      const outstanding = await outstandingOfSession(db, session, atMs)
      expect(outstanding).toEqual({ amount: 25_000_000n, untilS: sold.expires_at })
      const signed = await confirm(
        world.deps.cosigner,
        { what: 'revoked', session, id: session, before: 'active', after: 'revoked', atMs, outstanding },
        word(3),
      )
      expect(signed).toMatchObject({ what: 'revoked', outstanding: '25000000', until: sold.expires_at })
      expect(isFrom(signed)).toBe(true)
      const later = await outstandingOfSession(db, session, atMs + 120_000)
      expect(later.amount).toBe(0n)
      const plain = await world.open(null)
      await world.trade(plain, sale(10))
      expect(await outstandingOfSession(db, plain, atMs)).toEqual({
        amount: 10_000_000n,
        untilS: sold.expires_at,
      })
    })
  },
  ledgerMigrations(),
)
