/** Many pass at once; closing waits for all inside, and no one passes while it is closed. */
export interface Turnstile {
  pass<T>(job: () => Promise<T>): Promise<T>
  whileShut<T>(job: () => Promise<T>): Promise<T>
}

export function createTurnstile(): Turnstile {
  let inside = 0
  let shut: Promise<void> | undefined
  let lastOut: (() => void) | undefined
  return {
    async pass(job) {
      while (shut) await shut
      inside += 1
      try {
        return await job()
      } finally {
        inside -= 1
        if (inside === 0) lastOut?.()
      }
    },
    async whileShut(job) {
      while (shut) await shut
      let open = () => {}
      shut = new Promise((resolve) => {
        open = resolve
      })
      try {
        if (inside > 0) {
          await new Promise<void>((resolve) => {
            lastOut = resolve
          })
        }
        return await job()
      } finally {
        lastOut = undefined
        shut = undefined
        open()
      }
    },
  }
}
