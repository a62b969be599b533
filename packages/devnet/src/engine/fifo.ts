export type Fifo = <T>(job: () => Promise<T>) => Promise<T>

/** A lock that serves in request order; a job that throws does not stop the next. */
export function createFifo(): Fifo {
  let tail: Promise<unknown> = Promise.resolve()
  return (job) => {
    const run = tail.then(job, job)
    tail = run.then(
      () => undefined,
      () => undefined,
    )
    return run
  }
}
