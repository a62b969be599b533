import { type Address, type Hex, NATIVE } from '@pit/chain'
import { lower } from '@pit/protocol'
import type { Move } from '@pit/reports'
import { type RawReceipt, type Transfer, transfersIn } from '../own/receipt.ts'
import type { Pins } from '../pins.ts'

export interface MinedReceipt extends RawReceipt {
  from: Address
  transactionIndex: Hex
  /** Some rollups charge for the parent chain on top of gas. */
  l1Fee?: Hex
}

const DEPOSIT: Hex = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL: Hex = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/** Net change of a holder for each token, by the logs of a receipt; ETH has none. */
export function tokenMovesOf({ logs }: MinedReceipt, holder: Address, { weth }: Pick<Pins, 'weth'>): Move[] {
  const net = new Map<Address, bigint>()
  for (const { token, from, to, atoms } of [...transfersIn(logs), ...wrapsIn(logs, weth)]) {
    if (from === to) continue
    if (to === holder) net.set(token, (net.get(token) ?? 0n) + atoms)
    if (from === holder) net.set(token, (net.get(token) ?? 0n) - atoms)
  }
  return [...net].filter(([, atoms]) => atoms !== 0n).map(([token, atoms]) => ({ token, atoms }))
}

/** WETH made and burned; contracts that log these as transfers too are not counted twice. */
function wrapsIn(logs: MinedReceipt['logs'], weth: Address): Transfer[] {
  const own = logs.filter(({ address }) => lower(address) === weth)
  const transfers = transfersIn(own)
  return own.flatMap(({ topics: [topic, who], data }): Transfer[] => {
    if (!who || (topic !== DEPOSIT && topic !== WITHDRAWAL)) return []
    const holder = lower(`0x${who.slice(26)}` as Address)
    const [from, to] = topic === DEPOSIT ? [NATIVE, holder] : [holder, NATIVE]
    const isLogged = transfers.some((one) => one.from === from && one.to === to)
    return isLogged ? [] : [{ token: weth, from, to, atoms: BigInt(data) }]
  })
}

export const gasOf = ({ gasUsed, effectiveGasPrice, l1Fee = '0x0' }: MinedReceipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee)
