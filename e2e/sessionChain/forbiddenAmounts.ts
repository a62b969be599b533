import {
  delegationHash,
  delegationManagerAbi,
  encodeCaveat,
  type OnChainBound,
  payFee,
  signDelegation,
} from '@pit/chain'
import { encodeCurveTrade } from '@pit/plans'
import { encodeFunctionData } from 'viem'
import { curveBuy, curveTrade, routerCall, sendEth, takeUsdg } from './acts.ts'
import type { Attack, Attempts } from './attack.ts'
import { BUDGET, CAPS, ETH } from './stage.ts'

const TARGET = 'AllowedTargetsEnforcer:target-address-not-allowed'
const REDEEMER = 'RedeemerEnforcer:unauthorized-redeemer'
const EXPIRED = 'TimestampEnforcer:expired-delegation'
const PERIOD = 'NativeTokenPeriodTransferEnforcer:transfer-amount-exceeded'
const VALUE = 'ValueLteEnforcer:value-too-high'
const EXACT = 'ExactExecutionEnforcer:invalid-execution'

/** Limits of amount, number and time, and the binding force of the signed terms. */
export function forbiddenAmounts(attack: Attack) {
  const {
    stage,
    root,
    roots,
    curve,
    small,
    byPayment,
    honest,
    leaf,
    leafAt,
    spent,
    once,
    usedUp,
    ended,
    noEth,
    disabled,
    feeDayWei,
  } = attack
  const { place, who, at, crypto, freeLeaf, tryFree, tryRedeem, grant } = stage
  const elsewhere = { ...place, chainId: 1 }
  return {
    expiry: [['from its last second on', EXPIRED, () => tryFree(ended.root, small)]],
    redemptions: [
      [
        'one trade more than max_trades',
        'LimitedCallsEnforcer:limit-exceeded',
        () => tryFree(usedUp.root, small),
      ],
      [
        'twice in one transaction',
        'LimitedCallsEnforcer:limit-exceeded',
        () => {
          const one = { delegations: [freeLeaf(once.root), once.root], execution: small }
          return tryRedeem([one, one])
        },
      ],
    ],
    eth_per_day: [
      [
        'one wei past the window, in many calls',
        PERIOD,
        () => {
          const fresh = grant()
          const delegations = [freeLeaf(fresh.root), fresh.root]
          const each = { delegations, execution: sendEth(stage, CAPS.tradeWei) }
          return tryRedeem([each, each, each, each, { delegations, execution: small }])
        },
      ],
      [
        'past the window of a curve root',
        PERIOD,
        () => {
          const delegations = [freeLeaf(roots.curve), roots.curve]
          const each = { delegations, execution: curveBuy(stage, curve, CAPS.tradeWei) }
          return tryRedeem([each, each, each, each, { delegations, execution: curveBuy(stage, curve, 1n) }])
        },
      ],
    ],
    eth_per_trade: [
      ['one wei more', VALUE, () => tryFree(root, sendEth(stage, CAPS.tradeWei + 1n))],
      [
        'one wei more into a curve',
        VALUE,
        () => tryFree(roots.curve, curveBuy(stage, curve, CAPS.tradeWei + 1n)),
      ],
      ['any ETH when ETH is not bound', VALUE, () => tryFree(noEth.root, small)],
    ],
    erc20_budget: [
      [
        'one unit more than approved',
        'InsufficientAllowance',
        () => tryFree(root, takeUsdg(stage, BUDGET + 1n)),
      ],
      [
        'a token that was not approved',
        'AllowanceExpired',
        () => {
          const take = { token: at.weth, recipient: who.mallory, amount: 1n }
          return tryFree(root, routerCall(stage, [{ command: 'PERMIT2_TRANSFER_FROM', ...take }]))
        },
      ],
      [
        'a curve token that was not approved to its curve',
        'InsufficientAllowance',
        () => {
          const sell = { amountIn: 1n, amountOutMin: 0n, recipient: who.mallory, deadlineS: 1n << 40n }
          return tryFree(roots.curve, {
            target: curve,
            valueWei: 0n,
            data: encodeCurveTrade({ launchpad: 'pit', side: 'sell', ...sell }),
          })
        },
      ],
    ],
    curve_fee: [
      ['to another account', TARGET, () => byPayment(roots.fee, who.mallory, 1n)],
      ['more than its cap', PERIOD, () => byPayment(roots.fee, at.feeRecipient, feeDayWei + 1n)],
      [
        'by the executor',
        REDEEMER,
        () => tryFree(roots.fee, { target: at.feeRecipient, valueWei: 1n, data: '0x' }),
      ],
      [
        'left out',
        'no reason',
        () => {
          const trade = curveTrade(stage, roots, {
            execution: curveBuy(stage, curve, 1_000n),
            feeWei: 5n,
            sequence: 0,
          })
          return tryRedeem([{ ...trade, delegations: [trade.unpaid, roots.curve] }])
        },
      ],
      [
        'paid with another trade’s payment',
        'ArgsEqualityCheckEnforcer:different-args-and-terms',
        () => {
          const [one, other] = [0, 1].map((sequence) =>
            curveTrade(stage, roots, { execution: curveBuy(stage, curve, 1_000n), feeWei: 5n, sequence }),
          )
          return tryRedeem([
            { ...one!, delegations: [payFee(place, one!.unpaid, other!.payment), roots.curve] },
          ])
        },
      ],
    ],
    limits_committed: [
      ['another salt', 'InvalidERC1271Signature', () => tryFree({ ...root, salt: root.salt + 1n }, small)],
      [
        'a higher cap',
        'InvalidERC1271Signature',
        () => {
          const wider = grant({ caps: { ...CAPS, tradeWei: ETH } }).root
          return tryFree({ ...wider, signature: root.signature }, small)
        },
      ],
      [
        'other limits under the same caveats',
        'InvalidERC1271Signature',
        () => tryFree({ ...grant().root, signature: root.signature }, small),
      ],
      [
        'a removed caveat',
        'InvalidERC1271Signature',
        () => {
          const stripped = { ...root, caveats: root.caveats.slice(1) }
          const authority = delegationHash(crypto, stripped)
          return tryRedeem([{ delegations: [freeLeaf(root, { authority }), stripped], execution: small }])
        },
      ],
    ],
    leaf_exact: [
      [
        'another value',
        EXACT,
        () =>
          tryRedeem([
            { delegations: [leaf, root], execution: { ...honest, valueWei: honest.valueWei - 1n } },
          ]),
      ],
      [
        'other calldata',
        EXACT,
        () => tryRedeem([{ delegations: [leaf, root], execution: { ...honest, data: `${honest.data}00` } }]),
      ],
      [
        'another target',
        EXACT,
        () => tryRedeem([{ delegations: [leaf, root], execution: { ...honest, target: at.usdg } }]),
      ],
      [
        'a changed caveat of the leaf',
        'InvalidEOASignature',
        () => {
          const caveats = leaf.caveats.with(
            0,
            encodeCaveat(place, { enforcer: 'ExactExecution', execution: small }),
          )
          return tryRedeem([{ delegations: [{ ...leaf, caveats }, root], execution: small }])
        },
      ],
    ],
    leaf_once: [
      [
        'again',
        'IdEnforcer:id-already-used',
        () => tryRedeem([{ delegations: [spent, root], execution: honest }]),
      ],
      [
        'twice in one transaction',
        'IdEnforcer:id-already-used',
        () => {
          const one = { delegations: [leaf, root], execution: honest }
          return tryRedeem([one, one])
        },
      ],
    ],
    leaf_expiry: [
      [
        '120 seconds later',
        EXPIRED,
        () => tryRedeem([{ delegations: [leafAt(stage.nowS() - 120, 1_002), root], execution: honest }]),
      ],
    ],
    this_chain: [
      [
        'a root signed for another chain',
        'InvalidERC1271Signature',
        () => tryFree(signDelegation(crypto, elsewhere, root, stage.keys.wallet), small),
      ],
      [
        'a root signed for another manager',
        'InvalidERC1271Signature',
        () =>
          tryFree(signDelegation(crypto, { ...place, manager: who.mallory }, root, stage.keys.wallet), small),
      ],
      [
        'a leaf signed for another chain',
        'InvalidEOASignature',
        () => {
          const foreign = signDelegation(crypto, elsewhere, freeLeaf(root), stage.keys.cosigner)
          return tryRedeem([{ delegations: [foreign, root], execution: small }])
        },
      ],
    ],
    owner_ends_it: [
      ['a root the owner disabled', 'CannotUseADisabledDelegation', () => tryFree(disabled.root, small)],
      [
        'another account enabling it',
        'InvalidDelegator',
        () =>
          stage.reasonOf(
            who.executor,
            place.manager,
            encodeFunctionData({
              abi: delegationManagerAbi,
              functionName: 'enableDelegation',
              args: [disabled.root],
            }),
          ),
      ],
    ],
  } satisfies Partial<Record<OnChainBound, Attempts>>
}
