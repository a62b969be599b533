import type { Address, Hex } from '@pit/chain'
import { fail } from '@pit/protocol'
import { feesOf, limitFromEstimate, type Planned, type PlanTx } from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import type { SessionCall } from './readCall.ts'

/** Who carries a session's trades: it pays gas and nothing else. */
export interface Executor {
  address: Address
  /** The next one, pending ones counted. */
  nonce: number
  balanceWei: bigint
}

export async function readExecutor({ rpc }: Pick<SessionDeps, 'rpc'>, address: Address): Promise<Executor> {
  const answers = await rpc
    .batch([
      ['eth_getTransactionCount', [address, 'pending']],
      ['eth_getBalance', [address, 'latest']],
    ])
    .catch(() => fail('RPC_UNAVAILABLE'))
  const [nonce, balance] = answers.map((answer) => (answer.ok ? quantityIn(answer.result) : null))
  if (nonce == null || balance == null) return fail('RPC_UNAVAILABLE')
  return { address, nonce: Number(nonce), balanceWei: balance }
}

const quantityIn = (value: unknown): bigint | null =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : null

/** What redeeming takes beside the call itself: two signatures, a dozen caveats, a first write of their counters. */
const REDEEM_GAS = { router: 480_000, curve: 800_000 } as const
const SET_CODE_GAS = 30_000

/** The executor's transaction; its gas is an estimate until it was simulated. */
export function executorTx(
  { manager }: { manager: Address },
  executor: Executor,
  { call, data, planned }: { call: SessionCall; data: Hex; planned: Planned },
): PlanTx {
  const { route, quote } = planned.ask
  const { code } = call
  const carries = code.state === 'with this trade'
  return {
    from: executor.address,
    to: manager,
    valueWei: 0n,
    data,
    gas: limitFromEstimate(route.gas) + REDEEM_GAS[call.kind] + (carries ? SET_CODE_GAS : 0),
    nonce: executor.nonce,
    ...feesOf(quote.gasPriceWei),
    ...(carries && { authorizations: [code.authorization] }),
  }
}
