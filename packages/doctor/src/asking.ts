import type { Address, Hex } from '@pit/chain'
import {
  askCallOrRevert,
  type ContractCall,
  PAGED,
  plainText,
  type Question,
  readAll,
  wordIn,
} from '@pit/platform/reads'
import { decodeAbiParameters, toFunctionSelector } from 'viem'
import type { DoctorDeps } from './types.ts'

/** Return data of a call; null if it reverted, undefined if the node gave no answer. */
export type Said = Hex | null | undefined

/** Gas limit of each call. */
const CALL_GAS = 2_000_000

/** Sends all questions in one round trip. */
export const ask = <const Questions extends readonly Question<unknown>[]>(
  { rpc }: Pick<DoctorDeps, 'rpc'>,
  questions: Questions,
) => readAll(rpc, questions, PAGED)

export async function sayAll(deps: Pick<DoctorDeps, 'rpc'>, calls: readonly ContractCall[]): Promise<Said[]> {
  const answers = await ask(
    deps,
    calls.map((call) => askCallOrRevert(call, { gas: CALL_GAS })),
  )
  return answers.map((answer) => (answer === undefined ? undefined : answer.reverted ? null : answer.data))
}

/** A call without arguments. */
export const getter = (to: string, signature: string): ContractCall => ({
  to: to.toLowerCase() as Address,
  data: toFunctionSelector(signature),
})

export function addressSaid(said: Said): Address | null {
  const word = wordIn(said)
  return word === null || word >> 160n !== 0n ? null : `0x${word.toString(16).padStart(40, '0')}`
}

export const numberSaid = (said: Said): number | null => {
  const word = wordIn(said)
  return word === null || word > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(word)
}

/** The text comes from the contract's author: cut it short and strip control characters. */
export function textSaid(said: Said): string | null {
  if (!said || said.length > 4_096) return null
  try {
    return plainText(decodeAbiParameters([{ type: 'string' }], said)[0])
  } catch {
    return null
  }
}

export const same = (a: string | null, b: string | null): boolean =>
  a !== null && b !== null && a.toLowerCase() === b.toLowerCase()
