import { type Account, PitRefusal } from '@pit/client'
import { beforeEach, expect, it } from 'vitest'
import { countSignatures, createSignInRetry } from './signInRetry.ts'

const SIGNATURE = '0x01' as const
const sign = async () => SIGNATURE
const bare: Account = { address: '0x02', signMessage: sign, signTypedData: sign, signTransaction: sign }

let calls: string[]
let account: Account
let withKey: ReturnType<typeof createSignInRetry>
beforeEach(() => {
  calls = []
  const counted = countSignatures(bare)
  account = counted.account
  withKey = createSignInRetry({
    hasKey: () => calls.includes('sign in'),
    signIn: async () => calls.push('sign in'),
    signatures: counted.signatures,
  })
})

/** Refused the first time, after what `before` does. */
const refusedOnce = (before: () => Promise<unknown>) => async () => {
  await before()
  calls.push('work')
  if (calls.filter((one) => one === 'work').length === 1)
    throw new PitRefusal('UNAUTHORIZED', 'The key expired.')
  return 'done'
}

it('signs in first, and again when the key has expired', async () => {
  expect(await withKey(refusedOnce(() => account.signMessage('Hello')))).toBe('done')
  expect(calls).toEqual(['sign in', 'work', 'sign in', 'work'])
})

it.each([
  ['typed data', () => account.signTypedData({ domain: {}, types: {}, primaryType: 'Orders', message: {} })],
  ['a transaction', () => account.signTransaction({} as never)],
])('never repeats work that signed %s', async (_, before) => {
  await expect(withKey(refusedOnce(before))).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(calls).toEqual(['sign in', 'work'])
})

it('passes on every other refusal', async () => {
  const work = async () => {
    throw new PitRefusal('NO_ROUTE', 'No route.')
  }
  await expect(withKey(work)).rejects.toMatchObject({ code: 'NO_ROUTE' })
  expect(calls).toEqual(['sign in'])
})
