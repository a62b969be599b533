/**
 * Runs `job` every `everyMs`, never two at once; a beat that comes while one runs is left out. Answers the
 * stop.
 */
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
