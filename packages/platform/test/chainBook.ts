import { createHash } from 'node:crypto'
import {
  type Address,
  type Crypto,
  type Hex,
  hashTx,
  parseSignedTx,
  type SignedTx,
  senderOf,
} from '@pit/chain'
import { RpcError } from '../src/rpc/index.ts'

export interface ScriptedLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}
/** Token transfers; the zero address is ETH. */
export interface Move {
  token: Address
  from: Address
  to: Address
  atoms: bigint
}
export interface ScriptedTx {
  from: Address
  to?: Address | null
  hash?: Hex
  valueWei?: bigint
  reverted?: boolean
  gasUsed?: bigint
  gasPriceWei?: bigint
  logs?: readonly ScriptedLog[]
  /** Change balances, and are logged as transfers unless they are of ETH. */
  moves?: readonly Move[]
}
export type MinedTx = Required<Omit<ScriptedTx, 'to'>> & { to: Address | null; block: number }

export interface ChainBookOptions {
  startS: number
  /** Default time between blocks. */
  blockS?: number
  height?: number
  /** The chain advances with this clock; without it only on demand. */
  clock?: { nowMs(): number }
  /** For raw transactions. */
  crypto?: Crypto
}

export const GAS_USED = 150_000n
export const GAS_PRICE_WEI = 1_000n
export const ETH: Address = `0x${'0'.repeat(40)}`
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`
export const word = (value: number | bigint | Address): Hex =>
  `0x${(typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')}`
export const transferLog = ({ token, from, to, atoms }: Move): ScriptedLog => ({
  address: token,
  topics: [TRANSFER, word(from), word(to)],
  data: word(atoms),
})
const sha256 = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`

interface Pooled {
  hash: Hex
  tx: SignedTx
  from: Address
}
interface Holding {
  block: number
  atoms: bigint
  isSet: boolean
}

/** Scripted blocks, transactions and balances; blocks without entries exist too. */
export function createChainBook({ startS, blockS = 1, height = 0, clock, crypto }: ChainBookOptions) {
  let headBlock = height
  const times = new Map<number, number>()
  const forks = new Map<number, number>()
  const numbers = new Map<Hex, number>()
  const mined = new Map<Hex, MinedTx>()
  const pool = new Map<Hex, Pooled>()
  /** Mined from the pool. */
  const left = new Map<Hex, Pooled>()
  const nonces = new Map<Address, number>()
  /** By token and holder: balances set and changed, in the order they were written. */
  const holdings = new Map<string, Holding[]>()

  const head = (): number => {
    return clock ? Math.max(headBlock, Math.floor((clock.nowMs() / 1000 - startS) / blockS)) : headBlock
  }
  const timeOf = (block: number): number => times.get(block) ?? startS + block * blockS
  function hashOf(block: number): Hex {
    const text = `block ${block} ${forks.get(block) ?? 0}`
    const hash: Hex = sha256(text)
    numbers.set(hash, block)
    return hash
  }
  /** Undefined for a block that does not exist or left the chain. */
  function numberOf(hash: Hex): number | undefined {
    const number = numbers.get(hash)
    return number !== undefined && hashOf(number) === hash ? number : undefined
  }

  function hold(token: Address, holder: Address, entry: Holding) {
    const key = `${token} ${holder}`
    const history = holdings.get(key)
    if (history) history.push(entry)
    else holdings.set(key, [entry])
  }
  function balance(token: Address, holder: Address, block = head()): bigint {
    let atoms = 0n
    for (const entry of holdings.get(`${token} ${holder}`) ?? []) {
      if (entry.block <= block) atoms = entry.isSet ? entry.atoms : atoms + entry.atoms
    }
    return atoms
  }
  /** A transaction in a block, now or long ago. */
  function add(tx: ScriptedTx, block = head() + 1): MinedTx {
    headBlock = Math.max(headBlock, block)
    const { moves = [], reverted = false, from, valueWei = 0n } = tx
    const logs = [...(tx.logs ?? []), ...moves.filter(({ token }) => token !== ETH).map(transferLog)]
    const entry: MinedTx = {
      hash: sha256(`tx ${mined.size}`),
      gasUsed: GAS_USED,
      gasPriceWei: GAS_PRICE_WEI,
      to: null,
      ...tx,
      moves,
      reverted,
      valueWei,
      logs: reverted ? [] : logs,
      block,
    }
    mined.set(entry.hash, entry)
    hold(ETH, from, { block, atoms: -entry.gasUsed * entry.gasPriceWei, isSet: false })
    for (const { token, from: giver, to, atoms } of reverted ? [] : moves) {
      hold(token, giver, { block, atoms: -atoms, isSet: false })
      hold(token, to, { block, atoms, isSet: false })
    }
    return entry
  }

  /** Adds raw bytes to the pool. */
  function take(raw: Hex): Hex {
    if (!crypto) throw new Error('raw transactions need crypto')
    const parsed = parseSignedTx(raw)
    if (!parsed.ok) throw new RpcError('eth_sendRawTransaction', -32_602, parsed.why, undefined)
    const hash = hashTx(crypto, parsed.tx)
    pool.set(hash, { hash, tx: parsed.tx, from: senderOf(crypto, parsed.tx)! })
    return hash
  }

  /** Mines the next block, with everything pooled or only the given transactions. */
  function mine({
    timeS = timeOf(head()) + blockS,
    only,
    reverted = [],
    logs = {},
  }: {
    timeS?: number
    only?: readonly Hex[]
    reverted?: readonly Hex[]
    logs?: Record<Hex, readonly ScriptedLog[]>
  } = {}): { number: number; hash: Hex; timeS: number } {
    const number = head() + 1
    headBlock = number
    times.set(number, timeS)
    for (const pooled of [...pool.values()]) {
      const { hash, tx, from } = pooled
      if (only && !only.includes(hash)) continue
      pool.delete(hash)
      left.set(hash, pooled)
      nonces.set(from, Math.max(nonces.get(from) ?? 0, tx.nonce + 1))
      const own = { hash, from, to: tx.to, valueWei: tx.value, logs: logs[hash] ?? [] }
      add({ ...own, reverted: reverted.includes(hash) }, number)
    }
    return { number, hash: hashOf(number), timeS }
  }

  /** Replaces the head; its transactions are mined again or return to the pool. */
  function reorg({ keep }: { keep: boolean }): void {
    const number = head()
    forks.set(number, (forks.get(number) ?? 0) + 1)
    times.set(number, timeOf(number) + 7)
    if (keep) return
    for (const { hash, block } of [...mined.values()]) {
      if (block !== number) continue
      mined.delete(hash)
      const pooled = left.get(hash)
      if (!pooled) continue
      pool.set(hash, pooled)
      nonces.set(pooled.from, pooled.tx.nonce)
    }
    for (const [key, entries] of holdings)
      holdings.set(
        key,
        entries.filter(({ block, isSet }) => isSet || block !== number),
      )
  }

  function nonceAt(holder: Address, block: number): number {
    const own = [...mined.values()].filter(({ from }) => from === holder)
    const later = own.filter((tx) => tx.block > block).length
    return (nonces.get(holder) ?? own.length) - later
  }

  return {
    mined,
    pool,
    head,
    timeOf,
    hashOf,
    numberOf,
    balance,
    nonceAt,
    isSetAt: (token: Address, holder: Address, block: number): boolean =>
      holdings.get(`${token} ${holder}`)?.some((entry) => entry.isSet && entry.block === block) ?? false,
    /** Sets a balance from this block on; earlier blocks keep theirs. */
    setBalance: (token: Address, holder: Address, atoms: bigint, block = 0) =>
      hold(token, holder, { block, atoms, isSet: true }),
    setNonce: (holder: Address, nonce: number) => void nonces.set(holder, nonce),
    add,
    take,
    mine,
    mineTo: (block: number) => {
      headBlock = Math.max(headBlock, block)
    },
    reorg,
    /** Drops a pooled transaction, as if its nonce was used. */
    forget: (hash: Hex) => pool.delete(hash),
    loseReceipt: (hash: Hex) => mined.delete(hash),
  }
}
