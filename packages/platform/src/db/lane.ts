import { StoreUnavailableError } from './errors.ts'

interface Waiter {
  alone: boolean
  enter(): void
}

/**
 * Schedules work on a single connection: plain queries run side by side, a transaction runs alone, both in
 * order of arrival.
 */
export function createLane({ maxWaitMs }: { maxWaitMs: number }) {
  const waiting: Waiter[] = []
  let held = false

  function release(): void {
    held = false
    while (!held) {
      const next = waiting.shift()
      if (!next) return
      held = next.alone
      next.enter()
    }
  }

  function wait(alone: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        alone,
        enter() {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new StoreUnavailableError(`the store was busy with transactions for ${maxWaitMs} ms`))
      }, maxWaitMs)
      waiting.push(waiter)
    })
  }

  return {
    /** Undefined means no wait: a promise per query would cost a turn of the event loop. */
    pass(): Promise<void> | undefined {
      return held || waiting.length > 0 ? wait(false) : undefined
    },
    async hold(): Promise<() => void> {
      if (held || waiting.length > 0) await wait(true)
      else held = true
      let released = false
      return () => {
        if (released) return
        released = true
        release()
      }
    },
  }
}
