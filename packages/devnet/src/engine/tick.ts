/** Runs `job` every `everyMs`, never two at once; skips a beat while one runs. Returns the stop function. */
export function tick(everyMs: number, job: () => Promise<void>): () => void {
  let busy = false
  const timer = setInterval(() => {
    if (busy) return
    busy = true
    job().finally(() => {
      busy = false
    })
  }, everyMs)
  return () => clearInterval(timer)
}
