import { toHex } from './hex.ts'
import { type Call, type Provider, rpcFailure } from './provider.ts'
import type { BlockReference } from './simulateRequest.ts'
import { type AccountDiff, DELEGATION, type StateDiff, setWord, ZERO_WORD } from './simulateState.ts'
import type { Head, Hex } from './types.ts'

/** Blocks a simulation may be behind the head: enough for a client that read the number a moment ago. */
const MAX_BLOCKS_BACK = 64
const TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }

/** An account before the later blocks. */
interface Former {
  balance?: Hex
  code?: Hex
  words: Map<Hex, Hex>
}

/**
 * The requests that rewind the state to an earlier block: changes of each later transaction are set back.
 * Nonces cannot be lowered in EDR and stay the head's; so do number and time of the simulated block.
 */
export async function requestsOfRewind(engine: Provider, at: BlockReference, head: Head): Promise<Call[]> {
  if ('tag' in at || ('number' in at && at.number === head.number)) return []
  if ('hash' in at && at.hash === head.hash) return []
  const number = 'number' in at ? at.number : await numberOf(engine, at.hash)
  if (number === undefined || number > head.number) throw rpcFailure(-32000, 'header not found')
  const back = Number(head.number - number)
  if (back > MAX_BLOCKS_BACK)
    throw rpcFailure(
      -32000,
      `block ${number} is ${back} behind the head: at most ${MAX_BLOCKS_BACK} can be simulated on`,
    )
  const numbers = Array.from({ length: back }, (_, index) => toHex(head.number - BigInt(index)))
  const blocks = (await engine.batch(
    numbers.map((one): Call => ['eth_getBlockByNumber', [one, false]]),
  )) as ({ transactions: Hex[] } | null)[]
  const former = new Map<Hex, Former>()
  for (const block of blocks) {
    if (!block) throw rpcFailure(-32000, `block ${number} is no longer kept for simulation`)
    const newestFirst = block.transactions.toReversed()
    const diffs = (await engine.batch(
      newestFirst.map((hash): Call => ['debug_traceTransaction', [hash, TRACER]]),
    )) as StateDiff[]
    for (const diff of diffs) goBack(former, diff)
  }
  return [...former].flatMap(([address, account]) => requestsOfFormer(address, account))
}

async function numberOf(engine: Provider, hash: Hex): Promise<bigint | undefined> {
  const block = await engine.request<{ number: Hex } | null>('eth_getBlockByHash', [hash, false])
  return block ? BigInt(block.number) : undefined
}

/** Diffs come newest first, so an older one overwrites. */
function goBack(former: Map<Hex, Former>, { pre, post }: StateDiff): void {
  for (const [address, after] of Object.entries(post) as [Hex, AccountDiff][]) {
    const before = pre[address] ?? {}
    const account: Former = former.get(address) ?? { words: new Map() }
    former.set(address, account)
    if (after.balance !== undefined) account.balance = before.balance ?? '0x0'
    // A removed delegation shows as no change of code.
    if (after.code !== undefined || before.code?.startsWith(DELEGATION)) account.code = before.code ?? '0x'
    for (const slot of Object.keys(after.storage ?? {}) as Hex[]) account.words.set(slot, ZERO_WORD)
    for (const [slot, word] of Object.entries(before.storage ?? {}) as [Hex, Hex][])
      account.words.set(slot, word)
  }
}

function requestsOfFormer(address: Hex, { balance, code, words }: Former): Call[] {
  return [
    ...(balance === undefined ? [] : [['hardhat_setBalance', [address, balance]] satisfies Call]),
    ...(code === undefined ? [] : [['hardhat_setCode', [address, code]] satisfies Call]),
    ...[...words].map(([slot, word]) => setWord(address, BigInt(slot), word)),
  ]
}
