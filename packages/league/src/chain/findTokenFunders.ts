import type { Address } from '@pit/chain'
import { askCode, createLogSpan, readAll, scanTransfers, type Transfer } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import { isContract } from './findFunders.ts'

/** A first transfer of a core token. The funder is null if a contract sent it, or if it was minted. */
export interface TokenFunding {
  funder: Address | null
  token: Address
  block: number
}

/** First transfers by address, and for the other addresses the next block to look at. */
export interface TokenFundings {
  fundings: Map<Address, TokenFunding>
  next: Map<Address, number>
}

export interface TokenFunderRequest {
  tokens: readonly Address[]
  /** Where to look from, by address. */
  from: ReadonlyMap<Address, number>
  /** The last block that is final. */
  head: number
  maxRanges: number
}

/**
 * Finds who first sent addresses a core token, by the tokens' logs: one request per range for all of them.
 */
export async function findTokenFunders(
  rpc: Pick<Rpc, 'request' | 'batch'>,
  { tokens, from, head, maxRanges }: TokenFunderRequest,
): Promise<TokenFundings> {
  const span = createLogSpan({ start: 20_000, min: 500, max: 200_000 })
  const next = new Map(from)
  const first = new Map<Address, Transfer>()
  for (let ranges = 0; ranges < maxRanges && next.size > 0; ranges++) {
    // Addresses that are further ahead are included: they cost nothing and match nothing a second time.
    const range = { from: Math.min(...next.values()), to: head }
    if (range.from > head) break
    const receivers = [...next.keys()]
    const { to, transfers } = await scanTransfers(rpc, span, { tokens, receivers }, range)
    for (const transfer of transfers.filter(isFunding).sort(inOrder))
      if (!first.has(transfer.to)) first.set(transfer.to, transfer)
    for (const address of receivers) {
      if (first.has(address)) next.delete(address)
      else next.set(address, Math.max(next.get(address)!, to + 1))
    }
  }
  return { fundings: await withoutContracts(rpc, first), next }
}

/** Anyone can log a zero transfer from any address. */
const isFunding = ({ from, to, atoms }: Transfer): boolean => atoms !== null && atoms > 0n && from !== to

const inOrder = (a: Transfer, b: Transfer): number => a.block - b.block || a.logIndex - b.logIndex

async function withoutContracts(
  rpc: Pick<Rpc, 'batch'>,
  first: ReadonlyMap<Address, Transfer>,
): Promise<Map<Address, TokenFunding>> {
  const transfers = [...first.values()]
  const codes = await readAll(
    rpc,
    transfers.map(({ from, block }) => askCode(from, block)),
  )
  return new Map(
    transfers.map(({ to, from, token, block }, i) => {
      const code = codes[i]
      const isWallet = from !== NATIVE_TOKEN && code !== undefined && !isContract(code)
      return [to, { funder: isWallet ? from : null, token, block }]
    }),
  )
}
