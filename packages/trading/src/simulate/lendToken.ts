import type { Address, Crypto, Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import { balanceOfCall, type SimBlock, simulateBlocks } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { balanceSlots, factorOf, type SlotOf, slotShown, TRIAL_WORDS } from './balanceSlots.ts'

/** How to make a token show a balance that nobody has. */
export interface Loan {
  slot: Hex
  word: bigint
  /** Whether what the token then shows is what was meant. */
  holds(shown: bigint | null): boolean
}

export interface Lender {
  /** Null when no slot is found that the token's balances are in. Throws RPC_UNAVAILABLE. */
  lend(token: Address, owner: Address, amount: bigint): Promise<Loan | null>
  /** The slot proved wrong: the token may run other code now. */
  forget(token: Address): void
}

interface BalanceSlot {
  slotOf: SlotOf
  word: bigint
  shown: bigint
}

const MAX_TOKENS = 2_000
/** A token without a known slot may be given new code; until then it is not searched at every request. */
const UNFOUND_MS = 60_000
const BALANCE_GAS = 500_000

/** Finds where tokens keep balances, each token once, and remembers it. */
export function createLender(deps: {
  rpc: Pick<Rpc, 'request'>
  crypto: Pick<Crypto, 'keccak256' | 'keccakText'>
  clock: Clock
  /** Nobody's: balances are tried out on it. */
  owner: Address
  timeoutMs: number
}): Lender {
  const { rpc, clock, owner, timeoutMs } = deps
  const slots = balanceSlots(deps.crypto)
  const known = createCache<Address, BalanceSlot | null>({
    max: MAX_TOKENS,
    ttlMs: (slot) => (slot === null ? UNFOUND_MS : Number.POSITIVE_INFINITY),
    clock,
  })

  /** One request: per trial word, a block with another multiple in each slot and one with all equal. */
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
      const found = slotShown(word, shown[2 * i]!, shown[2 * i + 1]!)
      const slotOf = found && slots[found.index]
      if (slotOf) return { slotOf, word, shown: found.shown }
    }
    return null
  }

  return {
    async lend(token, to, amount) {
      const found = await known.load(token, search)
      if (found === null) return null
      const slot = found.slotOf(to)
      if (found.word === found.shown) return { slot, word: amount, holds: (shown) => shown === amount }
      return { slot, word: scaled(found, amount), holds: (shown) => shown !== null && shown >= amount }
    },
    forget: known.delete,
  }
}

/** A thousandth more than the scale asks for: it moves between the trial and the use, and rounds. */
const scaled = ({ word, shown }: BalanceSlot, amount: bigint): bigint =>
  (amount * word * 1_001n) / (shown * 1_000n) + 1n
