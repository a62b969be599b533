import {
  type Address,
  curveLeaf,
  curveRoots,
  type Delegation,
  type Execution,
  feeLeaf,
  type HopPath,
  MSG_SENDER,
  NATIVE,
  payFee,
  type Redemption,
  type RouterCommand,
  readRoot,
  type SessionRoot,
} from '@pit/chain'
import { encodeCurveTrade, encodeExecute, encodeSwap } from '@pit/plans'
import { ETH, type Granted, type Stage } from './stage.ts'

/** Actions of sessions, honest or not, as calls of the wallet. */

const LATER = 1n << 40n

export const routerCall = (stage: Stage, commands: RouterCommand[], valueWei = 0n): Execution => ({
  target: stage.at.router,
  valueWei,
  data: encodeExecute({ commands, deadlineS: LATER }),
})

/** ETH out of the wallet through the router's TRANSFER: the shortest call that moves funds. */
export const sendEth = (stage: Stage, valueWei: bigint, to: Address = stage.who.mallory): Execution =>
  routerCall(stage, [{ command: 'TRANSFER', token: NATIVE, recipient: to, amount: valueWei }], valueWei)

export const takeUsdg = (stage: Stage, amount: bigint, to: Address = stage.who.mallory): Execution =>
  routerCall(stage, [{ command: 'PERMIT2_TRANSFER_FROM', token: stage.at.usdg, recipient: to, amount }])

/** An honest plan: ETH for USDG with the fee on its side, at least `amountOutMin`, to the wallet. */
export function swapEth(
  stage: Stage,
  { amountIn, amountOutMin, bps }: { amountIn: bigint; amountOutMin: bigint; bps: number },
): Execution {
  const { weth, usdg, feeRecipient } = stage.at
  const fee = { bps, side: 'input', recipient: feeRecipient } as const
  const swapped = amountIn - (amountIn * BigInt(bps)) / 10_000n
  const hop: HopPath = { version: 'v3', tokenIn: weth, tokenOut: usdg, feePips: 500 }
  const { data, valueWei } = encodeSwap({
    tokenIn: NATIVE,
    tokenOut: usdg,
    amountIn,
    legs: [{ hops: [hop], amountIn: swapped }],
    amountOutMin,
    direct: true,
    fee,
    deadlineS: LATER,
    weth,
  })
  return { target: stage.at.router, valueWei, data }
}

/** USDG for ETH within the owner's approval. */
export function swapUsdg(stage: Stage, amountIn: bigint): Execution {
  const { weth, usdg, feeRecipient } = stage.at
  const { data, valueWei } = encodeSwap({
    tokenIn: usdg,
    tokenOut: NATIVE,
    amountIn,
    legs: [{ hops: [{ version: 'v3', tokenIn: usdg, tokenOut: weth, feePips: 500 }], amountIn }],
    amountOutMin: 0n,
    direct: true,
    fee: { bps: 0, side: 'output', recipient: feeRecipient },
    deadlineS: LATER,
    weth,
  })
  return { target: stage.at.router, valueWei, data }
}

/** Any token of a v2 pool against WETH, to any recipient. */
export const buyToken = (
  stage: Stage,
  token: Address,
  valueWei: bigint,
  to: Address = MSG_SENDER,
): Execution =>
  routerCall(
    stage,
    [
      { command: 'WRAP_ETH', recipient: '0x0000000000000000000000000000000000000002', amount: valueWei },
      {
        command: 'V2_SWAP_EXACT_IN',
        recipient: to,
        amountIn: valueWei,
        amountOutMin: 0n,
        path: [stage.at.weth, token],
        payerIsUser: false,
      },
    ],
    valueWei,
  )

type Roots = {
  curve: Delegation
  fee: Delegation
  curveRead: Extract<SessionRoot, { kind: 'curve' }>
  feeRead: Extract<SessionRoot, { kind: 'fee' }>
}

/** The two roots of a session that also trades curves, signed by the owner. */
export function grantCurves(stage: Stage, { request }: Granted, curves: readonly Address[]): Roots {
  const { curve, fee } = curveRoots(stage.place, { ...request, curves, launchpads: ['pit'] })
  const [signedCurve, signedFee] = [stage.sign('wallet', curve), stage.sign('wallet', fee)]
  return {
    curve: signedCurve,
    fee: signedFee,
    curveRead: readRoot(stage.crypto, stage.place, signedCurve) as Roots['curveRead'],
    feeRead: readRoot(stage.crypto, stage.place, signedFee) as Roots['feeRead'],
  }
}

export const curveBuy = (stage: Stage, curve: Address, valueWei: bigint): Execution => ({
  target: curve,
  valueWei,
  data: encodeCurveTrade({
    launchpad: 'pit',
    side: 'buy',
    amountIn: valueWei,
    amountOutMin: 1n,
    recipient: stage.who.wallet,
    deadlineS: LATER,
  }),
})

/** A co-signed curve trade whose fee the leaf enforces. */
export function curveTrade(
  stage: Stage,
  roots: Roots,
  { execution, feeWei, sequence }: { execution: Execution; feeWei: bigint; sequence: number },
): Redemption & { unpaid: Delegation; payment: Delegation[] } {
  const nowS = stage.nowS()
  const request = { root: roots.curveRead, feeRoot: roots.feeRead, feeWei, execution, sequence, nowS }
  const unpaid = stage.sign('cosigner', curveLeaf(stage.place, request))
  const paying = feeLeaf(stage.crypto, stage.place, { feeRoot: roots.feeRead, leaf: unpaid, nowS })
  const payment = [stage.sign('cosigner', paying), roots.fee]
  return { delegations: [payFee(stage.place, unpaid, payment), roots.curve], execution, unpaid, payment }
}

/** Two curves for ETH, open and past their snipe tax. */
export async function launchCurves(stage: Stage): Promise<[Address, Address]> {
  const { it } = stage
  const { launchpad: to } = it.world.launchpad
  const abi = it.abi('Launchpad')
  const curves: Address[] = []
  for (const symbol of ['ONE', 'TWO']) {
    const wish = {
      name: symbol,
      symbol,
      pair: NATIVE,
      creator: it.accounts[2],
      virtualPair: 4n * ETH,
      creatorTaxBps: 0,
      snipeStartBps: 0,
      snipeSeconds: 1,
      poolVersion: 3,
    }
    await it.must({ to, abi, functionName: 'launch', args: [wish] })
    const count = await it.read<bigint>({ to, abi, functionName: 'curveCount' })
    const at = await it.read<Address>({ to, abi, functionName: 'curveAt', args: [count - 1n] })
    curves.push(at.toLowerCase() as Address)
  }
  return curves as [Address, Address]
}
