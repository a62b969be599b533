import {
  type Address,
  createCrypto,
  curveLeaf,
  curveRoots,
  type Delegation,
  delegationAddresses,
  delegationHash,
  feeLeaf,
  type Hex,
  NATIVE,
  payFee,
  readRoot,
  type SessionRoot,
  sessionLeaf,
  sessionRoot,
  signDelegation,
} from '@pit/chain'
import { encodeCurveTrade } from '@pit/plans'
import type { Cosigned } from '@pit/signer-wire'
import { describe, expect, it } from 'vitest'
import { PROFILE } from '../../test/sessionWorld.ts'
import { type LeafRequest, leafFault } from './checkLeaf.ts'
import type { SessionCall } from './readCall.ts'

const crypto = await createCrypto()
const addresses = delegationAddresses(PROFILE)
const KEY: Hex = `0x${'01'.repeat(32)}`
const OTHER_KEY: Hex = `0x${'02'.repeat(32)}`
const at = (digit: string): Address => `0x${digit.repeat(40)}`
const NOW = 1_800_000_000
const cosigner = crypto.addressOf(KEY)
const binding = {
  chain_id: 4663,
  wallet: at('1'),
  executor: at('2'),
  cosigner,
  router: at('4'),
  tokens: [NATIVE, at('5')],
  limits: { max_trades: 50 },
  expires_at: NOW + 86_400,
  fee: { recipient: at('6') },
}
const rootRequest = (hash: Hex) => ({
  binding,
  bindingHash: hash,
  eth: { dayWei: 10n ** 18n, tradeWei: 10n ** 17n },
  nowS: NOW,
})
const HASH: Hex = `0x${'ab'.repeat(32)}`
const read = <Kind extends SessionRoot['kind']>(delegation: Delegation, kind: Kind) => {
  const root = readRoot(crypto, addresses, delegation)
  if (root?.kind !== kind) throw new Error('another root')
  return root as Extract<SessionRoot, { kind: Kind }>
}
const root = read(sessionRoot(addresses, rootRequest(HASH)), 'router')
const otherRoot = read(sessionRoot(addresses, rootRequest(`0x${'cd'.repeat(32)}`)), 'router')
const made = curveRoots(addresses, { ...rootRequest(HASH), curves: [at('9')], launchpads: ['pit'] })
const roots = { curve: read(made.curve, 'curve'), fee: read(made.fee, 'fee') }
const execution = { target: binding.router, valueWei: 5n, data: '0x3593564c00' as Hex }
const common = {
  setup: null,
  fault: null,
  feeFault: null,
  code: { state: 'in place' as const },
  maxWei: 10n ** 17n,
}
const call: SessionCall = { kind: 'router', execution, root, reading: null, ...common }
const request: LeafRequest = { call, cosigner, executor: binding.executor, nowS: NOW }
const sign = (delegation: Delegation, key = KEY) => signDelegation(crypto, addresses, delegation, key)
const spend = { trades: 1, trades_left: 1, day_micro_usd: 1, day_left_micro_usd: 1, this_micro_usd: 1 }
const answerOf = (leaf: Delegation, over: Partial<Cosigned> = {}): Cosigned => ({
  leaf,
  leaf_hash: delegationHash(crypto, leaf),
  sequence: 3,
  expires_at: NOW + 120,
  spend,
  ...over,
})
const faultOf = (answer: Cosigned, leafRequest: LeafRequest = request) =>
  leafFault({ crypto, delegation: addresses }, leafRequest, answer)
const trade = { root, execution, sequence: 3, nowS: NOW }
const leaf = sign(sessionLeaf(addresses, trade))

