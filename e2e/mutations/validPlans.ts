import { type Crypto, createCrypto, type Hex, signTx, type UnsignedTx } from '@pit/chain'
import { type Account, mnemonicToAccount } from 'viem/accounts'
import { MNEMONIC, openTrader, type Plan, type Trader, type UnsignedStep } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

export type PlainTx = Extract<UnsignedTx, { type: 2 }>

/** A wallet that signs anything. */
export interface Signer extends Trader {
  account: Account
  /** A key of the same wallet without plans. */
  otherKey: string
  signPlain(tx: PlainTx): { raw: Hex; hash: Hex }
}

/** A transaction as built, and its signature. */
export interface Good {
  /** Its plan, and its role there. */
  name: string
  kind: string
  signer: Signer
  tx: PlainTx
  raw: Hex
  hash: Hex
}
/** The transactions of one plan. `apart`: its fee goes first, and all of them together. */
export interface GoodPlan {
  name: string
  signer: Signer
  goods: Good[]
  apart: boolean
}

let crypto: Crypto | undefined

export async function openSigner(url: string, account: number): Promise<Signer> {
  crypto ??= await createCrypto()
  const own = crypto
  const trader = await openTrader(url, { account })
  const { key: otherKey } = await openTrader(url, { account })
  const wallet = mnemonicToAccount(MNEMONIC, { addressIndex: account })
  const secret = wallet.getHdKey().privateKey!
  return { ...trader, account: wallet, otherKey, signPlain: (tx) => signTx(own, tx, secret) }
}

export const plainTx = (step: UnsignedStep): PlainTx => ({
  type: 2,
  chainId: step.chain_id,
  nonce: step.nonce,
  maxPriorityFeePerGas: BigInt(step.max_priority_fee_per_gas),
  maxFeePerGas: BigInt(step.max_fee_per_gas),
  gas: BigInt(step.gas),
  to: step.to,
  value: BigInt(step.value),
  data: step.data,
  accessList: [],
})

interface Shape {
  name: string
  signer: Signer
  request: Record<string, unknown>
}

/** Plans of every shape, as fresh as their deadlines. */
export async function buildGoods(shapes: readonly Shape[]): Promise<GoodPlan[]> {
  const plans: GoodPlan[] = []
  for (const { name, signer, request } of shapes) {
    const { status, body } = await signer.plan(request, 'live/build')
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body.error)}`)
    plans.push(goodPlan(name, signer, body))
  }
  return plans
}

function goodPlan(name: string, signer: Signer, { steps }: Plan): GoodPlan {
  const goods = steps.flatMap(({ kind, tx: step }): Good[] => {
    if (step === null) return []
    const tx = plainTx(step)
    return [{ name: `${name} ${kind}`, kind, signer, tx, ...signer.signPlain(tx) }]
  })
  return { name, signer, goods, apart: goods.some(({ kind }) => kind === 'fee_transfer') }
}

/** One shape for each kind of execution. */
export async function shapesFor(world: TradingWorld, signers: readonly Signer[]): Promise<Shape[]> {
  const info = await world.devnet.rpc<{
    long_tail: { address: Hex; curve?: Hex; graduated?: boolean; pairs: string[]; depth_usd: number }[]
  }>('devnet_info')
  const onCurve = (pair: string) =>
    info.long_tail.find((one) => one.curve && !one.graduated && one.pairs[0] === pair)!.address
  const tail = info.long_tail.find((one) => !one.curve && one.depth_usd >= 60_000)!.address
  const [a, b] = signers as [Signer, Signer]
  const risky = { accept_risks: ['NO_REFERENCE', 'UNSCREENED', 'HIGH_PRICE_IMPACT'] }
  return [
    { name: 'ETH to USDG', signer: a, request: { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 } },
    {
      name: 'USDG to ETH by permit',
      signer: a,
      request: { token_in: 'USDG', token_out: 'ETH', notional_usd: 5, approval_mode: 'exact' },
    },
    {
      name: 'NVDA to ETH by transactions',
      signer: a,
      request: {
        token_in: 'NVDA',
        token_out: 'ETH',
        notional_usd: 5,
        owner_attests_non_us: true,
        approval_mode: 'exact',
        permit_mode: 'transaction',
      },
    },
    {
      name: 'ETH to the tail',
      signer: a,
      request: { token_in: 'ETH', token_out: tail, notional_usd: 5, ...risky },
    },
    {
      name: 'USDG into a curve',
      signer: a,
      request: {
        token_in: 'USDG',
        token_out: onCurve('USDG'),
        notional_usd: 5,
        approval_mode: 'exact',
        curve_fee_mode: 'two_step',
        ...risky,
      },
    },
    {
      name: 'ETH into a curve',
      signer: a,
      request: {
        token_in: 'ETH',
        token_out: onCurve('ETH'),
        notional_usd: 9,
        curve_fee_mode: 'two_step',
        ...risky,
      },
    },
    {
      name: 'less ETH into a curve',
      signer: a,
      request: {
        token_in: 'ETH',
        token_out: onCurve('ETH'),
        notional_usd: 3,
        curve_fee_mode: 'two_step',
        ...risky,
      },
    },
    {
      name: 'ETH to USDG of another wallet',
      signer: b,
      request: { token_in: 'ETH', token_out: 'USDG', notional_usd: 7 },
    },
    {
      name: 'a batch of another wallet',
      signer: b,
      request: {
        token_in: 'ETH',
        token_out: onCurve('ETH'),
        notional_usd: 5,
        curve_fee_mode: 'batch',
        ...risky,
      },
    },
  ]
}
