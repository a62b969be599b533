import { lower } from '@pit/protocol'
import { toHex } from './hex.ts'
import type { Call, GenesisAccount } from './provider.ts'
import { ZERO_WORD } from './simulateState.ts'
import type { StateField, StateHistory } from './stateHistory.ts'
import type { Hex } from './types.ts'

/** Result of debug_traceTransaction with prestateTracer in diff mode. */
export interface StateDiff {
  pre: Record<Hex, AccountDiff>
  post: Record<Hex, AccountDiff>
}

interface AccountDiff {
  balance?: Hex
  nonce?: number
  code?: Hex
  storage?: Record<Hex, Hex>
}

interface Account {
  balance: Hex
  nonce: number
  code: Hex
  storage: Map<Hex, Hex>
}

export interface ImageAccount {
  address: Hex
  balance: Hex
  nonce: number
  code: Hex
  storage: [slot: Hex, value: Hex][]
}

/** The whole state, maintained beside the engines from each transaction's and admin call's changes. */
export interface WorldState {
  /** The block whose changes come next; changes before the first call are not history. */
  atBlock(number: number): void
  applyDiff(diff: StateDiff): void
  applyAccount(address: Hex, fields: AccountDiff): void
  applyAdmin(method: string, params: readonly unknown[]): void
  accounts(): ImageAccount[]
  /** Records changes from now on; `changes` returns them as calls for another engine. */
  markChanges(): void
  changes(): Call[]
}

/** Admin calls that change state, and so belong in an image. */
export const STATE_SETTERS = [
  'hardhat_setBalance',
  'hardhat_setNonce',
  'hardhat_setCode',
  'hardhat_setStorageAt',
] as const

export function createWorldState(
  initial: readonly ImageAccount[],
  history?: Pick<StateHistory, 'note'>,
): WorldState {
  const accounts = new Map<Hex, Account>(
    initial.map(({ address, storage, ...rest }) => [lower(address), { ...rest, storage: new Map(storage) }]),
  )
  let changed = new Map<Hex, Set<StateField>>()
  let block: number | undefined

  const accountAt = (address: Hex): Account => {
    let account = accounts.get(address)
    if (!account) {
      account = { balance: '0x0', nonce: 0, code: '0x', storage: new Map() }
      accounts.set(address, account)
    }
    return account
  }
  const note = (address: Hex, field: StateField, former: Hex, value: Hex) => {
    const change = changed.get(address)
    if (change) change.add(field)
    else changed.set(address, new Set([field]))
    if (block !== undefined && former !== value) history?.note(block, address, field, former)
  }
  const set = (given: Hex, diff: AccountDiff) => {
    const address = lower(given)
    const account = accountAt(address)
    if (diff.balance !== undefined) {
      note(address, 'balance', account.balance, diff.balance)
      account.balance = diff.balance
    }
    if (diff.nonce !== undefined) {
      note(address, 'nonce', toHex(account.nonce), toHex(diff.nonce))
      account.nonce = Number(diff.nonce)
    }
    if (diff.code !== undefined) {
      note(address, 'code', account.code, diff.code)
      account.code = diff.code
    }
    for (const [slot, value] of Object.entries(diff.storage ?? {}) as [Hex, Hex][]) {
      const place = word(slot)
      note(address, place, account.storage.get(place) ?? ZERO_WORD, word(value))
      if (BigInt(value) === 0n) account.storage.delete(place)
      else account.storage.set(place, word(value))
    }
  }

  return {
    atBlock(number) {
      block = number
    },
    applyDiff({ pre, post }) {
      for (const [address, before] of Object.entries(pre) as [Hex, AccountDiff][]) {
        const after = post[address]?.storage ?? {}
        const cleared = Object.keys(before.storage ?? {}).filter((slot) => !(slot in after))
        if (cleared.length > 0)
          set(address, { storage: Object.fromEntries(cleared.map((slot) => [slot, '0x0'])) })
      }
      for (const [address, after] of Object.entries(post) as [Hex, AccountDiff][]) set(address, after)
    },
    applyAccount: set,
    applyAdmin(method, params) {
      const [address, first, second] = params as [Hex, Hex, Hex]
      if (method === 'hardhat_setBalance') set(address, { balance: first })
      if (method === 'hardhat_setNonce') set(address, { nonce: Number(first) })
      if (method === 'hardhat_setCode') set(address, { code: first })
      if (method === 'hardhat_setStorageAt') set(address, { storage: { [first]: second } })
    },
    accounts: () =>
      [...accounts].map(([address, { storage, ...rest }]) => ({ address, ...rest, storage: [...storage] })),
    markChanges() {
      changed = new Map()
    },
    changes: () =>
      [...changed].flatMap(([address, fields]) => settingCalls(address, accountAt(address), fields)),
  }
}

/**
 * Accounts whose diff is ambiguous: a delegation's code that appears before and not after was kept or reset
 * (only a transaction with authorizations can reset it), an account without an after state is gone.
 */
export function openQuestions({ pre, post }: StateDiff, hasAuthorizations: boolean): Hex[] {
  return (Object.keys(pre) as Hex[]).filter((address) => {
    if (!post[address]) return true
    return hasAuthorizations && pre[address]?.code?.startsWith('0xef0100') && post[address].code === undefined
  })
}

export const toGenesis = ({ address, balance, nonce, code, storage }: ImageAccount): GenesisAccount => ({
  address,
  balance: BigInt(balance),
  nonce: BigInt(nonce),
  ...(code === '0x' ? {} : { code }),
  ...(storage.length === 0
    ? {}
    : { storage: storage.map(([slot, value]) => ({ index: BigInt(slot), value: BigInt(value) })) }),
})

function settingCalls(address: Hex, account: Account, fields: Iterable<string>): Call[] {
  return [...fields].map((field): Call => {
    if (field === 'balance') return ['hardhat_setBalance', [address, account.balance]]
    if (field === 'nonce') return ['hardhat_setNonce', [address, toHex(account.nonce)]]
    if (field === 'code') return ['hardhat_setCode', [address, account.code]]
    const value = account.storage.get(field as Hex) ?? ZERO_WORD
    return ['hardhat_setStorageAt', [address, toHex(BigInt(field)), value]]
  })
}

/** As 32 bytes; a storage slot or its value. */
export const word = (value: Hex): Hex => `0x${value.slice(2).padStart(64, '0')}`
