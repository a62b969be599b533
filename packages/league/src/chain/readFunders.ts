import type { Address, Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import {
  askBlockNumber,
  askCode,
  askEther,
  askNonce,
  askTransactions,
  readAll,
  readOne,
} from '@pit/platform/reads'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import type { LeagueDeps } from '../deps.ts'
import { STILL_JUDGED } from '../season/store.ts'

const MAX_PER_RUN = 20
/** One that could not be read is tried again, in case the node was only behind. */
const RETRY_AFTER_S = 3_600
/** Halvings of any chain's length. */
const MAX_STEPS = 64

/** Who first funded an address, in which block. A null funder links nobody: see below. */
export type Funding = { funder: Address | null; block: number }

/**
 * Finds who first sent addresses ETH. Up to an address's first transaction its balance only grows, and its
 * nonce never shrinks: the first block with either is found by halving, all addresses side by side. Undefined
 * where the node does not know the past, or the ETH came by a call inside another transaction.
 */
export async function findFunders(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  addresses: readonly Address[],
): Promise<Map<Address, Funding | null | undefined>> {
  const head = await readOne(rpc, askBlockNumber())
  const found = new Map<Address, Funding | null | undefined>()
  const spans = new Map(addresses.map((address) => [address, { low: 0, high: head }]))
  const settle = (address: Address, funding: Funding | null | undefined) => {
    found.set(address, funding)
    spans.delete(address)
  }
  const look = async (blockOf: (span: { low: number; high: number }) => number) => {
    const asked = [...spans].map(([address, span]) => ({ address, block: blockOf(span) }))
    return usedAt(rpc, asked)
  }
  for (const { address, used } of await look(({ high }) => high)) {
    if (used === undefined) settle(address, undefined)
    // Nobody has funded it yet.
    else if (!used) settle(address, null)
  }
  for (const { address, used } of await look(({ low }) => low)) {
    if (used === undefined) settle(address, undefined)
    else if (used) settle(address, { funder: null, block: 0 })
  }
  for (let step = 0; step < MAX_STEPS && spans.size > 0; step++) {
    const middle = ({ low, high }: { low: number; high: number }) => Math.floor((low + high) / 2)
    for (const { address, block, used } of await look(middle)) {
      const span = spans.get(address)!
      if (used === undefined) settle(address, undefined)
      else if (used) span.high = block
      else span.low = block
    }
    for (const [address, { low, high }] of [...spans]) {
      if (high - low > 1) continue
      settle(address, await senderIn(rpc, address, high).catch(unknownIfRefused))
    }
  }
  return found
}

/** Whether an address had a balance or had sent anything at a block. */
async function usedAt(rpc: Pick<Rpc, 'batch'>, asked: readonly { address: Address; block: number }[]) {
  const answers = await readAll(
    rpc,
    asked.flatMap(({ address, block }) => [askEther(address, block), askNonce(address, block)]),
  )
  return asked.map((one, i) => {
    const [wei, nonce] = [answers[2 * i], answers[2 * i + 1]]
    return { ...one, used: wei === undefined || nonce === undefined ? undefined : wei > 0 || nonce > 0 }
  })
}

/** A contract that pays out to anyone, as a bridge does, makes no owner of those it pays. */
async function senderIn(
  rpc: Pick<Rpc, 'request'>,
  address: Address,
  block: number,
): Promise<Funding | undefined> {
  const sent = (await readOne(rpc, askTransactions(block)))?.find(
    ({ to, valueWei }) => to === address && valueWei > 0n,
  )
  if (!sent) return undefined
  const code = await readOne(rpc, askCode(sent.from, block))
  return { funder: isContract(code) ? null : sent.from, block }
}

/** A node that refuses cannot tell; one that cannot be reached says nothing, and is asked again. */
function unknownIfRefused(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error
}

/** A wallet that delegated its code is still a wallet. */
const isContract = (code: Hex): boolean => code !== '0x' && !code.startsWith('0xef0100')

/** Looks for the funders of entrants' addresses that are not known yet, some at a time. */
export async function readFunders({
  db,
  rpc,
  clock,
}: Pick<LeagueDeps, 'db' | 'rpc' | 'clock'>): Promise<number> {
  const now = nowS(clock)
  const due = await db.query<{ address: Address }>(
    `select address from league_funders where (status <> 'read' or block is null) and looked_at_s < $1
       and address in (
         select unnest(array[e.wallet, e.owner, e.agent_wallet]) from league_entries e
         where e.board = 'prize' and ${STILL_JUDGED})
     order by looked_at_s, address limit $2`,
    [now - RETRY_AFTER_S, MAX_PER_RUN],
  )
  if (due.length === 0) return 0
  const addresses = due.map(({ address }) => address)
  // While the node cannot be reached this throws, nothing is written, and they are looked for again soon.
  const found = await findFunders(rpc, addresses)
  await db.query(
    `update league_funders f set status = given.status, funder = given.funder, block = given.block,
     looked_at_s = $5
     from unnest($1::text[], $2::text[], $3::text[], $4::int8[]) as given (address, status, funder, block)
     where f.address = given.address`,
    [
      addresses,
      addresses.map((address) => statusOf(found.get(address))),
      addresses.map((address) => found.get(address)?.funder ?? null),
      addresses.map((address) => found.get(address)?.block ?? null),
      now,
    ],
  )
  return addresses.length
}

/** An address nobody funded yet is looked at again; until then there is nothing that could link it. */
const statusOf = (funding: Funding | null | undefined): string =>
  funding === undefined ? 'unreadable' : 'read'
