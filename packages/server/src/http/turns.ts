interface Line {
  running: number
  waiting: (() => void)[]
}

/** Runs work of one name a few at a time, the rest in the order it came; names do not wait for each other. */
export function createTurns(atOnce: number) {
  const lines = new Map<string, Line>()
  return {
    async take<T>(name: string, work: () => Promise<T>): Promise<T> {
      const line = lines.get(name) ?? { running: 0, waiting: [] }
      lines.set(name, line)
      // Whoever ends hands its place on, so that a newcomer cannot slip in between.
      if (line.running < atOnce) line.running += 1
      else await new Promise<void>((resolve) => line.waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = line.waiting.shift()
        if (next) next()
        else {
          line.running -= 1
          if (line.running === 0) lines.delete(name)
        }
      }
    },
  }
}
