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
  let inFlight = 0
  let loopDelayMs = 0
  let timer: NodeJS.Timeout | undefined
  let wasAsked = false

  /** Measuring wakes the process a hundred times a second, so it runs only while requests come. */
  function measure(): void {
    wasAsked = true
    if (timer) return
    delays.enable()
    timer = setInterval(endWindow, WINDOW_MS).unref()
  }
  function endWindow(): void {
    loopDelayMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - RESOLUTION_MS)
    delays.reset()
    if (!wasAsked && inFlight === 0) stop()
    wasAsked = false
  }
  function stop(): void {
    clearInterval(timer)
    timer = undefined
    delays.disable()
    loopDelayMs = 0
  }
  return {
    isOverloaded() {
      measure()
      return inFlight >= maxInFlight || loopDelayMs > maxLoopDelayMs
    },
    enter: () => {
      inFlight += 1
    },
    leave: () => {
      inFlight -= 1
    },
    inFlight: () => inFlight,
    loopDelayMs: () => loopDelayMs,
    close: stop,
  }
}
