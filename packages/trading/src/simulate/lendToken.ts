import type { Address, Crypto, Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import { balanceOfCall, type SimBlock, simulateBlocks } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { balanceSlots, factorOf, type SlotOf, slotShown, TRIAL_WORDS } from './balanceSlots.ts'

/** A state override that makes a token show a balance for a wallet. */
export interface Loan {
  slot: Hex
  word: bigint
  /** Whether the shown balance is the lent one. */
  holds(shown: bigint | null): boolean
}

export interface Lender {
  /** Null if the token's balance slot cannot be found. Throws RPC_UNAVAILABLE. */
  lend(token: Address, owner: Address, amount: bigint): Promise<Loan | null>
  /** Call if the slot proved wrong: the token's code may have changed. */
  forget(token: Address): void
}

interface BalanceSlot {
  slotOf: SlotOf
  word: bigint
  shown: bigint
}

const MAX_TOKENS = 2_000
/** How long a failed search is cached; the token may be upgraded later. */
const UNFOUND_MS = 60_000
const BALANCE_GAS = 500_000

/** Finds the balance slots of tokens and caches them. */
export function createLender(deps: {
  rpc: Pick<Rpc, 'request'>
  crypto: Pick<Crypto, 'keccak256' | 'keccakText'>
  clock: Clock
  /** An unused address to try balances on. */
  owner: Address
  timeoutMs: number
}): Lender {
  const { rpc, clock, owner, timeoutMs } = deps
  const slots = balanceSlots(deps.crypto)
  const slotCache = createCache<Address, BalanceSlot | null>({
    max: MAX_TOKENS,
    ttlMs: (slot) => (slot === null ? UNFOUND_MS : Number.POSITIVE_INFINITY),
    clock,
  })

  /** One request: per trial word, one block with a different multiple in each slot and one with all equal. */
  async function search(token: Address): Promise<BalanceSlot | null> {
    const candidates = slots.map((slotOf) => slotOf(owner))
    const blockOf = (wordAt: (index: number) => bigint): SimBlock => ({
      overrides: {
        [token]: { words: Object.fromEntries(candidates.map((slot, i) => [slot, wordAt(i)])) },
      },
      calls: [{ ...balanceOfCall(token, owner), gas: BALANCE_GAS }],
    })
    const blocks = TRIAL_WORDS.flatMap((word) => [blockOf((i) => word * factorOf(i)), blockOf(() => word)])
    const ran = await simulateBlocks(rpc, blocks, { timeoutMs })
    const shown = ran.map(({ calls }) => (calls[0]!.ok ? calls[0]!.data : null))
    for (const [i, word] of TRIAL_WORDS.entries()) {
      const reading = slotShown(word, shown[2 * i]!, shown[2 * i + 1]!)
      const slotOf = reading && slots[reading.index]
      if (slotOf) return { slotOf, word, shown: reading.shown }
    }
    return null
  }

  return {
    async lend(token, to, amount) {
      const slotReading = await slotCache.load(token, search)
      if (slotReading === null) return null
      const slot = slotReading.slotOf(to)
      if (slotReading.word === slotReading.shown)
        return { slot, word: amount, holds: (shown) => shown === amount }
      return { slot, word: scaled(slotReading, amount), holds: (shown) => shown !== null && shown >= amount }
    },
    forget: slotCache.delete,
  }
}

/** Adds a thousandth: the scale changes between trial and use, and rounds. */
const scaled = ({ word, shown }: BalanceSlot, amount: bigint): bigint =>
  (amount * word * 1_001n) / (shown * 1_000n) + 1n
