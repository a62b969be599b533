import { type Address, delegationHash, encodeRedeem, type Hex, type OnChainBound } from '@pit/chain'
import {
  encodeBatch,
  encodeErc20Approve,
  encodeErc20Transfer,
  encodeExecute,
  encodePermit2Approve,
} from '@pit/plans'
import { curveBuy } from './acts.ts'
import type { Attack, Attempts } from './attack.ts'
import { ETH } from './stage.ts'

const ANY_DELEGATE: Address = '0x0000000000000000000000000000000000000a11'
const SINGLE: Hex = `0x${'00'.repeat(32)}`
const BATCH: Hex = `0x01${'00'.repeat(31)}`
const TRY: Hex = `0x0001${'00'.repeat(30)}`
const BATCH_TRY: Hex = `0x0101${'00'.repeat(30)}`
const DELEGATECALL: Hex = `0xff${'00'.repeat(31)}`

const TARGET = 'AllowedTargetsEnforcer:target-address-not-allowed'
const METHOD = 'AllowedMethodsEnforcer:method-not-allowed'
const REDEEMER = 'RedeemerEnforcer:unauthorized-redeemer'
const CALL_TYPE = 'CaveatEnforcer:invalid-call-type'

/** Who may use a session, and what it may call. */
export function forbiddenReach(attack: Attack) {
  const { stage, root, roots, curve, otherCurve, small, bare, inMode, single, batch, byPayment, once } =
    attack
  const { place, who, at, crypto, sign, freeLeaf, tryFree, tryRedeem } = stage
  return {
    executor_only: [
      [
        'a leaf for another executor',
        REDEEMER,
        () =>
          tryRedeem(
            [{ delegations: [freeLeaf(root, { delegate: who.mallory }), root], execution: small }],
            'mallory',
          ),
      ],
      [
        'a leaf for any executor',
        REDEEMER,
        () =>
          tryRedeem(
            [{ delegations: [freeLeaf(root, { delegate: ANY_DELEGATE }), root], execution: small }],
            'mallory',
          ),
      ],
      [
        'the co-signer without a leaf',
        REDEEMER,
        () => tryRedeem([{ delegations: [root], execution: small }], 'cosigner'),
      ],
      [
        'the executor passing it on',
        REDEEMER,
        () => {
          const freeOne = freeLeaf(root)
          const authority = delegationHash(crypto, freeOne)
          const passed = sign('executor', {
            ...bare,
            delegate: who.mallory,
            delegator: who.executor,
            authority,
          })
          return tryRedeem([{ delegations: [passed, freeOne, root], execution: small }], 'mallory')
        },
      ],
      ['the payment enforcer in its place', REDEEMER, () => byPayment(root, at.router, 1n)],
      [
        'another account with a leaf of the executor',
        'InvalidDelegate',
        () => tryRedeem([{ delegations: [freeLeaf(root), root], execution: small }], 'mallory'),
      ],
    ],
    both_keys: [
      [
        'the executor without a leaf',
        'InvalidDelegate',
        () => tryRedeem([{ delegations: [root], execution: small }]),
      ],
      [
        'a leaf the executor signed as the co-signer',
        'InvalidEOASignature',
        () =>
          tryRedeem([
            { delegations: [sign('executor', { ...bare, delegator: who.cosigner }), root], execution: small },
          ]),
      ],
      [
        'a leaf of another account',
        'InvalidDelegate',
        () => tryRedeem([{ delegations: [sign('mallory', bare), root], execution: small }]),
      ],
      [
        'a leaf of another root',
        'InvalidAuthority',
        () => tryRedeem([{ delegations: [freeLeaf(once.root), root], execution: small }]),
      ],
      ['no delegation at all', 'no reason', () => tryRedeem([{ delegations: [], execution: small }])],
    ],
    router_and_method: [
      ['another contract, same method', TARGET, () => tryFree(root, { ...small, target: at.permit2 })],
      [
        'ETH directly to an account',
        TARGET,
        () => tryFree(root, { target: who.mallory, valueWei: 1n, data: '0x' }),
      ],
      [
        'the router’s execute without a deadline',
        METHOD,
        () => tryFree(root, { ...small, data: encodeExecute({ commands: [], deadlineS: undefined }) }),
      ],
      ['the router with another method', METHOD, () => tryFree(root, { ...small, data: '0xdeadbeef' })],
      [
        'the router without calldata',
        'AllowedMethodsEnforcer:invalid-execution-data-length',
        () => tryFree(root, { ...small, data: '0x' }),
      ],
      ['a curve by the router’s root', TARGET, () => tryFree(root, curveBuy(stage, curve, 1n))],
      ['the router by the curve root', TARGET, () => tryFree(roots.curve, small)],
      ['a curve outside the session', TARGET, () => tryFree(roots.curve, curveBuy(stage, otherCurve, 1n))],
      [
        'another method of the curve',
        METHOD,
        () => tryFree(roots.curve, { target: curve, valueWei: 0n, data: '0x4e71d92d' }),
      ],
    ],
    single_calls: [
      ['a batch', CALL_TYPE, () => inMode(BATCH, root, batch([small]))],
      [
        'a batch that may fail',
        'CaveatEnforcer:invalid-execution-type',
        () => inMode(BATCH_TRY, root, batch([small])),
      ],
      [
        'a call that may fail',
        'CaveatEnforcer:invalid-execution-type',
        () => inMode(TRY, root, single(small)),
      ],
      ['a delegatecall', CALL_TYPE, () => inMode(DELEGATECALL, root, single(small))],
      [
        'a batch by the curve root',
        CALL_TYPE,
        () => inMode(BATCH, roots.curve, batch([curveBuy(stage, curve, 1n)])),
      ],
      ['a batch read as a call', TARGET, () => inMode(SINGLE, root, batch([small]))],
    ],
    no_wallet_calls: [
      [
        'the wallet as target',
        TARGET,
        () => {
          const data = encodeBatch([{ to: who.mallory, valueWei: ETH, data: '0x' }])
          return tryFree(root, { target: who.wallet, valueWei: 0n, data })
        },
      ],
      [
        'the manager as target',
        TARGET,
        () => {
          const execution = { target: who.mallory, valueWei: ETH, data: '0x' as const }
          return tryFree(root, {
            target: place.manager,
            valueWei: 0n,
            data: encodeRedeem([{ delegations: [], execution }]),
          })
        },
      ],
      [
        'an approval',
        TARGET,
        () => tryFree(root, { target: at.usdg, valueWei: 0n, data: encodeErc20Approve(who.mallory, 1n) }),
      ],
      [
        'a transfer',
        TARGET,
        () => tryFree(root, { target: at.usdg, valueWei: 0n, data: encodeErc20Transfer(who.mallory, 1n) }),
      ],
      [
        'a permit',
        TARGET,
        () => {
          const approval = { token: at.usdg, spender: who.mallory, amount: 1n, expiration: 2 ** 40 }
          return tryFree(root, { target: at.permit2, valueWei: 0n, data: encodePermit2Approve(approval) })
        },
      ],
    ],
  } satisfies Partial<Record<OnChainBound, Attempts>>
}
