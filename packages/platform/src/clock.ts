/** Time is handed in, so tests own it. */
export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export const nowS = (clock: Clock): number => Math.floor(clock.nowMs() / 1000)
