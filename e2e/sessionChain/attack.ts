import {
  type Address,
  type Delegation,
  delegationHash,
  delegationManagerAbi,
  type Execution,
  encodeCaveat,
  encodeDelegations,
  type Hex,
  payFee,
  sessionLeaf,
} from '@pit/chain'
import { encodeAbiParameters, encodeFunctionData, encodePacked, parseAbiParameters } from 'viem'
import { curveBuy, grantCurves, launchCurves, sendEth, swapEth } from './acts.ts'
import { CAPS, type Granted, type Stage } from './stage.ts'

/** Each attempt, made with the co-signer's and the executor's keys, and the contract's error. */
type Attempt = readonly [what: string, reason: string, attempt: () => Promise<string>]
export type Attempts = readonly Attempt[]
export type Attack = Awaited<ReturnType<typeof openAttack>>

export async function openAttack(stage: Stage, session: Granted) {
  const { place, who, at, crypto, sign, freeLeaf, hashOf, tryRedeem, grant } = stage
  const { root } = session
  const [curve, otherCurve] = await launchCurves(stage)
  const roots = grantCurves(stage, session, [curve])
  const small = sendEth(stage, 1n)
  const bare: Delegation = {
    delegate: who.executor,
    delegator: who.mallory,
    authority: hashOf(root),
    caveats: [],
    salt: 0n,
    signature: '0x',
  }

  /** With any mode and packing, without our encoder. */
  const inMode = (mode: Hex, signedRoot: Delegation, packed: Hex): Promise<string> =>
    stage.reasonOf(
      who.executor,
      place.manager,
      encodeFunctionData({
        abi: delegationManagerAbi,
        functionName: 'redeemDelegations',
        args: [[encodeDelegations([freeLeaf(signedRoot), signedRoot])], [mode], [packed]],
      }),
    )
  const single = ({ target, valueWei, data }: Execution): Hex =>
    encodePacked(['address', 'uint256', 'bytes'], [target, valueWei, data])
  const batch = (executions: Execution[]): Hex =>
    encodeAbiParameters(
      parseAbiParameters([
        'Execution[] all',
        'struct Execution { address target; uint256 value; bytes callData; }',
      ]),
      [executions.map(({ target, valueWei, data }) => ({ target, value: valueWei, callData: data }))],
    )

  /** The payment enforcer redeems a root, as for a fee root; tried on `paying` for any amount and payee. */
  const byPayment = (paying: Delegation, recipient: Address, amountWei: bigint): Promise<string> => {
    const due = encodeCaveat(place, { enforcer: 'NativeTokenPayment', recipient, amountWei })
    const leaf = freeLeaf(roots.curve, { caveats: [due] })
    const paid = encodeCaveat(place, {
      enforcer: 'ArgsEqualityCheck',
      delegationHash: delegationHash(crypto, leaf),
      redeemer: who.executor,
    })
    const delegate = place.enforcers.NativeTokenPayment
    const payment = [freeLeaf(paying, { delegate, caveats: [paid] }), paying]
    const execution = curveBuy(stage, curve, 1n)
    return tryRedeem([{ delegations: [payFee(place, leaf, payment), roots.curve], execution }])
  }

  const honest = swapEth(stage, { amountIn: CAPS.tradeWei, amountOutMin: 1n, bps: 25 })
  const leafAt = (nowS: number, sequence: number): Delegation =>
    sign('cosigner', sessionLeaf(place, { root: session.read, execution: honest, sequence, nowS }))
  const leaf = leafAt(stage.nowS(), 1_000)
  const spent = leafAt(stage.nowS(), 1_001)
  await stage.redeem([{ delegations: [spent, root], execution: honest }])

  const once = grant({ max_trades: 1 })
  const usedUp = grant({ max_trades: 1 })
  await stage.redeemFree(usedUp.root, small)
  const ended = grant({ expiresS: stage.nowS() })
  const noEth = grant({ tokens: [at.weth, at.usdg], caps: null })
  const disabled = grant()
  await stage.disable(disabled.root)
  const feeDayWei = roots.feeRead.eth.dayWei

  return {
    stage,
    session,
    root,
    roots,
    curve,
    otherCurve,
    small,
    bare,
    inMode,
    single,
    batch,
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
  }
}
