import { type Address, erc20Abi, type Hex } from '@pit/chain'
import { groupedText, parseDecimal, visibleText } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'
import { readInChunks } from '../report/readInChunks.ts'
import { type Own, type OwnText, own } from './own.ts'
import type { StateReader } from './reading.ts'
import { ethCall, type Rpc, type RpcCall } from './rpc.ts'

/**
 * A token by the client's pins, or by its own node: the only source of typed and shown money.
 * @public
 */
export type TokenFacts = Own<{
  address: Address
  /** The pinned symbol; otherwise the address, since anyone can deploy any symbol. */
  name: string
  /** The contract's own word if the token is not pinned; null if it has none. */
  symbol: string | null
  /** Null if unreadable: such a token is typed and confirmed in atoms only. */
  decimals: number | null
  isPinned: boolean
}>
/**
 * Facts by address, in lower case.
 * @public
 */
export type TokenFactsMap = ReadonlyMap<Address, TokenFacts>

/**
 * Every token of the pins.
 * @public
 */
export const pinnedFacts = ({ tokens }: Pick<Pins, 'tokens'>): TokenFactsMap =>
  new Map(
    [...tokens].map(([address, { symbol, decimals }]) => [
      address,
      own({ address, name: symbol, symbol, decimals, isPinned: true }),
    ]),
  )

const MAX_DECIMALS = 36n
const MAX_SYMBOL_CHARS = 24
/** A longer answer is not a symbol. */
const MAX_ANSWER_CHARS = 4_096

const encode = (functionName: 'decimals' | 'symbol') => encodeFunctionData({ abi: erc20Abi, functionName })

type Answers = (calls: readonly RpcCall[]) => Promise<readonly (Hex | null)[]>

/**
 * Facts to sign by: pins first, the client's own node at a new block for the rest.
 * @throws NODE_BEHIND, RPC_UNAVAILABLE as for any reading
 */
export const readTokenFacts = (
  node: StateReader,
  pins: Pick<Pins, 'tokens'>,
  tokens: readonly Address[],
  signal?: AbortSignal,
): Promise<TokenFactsMap> =>
  factsBy(pins, tokens, async (calls) => {
    const reading = await node.read(calls, signal)
    return calls.map((call) => reading.returned(call))
  })

/**
 * Facts about tokens of past transactions: any node that knows them may serve them.
 * @public
 */
export const pastTokenFacts = (
  rpc: Pick<Rpc, 'all'>,
  pins: Pick<Pins, 'tokens'>,
  tokens: readonly Address[],
  signal?: AbortSignal,
): Promise<TokenFactsMap> =>
  factsBy(pins, tokens, async (calls) => {
    const answers = await readInChunks(rpc, calls, { signal })
    return answers.map((answer) => (typeof answer === 'string' ? (answer as Hex) : null))
  })

async function factsBy(
  pins: Pick<Pins, 'tokens'>,
  tokens: readonly Address[],
  read: Answers,
): Promise<TokenFactsMap> {
  const pinned = pinnedFacts(pins)
  const addresses = [...new Set(tokens)]
  const unpinned = addresses.filter((address) => !pinned.has(address))
  const calls = unpinned.flatMap((token) => [
    ethCall(token, encode('decimals')),
    ethCall(token, encode('symbol')),
  ])
  const answers = calls.length === 0 ? [] : await read(calls)
  const readFacts = new Map(
    unpinned.map((address, i): [Address, TokenFacts] => {
      const [decimals, symbol] = [decimalsIn(answers[2 * i]), symbolIn(answers[2 * i + 1])]
      return [address, own({ address, name: address, symbol, decimals, isPinned: false })]
    }),
  )
  return new Map(addresses.map((address) => [address, pinned.get(address) ?? readFacts.get(address)!]))
}

const isWord = (answer: unknown): answer is Hex =>
  typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer)

function decimalsIn(answer: unknown): number | null {
  const decimals = isWord(answer) ? BigInt(answer) : null
  return decimals === null || decimals > MAX_DECIMALS ? null : Number(decimals)
}

/** A string, or the bytes32 of early tokens. */
function symbolIn(answer: unknown): string | null {
  if (typeof answer !== 'string' || answer.length > MAX_ANSWER_CHARS) return null
  try {
    const text = isWord(answer)
      ? new TextDecoder().decode(bytesOf(answer))
      : decodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', data: answer as Hex })
    return visibleText(text, MAX_SYMBOL_CHARS) || null
  } catch {
    return null
  }
}

const bytesOf = (word: Hex): Uint8Array =>
  Uint8Array.from(word.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

/** Above this an allowance means "without limit". */
const UNLIMITED = 2n ** 159n

/**
 * An amount in whole tokens, or in atoms of an address if the decimals are unknown.
 * @public
 */
export function amountText(atoms: Own<bigint>, { address, name, decimals }: TokenFacts): OwnText {
  if (decimals === null) return own(`${atoms} atoms of ${address}`)
  return own(atoms >= UNLIMITED ? `any amount of ${name}` : `${groupedText(atoms, decimals)} ${name}`)
}

/**
 * A typed amount of whole tokens as atoms; null if it is not one, or the token's decimals are unknown.
 * @public
 */
export function typedAtoms(text: string, { decimals }: TokenFacts): Own<bigint> | null {
  const atoms = decimals === null ? undefined : parseDecimal(text.trim(), decimals)
  return atoms === undefined || atoms === 0n ? null : own(atoms)
}
