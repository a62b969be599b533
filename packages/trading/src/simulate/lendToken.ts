import type { Address, Crypto, Hex } from '@pit/chain'
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
  const known = new Map<Address, { slot: Promise<BalanceSlot | null>; untilMs: number }>()

  function slotFor(token: Address): Promise<BalanceSlot | null> {
    const kept = known.get(token)
    known.delete(token)
    const entry =
      kept && clock.nowMs() < kept.untilMs ? kept : { slot: search(token), untilMs: Number.POSITIVE_INFINITY }
    // The one just used goes to the end; the first is the longest unused.
    known.set(token, entry)
    if (known.size > MAX_TOKENS) known.delete(known.keys().next().value!)
    entry.slot.then(
      (slot) => {
        if (slot === null && entry.untilMs === Number.POSITIVE_INFINITY)
          entry.untilMs = clock.nowMs() + UNFOUND_MS
      },
      () => {
        if (known.get(token) === entry) known.delete(token)
      },
    )
    return entry.slot
  }

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
      const found = await slotFor(token)
      if (found === null) return null
      const slot = found.slotOf(to)
      if (found.word === found.shown) return { slot, word: amount, holds: (shown) => shown === amount }
      return { slot, word: scaled(found, amount), holds: (shown) => shown !== null && shown >= amount }
    },
    forget: (token) => void known.delete(token),
  }
}

/** A thousandth more than the scale asks for: it moves between the trial and the use, and rounds. */
const scaled = ({ word, shown }: BalanceSlot, amount: bigint): bigint =>
  (amount * word * 1_001n) / (shown * 1_000n) + 1n
