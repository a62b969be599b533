/** Runs at most `width` at once, the others in order of arrival. */
export function createTurns(width: number): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await run()
    } finally {
      // The slot is passed on directly, so that a newcomer cannot take it.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
