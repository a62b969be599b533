import {
  type Address,
  delegationHash,
  encodeCaveat,
  encodeRedeem,
  type Hex,
  MSG_SENDER,
  NATIVE,
  type NotEnforced,
  payFee,
  ROOT_AUTHORITY,
} from '@pit/chain'
import { SESSION } from '@pit/protocol'
import { expect } from 'vitest'
import { buyToken, grantCurves, launchCurves, sendEth, swapEth, swapUsdg, takeUsdg } from './acts.ts'
import { BUDGET, CAPS, LIMITS, type Stage, USDG } from './stage.ts'

/**
 * Actions of an attacker with both keys that the chain does not prevent: each is executed for real. If one of
 * these starts to fail, the chain enforces more than NOT_ENFORCED_ON_CHAIN lists, and the list must shrink.
 */
export function allowed(stage: Stage): Record<NotEnforced, () => Promise<void>> {
  const { at, who, place, crypto, grant, balance, redeemFree, redeem, freeLeaf } = stage
  const specimen = (name: string): Address => stage.it.world.gallery[name]!.address.toLowerCase() as Address
  const succeeds = async (receipt: Promise<{ status: Hex }>) => expect((await receipt).status).toBe('0x1')
  /** Gain of an account in a token after an action. */
  const gained = async (address: Address, token: Address, act: () => Promise<unknown>): Promise<bigint> => {
    const before = await balance(address, token)
    await act()
    return (await balance(address, token)) - before
  }
  /** Everything a fresh root allows in a day. */
  const drainDay = async (root: ReturnType<typeof grant>['root']) => {
    const delegations = [freeLeaf(root), root]
    const each = { delegations, execution: sendEth(stage, CAPS.tradeWei) }
    const count = Number(CAPS.dayWei / CAPS.tradeWei)
    await succeeds(redeem(Array.from({ length: count }, () => each)))
    expect(await stage.tryFree(root, sendEth(stage, 1n))).not.toBe('works')
  }

  return {
    async dollar_caps() {
      // More than twice the per-trade cap in one trade.
      const dollars = 60n * USDG
      expect(dollars).toBeGreaterThan(BigInt(LIMITS.max_trade_micro_usd))
      const { root } = grant()
      const paid = await gained(who.wallet, at.usdg, () =>
        succeeds(redeemFree(root, swapUsdg(stage, dollars))),
      )
      expect(paid).toBe(-dollars)
    },
    async erc20_day_cap() {
      // More than a day's dollars at once, all to the thief.
      expect(BUDGET).toBeGreaterThan(BigInt(LIMITS.max_day_micro_usd))
      await stage.approveBudget(BUDGET)
      const { root } = grant()
      const act = () => succeeds(redeemFree(root, takeUsdg(stage, BUDGET)))
      expect(await gained(who.mallory, at.usdg, act)).toBe(BUDGET)
      expect(await stage.tryFree(root, takeUsdg(stage, 1n))).toBe('InsufficientAllowance')
    },
    async token_list() {
      const { root, binding } = grant()
      const token = specimen('good')
      expect(binding.tokens).not.toContain(token)
      const got = await gained(who.wallet, token, () =>
        succeeds(redeemFree(root, buyToken(stage, token, CAPS.tradeWei, MSG_SENDER))),
      )
      expect(got).toBeGreaterThan(0n)
    },
    async command_shape() {
      const { root } = grant()
      const act = () => succeeds(redeemFree(root, sendEth(stage, CAPS.tradeWei)))
      expect(await gained(who.mallory, NATIVE, act)).toBe(CAPS.tradeWei)
    },
    async output_recipient() {
      const { root } = grant()
      const token = specimen('good')
      const act = () => succeeds(redeemFree(root, buyToken(stage, token, CAPS.tradeWei, who.mallory)))
      expect(await gained(who.mallory, token, act)).toBeGreaterThan(0n)
    },
    async slippage() {
      const { root } = grant()
      const terms = { amountIn: CAPS.tradeWei, bps: 25 }
      // The chain enforces the minimum in a trade, but not that there is one.
      const fair = swapEth(stage, { ...terms, amountOutMin: 1_000n * USDG })
      expect(await stage.tryFree(root, fair)).not.toBe('works')
      await succeeds(redeemFree(root, swapEth(stage, { ...terms, amountOutMin: 0n })))
    },
    async fee_schedule() {
      const { root } = grant()
      const free = swapEth(stage, { amountIn: CAPS.tradeWei, amountOutMin: 1n, bps: 0 })
      expect(await gained(at.feeRecipient, NATIVE, () => succeeds(redeemFree(root, free)))).toBe(0n)
    },
    async risk_terms() {
      const { root, binding } = grant()
      expect(binding.risk.accept_risks).toEqual([])
      const honeypot = specimen('honeypot')
      const act = () => succeeds(redeemFree(root, buyToken(stage, honeypot, CAPS.tradeWei)))
      expect(await gained(who.wallet, honeypot, act)).toBeGreaterThan(0n)
    },
    async sums_across_roots() {
      const [one, other] = [grant(), grant()]
      const act = async () => {
        await drainDay(one.root)
        await drainDay(other.root)
      }
      expect(await gained(who.mallory, NATIVE, act)).toBe(2n * CAPS.dayWei)
    },
    async curve_fee_cosigner() {
      // The thief's wallet pays with the fee root for no service: the co-signer redeems, without an executor.
      const [curve] = await launchCurves(stage)
      const { fee, feeRead } = grantCurves(stage, grant(), [curve])
      const amountWei = feeRead.eth.dayWei
      const due = encodeCaveat(place, {
        enforcer: 'NativeTokenPayment',
        recipient: at.feeRecipient,
        amountWei,
      })
      const own = stage.sign('mallory', {
        delegate: who.cosigner,
        delegator: who.mallory,
        authority: ROOT_AUTHORITY,
        caveats: [due],
        salt: 0n,
        signature: '0x',
      })
      const paid = encodeCaveat(place, {
        enforcer: 'ArgsEqualityCheck',
        delegationHash: delegationHash(crypto, own),
        redeemer: who.cosigner,
      })
      const delegate = place.enforcers.NativeTokenPayment
      const payment = [freeLeaf(fee, { delegate, caveats: [paid] }), fee]
      const execution = { target: who.cosigner, valueWei: 0n, data: '0x' as const }
      const act = () =>
        succeeds(redeem([{ delegations: [payFee(place, own, payment)], execution }], 'cosigner'))
      expect(await gained(at.feeRecipient, NATIVE, act)).toBe(amountWei)
    },
    async gas() {
      const { root } = grant()
      const maxPriorityFeePerGas = 10n ** 12n
      const delegations = [freeLeaf(root), root]
      const data = encodeRedeem([{ delegations, execution: sendEth(stage, 1n) }])
      const act = () => succeeds(stage.send('executor', { to: place.manager, data, maxPriorityFeePerGas }))
      // A fifth of an ETH for one wei.
      expect(await gained(who.executor, NATIVE, act)).toBeLessThan(-(10n ** 17n))
    },
    async rolling_day() {
      // Both sides of the boundary between two windows: twice the day's cap within ten seconds.
      const { root, read } = grant()
      const edge = BigInt(read.eth!.startS + SESSION.dayWindowS)
      const act = async () => {
        await stage.chain.mine(edge - 5n)
        await drainDay(root)
        await stage.chain.mine(edge + 5n)
        await drainDay(root)
      }
      expect(await gained(who.mallory, NATIVE, act)).toBe(2n * CAPS.dayWei)
    },
  }
}
