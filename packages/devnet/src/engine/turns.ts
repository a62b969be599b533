/** Runs at most `width` at once, the others in the order they came. */
export function createTurns(width: number): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await run()
    } finally {
      // The place is handed on, so that nobody who comes now can take it.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
