import type { Address } from './addresses.ts'
import type { RpcAnswer } from './types.ts'
import { saysOwnTrouble } from './words.ts'

/**
 * Tries one address after another, each when the previous one failed or used up its share of the time, and
 * returns the first response. Slow requests are not cancelled: a late response is better than none.
 */
export function askInTurn(
  addresses: readonly Address[],
  untilMs: number,
  askOne: (address: Address) => Promise<RpcAnswer[]>,
): Promise<RpcAnswer[]> {
  const waiting = [...addresses]
  const timers: NodeJS.Timeout[] = []
  let running = 0
  let firstError: unknown
  /** Includes errors that are only about that node. */
  let poor: RpcAnswer[] | undefined

  return new Promise((resolve, reject) => {
    function end(answers: RpcAnswer[] | undefined): void {
      for (const timer of timers) clearTimeout(timer)
      if (answers) resolve(answers)
      else reject(firstError)
    }
    function failed(error: unknown): void {
      running -= 1
      firstError ??= error
      next()
    }
    function answered(answers: RpcAnswer[]): void {
      const best = better(poor, answers)
      const isPoor = best.some((answer) => !answer.ok && saysOwnTrouble(answer.error))
      if (!isPoor) {
        end(best)
        return
      }
      poor = best
      running -= 1
      next()
    }
    function next(): void {
      const address = waiting.shift()
      if (!address) {
        if (running === 0) end(poor)
        return
      }
      running += 1
      const shareMs = (untilMs - performance.now()) / (waiting.length + 1)
      if (waiting.length > 0) timers.push(setTimeout(next, shareMs))
      askOne(address).then(answered, failed)
    }
    next()
  })
}

/** A result is better than an error. */
const better = (earlier: RpcAnswer[] | undefined, later: RpcAnswer[]): RpcAnswer[] =>
  earlier ? later.map((answer, i) => (earlier[i]!.ok ? earlier[i]! : answer)) : later