describe('a router leaf', () => {
  it('is accepted as requested, with a small clock difference', () => {
    expect(faultOf(answerOf(leaf))).toBeNull()
    const early = sign(sessionLeaf(addresses, { ...trade, nowS: NOW + 20 }))
    expect(faultOf(answerOf(early))).toBeNull()
  })

  const [first, ...rest] = leaf.caveats
  const lies: [string, Cosigned, string?][] = [
    ['another root', answerOf(sign(sessionLeaf(addresses, { ...trade, root: otherRoot })))],
    [
      'another target',
      answerOf(
        sign(
          sessionLeaf(addresses, {
            ...trade,
            root: { ...root, router: at('7') },
            execution: { ...execution, target: at('7') },
          }),
        ),
      ),
    ],
    [
      'another value',
      answerOf(sign(sessionLeaf(addresses, { ...trade, execution: { ...execution, valueWei: 6n } }))),
    ],
    [
      'another calldata',
      answerOf(sign(sessionLeaf(addresses, { ...trade, execution: { ...execution, data: '0x3593564c01' } }))),
    ],
    ['another executor', answerOf(sign({ ...leaf, delegate: at('8') }))],
    ['another co-signer', answerOf(sign({ ...leaf, delegator: at('8') }))],
    ['another sequence than stated', answerOf(leaf, { sequence: 4 })],
    ['another hash than stated', answerOf(leaf, { leaf_hash: HASH })],
    ['a missing caveat', answerOf(sign({ ...leaf, caveats: rest }))],
    ['its caveats in another order', answerOf(sign({ ...leaf, caveats: [...rest, first!] }))],
    ['a salt', answerOf(sign({ ...leaf, salt: 1n }))],
    ['args', answerOf({ ...leaf, caveats: [{ ...first!, args: '0x00' }, ...rest] })],
    ['a longer lifetime', answerOf(sign(sessionLeaf(addresses, { ...trade, nowS: NOW + 31 })))],
    ['an expiry in the past', answerOf(sign(sessionLeaf(addresses, { ...trade, nowS: NOW - 120 })))],
    ['another signer', answerOf(sign(leaf, OTHER_KEY))],
    ['no signature', answerOf({ ...leaf, signature: '0x' })],
    ['a separate fee leaf', answerOf(leaf, { fee_leaf: leaf })],
  ]
  it.each(lies)('with %s is rejected', (_, answer) => {
    expect(faultOf(answer)).toEqual(expect.any(String))
  })
})

describe('a curve leaf', () => {
  const buy = {
    target: at('9'),
    valueWei: 7n,
    data: encodeCurveTrade({
      launchpad: 'pit',
      side: 'buy',
      amountIn: 7n,
      amountOutMin: 1n,
      recipient: binding.wallet,
      deadlineS: BigInt(NOW),
    }),
  }
  const curveCall: SessionCall = {
    kind: 'curve',
    execution: buy,
    roots,
    fee: { recipient: binding.fee.recipient, amountWei: 2n },
    recipient: binding.wallet,
    oddSteps: [],
    ...common,
  }
  const curveRequest = { ...request, call: curveCall }
  const bought = { root: roots.curve, feeRoot: roots.fee, feeWei: 2n, execution: buy, sequence: 3, nowS: NOW }
  const own = sign(curveLeaf(addresses, bought))
  const fee_leaf = sign(feeLeaf(crypto, addresses, { feeRoot: roots.fee, leaf: own, nowS: NOW }))

  it('is accepted with its fee leaf', () => {
    expect(faultOf(answerOf(own, { fee_leaf }), curveRequest)).toBeNull()
  })

  const another = sign(curveLeaf(addresses, { ...bought, sequence: 4 }))
  const lies: [string, Cosigned][] = [
    ['no fee leaf', answerOf(own)],
    ['another fee', answerOf(sign(curveLeaf(addresses, { ...bought, feeWei: 3n })), { fee_leaf })],
    ['no payment of the fee leaf', answerOf(leaf, { fee_leaf })],
    [
      'a fee paid for another leaf',
      answerOf(own, {
        fee_leaf: sign(feeLeaf(crypto, addresses, { feeRoot: roots.fee, leaf: another, nowS: NOW })),
      }),
    ],
    ['a fee leaf signed by another key', answerOf(own, { fee_leaf: sign(fee_leaf, OTHER_KEY) })],
    [
      'a fee leaf with another lifetime',
      answerOf(own, {
        fee_leaf: sign(feeLeaf(crypto, addresses, { feeRoot: roots.fee, leaf: own, nowS: NOW + 60 })),
      }),
    ],
    ['an unexpected payment', answerOf(payFee(addresses, own, [fee_leaf, made.fee]), { fee_leaf })],
  ]
  it.each(lies)('with %s is rejected', (_, answer) => {
    expect(faultOf(answer, curveRequest)).toEqual(expect.any(String))
  })
})
