import { readdirSync, readFileSync } from 'node:fs'
import { keccak256, numberToHex } from 'viem'

/** Processor time of a process so far, all its threads, in milliseconds. Linux only. */
export function processorMs(pid: number): number {
  return [...threadMs(pid).values()].reduce((sum, ms) => sum + ms, 0)
}

/** The same by thread; the main thread has the id of the process. */
export function threadMs(pid: number): Map<number, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((id) => {
      const ns = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]
      return [Number(id), Number(ns) / 1e6]
    }),
  )
}

const ROUNDS = 400
const TRIES = 5
/** Tries until its code is optimized: the first ones take half as long again. */
const WARM_UP = 10
let isWarm = false

/** Processor time of a fixed computation on this machine now: hashing, big integers and JSON. The least of some tries. */
export function unitMs(): number {
  for (let n = 0; n < WARM_UP && !isWarm; n++) compute()
  isWarm = true
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES; n++) {
    const before = process.cpuUsage()
    compute()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

function compute(): void {
  let hash = numberToHex(1n, { size: 32 })
  for (let n = 0; n < ROUNDS; n++) {
    const { text } = JSON.parse(JSON.stringify({ text: hash, value: (BigInt(hash) % 1_000_003n).toString() }))
    hash = keccak256(text)
  }
}
