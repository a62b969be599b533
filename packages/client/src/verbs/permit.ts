import { type Hex, permit2Abi, permitTypedData } from '@pit/chain'
import { canonicalJson } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import { normalized } from '../account.ts'
import type { ClientDeps } from '../deps.ts'
import { must } from '../errors.ts'
import { SIZE_BAND_BPS } from '../own/ownPrice.ts'
import { ethCall } from '../own/rpc.ts'
import type { Approval, PlanReading } from '../verify/readPlan.ts'
import type { Verified } from '../verify/verified.ts'

type Permit = NonNullable<PlanReading['permit']>['permit']

/** Signs the client's own rebuild of a verified permit, if it is the wallet's next one at Permit2. */
export async function signPermit({ account, pins, rpc }: ClientDeps, permit: Permit): Promise<Hex> {
  const data = encodeFunctionData({
    abi: permit2Abi,
    functionName: 'allowance',
    args: [account.address, permit.details.token, pins.router],
  })
  const call = ethCall(pins.permit2, data)
  const nonce = Number(BigInt(`0x${(await rpc.read([call])).value(call).slice(130, 194)}`))
  must(permit.details.nonce === nonce, 'RECIPIENT', 'the permit does not have the next nonce', { nonce })
  const typed = permitTypedData({ chainId: pins.profile.chain_id, permit2: pins.permit2 }, permit)
  return normalized(await account.signTypedData(typed as never))
}

/** Refuses a plan that, beside the signed permit, is worse than the confirmed one or differs from it. */
export function mustMatchConfirmed(confirmed: Verified, signature: Hex, next: Verified): void {
  const [was, is] = [confirmed.reading, next.reading]
  const { permit } = is
  const isCarried = permit !== null && permit.signature.toLowerCase() === signature.toLowerCase()
  must(isCarried, 'RECIPIENT', 'the plan does not contain the signed permit')
  must(keyOf(permit.permit) === keyOf(was.permit!.permit), 'RECIPIENT', 'the plan contains another permit')
  must(is.amountIn === was.amountIn, 'RECIPIENT', 'the plan sells another amount than the confirmed one')
  must(keyOf(hopsOf(is)) === keyOf(hopsOf(was)), 'RECIPIENT', 'the plan uses another route')
  must(isApprovedAlike(was.approvals, is.approvals), 'RECIPIENT', 'the plan has other approvals')
  const isEnough = BigInt(next.plan.amount_out_min) >= BigInt(confirmed.plan.amount_out_min)
  must(isEnough, 'MIN_OUT', 'the plan guarantees less than the confirmed one')
  must(next.plan.fee_bps <= confirmed.plan.fee_bps, 'FEE_BPS', 'the fee is higher than the confirmed one')
  const codes = new Set(confirmed.plan.risks.map(({ code }) => code))
  const added = next.plan.risks.find(({ code }) => !codes.has(code))
  must(added === undefined, 'RISK_CODES', `${added?.code} was not disclosed when it was confirmed`)
}

/** A budget in dollars is another number of atoms a moment later. Prices bound each approval by itself too. */
const isApprovedAlike = (was: readonly Approval[], is: readonly Approval[]): boolean =>
  was.length === is.length &&
  was.every((one, i) => {
    const { amount, ...terms } = is[i]!
    const { amount: confirmed, ...confirmedTerms } = one
    const isWithin = amount * 10_000n <= confirmed * (10_000n + SIZE_BAND_BPS)
    return isWithin && keyOf(terms) === keyOf(confirmedTerms)
  })

const hopsOf = ({ legs }: PlanReading) => legs.map(({ hops }) => hops)
const keyOf = (value: unknown): string =>
  canonicalJson(JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one))))
