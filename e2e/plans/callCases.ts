import {
  type Address,
  type CurvePool,
  delegationOf,
  type Hex,
  NATIVE,
  permit2Abi,
  quoteCurveBuy,
  quoteCurveSell,
} from '@pit/chain'
import { encodeBatch, encodeCurveTrade, encodeErc20Approve, encodeLockdown } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { type Abi, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { publicAccounts } from '../../packages/devnet/src/engine/accounts.ts'
import { lower, type PlanWorld } from './planWorld.ts'

const DEADLINE_S = 1n << 40n
const PAID = 10n ** 16n

/** Calls of plans besides the router's, executed by their contracts. */
export function callCases(world: () => PlanWorld): void {
  describe('calls besides the router’s', () => {
    let w: PlanWorld
    let wallet: Address
    let curve: CurvePool
    beforeAll(() => {
      w = world()
      wallet = lower(w.it.accounts[1]!)
      curve = [...w.curves.values()].find((one) => one.pair === NATIVE && !one.graduated)!
    })
    const now = (): number => Number(w.it.chain.head().timestampS)

    test('a curve is bought from and sold to', async () => {
      const quote = quoteCurveBuy(curve, PAID, now())!
      const trade = {
        amountIn: PAID,
        amountOutMin: quote.tokensOut,
        recipient: wallet,
        deadlineS: DEADLINE_S,
      }
      const buy = { from: wallet, to: curve.id, value: PAID }
      const greedy = encodeCurveTrade({
        launchpad: 'pit',
        side: 'buy',
        ...trade,
        amountOutMin: quote.tokensOut + 1n,
      })
      expect(await w.works({ ...buy, data: greedy })).toBe(false)
      expect(
        (await w.send({ ...buy, data: encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...trade }) })).ok,
      ).toBe(true)
      expect(await w.balance(curve.token, wallet)).toBe(quote.tokensOut)

      await w.follow()
      const amountIn = quote.tokensOut / 2n
      await w.send({ from: wallet, to: curve.token, data: encodeErc20Approve(curve.id, amountIn) })
      const { pairOut } = quoteCurveSell(curve, amountIn)!
      const sell = encodeCurveTrade({
        launchpad: 'pit',
        side: 'sell',
        amountIn,
        amountOutMin: pairOut,
        recipient: wallet,
        deadlineS: DEADLINE_S,
      })
      const before = await w.balance(NATIVE, wallet)
      const { ok, gasWei } = await w.send({ from: wallet, to: curve.id, data: sell })
      expect(ok).toBe(true)
      expect((await w.balance(NATIVE, wallet)) - before + gasWei).toBe(pairOut)
      await w.follow()
    })

    test('a delegated wallet does a fee and a trade in one transaction, or neither', async () => {
      const owner = publicAccounts()[6]!
      const from = lower(owner.address)
      const account = privateKeyToAccount(owner.privateKey)
      const codeOf = () => w.it.chain.request<Hex>('eth_getCode', [from, 'latest'])
      expect(delegationOf(await codeOf())).toBeNull()
      const delegator = lower(w.it.world.profile.delegation.stateless_delegator)
      const authorization = await account.signAuthorization({
        contractAddress: delegator,
        chainId: 4663,
        nonce: 1,
      })
      const raw = await account.signTransaction({
        type: 'eip7702',
        chainId: 4663,
        nonce: 0,
        to: from,
        gas: 200_000n,
        maxFeePerGas: parseGwei('10'),
        maxPriorityFeePerGas: 0n,
        authorizationList: [authorization],
      })
      await w.it.chain.request('eth_sendRawTransaction', [raw])
      await w.it.chain.mine(w.it.chain.head().timestampS)
      expect(delegationOf(await codeOf())).toBe(delegator)

      const fee = feeOf(PAID, 25)
      const amountIn = PAID - fee
      const { tokensOut } = quoteCurveBuy(curve, amountIn, now())!
      const batch = (amountOutMin: bigint): Hex =>
        encodeBatch([
          { to: w.recipient, valueWei: fee, data: '0x' },
          {
            to: curve.id,
            valueWei: amountIn,
            data: encodeCurveTrade({
              launchpad: 'pit',
              side: 'buy',
              amountIn,
              amountOutMin,
              recipient: from,
              deadlineS: DEADLINE_S,
            }),
          },
        ])
      expect(await w.works({ from, to: from, data: batch(tokensOut + 1n) })).toBe(false)
      expect(await w.works({ from: wallet, to: from, data: batch(tokensOut) })).toBe(false)
      const before = await w.balance(NATIVE, w.recipient)
      expect((await w.send({ from, to: from, data: batch(tokensOut) })).ok).toBe(true)
      expect((await w.balance(NATIVE, w.recipient)) - before).toBe(fee)
      expect(await w.balance(curve.token, from)).toBe(tokensOut)
    })

    test('a lockdown revokes the router’s allowances', async () => {
      const tokens = [w.token('USDG'), w.token('PARTNER')]
      const allowances = () =>
        Promise.all(
          tokens.map(async (token) => {
            const args = [wallet, token, w.router]
            const call = { to: w.permit2, abi: permit2Abi as Abi, functionName: 'allowance', args }
            return (await w.it.read<[bigint]>(call))[0]
          }),
        )
      for (const token of tokens) await w.approve(wallet, token)
      for (const amount of await allowances()) expect(amount).toBeGreaterThan(0n)
      const data = encodeLockdown(tokens.map((token) => ({ token, spender: w.router })))
      expect((await w.send({ from: wallet, to: w.permit2, data })).ok).toBe(true)
      expect(await allowances()).toEqual([0n, 0n])
    })
  })
}
