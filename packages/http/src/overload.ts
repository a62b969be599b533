import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const WINDOW_MS = 250

export interface Overload {
  /** Whether to reject a new request before any work. */
  isOverloaded(): boolean
  enter(): void
  leave(): void
  inFlight(): number
  /** Mean delay of the event loop over the last window. */
  loopDelayMs(): number
  close(): void
}

/** Sheds by requests in flight and by mean event loop delay, not by a single stall. */
export function createOverload({
  maxInFlight,
  maxLoopDelayMs,
}: {
  maxInFlight: number
  maxLoopDelayMs: number
}): Overload {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let inFlight = 0
  let loopDelayMs = 0
  const timer = setInterval(() => {
    loopDelayMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - RESOLUTION_MS)
    delays.reset()
  }, WINDOW_MS)
  timer.unref()
  return {
    isOverloaded: () => inFlight >= maxInFlight || loopDelayMs > maxLoopDelayMs,
    enter: () => {
      inFlight += 1
    },
    leave: () => {
      inFlight -= 1
    },
    inFlight: () => inFlight,
    loopDelayMs: () => loopDelayMs,
    close() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
