/** Orders responses after commits: none may include state that is not in the log yet. */
export interface CommitGate {
  /** Runs a job that changes the engine and then logs the change. Callers run one at a time. */
  commit<T>(job: () => Promise<T>): Promise<T>
  /** The response, once no commit is running. */
  settled<T>(response: Promise<T>): Promise<T>
}

export function createCommitGate(throwIfHalted: () => void): CommitGate {
  let committing: Promise<void> | undefined
  return {
    async commit(job) {
      throwIfHalted()
      let done = () => {}
      committing = new Promise((resolve) => {
        done = resolve
      })
      try {
        return await job()
      } finally {
        committing = undefined
        done()
      }
    },
    async settled(response) {
      const outcome = await response.then(
        (value) => ({ value }),
        (error) => ({ error }),
      )
      while (committing) await committing
      throwIfHalted()
      if ('error' in outcome) throw outcome.error
      return outcome.value
    },
  }
}
