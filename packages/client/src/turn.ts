/**
 * Runs work after all work that was handed in before.
 * @public
 */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs one piece of work after another, whether or not the previous one failed.
 * @public
 */
export function createTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
}
